import re

import pytest

from dualgate.cli.build import load_templates
from dualgate.core.answer import Answer
from dualgate.core.prompt import FAILING_SHOWN, plan_call, prepare, write_prompt
from dualgate.core.response import read_response
from dualgate.core.state import LoopState, Memory, PhaseVisit, Proof, Rejection
from dualgate.core.vocabulary import Phase, Violation
from dualgate.testing import NOW, a_prp, a_state, failed

TEMPLATES = prepare(load_templates())


def prompt_of(state: LoopState) -> str:
    return write_prompt(a_prp(), state, TEMPLATES)


@pytest.mark.parametrize("phase", list(Phase))
def test_every_phase_has_a_prompt_with_goal_criteria_and_the_form_of_the_answer(phase: Phase) -> None:
    text = prompt_of(a_state(phase=phase))

    assert f"phase {phase}, iteration 1 of at most 100" in text
    assert "Do it." in text
    assert "- AC-2: thing 2 works" in text
    assert "    ---RALPH_STATUS---" in text


@pytest.mark.parametrize("phase", list(Phase))
def test_an_agent_that_quotes_its_prompt_has_not_given_the_signal(phase: Phase) -> None:
    assert not read_response(Answer(text=prompt_of(a_state(phase=phase))), phase).exit_signal


def test_the_last_turn_is_told() -> None:
    memory = Memory(
        reasons=("1 failing: test_a",),
        failing=(failed("test_a", message="AssertionError: assert 1 == 2"),),
        violations=(Violation(path="tests/test_a.py", rule="frozen"),),
        false_claims=("TESTS_STATUS was given as PASSING, measured FAILING",),
    )

    text = prompt_of(a_state(phase=Phase.GREEN, memory=memory))

    assert "- 1 failing: test_a" in text
    assert "- tests/test_x.py::test_a\n    AssertionError: assert 1 == 2" in text
    assert "- tests/test_a.py: frozen; it was undone" in text
    assert "- TESTS_STATUS was given as PASSING, measured FAILING" in text


def test_frozen_files_and_rejections_are_listed() -> None:
    state = a_state(
        phase=Phase.GREEN,
        proof=Proof(proven=(failed("test_a"), failed("test_b"))),
        rejections=(Rejection(at=NOW, reason="no bounds"),),
    )

    text = prompt_of(state)

    assert text.count("- tests/test_x.py\n") == 1
    assert "- no bounds" in text


def test_tests_that_failed_before_are_named_as_such() -> None:
    state = a_state(phase=Phase.GREEN, proof=Proof(baseline=tuple(failed(f"test_{n}") for n in range(22))))

    text = prompt_of(state)

    assert "## Failing before you began" in text
    assert "- and 2 more" in text


def test_a_reviewer_is_told_which_tests_were_removed() -> None:
    state = a_state(phase=Phase.QA, proof=Proof(removed=("tests/test_old.py::test_gone",)))

    assert "- tests/test_old.py::test_gone" in prompt_of(state)


def test_many_failures_are_shown_in_part() -> None:
    memory = Memory(failing=tuple(failed(f"test_{n}") for n in range(FAILING_SHOWN + 3)))

    text = prompt_of(a_state(phase=Phase.GREEN, memory=memory))

    assert "- and 3 more" in text
    assert len(re.findall(r"^- tests/test_x", text, re.MULTILINE)) == FAILING_SHOWN


def test_a_call_is_numbered_in_the_session_and_in_its_phase() -> None:
    state = a_state(total_agent_calls=4, iteration=1, visits=(PhaseVisit(phase=Phase.RED, started_at=NOW, calls=2),))

    call = plan_call(a_prp(), state, TEMPLATES)

    assert (call.number, call.ordinal, call.iteration, call.role) == (5, 3, 2, "tester")


def test_the_first_call_of_a_phase_is_its_first() -> None:
    assert plan_call(a_prp(), a_state(visits=()), TEMPLATES).ordinal == 1
