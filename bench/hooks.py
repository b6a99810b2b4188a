"""What a hook costs where nothing changed, beside an interpreter that does nothing. CPU time of whole processes."""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.startup import ENVIRONMENT, NOTHING, ROUNDS
from dualgate.hooks.registering import with_hooks

FILES = 1000
AIM = 0.1
CALLS = {
    "python -c pass": NOTHING,
    "hook stop, unchanged": ("-m", "dualgate", "hook", "stop", "--host", "claude"),
    "hook edit, no run": ("-m", "dualgate", "hook", "edit", "--host", "claude"),
    "hook start, known": ("-m", "dualgate", "hook", "start", "--host", "claude"),
}
GIT = ("git", "-c", "user.name=b", "-c", "user.email=b@b", "-c", "commit.gpgsign=false")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        root, home = Path(folder, "work"), Path(folder, "home")
        home.mkdir()
        _make_repository(root)
        given = json.dumps({"session_id": "s", "cwd": str(root), "last_assistant_message": "Done."}).encode()
        _cpu(CALLS["hook start, known"], given, home)
        taken: dict[str, list[float]] = {name: [] for name in CALLS}
        for _ in range(ROUNDS):
            for name, words in CALLS.items():
                taken[name].append(_cpu(words, given, home))
    measured = {name: statistics.median(times) for name, times in taken.items()}
    base = measured["python -c pass"]
    print(f"a repository with {FILES} files, of which 10 are changed")
    for name, seconds in measured.items():
        print(f"{name:<22} {seconds * 1000:7.1f} ms CPU   {seconds / base:5.2f} × python -c pass")
    print(f"hook stop, unchanged   {measured['hook stop, unchanged'] / AIM:.2f} × of {AIM} s (aim: 1)")


def _make_repository(root: Path) -> None:
    """A repository that opted in, with a few changed files, as in the middle of some work."""
    for number in range(FILES):
        path = root / f"package{number % 20}" / f"module{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"value = {number}\n")
    (root / ".claude").mkdir()
    (root / ".claude" / "settings.json").write_text(with_hooks("claude", ""))
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-qm", "first")):
        subprocess.run([*GIT, *words], cwd=root, check=True, capture_output=True)
    for number in range(10):
        (root / "package0" / f"module{number * 20}.py").write_text("changed = True\n")


def _cpu(words: Sequence[str], given: bytes, home: Path) -> float:
    """User and system time of a call and of all that it started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**ENVIRONMENT, "HOME": str(home), "PATH": os.environ["PATH"]}
    done = subprocess.run([sys.executable, *words], input=given, env=environment, capture_output=True, check=True)
    if done.stdout:
        raise SystemExit(f"{' '.join(words)} said {done.stdout!r}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
