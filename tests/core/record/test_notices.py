"""Which moments of a run are notified, and what the object says that commands and webhooks get."""

from datetime import timedelta
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from dualgate.core.record.notices import Notice, notice_document, notices_after
from dualgate.core.report.schemas import schema
from dualgate.core.values.events import (
    BaselineTaken,
    CallDelayed,
    Event,
    GuidanceGiven,
    PhaseSkipped,
    ProvenAgain,
    SessionPaused,
    SessionReset,
    SessionResumed,
    TurnEnded,
)
from dualgate.core.values.limits import Limits
from dualgate.core.values.spending import Spending, Used
from dualgate.core.values.state import LoopState
from dualgate.core.values.team import AgentSwitched, FailuresInARow, Wait
from dualgate.core.values.verdict import Breaker, Move, Outcome, Verdict
from dualgate.core.values.vocabulary import Decision, HaltCause, Moment, Phase, Status
from dualgate.testing import NOW, a_start, a_state, facts

EDITED = GuidanceGiven(at=NOW, by="ada", text="x")
RUNNING = a_state(phase=Phase.GREEN)


def told(event: Event, before: LoopState | None, after: LoopState) -> list[tuple[Moment, Phase, str]]:
    return [(notice.moment, notice.phase, notice.text) for notice in notices_after(event, before, after)]


def turn(decision: Decision, phase: Phase) -> TurnEnded:
    verdict = Verdict(gate_1=True, gate_2=True, outcome=Outcome.PASS)
    move = Move(decision=decision, phase=phase)
    return TurnEnded(at=NOW, facts=facts(phase), verdict=verdict, breaker=Breaker(), move=move)


def green(**values: Any) -> LoopState:
    return a_state(**{"phase": Phase.GREEN, **values})


def test_the_first_phase_starts_after_the_baseline() -> None:
    baseline = BaselineTaken(at=NOW, tree="t", results=())

    assert told(a_start(), None, a_state()) == []
    assert told(baseline, a_state(), a_state()) == [(Moment.PHASE_STARTED, Phase.RED, "RED started")]


def test_a_resumed_session_begins_without_a_notice() -> None:
    assert told(SessionResumed(at=NOW, by="ada", limits=Limits()), None, a_state()) == []


def test_an_event_that_moves_nothing_is_no_moment() -> None:
    assert told(EDITED, RUNNING, RUNNING) == []


@pytest.mark.parametrize(
    ("decision", "text"),
    [
        (Decision.NEXT_PHASE, "GREEN passed: both gates are open"),
        (Decision.REJECTED, "GREEN ended: the review rejects the work"),
        (Decision.REWRITE_TESTS, "GREEN ended: tests must be rewritten"),
    ],
)
def test_a_phase_that_is_left_has_ended_and_the_next_has_started(decision: Decision, text: str) -> None:
    after = a_state(phase=Phase.REFACTOR)

    assert told(turn(decision, Phase.GREEN), RUNNING, after) == [
        (Moment.PHASE_ENDED, Phase.GREEN, text),
        (Moment.PHASE_STARTED, Phase.REFACTOR, "REFACTOR started"),
    ]


def test_a_phase_that_is_proven_again_has_passed() -> None:
    again = ProvenAgain(at=NOW, reason="the tree is green", turn=turn(Decision.NEXT_PHASE, Phase.GREEN))

    assert told(again, RUNNING, a_state(phase=Phase.REFACTOR))[0][2] == "GREEN passed: both gates are open"


def test_a_skipped_phase_says_who_skipped_it() -> None:
    skipped = PhaseSkipped(at=NOW, by="ada", phase=Phase.GREEN)

    assert told(skipped, RUNNING, a_state(phase=Phase.REFACTOR))[0][2] == "GREEN skipped by ada, not proven"


def test_a_phase_can_end_without_a_turn() -> None:
    assert told(SessionReset(at=NOW, by="ada"), RUNNING, a_state(phase=Phase.RED))[0][2] == "GREEN ended"


def test_the_end_of_a_run_ends_its_last_phase_too() -> None:
    done = a_state(phase=Phase.QA, status=Status.COMPLETED)
    event = turn(Decision.PROJECT_COMPLETE, Phase.QA)

    assert told(event, a_state(phase=Phase.QA), done) == [
        (Moment.PHASE_ENDED, Phase.QA, "QA passed: both gates are open"),
        (Moment.COMPLETED, Phase.QA, "completed and proven"),
    ]
    assert told(EDITED, done, done) == []


def test_a_run_without_proof_says_why() -> None:
    unproven = a_state(status=Status.COMPLETED, phases_forced=(Phase.RED,), unproven=("no test runs fee.py",))

    assert told(EDITED, a_state(), unproven)[-1][2] == "completed, not proven: RED was skipped; no test runs fee.py"


@pytest.mark.parametrize(
    ("cause", "moment"),
    [
        (HaltCause.BLOCKED, Moment.BLOCKED),
        (HaltCause.AMENDMENT, Moment.BLOCKED),
        (HaltCause.NO_PROGRESS, Moment.HALTED),
        (HaltCause.ENVIRONMENT, Moment.HALTED),
        (None, Moment.HALTED),
    ],
)
def test_a_halt_that_only_a_person_ends_is_blocked(cause: HaltCause | None, moment: Moment) -> None:
    halted = green(status=Status.HALTED, halted_by=cause, halt_reason="the login is missing")

    assert told(EDITED, RUNNING, halted) == [(moment, Phase.GREEN, "halted in GREEN: the login is missing")]


def test_a_pause_is_a_moment_and_going_on_is_none() -> None:
    paused = green(status=Status.PAUSED, pause_reason="manual")

    assert told(SessionPaused(at=NOW, reason="manual"), RUNNING, paused) == [
        (Moment.PAUSED, Phase.GREEN, "paused in GREEN")
    ]
    assert told(EDITED, paused, RUNNING) == []


def test_a_limit_is_notified_when_it_is_reached_and_when_it_is_lifted() -> None:
    until = NOW + timedelta(hours=2)
    known = green(agent="claude", limited_calls=1, limited_until=until, failed_at=NOW)
    unknown = green(limited_calls=1, failed_at=NOW)
    event = turn(Decision.RATE_LIMITED, Phase.GREEN)

    reached = told(event, RUNNING, known)
    assert reached == [
        (Moment.LIMIT_REACHED, Phase.GREEN, "claude reached a limit; waiting until 2026-01-16T12:00+00:00")
    ]
    assert told(event, RUNNING, unknown)[0][2] == "the agent reached a limit; waiting for it to end"
    assert told(event, known, known) == []
    assert told(EDITED, known, RUNNING) == [(Moment.LIMIT_LIFTED, Phase.GREEN, "limit lifted; the run continues")]


def test_a_full_hour_is_a_limit() -> None:
    wait = Wait(until=NOW + timedelta(minutes=20), reason="20 calls in the last hour", setting="calls")
    event = CallDelayed(at=NOW, wait=wait)

    assert told(event, RUNNING, green(waiting=wait))[0][2] == "waiting until 10:20: 20 calls in the last hour"


def test_a_limit_that_another_agent_takes_over_is_not_called_lifted() -> None:
    limited = a_state(failures=FailuresInARow(limited_calls=1), phase=Phase.GREEN)
    switch = AgentSwitched(at=NOW, phase=Phase.GREEN, agent="codex", before="claude", reason="limit")

    assert told(switch, limited, RUNNING) == []


def test_a_limit_that_halts_the_run_is_a_halt() -> None:
    halted = green(limited_calls=1, status=Status.HALTED, halted_by=HaltCause.RATE_LIMIT, halt_reason="limit")

    assert [notice[0] for notice in told(EDITED, RUNNING, halted)] == [Moment.HALTED]


def test_the_object_fits_its_schema_and_names_the_ways_on() -> None:
    used = Spending(phases={Phase.GREEN: Used(calls=2, input=10, output=5, cost_usd=0.5)})
    halted = green(status=Status.HALTED, halted_by=HaltCause.NO_PROGRESS, halt_reason="no progress", spending=used)
    notice = Notice(moment=Moment.HALTED, at=NOW, phase=Phase.GREEN, text="halted in GREEN: no progress")

    document = notice_document(notice, halted, "/project", "/sessions/project")
    bare = notice_document(notice, RUNNING, "/project", "/sessions/project")

    assert (document["tokens"], document["cost"], document["reason"]) == (15, 0.5, "no progress")
    assert "dualgate resume --reset" in document["next"]
    assert (bare["tokens"], bare["cost"], bare["reason"], bare["next"]) == (None, None, None, [])
    assert all(Draft202012Validator(schema("notice")).is_valid(each) for each in (document, bare))
