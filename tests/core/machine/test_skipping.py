"""Who skips a phase is told what nobody proves then."""

import pytest

from dualgate.core.machine.skipping import unproven_by_skip
from dualgate.core.values.specification import CriterionState, CriterionStatus, Kind
from dualgate.core.values.state import Memory
from dualgate.core.values.vocabulary import Phase
from dualgate.testing import a_state, failed


@pytest.mark.parametrize("phase", Phase)
def test_every_phase_says_what_it_would_have_proven(phase: Phase) -> None:
    first, *_, last = unproven_by_skip(a_state(phase=phase))

    assert first.startswith(f"Without {phase} ")
    assert last == "The session can be completed, but not proven any more (exit code 7)."


def test_open_criteria_and_failing_tests_are_named() -> None:
    states = (
        CriterionState(id="AC-1", text="", kind=Kind.NEW, state=CriterionStatus.GREEN),
        CriterionState(id="AC-2", text="", kind=Kind.NEW, state=CriterionStatus.FAILING),
    )
    told = unproven_by_skip(a_state(criteria_states=states, memory=Memory(failing=(failed("test_ac2"),))))

    assert told[1:3] == ("Criteria without proof: AC-2.", "Failing tests: tests/test_x.py::test_ac2.")
