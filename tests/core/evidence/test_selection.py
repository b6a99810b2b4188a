from typing import Any

import pytest

from dualgate.core.evidence.facts import gather
from dualgate.core.evidence.selection import MOST_SELECTED, RunPlan, may_reuse, next_run, selections
from dualgate.core.gates.judge import judge
from dualgate.core.values.answer import Failure, Trouble
from dualgate.core.values.changes import Changes
from dualgate.core.values.claim import Claim, Review
from dualgate.core.values.limits import Limits
from dualgate.core.values.state import LoopState, Memory, Proof
from dualgate.core.values.suite import SuiteReport
from dualgate.core.values.vocabulary import Phase
from dualgate.testing import a_report, a_spec, a_state, done, failed, not_done, passed

NOTHING = Changes(tree="t")
SOMETHING = Changes(tree="t", modified=("a.py",))
GREEN, RED = a_report(passed("test_a")), a_report(failed("test_a"))
NAME = "tests/test_x.py::test_a"
SOME, SOME_FAIL = a_report(passed("test_a"), only=(NAME,)), a_report(failed("test_a"), only=(NAME,))
VOID = a_report(only=(NAME,), problems=("not found",))


def in_phase(phase: Phase, **proof: Any) -> LoopState:
    return a_state(phase=phase, proof=Proof(start_tree="s", **proof))


def slow(phase: Phase = Phase.GREEN, failing: tuple[str, ...] = ("test_a",), **proof: Any) -> LoopState:
    memory = Memory(failing=tuple(map(failed, failing)))
    return a_state(phase=phase, memory=memory, proof=Proof(**{"start_tree": "s", "seconds": 601.0, **proof}))


WANTED = [
    (Phase.RED, done(Phase.RED), NOTHING, [], True),
    (Phase.RED, done(Phase.RED), NOTHING, [RED], False),
    (Phase.GREEN, done(Phase.GREEN), NOTHING, [GREEN], True),
    (Phase.GREEN, done(Phase.GREEN), NOTHING, [GREEN, GREEN], False),
    (Phase.GREEN, done(Phase.GREEN), NOTHING, [RED], False),
    (Phase.GREEN, not_done(), NOTHING, [GREEN], False),
    (Phase.GREEN, Claim(failure=Failure(kind=Trouble.EMPTY)), NOTHING, [], False),
    (Phase.GREEN, Claim(failure=Failure(kind=Trouble.CRASH)), SOMETHING, [], True),
]


@pytest.mark.parametrize(("phase", "claim", "changes", "runs", "expected"), WANTED)
def test_a_quick_suite_is_run_whole_as_often_as_can_decide_something(
    phase: Phase, claim: Claim, changes: Changes, runs: list[SuiteReport], expected: bool
) -> None:
    plan = next_run(in_phase(phase), claim, changes, runs)

    assert (plan is not None) is expected
    assert plan is None or plan.only == ()


def planned(state: LoopState, claim: Claim, *runs: SuiteReport) -> RunPlan | None:
    return next_run(state, claim, SOMETHING, runs)


def is_whole(plan: RunPlan | None) -> bool:
    return plan is not None and plan.only == ()


def test_of_a_slow_suite_the_failing_tests_come_first() -> None:
    plan = planned(slow(), not_done())

    assert plan is not None
    assert (plan.only, plan.repeat, plan.seed) == ((NAME,), 0, None)


def test_a_slow_suite_is_run_whole_where_nothing_failed_or_red_is_at_work_or_too_much_failed() -> None:
    assert is_whole(planned(slow(failing=()), not_done()))
    assert is_whole(planned(slow(Phase.RED), not_done()))
    assert is_whole(planned(slow(failing=tuple(f"test_{n}" for n in range(MOST_SELECTED + 1))), not_done()))


def test_the_whole_follows_once_the_failing_tests_pass_and_the_signal_is_there() -> None:
    assert is_whole(planned(slow(), done(Phase.GREEN), SOME))
    assert is_whole(planned(slow(Phase.REFACTOR), not_done(), SOME))
    assert planned(slow(), not_done(), SOME) is None
    assert planned(slow(), done(Phase.GREEN), SOME_FAIL) is None


def test_the_whole_follows_where_the_failing_tests_could_not_be_run_by_themselves() -> None:
    assert is_whole(planned(slow(), not_done(), VOID))


def test_a_slow_suite_is_confirmed_by_new_changed_and_wavering_tests_three_times_shuffled() -> None:
    names = ["new", "changed", "unstable", "flaky", *(f"more{n}" for n in range(8))]
    ids = {f"tests/test_x.py::{name}" for name in names}
    baseline = (passed("old"), passed("changed", digest="d0"), passed("unstable"), passed("flaky"))
    state = slow(baseline=baseline, unstable=("tests/test_x.py::unstable",), flaky=("tests/test_x.py::flaky",))
    runs, plans = [a_report(*map(passed, ["old", *names]))], []

    while plan := planned(state, done(Phase.GREEN), *runs):
        plans.append(plan)
        runs.append(a_report(*map(passed, names), only=plan.only))

    assert [set(plan.only) == ids for plan in plans] == [True] * 3
    assert [plan.repeat for plan in plans] == [1, 2, 3]
    assert len({plan.only for plan in plans}) == 3
    verdict = judge(gather(state, a_spec(), done(Phase.GREEN), runs, SOMETHING), Limits())
    assert verdict.gate_1
    assert verdict.warnings == (
        "the suite is slow: the whole suite ran once, and 12 new, changed or flaky tests ran 3 times",
    )


def test_a_repetition_that_fails_ends_it() -> None:
    assert planned(slow(), done(Phase.GREEN), GREEN, SOME_FAIL) is None

    facts = gather(slow(), a_spec(), done(Phase.GREEN), [GREEN, SOME, SOME, SOME_FAIL], SOMETHING)
    assert not judge(facts, Limits()).gate_1
    assert facts.observed.flaky == (NAME,)


def test_a_slow_suite_without_tests_to_repeat_is_run_whole_again() -> None:
    assert is_whole(planned(slow(baseline=(passed("test_a"),)), done(Phase.GREEN), GREEN))


def test_cases_whose_ids_may_differ_are_asked_for_by_function() -> None:
    failing = ("a[10:01]", "a[10:02]", "b[k]", "c[k]", "at 10:01")
    plan = planned(slow(failing=failing, unstable_ids=("tests/test_x.py::b",)), not_done())

    assert plan is not None
    assert plan.only == ("tests/test_x.py::a", "tests/test_x.py::b", "tests/test_x.py::c[k]")


def test_cases_in_doubt_are_settled_by_one_more_run() -> None:
    proven, exchanged = (failed("a[x]"),), a_report(passed("a[y]"))

    assert is_whole(planned(in_phase(Phase.GREEN, proven=proven), not_done(), exchanged))
    assert is_whole(planned(in_phase(Phase.QA, proven=proven), not_done(), exchanged))
    assert planned(in_phase(Phase.QA, proven=proven), not_done(), exchanged, exchanged) is None
    assert planned(in_phase(Phase.RED, baseline=proven), not_done(), exchanged) is None


@pytest.mark.parametrize("phase", list(Phase))
@pytest.mark.parametrize("number", [1, 2, 4])
def test_runs_of_some_tests_never_open_gate_1(phase: Phase, number: int) -> None:
    results = (failed("test_ac1"), failed("test_ac2")) if phase is Phase.RED else (passed("test_a"),)
    changes = Changes(tree="t", documents=("README.md", "docs/a.md", "docs/adr/0001-x.md"))
    claim = done(phase, review=Review.APPROVE if phase is Phase.QA else None)
    some, whole = a_report(*results, only=(NAME,)), a_report(*results)

    shut = judge(gather(in_phase(phase), a_spec(), claim, [some] * number, changes), Limits())
    open_ = judge(gather(in_phase(phase), a_spec(), claim, [whole, whole], changes), Limits())

    assert (shut.gate_1, open_.gate_1) == (False, True)
    assert any("only some of the tests were run" in reason for reason in shut.reasons)


REUSED = [
    (Phase.QA, RunPlan(reason=""), [], True),
    (Phase.GREEN, RunPlan(reason=""), [], False),
    (Phase.QA, RunPlan(reason="", only=(NAME,)), [], False),
    (Phase.QA, RunPlan(reason=""), [GREEN], False),
]


@pytest.mark.parametrize(("phase", "plan", "runs", "reused"), REUSED)
def test_an_earlier_run_of_the_tree_is_reused_for_a_first_whole_run_outside_green(
    phase: Phase, plan: RunPlan, runs: list[SuiteReport], reused: bool
) -> None:
    assert may_reuse(in_phase(phase), plan, runs) is reused


def test_more_tests_than_a_command_takes_are_selected_in_several_runs() -> None:
    names = [f"test_{number}" for number in range(MOST_SELECTED + 1)]

    assert [len(each) for each in selections(names, Proof())] == [MOST_SELECTED, 1]
    assert selections([], Proof()) == ()
