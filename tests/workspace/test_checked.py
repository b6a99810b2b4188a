"""What the command of a check runs is frozen, and what it only names is the work."""

from pathlib import Path

import pytest

from dualgate.core.values.changes import Violation
from dualgate.core.values.vocabulary import Phase
from dualgate.testing import NOW
from dualgate.workspace.phase_rules import CHECKED, Freeze
from dualgate.workspace.saved import SavedSnapshots
from dualgate.workspace.steering.commands import read_checked
from dualgate.workspace.steering.paths import read_patterns
from dualgate.workspace.worktree import WorkTree
from tests.workspace.places import a_project, in_phase

FILES = {
    "Makefile": "lint:\n\tsh tools/lint.sh\n\tshellcheck deploy.sh\n\nrun:\n\tpython src/app.py\n",
    "tools/lint.sh": "ruff check src\n",
    "tools/types.py": "print(1)\n",
    "deploy.sh": "echo deployed\n",
    "src/app.py": "x = 1\n",
    "app": "echo 1\n",
    "package.json": '{"scripts": {"lint": "eslint .", "start": "node ."}, "jest": {"bail": 1}}\n',
}


def made(root: Path) -> Path:
    project = a_project(root / "project")
    for name, text in FILES.items():
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(text)
    return project


RUN = [
    ("make lint", {"Makefile", "makefile", "GNUmakefile", "tools/lint.sh"}),
    ("./tools/lint.sh", {"tools/lint.sh"}),
    ("tools/lint.sh && true", {"tools/lint.sh"}),
    ("bash tools/lint.sh src", {"tools/lint.sh"}),
    ("python tools/types.py src/app.py", {"tools/types.py"}),
    ("mypy src/app.py", set()),
    ("ruff check src", set()),
    ("shellcheck deploy.sh", set()),
    ("python src/app.py --version", set()),
    ("npm run lint", set()),
    ("", set()),
]


@pytest.mark.parametrize(("command", "files"), RUN)
def test_a_check_freezes_what_it_runs_and_not_what_it_looks_at(tmp_path: Path, command: str, files: set[str]) -> None:
    assert read_checked(made(tmp_path), [command]).files == files


EDITS = [
    ("make lint", "Makefile", FILES["Makefile"].replace("sh tools/lint.sh", "true"), True),
    ("make lint", "Makefile", FILES["Makefile"] + "\nship:\n\ttrue\n", False),
    ("make lint", "GNUmakefile", "lint:\n\ttrue\n", True),
    ("make lint", "tools/lint.sh", "exit 0\n", True),
    ("make lint", "src/app.py", "x = 2\n", False),
    ("make lint", "deploy.sh", "echo no\n", False),
    ("npm run lint", "package.json", FILES["package.json"].replace("eslint .", "true"), True),
    ("npm run lint", "package.json", FILES["package.json"].replace("node .", "node x"), False),
    ("npm run lint", "package.json", FILES["package.json"].replace('"bail": 1', '"bail": 2'), False),
    ("mypy src/app.py", "src/app.py", "x = 2\n", False),
]


def edited(project: Path, frozen: Freeze, phase: Phase, path: str, text: str) -> tuple[Violation, ...]:
    """The violations of a call that writes a file."""
    saved = SavedSnapshots(project, project.parent / "snapshots.db", project.parent / "session")
    worktree = WorkTree(saved, saved.look_anew(), lambda: NOW, frozen=frozen)
    state = in_phase(phase, worktree)
    (project / path).write_text(text)
    return worktree.settle(state).violations


@pytest.mark.parametrize(("command", "path", "text", "refused"), EDITS)
def test_an_agent_cannot_make_a_check_pass_by_what_it_runs(
    tmp_path: Path, command: str, path: str, text: str, refused: bool
) -> None:
    project = made(tmp_path)
    frozen = Freeze(checked=read_checked(project, [command]))

    violations = edited(project, frozen, Phase.RED, path, text)

    assert [(each.path, each.rule, each.undone) for each in violations] == [(path, CHECKED, True)] * refused
    assert ((project / path).exists() and (project / path).read_text() == text) is not refused


@pytest.mark.parametrize("phase", [Phase.GREEN, Phase.REFACTOR])
def test_it_stays_frozen_after_red(tmp_path: Path, phase: Phase) -> None:
    project = made(tmp_path)
    frozen = Freeze(checked=read_checked(project, ["make lint"]))

    (violation,) = edited(project, frozen, phase, "tools/lint.sh", "exit 0\n")

    assert (violation.path, violation.rule) == ("tools/lint.sh", CHECKED)


def test_a_person_can_allow_it(tmp_path: Path) -> None:
    project = made(tmp_path)
    frozen = Freeze(checked=read_checked(project, ["make lint"]), patterns=read_patterns((), ("Makefile",)))

    assert edited(project, frozen, Phase.RED, "Makefile", "lint:\n") == ()
