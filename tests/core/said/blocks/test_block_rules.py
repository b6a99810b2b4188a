from dataclasses import replace
from typing import Any

import pytest

from dualgate.core.said.blocks import contradictions, fitting_tests_status, not_honoured, required_answer
from dualgate.core.values.ralph_status import RalphStatus
from dualgate.core.values.vocabulary import Phase, SuiteStatus, WorkStatus
from tests.core.said.blocks.block_samples import A_RALPH_STATUS

PASSING, FAILING, NOT_RUN = SuiteStatus.PASSING, SuiteStatus.FAILING, SuiteStatus.NOT_RUN
COMPLETE, IN_PROGRESS, BLOCKED = WorkStatus.COMPLETE, WorkStatus.IN_PROGRESS, WorkStatus.BLOCKED

# tasks left, tests, errors, work left -> STATUS, EXIT_SIGNAL
DECISIONS = [
    pytest.param(True, PASSING, False, False, (IN_PROGRESS, False), id="tasks remain"),
    pytest.param(True, FAILING, True, True, (IN_PROGRESS, False), id="tasks remain, whatever else"),
    pytest.param(False, FAILING, False, False, (IN_PROGRESS, False), id="tests fail"),
    pytest.param(False, NOT_RUN, False, False, (IN_PROGRESS, False), id="tests were not run"),
    pytest.param(False, PASSING, True, False, (COMPLETE, False), id="errors in the iteration"),
    pytest.param(False, PASSING, False, True, (COMPLETE, False), id="meaningful work remains"),
    pytest.param(False, PASSING, False, False, (COMPLETE, True), id="nothing remains"),
]


@pytest.mark.parametrize(("tasks_left", "tests", "errors", "work_left", "answer"), DECISIONS)
def test_the_decision_tables_say_what_status_and_signal_must_be(
    tasks_left: bool, tests: SuiteStatus, errors: bool, work_left: bool, answer: tuple[WorkStatus, bool]
) -> None:
    assert required_answer(tasks_left=tasks_left, tests=tests, errors=errors, work_left=work_left) == answer


@pytest.mark.parametrize("tests", list(SuiteStatus))
@pytest.mark.parametrize("tasks_left", [True, False])
def test_blocked_always_has_exit_signal_false(tasks_left: bool, tests: SuiteStatus) -> None:
    assert required_answer(tasks_left=tasks_left, tests=tests, cannot_proceed=True) == (BLOCKED, False)


def test_red_is_done_with_tests_that_fail() -> None:
    assert required_answer(tasks_left=False, tests=FAILING, phase=Phase.RED) == (COMPLETE, True)
    assert required_answer(tasks_left=False, tests=PASSING, phase=Phase.RED) == (IN_PROGRESS, False)
    assert [phase for phase in Phase if fitting_tests_status(phase) is FAILING] == [Phase.RED]


HONOURED = [
    pytest.param(A_RALPH_STATUS, None, id="without a phase the tests must pass"),
    pytest.param(A_RALPH_STATUS, Phase.GREEN, id="green with passing tests"),
    pytest.param(replace(A_RALPH_STATUS, tests_status=FAILING), Phase.RED, id="red with failing tests"),
    pytest.param(RalphStatus(status=COMPLETE, exit_signal=True), Phase.BUILD, id="tests status absent"),
]

NOT_HONOURED = [
    ({"status": None}, Phase.GREEN, "exit_without_complete"),
    ({"status": IN_PROGRESS}, Phase.GREEN, "exit_without_complete"),
    ({"status": BLOCKED}, Phase.GREEN, "blocked_exit"),
    ({"tests_status": FAILING}, None, "exit_without_tests"),
    ({"tests_status": FAILING}, Phase.QA, "exit_without_tests"),
    ({"tests_status": NOT_RUN}, Phase.BUILD, "exit_without_tests"),
    ({"tests_status": PASSING}, Phase.RED, "exit_without_tests"),
    ({"tests_status": NOT_RUN}, Phase.RED, "exit_without_tests"),
]


@pytest.mark.parametrize(("fields", "phase"), HONOURED)
def test_a_signal_is_honoured_if_status_is_complete_and_the_tests_fit(fields: RalphStatus, phase: Phase | None) -> None:
    assert not_honoured(fields, phase) == ()


@pytest.mark.parametrize(("changed", "phase", "code"), NOT_HONOURED)
def test_a_signal_that_does_not_fit_is_not_honoured(changed: dict[str, Any], phase: Phase | None, code: str) -> None:
    (problem,) = not_honoured(replace(A_RALPH_STATUS, **changed), phase)

    assert (problem.code, problem.field) == (code, "EXIT_SIGNAL")


@pytest.mark.parametrize("signal", [False, None])
def test_nothing_stands_against_a_signal_that_is_not_given(signal: bool | None) -> None:
    assert not_honoured(replace(A_RALPH_STATUS, status=BLOCKED, exit_signal=signal)) == ()


def test_complete_with_tests_that_do_not_fit_is_a_contradiction() -> None:
    fields = replace(A_RALPH_STATUS, tests_status=NOT_RUN, exit_signal=False)

    assert [str(problem) for problem in contradictions(fields)] == [
        "STATUS is COMPLETE but TESTS_STATUS is NOT_RUN, not PASSING: that is IN_PROGRESS"
    ]
    assert contradictions(replace(fields, status=IN_PROGRESS)) == ()
    assert contradictions(A_RALPH_STATUS) == ()
