"""The lines of the timeline, in plain words."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from dualgate.core.report.moments import moment_of
from dualgate.core.report.values import MomentKind, StayEnd
from dualgate.core.values import events
from dualgate.core.values.amendments import Amendment, AmendmentDecided, AmendmentOutcome, AmendmentRequest
from dualgate.core.values.answer import Answer, Ending, Failure, Trouble
from dualgate.core.values.changes import Changes, Edits, Violation
from dualgate.core.values.checks import ChecksFailed
from dualgate.core.values.configuring import ConfigurationDecided, Reconfiguration
from dualgate.core.values.events import Event
from dualgate.core.values.limits import Limits
from dualgate.core.values.probes import Probe, ProbeKind, ProbeReport, ProbesEnded, ProbeState, WeakCriterion
from dualgate.core.values.specification import Respec
from dualgate.core.values.suite import Counts
from dualgate.core.values.team import AgentSwitched, Lineup, Wait
from dualgate.core.values.verdict import Breaker, Move, Outcome, Verdict
from dualgate.core.values.vocabulary import Decision, Phase, Status
from dualgate.testing import NOW, a_start, a_state, facts, failed, passed
from tests.core.report.session import Session, in_green

STEP, PASSED, CAUGHT, TROUBLE, PERSON = MomentKind
AT: dict[str, Any] = {"at": NOW}
A_PROBE = Probe(file="a.py", line=2, kind=ProbeKind.MUTANT, text="`1` → `2`", state=ProbeState.KILLED)
PATHS = Reconfiguration(tree="t", paths=("pyproject.toml",))
AMENDED = AmendmentRequest(test_id="test_a")
REJECTION = Verdict(outcome=Outcome.REJECT, gate_1=False, gate_2=False, reasons=("lint fails",))
BACK = Move(decision=Decision.REJECTED, phase=Phase.GREEN)


def call_ended(failure: Failure | None) -> events.CallEnded:
    answer = Answer(failure=failure)
    return events.CallEnded(**AT, number=3, exit_code=0, ending=Ending.EXITED, seconds=1.0, answer=answer)


EVENTS: list[tuple[Event, MomentKind, str]] = [
    (a_start(), STEP, "Session started: PRP.md with rehearsal"),
    (a_start(lineup=Lineup(every=("claude", "codex"))), STEP, "Session started: PRP.md with claude, then codex"),
    (events.BaselineTaken(**AT, tree="t", results=(passed("a"),)), STEP, "Baseline: 1 test"),
    (
        events.BaselineTaken(**AT, tree="t", results=(passed("a"), failed("b"))),
        STEP,
        "Baseline: 2 tests, 1 failing before any work",
    ),
    (call_ended(Failure(kind=Trouble.CRASH, message="exit code 2")), TROUBLE, "Call 3 failed: crash, exit code 2"),
    (events.CallInterrupted(**AT, number=3), TROUBLE, "Call 3 was interrupted"),
    (
        events.CallInterrupted(**AT, number=3, paths=("a.py",)),
        TROUBLE,
        "Call 3 was interrupted; its changes stay: a.py",
    ),
    (
        events.CallDelayed(**AT, wait=Wait(until=NOW + timedelta(minutes=5), reason="the hour is full", setting="s")),
        TROUBLE,
        "Waiting 5m: the hour is full",
    ),
    (
        AgentSwitched(**AT, phase=Phase.RED, agent="codex", before="claude", reason="a limit"),
        TROUBLE,
        "codex takes over from claude: a limit",
    ),
    (events.QuestionAsked(**AT, number=1, questions=("Which one?",)), STEP, "The agent asks: Which one?"),
    (
        AmendmentDecided(**AT, amendment=Amendment(outcome=AmendmentOutcome.ACCEPTED, request=AMENDED)),
        STEP,
        "Amendment of test_a accepted",
    ),
    (
        AmendmentDecided(**AT, amendment=Amendment(outcome=AmendmentOutcome.REFUSED, reasons=("it holds",))),
        CAUGHT,
        "Amendment of a test refused: it holds",
    ),
    (
        ChecksFailed(**AT, results=(), verdict=REJECTION, move=BACK),
        CAUGHT,
        "Checks failed → GREEN: lint fails",
    ),
    (
        ConfigurationDecided(**AT, proposed=PATHS, note="results are the same"),
        STEP,
        "Test configuration accepted: pyproject.toml: results are the same",
    ),
    (
        ConfigurationDecided(**AT, proposed=PATHS, reasons=("a test is gone",)),
        CAUGHT,
        "Test configuration stays reverted: pyproject.toml: a test is gone",
    ),
    (ProbesEnded(**AT, report=ProbeReport(probes=(A_PROBE,))), STEP, "Probes: 1 of 1 probe killed"),
    (events.PersonEdited(**AT, edits=Edits(modified=("a.py",))), PERSON, "Edited by a person: a.py"),
    (events.SessionPaused(**AT, reason="user_interrupt"), PERSON, "Paused: user interrupt"),
    (
        events.SessionPaused(**AT, reason="manual", by="Ann", spec_changes=("AC-2 is new",)),
        PERSON,
        "Paused by Ann: manual; AC-2 is new",
    ),
    (events.SessionResumed(**AT, by="Ann", limits=Limits()), PERSON, "Resumed by Ann"),
    (
        events.SessionResumed(**AT, by="Ann", limits=Limits(), prp_text="x", respec=Respec(reopened=("AC-2",))),
        PERSON,
        "Resumed by Ann, with the edited specification; to prove again: AC-2",
    ),
    (events.SessionReset(**AT, by="Ann"), PERSON, "Reset by Ann"),
    (events.SessionReset(**AT, by="Ann", guidance="use a table"), PERSON, "Reset by Ann: use a table"),
    (events.PhaseSkipped(**AT, by="Ann", phase=Phase.RED), PERSON, "RED skipped by Ann, not proven"),
    (events.SessionAborted(**AT, by="Ann"), PERSON, "Aborted by Ann"),
    (events.GuidanceGiven(**AT, by="Ann", text="use a table"), PERSON, "Guidance by Ann: use a table"),
    (events.GuidanceWithdrawn(**AT, by="Ann"), PERSON, "Guidance withdrawn by Ann"),
    (events.SessionFailed(**AT, reason="the disk is full"), TROUBLE, "Halted: the disk is full"),
    (
        events.SessionHalted(**AT, decision=Decision.BUDGET_EXHAUSTED, reason="the budget is spent"),
        TROUBLE,
        "Halted: the budget is spent",
    ),
    (events.BreakerCooled(**AT), STEP, "The breaker cooled down: one trial iteration"),
]


@pytest.mark.parametrize(("event", "kind", "text"), EVENTS, ids=[text for _, _, text in EVENTS])
def test_an_event_is_one_line(event: Event, kind: MomentKind, text: str) -> None:
    moment = moment_of(event, a_state())

    assert moment is not None
    assert (moment.kind, moment.text, moment.at) == (kind, text, NOW)


UNTOLD: list[Event] = [
    call_ended(None),
    events.SuiteStarted(**AT, command=("pytest",)),
    ProbesEnded(**AT, report=ProbeReport()),
    ProbesEnded(**AT, report=ProbeReport(probes=(A_PROBE,)), known=True),
]


@pytest.mark.parametrize("event", UNTOLD)
def test_a_step_inside_a_turn_has_no_line(event: Event) -> None:
    assert moment_of(event, a_state()) is None


FORGED = Violation(path="request: abort", rule="requests come from people")
EDITED = Violation(path="tests/a.py", rule="frozen")
STUCK = Violation(path="b.py", rule="frozen", reverted=False)
WEAK = (WeakCriterion(id="AC-1", reason="test_a passes anyway"),)
TURNS: list[tuple[Callable[[Session], Session], MomentKind, str]] = [
    (
        lambda s: s.turn(Decision.NEXT_PHASE, Phase.REFACTOR),
        PASSED,
        "3 of 3 tests pass. Both gates open → REFACTOR",
    ),
    (
        lambda s: s.turn(gates=(True, False), reasons=("the agent gave no signal",), counts=Counts()),
        STEP,
        "Gate 2 shut: the agent gave no signal",
    ),
    (
        lambda s: s.turn(gates=(False, False), reasons=("1 failing",), counts=Counts(failed=1)),
        STEP,
        "0 of 1 test passes. Gate 1 shut: 1 failing",
    ),
    (
        lambda s: s.turn(gates=(False, True), reasons=("1 failing",)),
        CAUGHT,
        "3 of 3 tests pass. Gate 1 shut: 1 failing.",
    ),
    (
        lambda s: s.turn(
            reasons=("tests/a.py: frozen", "1 failing"),
            changes=Changes(tree="t", violations=(EDITED, STUCK, FORGED)),
        ),
        CAUGHT,
        "3 of 3 tests pass. Gate 1 shut: 1 failing. Reverted: tests/a.py (frozen). Not reverted: b.py (frozen). "
        "Refused: abort.",
    ),
    (
        lambda s: s.turn(changes=Changes(tree="t", violations=(EDITED,))),
        CAUGHT,
        "3 of 3 tests pass. Gate 1 shut: no other reason. Reverted: tests/a.py (frozen).",
    ),
    (
        lambda s: s.turn(Decision.STUCK, status=Status.HALTED, halt="no progress"),
        TROUBLE,
        "3 of 3 tests pass. Halted: no progress",
    ),
    (
        lambda s: s.turn(Decision.REWRITE_TESTS, Phase.RED, weak=WEAK),
        CAUGHT,
        "3 of 3 tests pass. Tests miss broken code → RED: AC-1 (test_a passes anyway)",
    ),
]


@pytest.mark.parametrize(("turn", "kind", "text"), TURNS, ids=[text for _, _, text in TURNS])
def test_an_iteration_is_one_line_with_its_tests_and_its_gates(
    turn: Callable[[Session], Session], kind: MomentKind, text: str
) -> None:
    moment = turn(in_green()).report().timeline[-1]

    assert (moment.kind, moment.text, moment.phase, moment.iteration) == (kind, text, Phase.GREEN, 1)


def test_a_rejection_a_proof_without_a_call_and_the_end_are_told() -> None:
    session = in_green()
    for after in (Phase.REFACTOR, Phase.DOCUMENT, Phase.QA):
        session.turn(Decision.NEXT_PHASE, after)
    session.turn(Decision.REJECTED, Phase.GREEN, reasons=("REJECT",)).turn(Decision.NEXT_PHASE, Phase.REFACTOR)
    session.turn(Decision.NEXT_PHASE, Phase.DOCUMENT)
    seen = facts(Phase.DOCUMENT)
    opened = Verdict(outcome=Outcome.PASS, gate_1=True, gate_2=True)
    move = Move(decision=Decision.NEXT_PHASE, phase=Phase.QA)
    turn = events.TurnEnded(at=session.now, facts=seen, verdict=opened, breaker=Breaker(), move=move)
    session.add(events.ProvenAgain(at=session.now, reason="no document changed", turn=turn))
    session.turn(Decision.PROJECT_COMPLETE, status=Status.COMPLETED)

    report = session.report()

    texts = [moment.text for moment in report.timeline]
    assert texts[6] == "The review rejects → GREEN: REJECT"
    assert texts[-2:] == [
        "Proven again without a call: no document changed",
        "3 of 3 tests pass. Both gates open: the work is complete",
    ]
    assert [stay.end for stay in report.stays][-2:] == [StayEnd.PROVEN_AGAIN, StayEnd.PASSED]
