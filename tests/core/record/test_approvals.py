"""A person's decisions in the records, the timeline and the notices."""

from dataclasses import replace

import pytest

from dualgate.core.doctor.next_steps import SessionFound, Situation, next_steps
from dualgate.core.machine.history import apply
from dualgate.core.record.notices import notices_after
from dualgate.core.record.records import first_record, records_after
from dualgate.core.report.conclusion import conclude_session
from dualgate.core.report.moments import moment_of
from dualgate.core.report.stays import stays_after
from dualgate.core.report.values import MomentKind, PhaseStay, StayEnd
from dualgate.core.values.events import Event, TurnEnded
from dualgate.core.values.phase_status import CaseCounts
from dualgate.core.values.state import LoopState, Memory
from dualgate.core.values.verdict import Breaker, Move
from dualgate.core.values.vocabulary import Decision, Moment, Phase, Status
from dualgate.testing import NOW, a_start, a_state, facts
from tests.core.machine.test_approving import (
    ACCEPTS,
    ANSWERS,
    APPROVED,
    DECLINES,
    PASSED,
    REJECTED,
    TEST,
    finished,
    halted_for_amendment,
    in_last,
)

ASKING = a_state(memory=Memory(questions=("?",)))
WAIT = TurnEnded(
    at=NOW,
    facts=facts(Phase.QA),
    verdict=PASSED,
    breaker=Breaker(),
    move=Move(decision=Decision.AWAIT_APPROVAL, phase=Phase.QA, status=Status.PAUSED),
)
WAITS = "waits for approval: dualgate approve | dualgate reject 'REASON'"
TOLD = [
    (in_last(), WAIT, "All phases complete - waits for approval: dualgate approve", "Both gates open: the work waits"),
    (finished(), ACCEPTS, "All phases complete - approved by ada", "Approved by ada"),
    (finished(), DECLINES, "Rejected by ada - back to GREEN: use integers", "Rejected by ada: use integers"),
    (halted_for_amendment(), APPROVED, f"Amendment of {TEST} approved by ada", f"Amendment of {TEST} approved by ada"),
    (
        halted_for_amendment(),
        REJECTED,
        f"Amendment of {TEST} rejected by ada",
        f"Amendment of {TEST} rejected by ada: the test is right",
    ),
    (ASKING, ANSWERS, "Answered by ada: round down", "Answered by ada: round down"),
]


@pytest.mark.parametrize(("state", "event", "record", "moment"), TOLD)
def test_a_decision_has_a_record_and_a_line(state: LoopState, event: Event, record: str, moment: str) -> None:
    view, _ = first_record(a_start(), state)

    _, records = records_after(replace(view, phase=state.phase), event, state, apply(state, event))
    line = moment_of(event, state)

    assert record in [each.recommendation for each in records]
    assert line is not None
    assert moment in line.text
    assert line.kind is (MomentKind.PASSED if event is WAIT else MomentKind.PERSON)


@pytest.mark.parametrize(("event", "end"), [(ACCEPTS, StayEnd.PASSED), (DECLINES, StayEnd.REJECTED)])
def test_the_last_phase_ends_with_the_decision(event: Event, end: StayEnd) -> None:
    before = finished()
    open_stay = stays_after((PhaseStay(phase=Phase.QA, began=NOW),), WAIT, in_last(), before)

    ended = stays_after(open_stay, event, before, apply(before, event))

    assert open_stay[0].end is StayEnd.OPEN
    assert ended[0].end is end


def test_finished_work_is_a_moment_of_its_own() -> None:
    waiting = finished()

    notices = notices_after(WAIT, in_last(), waiting)
    approved = notices_after(ACCEPTS, waiting, apply(waiting, ACCEPTS))
    rejected = notices_after(DECLINES, waiting, apply(waiting, DECLINES))

    assert [(each.moment, each.text) for each in notices] == [(Moment.APPROVAL, f"finished; {WAITS}")]
    assert [each.text for each in approved] == ["QA passed: approved by ada", "completed and proven"]
    assert [each.text for each in rejected] == ["QA ended: rejected by ada", "GREEN started"]


def test_the_report_of_finished_work_says_that_it_waits() -> None:
    assert conclude_session(finished(), CaseCounts()).sentence == f"Paused in QA: {WAITS}"


def test_the_next_commands_of_finished_work_are_its_decisions() -> None:
    session = SessionFound(
        status=Status.PAUSED, is_alive=False, phase="QA", iteration=1, spec="SPEC.md", reason="approval"
    )

    assert [step.command for step in next_steps(Situation(session=session))] == [
        "dualgate approve",
        "dualgate reject 'REASON'",
    ]
