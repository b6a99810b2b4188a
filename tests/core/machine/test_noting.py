"""Notes of agents that are passed on to later phases."""

from dataclasses import replace
from typing import Any

import pytest

from dualgate.core.machine.history import apply
from dualgate.core.values.answer import Failure, Trouble
from dualgate.core.values.claim import Claim, NoteKind, PhaseNote, Review, WorkReport
from dualgate.core.values.state import LoopState, PhaseVisit
from dualgate.core.values.vocabulary import Phase
from dualgate.testing import NOW, a_state, done, not_done
from tests.core.machine.test_history import a_turn

INTENT = (("Summary", "doubles a number"), ("Contract surface", "double(number: int) -> int"))


def turned(state: LoopState, claim: Claim, **observed: Any) -> LoopState:
    return apply(state, replace(a_turn(state, claim, **observed), agent="ada"))


def said(state: LoopState) -> list[tuple[Phase, NoteKind, str]]:
    return [(note.phase, note.kind, note.text) for note in state.notes]


def test_notes_intent_and_decisions_of_an_iteration_are_kept_with_the_agent() -> None:
    report = WorkReport(notes="helper in conftest", intent=INTENT, decisions=("raise TypeError", "no cache"))

    state = turned(a_state(), not_done(report=report))

    intent = "Summary: doubles a number\nContract surface: double(number: int) -> int"
    assert state.notes == (
        PhaseNote(phase=Phase.RED, iteration=1, kind=NoteKind.NOTE, text="helper in conftest", agent="ada"),
        PhaseNote(phase=Phase.RED, iteration=1, kind=NoteKind.INTENT, text=intent, agent="ada"),
        PhaseNote(phase=Phase.RED, iteration=1, kind=NoteKind.DECISION, text="raise TypeError\nno cache", agent="ada"),
    )


def test_a_later_note_of_the_same_visit_replaces_the_earlier_one_and_silence_does_not() -> None:
    state = turned(a_state(), not_done(report=WorkReport(notes="first", decisions=("one",))))
    state = turned(state, not_done(report=WorkReport(notes="second")))

    assert said(state) == [(Phase.RED, NoteKind.DECISION, "one"), (Phase.RED, NoteKind.NOTE, "second")]
    assert said(turned(state, not_done())) == said(state)


def test_a_call_that_is_retried_leaves_no_note() -> None:
    crashed = Claim(failure=Failure(kind=Trouble.CRASH), report=WorkReport(notes="half"))

    assert turned(a_state(), crashed).notes == ()


def test_a_phase_that_is_entered_again_keeps_the_notes_of_its_first_visit() -> None:
    entered = a_state(phase=Phase.GREEN, visits=(PhaseVisit(phase=Phase.GREEN, started_at=NOW),))
    state = turned(entered, done(Phase.GREEN, report=WorkReport(notes="first visit")))
    rejecting = done(Phase.QA, review=Review.REJECT, recommendation="no bounds", report=WorkReport(notes="see line 3"))
    state = turned(replace(state, phase=Phase.QA, iteration=0), rejecting)
    assert state.phase is Phase.GREEN

    state = turned(state, not_done(report=WorkReport(notes="try")))
    state = turned(state, not_done(report=WorkReport(notes="second visit")))

    assert [text for phase, _, text in said(state) if phase is Phase.GREEN] == ["first visit", "second visit"]


@pytest.mark.parametrize("text", ["none", "None.", "  "])
def test_none_is_no_note(text: str) -> None:
    assert turned(a_state(), not_done(report=WorkReport(notes=text))).notes == ()


def test_notes_are_bounded_in_length_and_number() -> None:
    state = a_state()
    long = turned(state, not_done(report=WorkReport(notes="x" * 9000)))
    for number in range(60):
        note = PhaseNote(phase=Phase.GREEN, iteration=1, kind=NoteKind.NOTE, text=str(number), earlier=number)
        state = replace(state, notes=(*state.notes, note))
    many = turned(state, not_done(report=WorkReport(notes="the newest")))

    assert len(long.notes[0].text) <= 2010
    assert len(many.notes) == 40
    assert many.notes[-1].text == "the newest"
