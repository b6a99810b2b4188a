"""Change -> a git repository, with `work` checked out, and the trees of both sides."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from tests.corpus.changes import Change, apply

GIT = ("git", "-c", "user.name=A", "-c", "user.email=a@b.invalid", "-c", "protocol.file.allow=always")
TESTS = re.compile(
    r"(^|/)(tests?|__tests__)/|(^|/)(test_[^/]*|[^/]*_test|conftest|sitecustomize)\.py$|\.test\.\w+$"
    r"|(^|/)(pytest\.ini|tox\.ini|setup\.cfg|pyproject\.toml|Makefile|package\.json)$"
)
"""Paths of tests and of what steers them, as far as the claims of the corpus go."""


def git(folder: Path, *words: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run([*GIT, *words], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"git {' '.join(words)}: {done.stderr}"
    return done.stdout.strip()


def made(change: Change, root: Path) -> Path:
    """Make the repository of a change."""
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    for step in change.steps:
        _take(change, step, root)
    if change.steps[-1].startswith("main:") and git(root, "branch", "--list", "work"):
        git(root, "switch", "-q", "work")
    return root


def _take(change: Change, step: str, root: Path) -> None:
    branch, _, what = step.partition(": ")
    if branch != "tree":
        _switch(root, branch)
    match what.split():
        case ["merge", other]:
            git(root, "merge", "-q", "--no-edit", other)
        case ["submodule", stage, path]:
            _submodule(change, stage, path, root)
        case [stage]:
            _write(change, stage, root)
    if branch != "tree" and git(root, "status", "--porcelain"):
        _commit(root, what)


def _switch(root: Path, branch: str) -> None:
    if not git(root, "branch", "--list"):
        return
    flags = () if git(root, "branch", "--list", branch) else ("-c",)
    git(root, "switch", "-q", *flags, branch)


def _write(change: Change, stage: str, root: Path) -> None:
    for part in change.stages[stage]:
        apply(part, root)


def _commit(root: Path, message: str) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", message)


def _submodule(change: Change, stage: str, path: str, root: Path) -> None:
    library = root.parent / f"{root.name}-{Path(path).name}"
    is_new = not library.exists()
    if is_new:
        library.mkdir()
        git(library, "init", "-q", "-b", "main")
    _write(change, stage, library)
    _commit(library, stage)
    if is_new:
        git(root, "submodule", "--quiet", "add", str(library), path)
    else:
        git(root / path, "pull", "-q")


def base_of(root: Path, folder: Path) -> Path:
    """Check out the tree that the branch started from, with its submodules."""
    git(root, "worktree", "add", "-q", "--detach", str(folder), git(root, "merge-base", "main", "HEAD"))
    git(folder, "submodule", "--quiet", "update", "--init")
    return folder


def crossed(code: Path, tests: Path, folder: Path) -> Path:
    """The code of one tree with the tests and the steering files of the other."""
    shutil.copytree(code, folder, ignore=shutil.ignore_patterns(".git"))
    for path in _tests_of(folder):
        (folder / path).unlink()
    for path in _tests_of(tests):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(tests / path, folder / path)
    return folder


def _tests_of(root: Path) -> Iterable[str]:
    paths = [path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()]
    return [path for path in paths if TESTS.search(path) and not path.startswith(".git/") and "__pycache__" not in path]
