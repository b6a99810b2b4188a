"""A small project, and its work tree as a run looks at it."""

import os
import subprocess
import sys
from pathlib import Path

from dualgate.core.values.state import LoopState, Proof
from dualgate.core.values.vocabulary import Phase
from dualgate.testing import NOW, a_state, failed
from dualgate.workspace.phase_rules import Freeze
from dualgate.workspace.saved import SavedSnapshots
from dualgate.workspace.steering.commands import read_called
from dualgate.workspace.worktree import WorkTree

TEST = "def test_a():\n    assert 1 == 2\n"
CODE = 'def f():\n    """Old."""\n    return 1\n'
FILES = {"tests/test_x.py": TEST, "code.py": CODE, "pyproject.toml": "[project]\nname='x'\n"}
NOBODY = 65534


def a_project(root: Path) -> Path:
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def a_worktree(project: Path, folder: Path, *command: str) -> WorkTree:
    saved = SavedSnapshots(project, folder / "snapshots.db", folder / "session")
    return WorkTree(saved, saved.look_anew(), lambda: NOW, frozen=Freeze(called=read_called(project, command)))


def in_phase(phase: Phase, worktree: WorkTree, **values: object) -> LoopState:
    tree = worktree.present
    proof = Proof(**{"start_tree": tree, "proven": (failed("test_a"),), "proven_tree": tree, **values})  # type: ignore[arg-type]
    return a_state(phase=phase, proof=proof)


def git(root: Path, *words: str) -> str:
    who = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "init.defaultBranch=main")
    return subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True, text=True).stdout


def become_somebody() -> None:
    """Nothing can be forbidden to root. What is imported later must have been imported before."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def run_python(code: str, *words: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
        timeout=60,
        check=True,
    ).stdout
