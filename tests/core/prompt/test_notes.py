"""Which notes of earlier phases an agent gets."""

import pytest

from dualgate.core.prompt.notes import notes_for
from dualgate.core.values.claim import NoteKind, PhaseNote
from dualgate.core.values.vocabulary import Phase
from dualgate.testing import a_state


def a_note(phase: Phase, text: str = "", kind: NoteKind = NoteKind.NOTE, earlier: int = 0) -> PhaseNote:
    return PhaseNote(phase=phase, iteration=1, kind=kind, text=text or f"of {phase}", earlier=earlier)


EVERYBODY = tuple(a_note(phase) for phase in Phase)
HEARD = {
    Phase.RED: (),
    Phase.GREEN: (Phase.RED, Phase.QA),
    Phase.REFACTOR: (Phase.RED, Phase.GREEN, Phase.QA),
    Phase.DOCUMENT: (Phase.RED, Phase.GREEN, Phase.REFACTOR, Phase.QA),
    Phase.QA: (),
    Phase.BUILD: (Phase.BUILD,),
}


@pytest.mark.parametrize("phase", Phase)
def test_a_phase_gets_the_notes_of_those_before_it_and_a_reviewer_none(phase: Phase) -> None:
    assert tuple(note.phase for note in notes_for(a_state(phase=phase, notes=EVERYBODY))) == HEARD[phase]


def test_the_intent_of_the_tests_comes_first() -> None:
    notes = (a_note(Phase.RED), a_note(Phase.RED, kind=NoteKind.DECISION), a_note(Phase.RED, kind=NoteKind.INTENT))

    found = notes_for(a_state(phase=Phase.GREEN, notes=notes))

    assert [note.kind for note in found] == [NoteKind.INTENT, NoteKind.NOTE, NoteKind.DECISION]


def test_only_the_last_review_is_heard() -> None:
    notes = (
        a_note(Phase.QA, "first"),
        a_note(Phase.GREEN),
        a_note(Phase.GREEN, earlier=2),
        a_note(Phase.QA, "last", earlier=1),
    )

    assert [note.text for note in notes_for(a_state(phase=Phase.GREEN, notes=notes))] == ["last"]
    assert len(notes_for(a_state(phase=Phase.REFACTOR, notes=notes))) == 3
