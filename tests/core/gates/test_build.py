from dataclasses import replace
from typing import Any

import pytest

from dualgate.core.evidence.facts import gather
from dualgate.core.gates.breaker import breaker_after
from dualgate.core.gates.build import build_missing, why_unproven
from dualgate.core.gates.judge import judge, measure
from dualgate.core.machine.history import apply, begin
from dualgate.core.machine.moves import decide
from dualgate.core.spec.reading import read_prompt
from dualgate.core.values.answer import Failure, Trouble
from dualgate.core.values.changes import Changes, Violation
from dualgate.core.values.claim import Claim
from dualgate.core.values.events import BaselineTaken, TurnEnded
from dualgate.core.values.facts import Facts
from dualgate.core.values.limits import Limits
from dualgate.core.values.specification import Plan
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import CaseResult, Counts
from dualgate.core.values.team import FailuresInARow
from dualgate.core.values.verdict import Breaker, Marks, Outcome
from dualgate.core.values.vocabulary import BreakerState, Decision, HaltCause, Phase, Status, Workflow, WorkStatus
from dualgate.testing import NOW, a_report, a_start, done, facts, failed, not_done, passed, skipped

LIMITS = Limits()
DONE = Plan(done=("a", "b"), file="fix_plan.md")
OPEN = Plan(done=("a",), open=("b",), file="fix_plan.md")
WORKED = Changes(tree="t", modified=("src/a.py",))
PROMPT = read_prompt("# Do it\n")


def build(claimed: Claim | None = None, **observed: Any) -> Facts:
    return facts(Phase.BUILD, claimed, **observed)


def a_run(*baseline: CaseResult, plan: Plan | None = OPEN, **limits: Any) -> LoopState:
    """A run of BUILD whose tests said this before any work."""
    started = begin(a_start(workflow=Workflow.RALPH, plan=plan, limits=Limits(**limits)))
    return apply(started, BaselineTaken(at=NOW, tree="t0", results=baseline))


def turn(state: LoopState, claim: Claim, *results: CaseResult, plan: Plan | None = OPEN, changes: Changes) -> TurnEnded:
    runs = [] if claim.failure and not changes.paths else [a_report(*results)]
    seen = gather(state, PROMPT, claim, runs, changes, plan)
    verdict = judge(seen, state.limits)
    breaker = breaker_after(state.breaker, state.phase, measure(seen), state.limits)
    move = decide(state, seen, verdict, breaker)
    return TurnEnded(at=NOW, facts=seen, verdict=verdict, breaker=breaker, move=move)


def after(state: LoopState, claim: Claim, *results: CaseResult, **values: Any) -> LoopState:
    """The state after a turn that left its own work, if nothing else is given."""
    worked = replace(WORKED, tree=f"t{state.iteration + 1}")
    return apply(state, turn(state, claim, *results, **{"changes": worked, **values}))


def test_a_green_run_and_the_word_end_build_and_prove_it() -> None:
    ended = after(a_run(passed("test_a")), done(Phase.BUILD), passed("test_a"), plan=DONE)

    assert (ended.status, ended.proven, ended.unproven) == (Status.COMPLETED, True, ())


def test_without_a_test_run_build_is_completed_and_not_proven() -> None:
    ended = after(a_run(), done(Phase.BUILD), plan=DONE)

    assert (ended.status, ended.proven) == (Status.COMPLETED, False)
    assert ended.unproven == ("no test run of the loop shows that the work is done",)


NOT_YET = [
    (build(plan=OPEN), "1 tasks are open: b"),
    (build(failing=(failed("test_a"),), plan=DONE), "1 failing: tests/test_x.py::test_a"),
    (build(problems=("it broke off",), plan=DONE), "the test run is not trusted: it broke off"),
    (build(counts=Counts(), green_runs=0), "1 of 2 completion indicators: status_complete"),
]


@pytest.mark.parametrize(("seen", "reason"), NOT_YET)
def test_an_open_task_a_failing_test_or_too_few_indicators_keep_gate_1_shut(seen: Facts, reason: str) -> None:
    verdict = judge(seen, LIMITS)

    assert (verdict.outcome, verdict.gate_1, verdict.reasons) == (Outcome.STAY, False, (reason,))


def test_a_violation_is_a_veto_too() -> None:
    broken = replace(WORKED, violations=(Violation(path=".git", rule="history is yours"),))

    verdict = judge(build(plan=DONE, changes=broken), LIMITS)

    assert (verdict.outcome, verdict.reasons) == (Outcome.STAY, (".git: history is yours",))


def test_a_test_that_failed_before_has_to_pass_in_the_end() -> None:
    state = a_run(failed("test_a"))

    ended = turn(state, done(Phase.BUILD), failed("test_a"), plan=DONE, changes=WORKED)

    assert ended.move.decision is Decision.CONTINUE
    assert ended.facts.observed.failing[0].id.endswith("test_a")


GONE = "tests that existed before are missing: tests/test_x.py::test_a"
SKIPPED = "tests that ran before are skipped: tests/test_x.py::test_a"


@pytest.mark.parametrize(
    ("now", "reason", "unproven"),
    [
        ((passed("test_b"),), GONE, ()),  # its version from before the run decides
        ((skipped("test_a"), passed("test_b")), SKIPPED, (SKIPPED,)),
    ],
)
def test_tests_that_are_gone_or_skipped_are_no_passing_tests(
    now: tuple[CaseResult, ...], reason: str, unproven: tuple[str, ...]
) -> None:
    state = a_run(passed("test_a"), passed("test_b"))

    without_list = turn(state, done(Phase.BUILD), *now, plan=None, changes=WORKED)
    with_list = after(state, done(Phase.BUILD), *now, plan=DONE)

    assert (without_list.move.decision, reason in without_list.verdict.reasons) == (Decision.CONTINUE, True)
    assert (with_list.status, with_list.unproven) == (Status.COMPLETED, unproven)


def test_changed_tests_and_lost_tasks_are_told() -> None:
    state = a_run(passed("test_a"), plan=Plan(open=("b", "c"), done=("a",)))

    seen = turn(state, not_done(), passed("test_a", digest="d2"), plan=OPEN, changes=WORKED)

    assert "tests whose code changed since the run began: tests/test_x.py::test_a" in seen.verdict.warnings
    assert "tasks removed from the list without being ticked: c" in seen.verdict.warnings


def test_a_task_list_that_is_gone_is_told_and_its_tasks_stay_open() -> None:
    seen = turn(a_run(), done(Phase.BUILD), plan=replace(OPEN, is_gone=True), changes=WORKED)

    assert seen.move.decision is Decision.CONTINUE
    assert "the task list is missing, and its open tasks still count as open: fix_plan.md" in seen.verdict.warnings


def test_a_tick_is_progress_even_where_no_file_that_is_looked_at_changed() -> None:
    idle = Changes(tree="t0")
    state = after(after(a_run(), not_done(), changes=idle), not_done(), changes=idle)

    ticked = after(state, not_done(), plan=DONE, changes=idle)
    halted = after(state, not_done(), plan=OPEN, changes=idle)

    assert (state.breaker.state, ticked.breaker.state) == (BreakerState.HALF_OPEN, BreakerState.CLOSED)
    assert (halted.status, halted.ended_by) == (Status.HALTED, Decision.STUCK)
    assert (
        halted.halt_reason
        == "BUILD: no progress in 3 iterations: 1 tasks are open: b; the agent does not say EXIT_SIGNAL: true"
    )


def test_work_that_was_judged_before_is_no_progress_however_often_it_changes() -> None:
    one, two = (Changes(tree=tree, modified=("a.py",)) for tree in ("t1", "t2"))
    state = a_run()
    for changes in (one, two, one, two):
        state = after(state, not_done(), changes=changes)

    assert (state.breaker.no_progress, state.status) == (2, Status.RUNNING)
    assert after(state, not_done(), changes=one).halted_by is HaltCause.NO_PROGRESS
    assert after(state, not_done(), changes=Changes(tree="t3", modified=("a.py",))).breaker.no_progress == 0


def test_ticks_that_come_and_go_are_no_progress_even_in_an_ignored_folder() -> None:
    idle, state = Changes(tree="t0"), a_run()
    for plan in (DONE, OPEN, DONE, OPEN):
        state = after(state, not_done(), plan=plan, changes=idle)

    assert (state.status, state.halted_by) == (Status.HALTED, HaltCause.NO_PROGRESS)


def test_the_tree_of_the_start_was_judged_too() -> None:
    back = Changes(tree="t0", modified=("a.py",))

    assert after(a_run(), not_done(), changes=back).breaker.no_progress == 1


def test_the_same_failing_test_five_times_is_stuck() -> None:
    state = a_run()
    for _ in range(4):
        state = after(state, not_done(), failed("test_a"))

    ended = after(state, not_done(), failed("test_a"))

    assert (state.status, ended.ended_by) == (Status.RUNNING, Decision.STUCK)
    assert str(ended.halt_reason).startswith("BUILD: the same error in 5 iterations: 1 tasks are open: b; 1 failing: ")


def test_the_same_error_in_the_answers_is_a_nudge_at_three_and_the_end_at_five() -> None:
    state, claim = a_run(), not_done(error="Error: no module left-pad")
    reasons = []
    for _ in range(4):
        state = after(state, claim)
        reasons.append(state.memory.reasons[-2])

    assert "your last 3 answers show the same error; try another way: Error: no module left-pad" in reasons[2]
    assert "your last 3 answers" not in reasons[1]
    assert after(state, claim).ended_by is Decision.STUCK


def test_the_last_iteration_ends_a_run() -> None:
    ended = after(a_run(max_iterations=1), not_done())

    assert (ended.status, ended.ended_by) == (Status.HALTED, Decision.MAX_ITERATIONS)


def crashed(kind: Trouble = Trouble.CRASH) -> Claim:
    return Claim(failure=Failure(kind=kind))


IDLE = Changes(tree="t0")
FAILED = [
    (Trouble.CRASH, IDLE, Decision.RETRY, Outcome.RETRY, Status.RUNNING),
    (Trouble.CRASH, WORKED, Decision.CONTINUE, Outcome.STAY, Status.RUNNING),
    (Trouble.RATE_LIMIT, WORKED, Decision.RATE_LIMITED, Outcome.LIMITED, Status.RUNNING),
    (Trouble.AUTHENTICATION, IDLE, Decision.BLOCKED, Outcome.BLOCK, Status.HALTED),
    (Trouble.BUDGET, IDLE, Decision.BUDGET_EXHAUSTED, Outcome.BLOCK, Status.HALTED),
]


@pytest.mark.parametrize(("kind", "changes", "decision", "outcome", "status"), FAILED)
def test_what_a_failed_call_means(
    kind: Trouble, changes: Changes, decision: Decision, outcome: Outcome, status: Status
) -> None:
    found = turn(a_run(), crashed(kind), changes=changes)

    assert (found.move.decision, found.verdict.outcome, found.move.status) == (decision, outcome, status)


def test_calls_that_fail_for_good_are_stuck_and_no_iteration() -> None:
    state = a_run(failed_calls=2)
    state = after(state, crashed(), changes=IDLE)

    ended = after(state, crashed(), changes=IDLE)

    assert (ended.ended_by, ended.iteration) == (Decision.STUCK, 0)


def test_a_limit_or_a_crash_ends_no_row_of_empty_or_blocked_answers() -> None:
    empty = after(after(a_run(), crashed(Trouble.EMPTY), changes=IDLE), crashed(Trouble.RATE_LIMIT), changes=IDLE)
    blocked = after(after(a_run(), Claim(status=WorkStatus.BLOCKED)), crashed(), changes=IDLE)

    assert (empty.failures.empty_calls, after(empty, crashed(), changes=IDLE).failures.empty_calls) == (1, 0)
    assert blocked.failures.blocked == 1
    assert after(blocked, Claim(status=WorkStatus.BLOCKED)).ended_by is Decision.BLOCKED


def test_an_open_breaker_halts_as_in_every_phase() -> None:
    seen = replace(build(not_done()), past=FailuresInARow())
    verdict, opened = judge(seen, LIMITS), Breaker(state=BreakerState.OPEN, no_progress=3)

    assert decide(a_run(), seen, verdict, Breaker()).decision is Decision.CONTINUE
    assert decide(a_run(), seen, verdict, opened).cause is HaltCause.NO_PROGRESS


def test_only_some_tests_say_too_little() -> None:
    partial = build(partial=True, green_runs=0)

    assert "only some of the tests were run" in build_missing(partial, LIMITS)[1]
    assert why_unproven(partial)
    assert measure(build(plan=OPEN)) == replace(measure(build()), ticked=1)
    assert Marks().ticked == 0


def test_tasks_without_a_box_are_never_proven() -> None:
    unseen = Plan(unmarked=("a",), file="x.md")
    green = build(plan=unseen, green_runs=1, counts=Counts(passed=1))

    assert why_unproven(green) == ("the task list x.md: 1 without a tick box: what is done cannot be seen",)


def test_a_build_with_disarmed_or_skipped_tests_is_complete_and_not_proven() -> None:
    green = build(green_runs=1, counts=Counts(passed=1), disarmed=("test_a was removed",), newly_skipped=("test_b",))

    assert why_unproven(green) == ("tests that ran before are skipped: test_b", "test_a was removed")
    assert build_missing(green, LIMITS) == ()
