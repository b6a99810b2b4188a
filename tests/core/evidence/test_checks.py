"""Which checks are run on a tree, and what their runs show."""

from typing import Any

import pytest

from dualgate.core.evidence.checks import (
    check_results,
    demanded,
    due_checks,
    first_results,
    is_doubtful,
    other_programs,
    unseen_checks,
)
from dualgate.core.values.checks import Check, CheckResult, CheckRun, CheckState
from dualgate.core.values.claim import Claim
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import LoopState, Proof
from dualgate.core.values.vocabulary import Phase
from dualgate.testing import a_report, a_state, done, failed, not_done, passed

LINT = Check(name="lint", command="ruff check .", by_file=True)
TYPES = Check(name="types", command="mypy")
PASSED = CheckRun(command="ruff check .", exit_code=0)
FAILED = CheckRun(command="ruff check .", exit_code=1, output="a.py:1: F401\n\nFound 1 error.\n")
MISSING = CheckRun(command="ruff check .", exit_code=127, output="sh: 1: ruff: not found\n")
STUCK = CheckRun(command="ruff check .", exit_code=None, problem="did not end by itself: timed_out")
GREEN = [a_report(passed("test_a"))]


def state_in(phase: Phase, *before: CheckRun, **values: Any) -> LoopState:
    proof = Proof(start_tree="s", checks=before, proven=(passed("test_a"),) if phase is not Phase.RED else None)
    return a_state(**{"phase": phase, "proof": proof, "checks": (LINT, TYPES), **values})


def result(before: CheckRun | None, now: CheckRun, phase: Phase = Phase.REFACTOR) -> CheckResult:
    (found,) = check_results(state_in(phase, *filter(None, [before])), [now])
    return found


DUE = [
    (Phase.RED, not_done(), []),
    (Phase.RED, done(Phase.RED), ["ruff check ."]),
    (Phase.GREEN, not_done(), []),
    (Phase.GREEN, done(Phase.GREEN), ["ruff check .", "mypy"]),
    (Phase.REFACTOR, not_done(), ["ruff check .", "mypy"]),
    (Phase.DOCUMENT, done(Phase.DOCUMENT), []),
    (Phase.QA, not_done(), ["ruff check .", "mypy"]),
    (Phase.BUILD, not_done(), []),
    (Phase.BUILD, done(Phase.BUILD), ["ruff check .", "mypy"]),
]


@pytest.mark.parametrize(("phase", "claim", "commands"), DUE)
def test_checks_are_run_where_a_phase_may_end_on_green_tests(phase: Phase, claim: Claim, commands: list[str]) -> None:
    state = state_in(phase, PASSED, replace(PASSED, command="mypy"))

    assert [due.command for due in due_checks(state, (), GREEN, claim)] == commands


def test_a_check_that_failed_before_any_work_is_run_before_the_review_only() -> None:
    state = state_in(Phase.QA, FAILED, replace(PASSED, command="mypy"))

    assert [due.command for due in due_checks(state, (), GREEN)] == ["mypy"]
    assert unseen_checks(state, "t") == (LINT, TYPES)


def test_checks_wait_for_the_tests() -> None:
    red = [a_report(failed("test_a"))]

    assert due_checks(state_in(Phase.REFACTOR, PASSED), (), red, done(Phase.REFACTOR)) == ()


@pytest.mark.parametrize("before", [MISSING, STUCK])
def test_a_check_that_could_not_be_run_before_any_work_is_left_out(before: CheckRun) -> None:
    due = unseen_checks(state_in(Phase.QA, before), "t")

    (first,) = first_results((LINT, TYPES), [before])
    assert [each.command for each in due] == ["mypy"]
    assert (first.state, "is left out: before any work it " in first.sentence) == (CheckState.UNUSABLE, True)


def test_results_of_this_tree_are_not_asked_for_again_before_a_review() -> None:
    seen = CheckResult(name="lint", command="ruff check .", state=CheckState.PASSES, tree="t")

    assert unseen_checks(state_in(Phase.QA, check_results=(seen,)), "t") == (TYPES,)
    assert unseen_checks(state_in(Phase.QA, check_results=(seen,)), "u") == (LINT, TYPES)
    assert unseen_checks(state_in(Phase.DOCUMENT), "t") == ()


def test_a_broken_result_without_its_return_is_made_again_before_a_review() -> None:
    seen = CheckResult(name="lint", command="ruff check .", state=CheckState.BROKEN, tree="t")

    assert unseen_checks(state_in(Phase.QA, check_results=(seen,)), "t") == (LINT, TYPES)


DOUBTFUL = [
    (PASSED, FAILED, True),
    (PASSED, STUCK, True),
    (PASSED, PASSED, False),
    (FAILED, FAILED, False),
    (None, FAILED, False),
    (PASSED, replace(FAILED, is_second=True), False),
    (PASSED, replace(FAILED, written=("a.py",)), False),
]


@pytest.mark.parametrize(("before", "now", "doubtful"), DOUBTFUL)
def test_a_first_run_that_would_break_a_check_is_doubtful(
    before: CheckRun | None, now: CheckRun, doubtful: bool
) -> None:
    assert is_doubtful(state_in(Phase.REFACTOR, *filter(None, [before])), now) is doubtful


def test_a_check_that_passes_when_run_again_passes_and_is_called_flaky() -> None:
    flaky = result(PASSED, replace(PASSED, is_second=True, output="All good.\n"))

    assert (flaky.state, flaky.output) == (CheckState.PASSES, "")
    assert flaky.sentence == "lint: `ruff check .` passes, but failed before on the same tree: it is flaky"
    assert result(PASSED, replace(FAILED, is_second=True)).state is CheckState.BROKEN
    assert result(PASSED, PASSED).sentence == "lint: `ruff check .` passes"


PROGRAMS = [
    (("/a/ruff (1)",), ("/a/ruff (1)",), ""),
    (("/a/ruff (1)",), ("/a/ruff (2)",), "its program changed since before any work: /a/ruff (2)"),
    (("/a/ruff (1)",), ("/b/ruff (1)",), "its program changed since before any work: /b/ruff (1)"),
    (("/a/ruff (1)",), (), "its program changed since before any work: /a/ruff (1)"),
    ((), ("/a/ruff (1)",), ""),
]


@pytest.mark.parametrize(("before", "now", "problem"), PROGRAMS)
def test_a_program_that_is_not_the_one_before_any_work_is_a_problem(
    before: tuple[str, ...], now: tuple[str, ...], problem: str
) -> None:
    state = state_in(Phase.REFACTOR, replace(PASSED, programs=before))
    run = replace(PASSED, programs=now)

    assert other_programs(state, run) == problem
    assert other_programs(state_in(Phase.REFACTOR), run) == ""
    assert is_doubtful(state, replace(FAILED, programs=now)) is not bool(problem)


STATES = [
    (PASSED, PASSED, CheckState.PASSES),
    (FAILED, PASSED, CheckState.PASSES),
    (None, PASSED, CheckState.PASSES),
    (PASSED, FAILED, CheckState.BROKEN),
    (PASSED, MISSING, CheckState.BROKEN),
    (PASSED, STUCK, CheckState.BROKEN),
    (FAILED, FAILED, CheckState.FAILED_BEFORE),
    (FAILED, STUCK, CheckState.FAILED_BEFORE),
    (None, FAILED, CheckState.NOT_COMPARED),
]


@pytest.mark.parametrize(("before", "now", "state"), STATES)
def test_a_run_is_compared_with_the_one_before_any_work(
    before: CheckRun | None, now: CheckRun, state: CheckState
) -> None:
    assert result(before, now).state is state


def test_the_sentence_of_a_broken_check_holds_command_exit_code_and_last_lines() -> None:
    broken = result(PASSED, FAILED)

    told = "exits with 1: a.py:1: F401 / Found 1 error."
    assert broken.sentence == f"lint: `ruff check .` passed before any work, and now {told}"
    assert (broken.output, result(PASSED, PASSED).output) == (FAILED.output, "")
    gone = result(PASSED, MISSING)
    assert "cannot be run (exit code 127): sh: 1: ruff: not found" in gone.sentence
    assert "exits with 2: no output" in result(PASSED, CheckRun(command="ruff check .", exit_code=2)).sentence


def test_faults_in_frozen_tests_alone_are_nobodys_work() -> None:
    def named(*files: str, problem: str = "") -> CheckRun:
        return CheckRun(command="ruff check .", exit_code=1, named=files, problem=problem)

    assert result(PASSED, named("tests/test_x.py")).state is CheckState.FROZEN
    assert result(PASSED, named("tests/test_x.py", "a.py")).state is CheckState.BROKEN
    assert result(PASSED, named("tests/test_x.py", problem="timed out")).state is CheckState.BROKEN
    assert result(PASSED, named("tests/test_x.py"), Phase.RED).state is CheckState.BROKEN


def test_red_is_asked_once_to_fix_its_tests() -> None:
    first = state_in(Phase.RED, PASSED)
    (asked,) = demanded(first, [FAILED])

    again = state_in(Phase.RED, PASSED, check_results=(asked,))

    assert list(demanded(again, [FAILED])) == []
    assert list(demanded(state_in(Phase.REFACTOR, PASSED, check_results=(asked,)), [FAILED])) == [asked]


def test_checks_that_were_not_run_have_no_result() -> None:
    assert check_results(state_in(Phase.QA, PASSED), []) == ()
    assert [each.state for each in first_results((LINT, TYPES), [FAILED])] == [CheckState.FAILED_BEFORE]
    assert [each.state for each in first_results((LINT, TYPES), [PASSED])] == [CheckState.PASSES]
