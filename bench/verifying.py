"""What verify costs: beside two plain pytest runs, without probes; and a second call for the same trees.

The change is one new function with its test, in a repository of many tests. Wall times are medians of rounds, side by
side, of a new home each, so that nothing is known; plain pytest compiles in each run, as it does on a fresh checkout,
or keeps its compiled files. CPU times of the second call are those of dualgate and of the git that it starts.
"""

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.suites import COMMAND, lay_out

TESTS, ROUNDS, CALLS = 2000, 3, 9
NEW = {
    "fee.py": "def fee(amount):\n    return amount // 50\n",
    "test_fee.py": "from fee import fee\n\n\ndef test_fee():\n    assert fee(100) == 2\n",
}
PLAIN_START = (sys.executable, "-c", "pass")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="dualgate-bench-") as name:
        folder = Path(name).resolve()
        project = make_repository(folder / "project")
        environment = os.environ | {
            "DUALGATE_TEST_COMMAND": " ".join(COMMAND),
            "DUALGATE_SENSITIVITY": "off",
        }
        for keeps in (False, True):
            measure(project, folder, environment, keeps)
        again(project, environment | {"HOME": str(folder / "home-0")})


def make_repository(project: Path) -> Path:
    project.mkdir()
    lay_out(project, TESTS)
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-qm", "base")):
        identity = ("-c", "user.name=bench", "-c", "user.email=bench@bench.example")
        subprocess.run(["git", *identity, *words], cwd=project, check=True, capture_output=True)
    for name, text in NEW.items():
        (project / name).write_text(text)
    return project


def measure(project: Path, folder: Path, environment: dict[str, str], keeps_compiled: bool) -> None:
    plain = environment | {"PYTHONDONTWRITEBYTECODE": "" if keeps_compiled else "1"}
    if keeps_compiled:
        seconds_of(COMMAND, project, plain)
    ratios, ours = [], []
    for number in range(ROUNDS):
        home = folder / f"home-{number}"
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir()
        both = seconds_of(COMMAND, project, plain) + seconds_of(COMMAND, project, plain)
        taken = seconds_of(verify(), project, environment | {"HOME": str(home)})
        ours.append(taken)
        ratios.append(taken / both)
    kind = "keeps its compiled files" if keeps_compiled else "compiles in each run"
    seconds, ratio = statistics.median(ours), statistics.median(ratios)
    print(f"{TESTS} tests: verify {seconds:.2f} s, {ratio:.2f} × two plain runs of a pytest that {kind}")


def again(project: Path, environment: dict[str, str]) -> None:
    """The second call for the same trees, beside the start of Python."""
    seconds_of(verify(), project, environment)
    starts = [cpu_of(PLAIN_START, project, environment) for _ in range(CALLS)]
    calls = [cpu_of(verify(), project, environment) for _ in range(CALLS)]
    usual, own = statistics.median(starts), statistics.median(calls)
    print(f"known trees: {own * 1000:.0f} ms of CPU, {own / usual:.1f} × the start of Python ({usual * 1000:.0f} ms)")


def verify() -> tuple[str, ...]:
    return (sys.executable, "-m", "dualgate", "verify", "--base", "main")


def seconds_of(words: tuple[str, ...], project: Path, environment: dict[str, str]) -> float:
    started = time.perf_counter()
    subprocess.run(words, cwd=project, env=environment, check=True, capture_output=True)
    return time.perf_counter() - started


def cpu_of(words: tuple[str, ...], project: Path, environment: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, cwd=project, env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
