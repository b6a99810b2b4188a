"""What a second worktree costs, for a project with a virtual environment of 300 MB.

Beside `git worktree add` alone; and beside the ways to give it an environment of its own: a copy of the packages, and
`python -m venv` with nothing installed into it yet. Times are medians of rounds, side by side.
"""

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from dualgate.fleet.making import made_worktree
from dualgate.fleet.plan import Wanted, plan_worktree
from dualgate.settings import Settings

ROUNDS = 5
SOURCES, PACKAGES, FILES, BYTES = 300, 60, 100, 50_000
"""Files of the project; packages, files in each and bytes of a file, together 300 MB."""
NOW = datetime(2026, 1, 16, 22, 0, tzinfo=UTC)


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="dualgate-bench-") as name:
        folder = Path(name).resolve()
        project = make_project(folder / "project")
        environment = {"HOME": str(folder / "home")}
        ways: dict[str, Callable[[Path], None]] = {
            "git worktree add": lambda place: add(project, place),
            "git worktree add, and a copy of the environment": lambda place: add_copied(project, place),
            "git worktree add, and an empty environment": lambda place: add_empty(project, place),
            "dualgate, to a worktree that is ready": lambda place: ready(project, place, environment),
        }
        taken: dict[str, list[float]] = {way: [] for way in ways}
        for number in range(-1, ROUNDS):  # the first one is the first worktree, and fills caches
            for way, made in ways.items():
                seconds = timed(made, folder / f"{len(way)}-{number}")
                taken[way] += [seconds] if number >= 0 else []
        report({way: statistics.median(each) for way, each in taken.items()})


def report(medians: dict[str, float]) -> None:
    plain, ours = medians["git worktree add"], list(medians.values())[-1]
    for way, seconds in medians.items():
        print(f"{way}: {seconds * 1000:.0f} ms, {seconds / plain:.1f} × git worktree add, {seconds / ours:.1f} × ours")


def make_project(project: Path) -> Path:
    (project / "src").mkdir(parents=True)
    for number in range(SOURCES):
        (project / "src" / f"module_{number}.py").write_text(f"x = {number}\n" * 100)
    (project / ".gitignore").write_text(".venv/\n")
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-qm", "base")):
        identity = ("-c", "user.name=bench", "-c", "user.email=bench@bench.example")
        subprocess.run(["git", *identity, *words], cwd=project, check=True, capture_output=True)
    venv.create(project / ".venv", symlinks=True)
    (packages,) = (project / ".venv").glob("lib/python*/site-packages")
    for package in range(PACKAGES):
        place = packages / f"package_{package}"
        place.mkdir()
        for number in range(FILES):
            (place / f"module_{number}.py").write_bytes(b"#" * BYTES)
    (packages / "project.pth").write_text(f"{project}/src\n")
    return project


def add(project: Path, place: Path) -> None:
    words = ["git", "worktree", "add", "-q", "-b", f"plain/{place.name}", str(place)]
    subprocess.run(words, cwd=project, check=True, capture_output=True)


def add_copied(project: Path, place: Path) -> None:
    add(project, place)
    shutil.copytree(project / ".venv", place / ".venv", symlinks=True)


def add_empty(project: Path, place: Path) -> None:
    add(project, place)
    subprocess.run([sys.executable, "-m", "venv", str(place / ".venv")], check=True, capture_output=True)


def ready(project: Path, place: Path, environment: dict[str, str]) -> None:
    plan = plan_worktree(project, Wanted(name=place.name), Settings(), environment)
    with made_worktree(plan, environment, NOW):
        pass


def timed(made: Callable[[Path], None], place: Path) -> float:
    began = time.perf_counter()
    made(place)
    return time.perf_counter() - began
