"""What a snapshot costs beside git on the same tree: the first, one after three files changed, and its bytes."""

import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from dualgate.testing import NOW
from dualgate.workspace.saved import SavedSnapshots

SIZES = (10, 1_000, 50_000)
CHANGED = 3
TRIES = 5
IN_A_FOLDER = 50


def main() -> None:
    print("                first     git add   3 changed  git status   ratio   anew by a program   bytes per snapshot")
    for size in SIZES:
        with tempfile.TemporaryDirectory(prefix="dualgate-bench-") as name:
            print(f"{size:6} files  {measured(Path(name), size)}")


def measured(folder: Path, size: int) -> str:
    """A line of the table. A ratio of 1 is as long as git takes to say what changed."""
    root = folder / "project"
    files = lay_out(root, size)
    adding = _seconds(lambda: git(root, "add", "."))
    git(root, "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "first")
    with SavedSnapshots(root, folder / "store" / "snapshots.db") as saved:
        snapshots = saved.look_anew()
        first = _seconds(lambda: saved.keep(snapshots, "first", NOW))
        room = saved.objects.size()
        again, status = _beside(lambda: saved.keep(snapshots, "again", NOW), root, files)
        grown = (saved.objects.size() - room) / TRIES
        saved.save("by a program", NOW)
        anew, _ = _beside(lambda: _save(root, folder), root, files)
    return (
        f"{first * 1000:6.0f} ms  {adding * 1000:6.0f} ms   {again * 1000:6.1f} ms   {status * 1000:6.1f} ms  "
        f"{again / status:5.1f}x   {anew * 1000:6.1f} ms  {anew / status:5.1f}x   {grown:8.0f} ({room} the first)"
    )


def lay_out(root: Path, size: int) -> list[Path]:
    files = [root / f"part{n // 2000}" / f"folder{n // IN_A_FOLDER}" / f"module_{n}.py" for n in range(size)]
    for number, file in enumerate(files):
        if number % IN_A_FOLDER == 0:
            file.parent.mkdir(parents=True)
        file.write_text(f"x = {number}\n" * 50)
    git(root, "init", "-q")
    return files


def git(root: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=root, check=True, stdout=subprocess.DEVNULL)


def _save(root: Path, folder: Path) -> None:
    """As the command does it, but for the start of the program: nothing is remembered but what is in the store."""
    with SavedSnapshots(root, folder / "store" / "snapshots.db") as saved:
        saved.save("anew", NOW)


def _beside(work: Callable[[], object], root: Path, files: list[Path]) -> tuple[float, float]:
    """The best of some tries each, taken in turn, since the worst tells of the machine."""
    ours, theirs = [], []
    for number in range(TRIES):
        for file in files[:: max(1, len(files) // CHANGED)][:CHANGED]:
            file.write_text(f"y = {number}\n{os.urandom(8).hex()}\n")
        ours.append(_seconds(work))
        theirs.append(_seconds(lambda: git(root, "status", "--porcelain")))
    return min(ours), min(theirs)


def _seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
