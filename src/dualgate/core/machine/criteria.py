"""CriterionStates -> CriterionStates: the table of the criteria after an iteration, and under a new specification."""

from collections.abc import Collection, Iterable, Sequence

from dualgate.core.spec.identity import same_words
from dualgate.core.values.replacing import replace
from dualgate.core.values.specification import PROVEN_BY_TESTS, CriterionResult, CriterionState, CriterionStatus, Kind
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import short_id


def states_after(states: tuple[CriterionState, ...], results: Iterable[CriterionResult]) -> tuple[CriterionState, ...]:
    """A result without a proof that leaves the state as it was keeps the earlier proof."""
    found = {result.id: result for result in results}
    return tuple(_after(state, found[state.id]) if state.id in found else state for state in states)


def adopted_states(
    state: LoopState, now: Iterable[CriterionState], reopened: Collection[str] = ()
) -> tuple[CriterionState, ...]:
    """The criteria of an adopted specification; unchanged ones keep their state, their proof and the kind of RED."""
    known = {each.id: each for each in state.criteria_states if each.id not in reopened}
    settled = dict(state.proof.kinds)
    return tuple(_carried(known.get(each.id), each, settled.get(each.id)) for each in now)


def criteria_rows(state: LoopState) -> tuple[CriterionState, ...]:
    """The table of the criteria, the same for people, agents and programs: test ids as their runner writes them."""
    suites = state.proof.suites
    return tuple(
        replace(each, proof=tuple(short_id(name, suites) for name in each.proof)) for each in state.criteria_states
    )


def _carried(before: CriterionState | None, now: CriterionState, settled: Kind | None) -> CriterionState:
    """`settled` is the kind by which RED proved a criterion, whatever the specification says."""
    if before is None or not same_words(before.text, now.text):
        return now
    is_settled = before.kind is settled and {settled, now.kind} <= PROVEN_BY_TESTS
    if before.kind is not now.kind and not is_settled:
        return now
    return replace(now, kind=before.kind, state=before.state, proof=before.proof)


def _after(state: CriterionState, result: CriterionResult) -> CriterionState:
    is_same = (state.kind, state.state) == (result.kind, result.state)
    proof = state.proof if is_same and not result.proof else result.proof
    return replace(state, kind=result.kind, state=result.state, proof=proof)


def unreviewed(states: Sequence[CriterionState]) -> tuple[CriterionState, ...]:
    """The table after a rejection: what the review answered holds for the tree that it saw only."""
    return tuple(
        replace(row, state=CriterionStatus.NOT_REVIEWED, proof=()) if row.kind is Kind.REVIEW else row for row in states
    )
