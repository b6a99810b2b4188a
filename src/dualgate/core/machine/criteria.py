"""CriterionStates -> CriterionStates: the table of the criteria after an iteration, and under a new specification."""

from collections.abc import Collection, Iterable

from dualgate.core.values.replacing import replace
from dualgate.core.values.specification import CriterionResult, CriterionState
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import short_id


def states_after(states: tuple[CriterionState, ...], results: Iterable[CriterionResult]) -> tuple[CriterionState, ...]:
    """A result without a proof that leaves the state as it was keeps the earlier proof."""
    found = {result.id: result for result in results}
    return tuple(_after(state, found[state.id]) if state.id in found else state for state in states)


def adopted_states(
    before: tuple[CriterionState, ...], now: tuple[CriterionState, ...], reopened: Collection[str]
) -> tuple[CriterionState, ...]:
    """The criteria of an adopted specification; unchanged ones keep their kind, their state and their proof."""
    known = {(each.id, each.text): each for each in before if each.id not in reopened}
    return tuple(known.get((each.id, each.text), each) for each in now) or before


def criteria_rows(state: LoopState) -> tuple[CriterionState, ...]:
    """The table of the criteria, the same for people, agents and programs: test ids as their runner writes them."""
    suites = state.proof.suites
    return tuple(
        replace(each, proof=tuple(short_id(name, suites) for name in each.proof)) for each in state.criteria_states
    )


def _after(state: CriterionState, result: CriterionResult) -> CriterionState:
    is_same = (state.kind, state.state) == (result.kind, result.state)
    proof = state.proof if is_same and not result.proof else result.proof
    return replace(state, kind=result.kind, state=result.state, proof=proof)
