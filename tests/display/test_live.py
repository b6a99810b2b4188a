from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from dualgate.core.gates.judge import judge
from dualgate.core.machine.checking import held_verdict
from dualgate.core.machine.moves import reject
from dualgate.core.values.amendments import (
    Amendment,
    AmendmentDecided,
    AmendmentOutcome,
    AmendmentRequest,
    AmendmentTried,
)
from dualgate.core.values.answer import Answer, Ending, Failure, Recalled, Trouble
from dualgate.core.values.changes import Changes, RolledBack, Violation
from dualgate.core.values.checks import Check, CheckEnded, CheckResult, CheckRun, ChecksFailed, CheckState
from dualgate.core.values.control import RequestRefused, WaitSkipped
from dualgate.core.values.events import (
    KINDS,
    BaselineTaken,
    BreakerCooled,
    CallDelayed,
    CallEnded,
    CallStarted,
    GuidanceGiven,
    GuidanceWithdrawn,
    LeftoversEnded,
    PhaseSkipped,
    ProvenAgain,
    QuestionAsked,
    RunSuspended,
    SessionAborted,
    SessionPaused,
    SessionReset,
    SuiteEnded,
    TurnEnded,
)
from dualgate.core.values.limits import Limits
from dualgate.core.values.phase_status import CaseCounts
from dualgate.core.values.state import Proof
from dualgate.core.values.suite import Counts, Suite
from dualgate.core.values.team import AgentSwitched, FailuresInARow, Lineup, Wait
from dualgate.core.values.verdict import Breaker, Move
from dualgate.core.values.vocabulary import Decision, EntryKind, Phase, Status, Workflow
from dualgate.display.lines import Tone
from dualgate.display.live import lines
from dualgate.display.measuring import counted
from dualgate.display.summary import status_line, summary
from dualgate.testing import NOW, a_report, a_start, a_state, facts, failed, not_done, passed

STATE = a_state(phase=Phase.GREEN, proof=Proof(start_tree="t"))

HERE = "GREEN     1 "


def told(event: Any) -> list[str]:
    return [line.text for line in lines(event, STATE)]


def a_turn(decision: Decision, claim: Any = None, **observed: Any) -> TurnEnded:
    seen = facts(Phase.GREEN, claim, **observed)
    move = Move(decision=decision, phase=Phase.REFACTOR, halt_reason="GREEN: no progress in 3 iterations")
    return TurnEnded(at=NOW, facts=seen, verdict=judge(seen, Limits()), breaker=Breaker(), move=move)


def test_every_kind_of_event_has_something_to_say_or_says_nothing() -> None:
    from dualgate.display.live import WRITERS

    assert WRITERS.keys() == set(KINDS.values())


def test_a_wait_for_a_full_hour_is_told_with_its_end() -> None:
    wait = Wait(until=NOW + timedelta(minutes=12), reason="3 calls in the last hour, of 3", setting="x")

    assert told(CallDelayed(at=NOW, wait=wait)) == [
        "GREEN     1  waiting 12m, until 10:12: 3 calls in the last hour, of 3"
    ]
    assert f"waiting until {wait.until.astimezone():%H:%M}: 3 calls" in summary(replace(STATE, waiting=wait))


def test_a_run_says_at_its_start_who_reviews() -> None:
    other = replace(STATE, reviewer="codex exec")

    assert told(a_start())[-1].startswith("review: no other agent is configured")
    assert lines(a_start(), other)[-1].text == "review: by codex exec"
    assert len(lines(a_start(), replace(other, workflow=Workflow.RALPH))) == 2


def test_a_phase_that_was_proven_without_a_call_is_told_with_its_reason() -> None:
    turn = a_turn(Decision.NEXT_PHASE)

    assert told(ProvenAgain(at=NOW, reason="nothing changed since", turn=turn)) == [
        "GREEN     1  proven again without a call (nothing changed since) → REFACTOR"
    ]


def test_the_summary_says_when_no_other_model_reviewed() -> None:
    state = replace(STATE, phases_completed=(Phase.QA,), status=Status.COMPLETED)

    assert "Review   no other agent is configured" in summary(state)
    assert "Review" not in summary(replace(state, reviewer="codex exec"))


def test_the_summary_names_each_test_that_was_amended_and_who_approved_it() -> None:
    request = AmendmentRequest(test_id="test_a", reason="AC-1 says 4")
    made = Amendment(outcome=AmendmentOutcome.ACCEPTED, request=request, approved_by="judge")
    refused = Amendment(outcome=AmendmentOutcome.REFUSED, request=request)

    text = summary(replace(STATE, amendments=(refused, made, replace(made, notes=("not probed",)))))

    assert [line for line in text.splitlines() if line.startswith("Amended")] == [
        "Amended  test_a: AC-1 says 4 (approved by judge)",
        "Amended  test_a: AC-1 says 4 (approved by judge; not probed)",
    ]


def test_what_came_of_an_amendment_is_told() -> None:
    request = AmendmentRequest(test_id="test_a", reason="AC-1 says 4", diff="-5\n+4")
    accepted = Amendment(outcome=AmendmentOutcome.ACCEPTED, request=request, approved_by="judge", notes=("by itself",))
    refused = Amendment(outcome=AmendmentOutcome.REFUSED, reasons=("REASON is missing or empty",))
    waits = Amendment(outcome=AmendmentOutcome.WAITING, request=request)

    texts = [told(AmendmentDecided(at=NOW, amendment=each)) for each in (accepted, refused, waits)]

    assert texts == [
        ["GREEN     1  amendment of test_a accepted, approved by judge and proven on the tree of RED; by itself"],
        ["GREEN     1  amendment of a test refused: REASON is missing or empty"],
        ["GREEN     1  amendment of test_a waits for a person: AC-1 says 4", "    -5", "    +4"],
    ]
    assert told(AmendmentTried(at=NOW, test_id="test_a", tree="t")) == [
        "GREEN     1  running the tests on the tree of RED with test_a amended"
    ]


def test_a_roll_back_is_told_with_the_snapshot_that_holds_the_change() -> None:
    turn = a_turn(Decision.CONTINUE, **FAILING)

    whole = replace(turn, rolled_back=RolledBack(tree="g", paths=("a.py", "b.py"), kept="s1"))
    partly = replace(turn, rolled_back=RolledBack(tree="g", left=("huge.bin",), kept="s1"))

    assert told(whole)[-1] == (
        "GREEN     1  rolled back to the last green state: a.py, b.py; saved before as snapshot s1"
    )
    assert told(partly)[-1].endswith("; not rolled back: huge.bin")


FAILING = {"failing": (failed("test_a"),)}
TURNS = [
    (a_turn(Decision.NEXT_PHASE), ["GREEN     1  both gates open → REFACTOR"]),
    (a_turn(Decision.PROJECT_COMPLETE), ["GREEN     1  both gates open → completed"]),
    (
        a_turn(Decision.CONTINUE, **FAILING),
        ['GREEN     1  the agent says "done"; the evidence says no: 1 failing: tests/test_x.py::test_a'],
    ),
    (a_turn(Decision.CONTINUE, not_done()), ["GREEN     1  not yet: the agent does not say EXIT_SIGNAL: true"]),
    (
        a_turn(Decision.REJECTED, **FAILING),
        ["GREEN     1  the review rejects the work → REFACTOR: 1 failing: tests/test_x.py::test_a"],
    ),
    (
        a_turn(Decision.STUCK, not_done()),
        [
            "GREEN     1  not yet: the agent does not say EXIT_SIGNAL: true",
            "GREEN     1  halted: GREEN: no progress in 3 iterations",
        ],
    ),
]


@pytest.mark.parametrize(("turn", "text"), TURNS)
def test_the_end_of_a_turn_is_told_in_plain_words(turn: TurnEnded, text: list[str]) -> None:
    assert told(turn) == text


def test_reverted_changes_come_first() -> None:
    changes = Changes(tree="t", violations=(Violation(path="conftest.py", rule="frozen"),))

    assert told(a_turn(Decision.CONTINUE, changes=changes))[0] == "GREEN     1  reverted: conftest.py (frozen)"


def test_a_refused_done_is_told_in_the_tone_of_bad_news() -> None:
    assert [line.tone for line in lines(a_turn(Decision.CONTINUE, **FAILING), STATE)] == [Tone.BAD]


def test_failures_and_flaky_tests_of_the_baseline_are_told() -> None:
    event = BaselineTaken(at=NOW, tree="t", results=(passed("a"), failed("b")), unstable=("a",))

    assert told(event) == [
        "baseline: 2 tests before any work, 1 of them flaky; already failing: 1, not counted against the agent"
    ]


def test_a_failed_call_is_told_and_a_good_one_is_not() -> None:
    good = CallEnded(at=NOW, number=1, exit_code=0, ending=Ending.EXITED, seconds=1.0, answer=Answer())
    bad = replace(good, answer=Answer(failure=Failure(kind=Trouble.TIMED_OUT, message="no key")))

    assert told(good) == []
    assert told(bad) == ["GREEN     1  the call failed: timed out, no key"]


def test_what_mends_a_failed_call_is_told_letter_by_letter() -> None:
    failure = Failure(kind=Trouble.AUTHENTICATION, message="no key", hint="set ANTHROPIC_API_KEY")
    ended = CallEnded(at=NOW, number=1, exit_code=1, ending=Ending.EXITED, seconds=1.0, answer=Answer(failure=failure))

    assert told(ended) == ["GREEN     1  the call failed: authentication, no key (set ANTHROPIC_API_KEY)"]
    assert told(replace(SWITCHED, reason=failure.sentence))[0].endswith("no key (set ANTHROPIC_API_KEY)")


def test_a_limit_is_told_with_its_end_where_that_is_known() -> None:
    known = not_done(failure=Failure(kind=Trouble.USAGE_LIMIT, resets_at=NOW))
    unknown = not_done(failure=Failure(kind=Trouble.RATE_LIMIT))

    assert told(a_turn(Decision.RATE_LIMITED, known)) == [
        "GREEN     1  limit reached; waiting until 2026-01-16 10:00 UTC"
    ]
    assert told(a_turn(Decision.RATE_LIMITED, unknown)) == ["GREEN     1  limit reached; waiting for it to end"]


def test_a_run_that_cannot_be_believed_is_told_with_the_reason() -> None:
    event = SuiteEnded(at=NOW, report=a_report(problems=("it broke off",), seconds=1.0))

    assert told(event) == ["GREEN     1  tests: it broke off (1.0 s)"]


def test_results_that_were_there_already_are_told_as_such() -> None:
    event = SuiteEnded(at=NOW, report=a_report(passed("test_a"), seconds=1.0), known=True)

    assert told(event) == ["GREEN     1  tests: 1 passed (tree unchanged, result reused)"]


def test_a_rest_is_told_with_its_length() -> None:
    assert told(RunSuspended(at=NOW, seconds=7260.4)) == ["suspended for 2h1m; this time counts toward no limit"]


def test_counts_leave_out_what_there_is_none_of() -> None:
    assert counted(Counts(passed=3, xfailed=1)) == "3 passed, 1 xfailed"
    assert counted(Counts()) == "no tests"


SUMMARIES = [
    (a_state(status=Status.COMPLETED), "Status   completed and proven"),
    (a_state(status=Status.COMPLETED, phases_forced=(Phase.QA,)), "Status   completed, not proven"),
    (
        a_state(status=Status.PAUSED, pause_reason="user_interrupt"),
        "Status   paused in RED, iteration 1 (user interrupt)",
    ),
    (a_state(), "Status   running, RED iteration 1"),
    (
        a_state(status=Status.HALTED, halt_reason="RED: x", ended_by=Decision.BLOCKED),
        "Status   halted in RED: x",
    ),
]


@pytest.mark.parametrize(("state", "text"), SUMMARIES)
def test_the_summary_says_how_it_stands(state: Any, text: str) -> None:
    assert text in summary(state)


def test_the_status_line() -> None:
    state = a_state(phase=Phase.GREEN, iteration=5, max_iterations=10)

    line = status_line(state, CaseCounts(passing=6, failing=4))

    assert line == "[GREEN] Iteration 6/10 | 6/10 tests passing | Status: running"


CONTROLS = [
    (SessionReset(at=NOW, by="ada"), "reset by ada"),
    (SessionReset(at=NOW, by="ada", guidance="less"), "reset by ada, with guidance: less"),
    (PhaseSkipped(at=NOW, by="ada", phase=Phase.QA), "QA skipped by ada; this session can no longer be proven"),
    (SessionAborted(at=NOW, by="ada"), "aborted by ada"),
    (GuidanceGiven(at=NOW, by="ada", text="less"), "guidance from ada: less"),
    (GuidanceWithdrawn(at=NOW, by="ada", text="less"), "guidance withdrawn by ada: less"),
    (GuidanceWithdrawn(at=NOW, by="ada"), "guidance withdrawn by ada: all"),
    (
        RequestRefused(at=NOW, by="ada", request="skip", reason="The session is in RED, not in QA."),
        "refused: skip from ada: The session is in RED, not in QA.",
    ),
    (
        SessionPaused(at=NOW, by="ada", reason="manual"),
        "paused by ada (manual); all processes are stopped, all edits are kept",
    ),
    (WaitSkipped(at=NOW, by="ada"), "wait skipped by ada"),
    (BreakerCooled(at=NOW), "GREEN     1  breaker cool-down over; trying one more iteration"),
    (
        LeftoversEnded(at=NOW, processes=("4711 sleep 600",)),
        "stopped a process that a killed run left: 4711 sleep 600",
    ),
    (
        QuestionAsked(at=NOW, number=1, questions=("Which unit?",)),
        "GREEN     1  the agent asks: Which unit?; dualgate asks it to decide and to write that down",
    ),
]


@pytest.mark.parametrize(("event", "line"), CONTROLS)
def test_what_a_person_does_and_what_the_agent_asks_is_told(event: Any, line: str) -> None:
    assert told(event) == [line]


def test_the_summary_says_how_a_paused_session_goes_on_and_what_a_running_one_waits_for() -> None:
    end = STATE.last_activity + timedelta(hours=1)
    later = replace(STATE, failures=FailuresInARow(limited_until=end))
    paused = replace(STATE, status=Status.PAUSED, pause_reason="manual")

    assert "         dualgate resume  continue" in summary(paused)
    assert f"; waiting for a limit until {end.astimezone():%Y-%m-%d %H:%M}" in summary(later)
    benched = {"claude": FailuresInARow(limited_calls=1, limited_until=end)}
    review = replace(STATE, phase=Phase.QA, lineup=TWO, agent="codex", writers=("codex",), failures_of_others=benched)
    assert f"; waiting for a limit of claude until {end.astimezone():%Y-%m-%d %H:%M}" in summary(review)
    assert "a limit" not in summary(replace(later, last_activity=end))
    assert "Next     dualgate log --follow  follow the run" in summary(later)


def test_a_skipped_phase_is_marked_in_the_summary() -> None:
    state = a_state(phase=Phase.DOCUMENT, phases_completed=(Phase.RED, Phase.GREEN), phases_forced=(Phase.REFACTOR,))

    assert "RED ✓ → GREEN ✓ → REFACTOR (skipped) → DOCUMENT … → QA" in summary(state)


def test_a_command_for_tests_is_told_so_that_it_can_be_pasted() -> None:
    command = ("/bin/sh", "-c", "npm test; true")

    assert told(a_start(test_command=command))[1] == "test command: /bin/sh -c 'npm test; true'"


def test_each_of_several_suites_is_told_with_its_command_and_what_is_not_run_too() -> None:
    suites = (Suite(name="api", command=("pytest",)), Suite(name="web", command=("npm", "test")))

    assert told(a_start(suites=suites, notes=("go.mod: install gotestsum",)))[1:4] == [
        "test command of api: pytest",
        "test command of web: npm test",
        "not run: go.mod: install gotestsum",
    ]


TWO = Lineup(every=("claude", "codex"))
SWITCHED = AgentSwitched(at=NOW, phase=Phase.GREEN, agent="codex", before="claude", reason="usage_limit")


def test_a_change_of_agents_is_told_and_so_is_who_is_asked_where_there_are_several() -> None:
    call = CallStarted(at=NOW, number=2, phase=Phase.GREEN, iteration=1, agent="codex")
    state = replace(STATE, lineup=TWO)

    assert told(SWITCHED) == ["GREEN     1  switching from claude to codex: usage limit"]
    (again,) = lines(SWITCHED, replace(STATE, calls_by={"codex": 1}))
    assert (again.text, again.tone) == ("GREEN     1  switching back from claude to codex: usage limit", Tone.QUIET)
    assert told(call) == ["GREEN     1  asking the agent (call 2)"]
    recalled = Recalled(id=1, kind=EntryKind.NOTE, text="a note", source="a person's note")
    assert told(replace(call, recalled=(recalled,))) == [
        "GREEN     1  asking the agent (call 2, notes from earlier runs: 1)"
    ]
    assert [line.text for line in lines(call, state)] == ["GREEN     1  asking codex (call 2)"]
    assert told(a_start(lineup=TWO))[0].endswith("with claude, then codex")
    assert told(a_start(lineup=Lineup(every=("my-agent --quiet",))))[0].endswith("with my-agent --quiet")


def test_the_name_of_an_agent_that_is_a_long_command_is_cut() -> None:
    (line,) = told(replace(SWITCHED, agent="x" * 300))

    assert f"to {'x' * 60}…" in line


def test_a_limit_is_not_said_to_be_waited_for_where_another_agent_can_be_asked() -> None:
    limited = a_turn(Decision.RATE_LIMITED, not_done(failure=Failure(kind=Trouble.USAGE_LIMIT, resets_at=NOW)))
    unknown = a_turn(Decision.RATE_LIMITED, not_done(failure=Failure(kind=Trouble.USAGE_LIMIT)))
    state = replace(STATE, lineup=TWO)

    assert "waiting until 2026-01-16" in told(limited)[0]
    assert [line.text for event in (limited, unknown) for line in lines(event, state)] == [
        "GREEN     1  limit reached, until 2026-01-16 10:00 UTC",
        "GREEN     1  limit reached",
    ]


def test_the_summary_says_how_often_each_agent_was_asked_and_since_when_another_is() -> None:
    state = replace(STATE, total_agent_calls=5, calls_by={"claude": 2, "codex": 3}, last_switch=SWITCHED)

    assert "Calls    5 (claude 2, codex 3; codex since 10:00 in GREEN: usage_limit)" in summary(state)


def test_a_check_is_told_with_its_result() -> None:
    failed_ = CheckRun(command="make lint", exit_code=2, output="2 errors\n", seconds=1.25)
    ended = CheckRun(command="make lint", exit_code=None, problem="did not end by itself: timed_out")

    assert told(CheckEnded(at=NOW, check=failed_)) == [f"{HERE} check: `make lint` exit code 2, 2 errors (1.2 s)"]
    assert told(CheckEnded(at=NOW, check=failed_, known=True))[0].endswith("(tree unchanged, result reused)")
    assert told(CheckEnded(at=NOW, check=ended)) == [
        f"{HERE} check: `make lint` did not end by itself: timed_out (0.0 s)"
    ]


LINT = CheckResult(name="lint", command="ruff check .", state=CheckState.BROKEN, reason="exits with 1: a.py:1: F401")


def test_a_review_that_is_held_back_is_told_with_the_checks_that_fail() -> None:
    state = replace(STATE, phase=Phase.QA)
    verdict = held_verdict([LINT])
    event = ChecksFailed(at=NOW, results=(LINT,), verdict=verdict, move=reject(state, verdict))
    last = ChecksFailed(at=NOW, results=(LINT,), verdict=verdict, move=reject(replace(state, qa_attempts=3), verdict))

    assert told(event) == [
        "QA        1  lint: `ruff check .` passed before any work, and now exits with 1: a.py:1: F401",
        "QA        1  no review while checks fail → GREEN",
    ]
    assert told(last)[-1].startswith("QA        1  no review while checks fail; halted: QA: QA rejected 4 times")


def test_checks_that_do_not_pass_before_any_work_are_told_once_and_in_the_summary() -> None:
    gone = replace(LINT, state=CheckState.UNUSABLE, reason="cannot be run (exit code 127): not found")
    types = CheckResult(name="types", command="mypy", state=CheckState.PASSES)
    state = replace(STATE, check_results=(gone, types))

    said = lines(BaselineTaken(at=NOW, tree="t", results=()), state)

    left_out = "lint: `ruff check .` is left out: before any work it cannot be run (exit code 127): not found"
    assert [line.text for line in said][1:] == [left_out]
    assert f"Checks   types passes\n         {left_out}\n" in f"{summary(state)}\n"


def test_a_check_is_told_by_its_name() -> None:
    state = replace(STATE, checks=(Check(name="lint", command="ruff check ."),))
    run = CheckRun(command="ruff check .", exit_code=1, output="a.py:1: F401")

    (line,) = lines(CheckEnded(at=NOW, check=run), state)

    assert line.text == "GREEN     1  check lint: `ruff check .` exit code 1, a.py:1: F401 (0.0 s)"


def test_a_run_says_that_the_agent_cannot_install_packages_outside_the_sandbox() -> None:
    suites = (Suite(name="pytest", command=("/usr/bin/python3", "-m", "pytest")),)
    confined = {"sandbox": {"kind": "bwrap", "writable": ["~/.cache/x"]}}

    inside, outside = (told(a_start(suites=suites, settings=each)) for each in (confined, {}))

    assert (
        "the agent cannot install packages for /usr/bin/python3: /usr/bin/python3 is outside the project" in inside[3]
    )
    assert not any("packages" in text for text in outside)
