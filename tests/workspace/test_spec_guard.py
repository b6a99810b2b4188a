"""An agent may tick the boxes of the specification, and change nothing else in it."""

from pathlib import Path

import pytest

from dualgate.core.values.changes import Changes
from dualgate.core.values.vocabulary import Phase
from dualgate.testing import NOW
from dualgate.workspace.phase_rules import READ_ONLY, SPEC, Freeze
from dualgate.workspace.saved import SavedSnapshots
from dualgate.workspace.worktree import GoesOn, WorkTree
from tests.workspace.places import a_project, in_phase

TEXT = "- [ ] it doubles\n- [ ] it halves\n"
TICKED = TEXT.replace("[ ] it doubles", "[x] it doubles")
EDITED = TEXT.replace("it doubles", "it does something")
GUARDED = [phase for phase in Phase if phase is not Phase.QA]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    root = a_project(tmp_path / "project")
    (root / "SPEC.md").write_text(TEXT)
    return root


@pytest.fixture
def saved(project: Path, tmp_path: Path) -> SavedSnapshots:
    return SavedSnapshots(project, tmp_path / "snapshots.db", tmp_path / "session")


def a_worktree(saved: SavedSnapshots, goes_on: GoesOn | None = None) -> WorkTree:
    spec = frozenset({"SPEC.md"})
    return WorkTree(saved, saved.look_anew(*spec), lambda: NOW, frozen=Freeze(spec=spec), goes_on=goes_on)


def settled(project: Path, saved: SavedSnapshots, phase: Phase, text: str | None) -> Changes:
    """The changes of a call that leaves this text, or none, in the specification."""
    worktree = a_worktree(saved)
    state = in_phase(phase, worktree)
    worktree.edited(state)
    (project / "SPEC.md").unlink()
    if text is not None:
        (project / "SPEC.md").write_text(text)
    return worktree.settle(state)


@pytest.mark.parametrize("text", [EDITED, None], ids=["edited", "deleted"])
@pytest.mark.parametrize("phase", Phase)
def test_an_agents_edit_is_reverted_in_every_phase_and_can_be_had_back(
    project: Path, saved: SavedSnapshots, phase: Phase, text: str | None
) -> None:
    (violation,) = settled(project, saved, phase, text).violations

    assert (violation.path, violation.rule, violation.reverted) == ("SPEC.md", SPEC, True)
    assert (project / "SPEC.md").read_text() == TEXT
    (kept,) = [each for each in saved.catalog.all() if each.id == violation.kept]
    entry = saved.seen_as(kept).entry(kept.tree, "SPEC.md")
    assert saved.content(entry) == (None if text is None else text.encode())


@pytest.mark.parametrize("phase", GUARDED)
def test_ticks_stay(project: Path, saved: SavedSnapshots, phase: Phase) -> None:
    assert settled(project, saved, phase, TICKED).violations == ()
    assert (project / "SPEC.md").read_text() == TICKED


def test_a_review_does_not_tick_either(project: Path, saved: SavedSnapshots) -> None:
    (violation,) = settled(project, saved, Phase.QA, TICKED).violations

    assert (violation.rule, (project / "SPEC.md").read_text()) == (READ_ONLY, TEXT)


def test_a_specification_that_is_ignored_is_guarded_too(project: Path, saved: SavedSnapshots) -> None:
    (project / ".gitignore").write_text("SPEC.md\n")

    (violation,) = settled(project, saved, Phase.BUILD, EDITED).violations

    assert (violation.path, (project / "SPEC.md").read_text()) == ("SPEC.md", TEXT)


def test_a_persons_edit_between_two_calls_stays(project: Path, saved: SavedSnapshots) -> None:
    worktree = a_worktree(saved)
    state = in_phase(Phase.GREEN, worktree)
    (project / "SPEC.md").write_text(EDITED)
    edits = worktree.edited(state)

    assert worktree.settle(state).violations == ()
    assert (edits and edits.paths, (project / "SPEC.md").read_text()) == (("SPEC.md",), EDITED)


def test_a_text_that_a_person_saw_on_resume_stays_though_the_call_before_may_have_written_it(
    project: Path, saved: SavedSnapshots
) -> None:
    before = a_worktree(saved).present
    (project / "SPEC.md").write_text(EDITED)
    again = a_worktree(saved, GoesOn(measured_from=before, reached=None))
    state = in_phase(Phase.GREEN, again)
    again.edited(state)

    assert again.settle(state).violations == ()
    assert (project / "SPEC.md").read_text() == EDITED
