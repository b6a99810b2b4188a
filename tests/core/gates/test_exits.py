from dataclasses import replace
from datetime import UTC, datetime

import pytest

from dualgate.core.gates.analysis import Analysis, analyze, should_exit
from dualgate.core.gates.exits import ExitEvidence, Indicator
from dualgate.core.gates.reactions import REACTIONS, Response
from dualgate.core.values.answer import LIMITS, Answer, Failure, Trouble
from dualgate.core.values.limits import Limits
from dualgate.core.values.specification import Plan
from dualgate.core.values.vocabulary import Decision, Phase
from tests.core.said.blocks.block_samples import ralph_block

GIVEN_UP = sorted(kind for kind, reaction in REACTIONS.items() if reaction.response is Response.GIVE_UP)
DONE = Answer(text=ralph_block())
GOING_ON = Answer(text=ralph_block(STATUS="IN_PROGRESS", EXIT_SIGNAL="false"))
BLOCKED = Answer(text=ralph_block(STATUS="BLOCKED", EXIT_SIGNAL="false", RECOMMENDATION="Blocked: need a key"))
GREEN = ExitEvidence(tests_pass=True)


def history(*answers: Answer) -> list[Analysis]:
    return [analyze(answer) for answer in answers]


def failed(kind: Trouble, **values: object) -> Answer:
    return Answer(failure=Failure(kind=kind, message="boom", **values))  # type: ignore[arg-type]


KNOWN = [
    (ExitEvidence(), (Indicator.STATUS_COMPLETE,), Decision.CONTINUE, "1 of 2 completion indicators: status_complete"),
    (GREEN, (Indicator.TESTS_PASSING, Indicator.STATUS_COMPLETE), Decision.PROJECT_COMPLETE, "EXIT_SIGNAL is true"),
    (
        ExitEvidence(plan=Plan(done=("a",))),
        (Indicator.ALL_TASKS_DONE, Indicator.STATUS_COMPLETE),
        Decision.PROJECT_COMPLETE,
        "all_tasks_done",
    ),
    (
        ExitEvidence(plan=Plan(done=("a",), stories=True)),
        (Indicator.NO_PENDING_STORY, Indicator.STATUS_COMPLETE),
        Decision.PROJECT_COMPLETE,
        "no_pending_story",
    ),
    (ExitEvidence(plan=Plan()), (Indicator.STATUS_COMPLETE,), Decision.CONTINUE, "1 of 2"),
    (
        ExitEvidence(tests_pass=True, plan=Plan(open=("b",), done=("a",))),
        (Indicator.TESTS_PASSING, Indicator.STATUS_COMPLETE),
        Decision.CONTINUE,
        "1 tasks are open: b",
    ),
    (
        ExitEvidence(tests_pass=False, plan=Plan(done=("a",))),
        (Indicator.ALL_TASKS_DONE, Indicator.STATUS_COMPLETE),
        Decision.CONTINUE,
        "tests fail",
    ),
]


@pytest.mark.parametrize(("known", "indicators", "decision", "reason"), KNOWN)
def test_indicators_are_counted_from_what_is_known_and_what_is_otherwise_is_a_veto(
    known: ExitEvidence, indicators: tuple[Indicator, ...], decision: Decision, reason: str
) -> None:
    found = should_exit(history(DONE), known)

    assert (found.indicators, found.decision) == (indicators, decision)
    assert reason in found.reasons[0]


def test_without_the_signal_no_count_of_indicators_ends_a_loop() -> None:
    complete = Answer(text=ralph_block(EXIT_SIGNAL="false"))

    found = should_exit(history(complete), replace(GREEN, plan=Plan(done=("a",))))

    assert (found.decision, len(found.indicators)) == (Decision.CONTINUE, 3)


@pytest.mark.parametrize("kind", sorted(LIMITS))
def test_a_limit_suspends(kind: Trouble) -> None:
    when = datetime(2026, 1, 1, tzinfo=UTC)

    found = should_exit(history(failed(kind, resets_at=when)), ExitEvidence(changed_files=True))

    assert found.decision is Decision.RATE_LIMITED
    assert found.reasons == (f"{kind}, boom, until 2026-01-01T00:00:00+00:00",)


@pytest.mark.parametrize("kind", [kind for kind in GIVEN_UP if kind is not Trouble.BUDGET])
def test_what_only_a_person_can_mend_blocks_at_once(kind: Trouble) -> None:
    assert should_exit(history(failed(kind)), ExitEvidence()).decision is Decision.BLOCKED


def test_a_failed_call_is_tried_again_unless_it_left_work() -> None:
    crash = history(failed(Trouble.CRASH))

    assert should_exit(crash, ExitEvidence()).decision is Decision.RETRY
    assert should_exit(crash, ExitEvidence(changed_files=True)).decision is Decision.CONTINUE


def test_three_empty_answers_or_seven_failed_calls_in_a_row_are_stuck() -> None:
    empty, crash = failed(Trouble.EMPTY), failed(Trouble.CRASH)

    assert should_exit(history(*[empty] * 2), ExitEvidence()).decision is Decision.RETRY
    assert should_exit(history(*[empty] * 3), ExitEvidence()).decision is Decision.STUCK
    assert should_exit(history(*[crash] * 6), ExitEvidence()).decision is Decision.RETRY
    assert should_exit(history(*[crash] * 7), ExitEvidence()).decision is Decision.STUCK
    assert should_exit(history(*[crash] * 6, GOING_ON, crash), ExitEvidence()).decision is Decision.RETRY


def test_blocked_is_quoted_back_once_and_the_second_in_a_row_stops() -> None:
    assert should_exit(history(BLOCKED), ExitEvidence()).decision is Decision.CONTINUE
    assert should_exit(history(BLOCKED, BLOCKED), ExitEvidence()).decision is Decision.BLOCKED
    assert should_exit(history(BLOCKED, GOING_ON, BLOCKED), ExitEvidence()).decision is Decision.CONTINUE


def test_blocked_after_a_denied_tool_with_no_work_done_stops_at_once() -> None:
    denied = history(replace(BLOCKED, denied=("Bash",)))

    assert should_exit(denied, ExitEvidence()).decision is Decision.BLOCKED
    assert should_exit(denied, ExitEvidence(changed_files=True)).decision is Decision.CONTINUE


def test_the_same_error_three_times_is_stuck_and_a_proven_end_is_not() -> None:
    error = "Error: cannot find module 'left-pad'\n"
    going_on = history(*[Answer(text=error + GOING_ON.text)] * 3)
    ended = history(*[Answer(text=error + DONE.text)] * 3)

    assert should_exit(going_on, ExitEvidence()).decision is Decision.STUCK
    assert should_exit(ended, GREEN).decision is Decision.PROJECT_COMPLETE


def test_blocked_is_told_to_the_breaker() -> None:
    assert [analysis.notifies_breaker for analysis in history(BLOCKED, GOING_ON)] == [True, False]


def test_the_reasons_against_a_signal_are_told() -> None:
    odd = Answer(text=ralph_block(TESTS_STATUS="FAILING"))

    assert "TESTS_STATUS is FAILING" in should_exit(history(odd), GREEN).reasons[0]


def test_words_without_a_block_are_read_and_marked_as_such() -> None:
    analysis = analyze(Answer(text="All tasks are done. I wrote tests.\nLOOP_COMPLETE\n"))

    assert (analysis.claim.has_block, analysis.speaks_of_completion, analysis.markers) == (
        False,
        True,
        ("LOOP_COMPLETE",),
    )
    assert analysis.problems[-1] == "no RALPH_STATUS block: the wording was read instead, which decides nothing"
    assert should_exit([analysis], GREEN).decision is Decision.CONTINUE


def test_red_ends_with_tests_that_fail() -> None:
    red = Answer(text=ralph_block(TESTS_STATUS="FAILING"))

    assert analyze(red, Phase.RED).claim.exit_signal
    assert not analyze(red, Phase.GREEN).claim.exit_signal


def test_a_failed_call_in_between_ends_no_row_of_blocked_answers_or_errors() -> None:
    error = Answer(text="Error: cannot find module 'left-pad'\n" + GOING_ON.text)
    crash = failed(Trouble.CRASH)

    assert should_exit(history(BLOCKED, crash, BLOCKED), ExitEvidence()).decision is Decision.BLOCKED
    assert should_exit(history(error, error, crash, error), ExitEvidence()).decision is Decision.STUCK


def test_a_limit_is_no_failed_call_and_one_that_left_work_ends_the_row() -> None:
    crash, limit = failed(Trouble.CRASH), failed(Trouble.RATE_LIMIT)
    worked = analyze(crash, changed_files=True)

    assert should_exit(history(*[crash] * 5, limit, crash), ExitEvidence()).decision is Decision.RETRY
    assert should_exit(history(*[crash] * 6, limit, crash), ExitEvidence()).decision is Decision.STUCK
    assert should_exit([*history(*[crash] * 5), worked, *history(crash)], ExitEvidence()).decision is Decision.RETRY


def test_a_spent_budget_and_spent_iterations_end_a_loop() -> None:
    assert should_exit(history(failed(Trouble.BUDGET)), ExitEvidence()).decision is Decision.BUDGET_EXHAUSTED
    assert should_exit(history(GOING_ON), ExitEvidence(iterations_left=0)).decision is Decision.MAX_ITERATIONS
    assert should_exit(history(GOING_ON), ExitEvidence(iterations_left=1)).decision is Decision.CONTINUE


def test_in_red_passing_tests_are_the_veto() -> None:
    red = [analyze(Answer(text=ralph_block(TESTS_STATUS="FAILING")), Phase.RED)]
    done = Plan(done=("a",))

    failing = should_exit(red, ExitEvidence(tests_pass=False, plan=done, phase=Phase.RED))
    passing = should_exit(red, ExitEvidence(tests_pass=True, plan=done, phase=Phase.RED))

    assert failing.decision is Decision.PROJECT_COMPLETE
    assert (passing.decision, passing.reasons) == (
        Decision.CONTINUE,
        ("tests pass, and RED ends with tests that fail",),
    )


def test_what_was_tolerated_in_a_block_is_a_problem_that_is_told() -> None:
    analysis = analyze(Answer(text=ralph_block(EXIT_SIGNAL="True")))

    assert analysis.claim.exit_signal
    assert analysis.problems == ("EXIT_SIGNAL: the value is not written in its exact case",)


def test_how_much_failure_is_too_much_is_what_the_limits_say() -> None:
    crash = Answer(failure=Failure(kind=Trouble.CRASH))
    error = Answer(text="Error: no room\n" + GOING_ON.text)

    assert should_exit(history(crash), ExitEvidence(limits=Limits(failed_calls=1))).decision is Decision.STUCK
    assert should_exit(history(error), ExitEvidence(limits=Limits(same_error_nudge=1))).decision is Decision.STUCK


def test_a_second_refusal_and_a_context_that_stays_full_are_blocked() -> None:
    refused, full = failed(Trouble.REFUSAL), failed(Trouble.CONTEXT_FULL)

    assert should_exit(history(refused), ExitEvidence()).decision is Decision.RETRY
    assert should_exit(history(refused, refused), ExitEvidence()).decision is Decision.BLOCKED
    assert should_exit(history(*[full] * 3), ExitEvidence()).decision is Decision.RETRY
    assert should_exit(history(*[full] * 4), ExitEvidence()).decision is Decision.BLOCKED
