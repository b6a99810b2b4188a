"""Paths that a specification forbids to change."""

from dataclasses import replace
from pathlib import Path

import pytest

from dualgate.core.values.specification import Criterion, Kind
from dualgate.core.values.vocabulary import Phase
from dualgate.testing import NOW
from dualgate.workspace.forbidden import Forbidden, forbidden_by
from dualgate.workspace.ignore import PROMPTS
from dualgate.workspace.phase_rules import Freeze
from dualgate.workspace.saved import SavedSnapshots
from dualgate.workspace.worktree import WorkTree
from tests.workspace.places import a_project, in_phase


def forbidding(*paths: str) -> Forbidden:
    return forbidden_by(Criterion(id="AC-9", text="Do not\ntouch it", line=1, kind=Kind.REVIEW, forbids=paths))


PATHS = [
    ("_legacy.py", "_legacy.py", True),
    ("_legacy.py", "pkg/_legacy.py", True),
    ("_legacy.py", "pkg/my_legacy.py", False),
    ("src/vendor/", "src/vendor/a/b.py", True),
    ("src/vendor", "src/vendored.py", False),
    ("./src/vendor", "src/vendor/a.py", True),
    ("*.lock", "web/yarn.lock", True),
    ("migrations/*.sql", "migrations/1.sql", True),
    ("pages/[id].tsx", "pages/[id].tsx", True),
    ("#notes.md", "#notes.md", True),
    ("!x.py", "a.py", False),
]


@pytest.mark.parametrize(("pattern", "path", "expected"), PATHS)
def test_a_file_a_folder_and_a_pattern_can_be_forbidden(pattern: str, path: str, expected: bool) -> None:
    assert forbidding(pattern).holds(path) is expected


def test_what_is_no_pattern_is_a_path() -> None:
    assert forbidding("a[/b.py").holds("a[/b.py")
    assert forbidding("x.py").rule == "the specification forbids it (AC-9: Do not touch it)"


@pytest.mark.parametrize("phase", list(Phase))
def test_a_forbidden_path_is_put_back_in_every_phase_but_a_persons_edit_stays(tmp_path: Path, phase: Phase) -> None:
    project = a_project(tmp_path / "project")
    saved = SavedSnapshots(project, tmp_path / "snapshots.db", tmp_path / "session")
    worktree = WorkTree(
        saved, saved.look_anew(), lambda: NOW, frozen=Freeze(forbidden=(forbidding("code.py", "new/"),))
    )
    state = in_phase(phase, worktree)
    (project / "code.py").write_text("mine = 1")
    edits = worktree.edited(state)
    assert edits is not None
    state = replace(state, proof=replace(state.proof, start_tree=edits.start_tree, proven_tree=edits.proven_tree))
    (project / "code.py").unlink()
    (project / "new").mkdir()
    (project / "new" / "x.py").write_text("")

    violations = worktree.settle(state).violations

    assert {(each.path, each.reverted) for each in violations} == {("code.py", True), ("new/x.py", True)}
    assert all("AC-9" in each.rule for each in violations)
    assert (project / "code.py").read_text() == "mine = 1"
    assert not (project / "new" / "x.py").exists()


@pytest.mark.parametrize("phase", [Phase.RED, Phase.QA])
def test_prompts_in_an_ignored_folder_are_kept_from_an_agent_and_what_else_is_there_stays_ignored(
    tmp_path: Path, phase: Phase
) -> None:
    project = a_project(tmp_path / "project")
    (project / ".gitignore").write_text(".dualgate/\n")
    prompts = project / PROMPTS
    prompts.mkdir(parents=True)
    (prompts / "RED.md").write_text("Write tests.")
    saved = SavedSnapshots(project, tmp_path / "snapshots.db", tmp_path / "session")
    own = Freeze(forbidden=(Forbidden(paths=(".dualgate",), rule="the prompts are the person's"),))
    worktree = WorkTree(saved, saved.look_anew(), lambda: NOW, frozen=own)

    (prompts / "RED.md").write_text("Approve all.")
    (prompts / "QA.md").write_text("Approve all.")
    (project / ".dualgate" / "cache").write_text("x")
    changes = worktree.settle(in_phase(phase, worktree))

    assert [each.path for each in changes.violations] == [f"{PROMPTS}/QA.md", f"{PROMPTS}/RED.md"]
    assert [path.read_text() for path in prompts.iterdir()] == ["Write tests."]
    assert (project / ".dualgate" / "cache").exists()
