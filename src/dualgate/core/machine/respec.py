"""LoopState, old and new criteria -> Respec: which proof still holds under a changed specification.

A new or changed criterion was never proven red: the run returns to RED for it, and the phases after RED must be proven
again. An unchanged criterion keeps the tests that were proven for it. Those tests must not change, since they can no
longer be seen to fail. Removing a criterion reopens nothing, nor does one that needs no test. Both texts have the ids
of the session (`core/spec/identity.py`), so a criterion that moved is unchanged.
"""

from collections.abc import Sequence

from dualgate.core.machine.phases import enter_phase
from dualgate.core.spec.identity import Known, same_words
from dualgate.core.values.case_names import names
from dualgate.core.values.replacing import replace
from dualgate.core.values.specification import PROVEN_BY_TESTS, Criterion, Respec
from dualgate.core.values.state import LoopState, Memory, Proof
from dualgate.core.values.suite import CaseResult
from dualgate.core.values.verdict import Marks
from dualgate.core.values.vocabulary import Phase, Workflow


def weigh_respec(state: LoopState, before: Sequence[Known], now: Sequence[Criterion]) -> Respec | None:
    """Compare the criteria; None if they are unchanged, or if RED was never proven."""
    known = {criterion.id: criterion for criterion in before}
    tested = [criterion for criterion in now if criterion.kind in PROVEN_BY_TESTS]
    changed = [criterion for criterion in tested if _is_changed(known.get(criterion.id), criterion)]
    dropped = [criterion for criterion in before if criterion.id not in {each.id for each in now}]
    proven = _proven_for_criteria(state.proof)
    if not (changed or dropped) or not proven or state.workflow is not Workflow.TDD:
        return None
    moved = [*changed, *dropped]
    tests = [result for result in proven if not any(names(result, criterion) for criterion in moved)]
    kept = [each.id for each in tested if each not in changed and _still_proven(each, state.proof, proven, tests)]
    return Respec(
        reopened=tuple(each.id for each in tested if each.id not in kept) if changed else (),
        kept=tuple(kept),
        kept_tests=tuple(result.id for result in tests),
        dropped=tuple(each.id for each in dropped),
    )


def _is_changed(before: Known | None, now: Criterion) -> bool:
    return before is None or before.kind is not now.kind or not same_words(before.text, now.text)


def _still_proven(
    criterion: Criterion, proof: Proof, proven: Sequence[CaseResult], tests: Sequence[CaseResult]
) -> bool:
    """Whether the criterion was proven red, by a test that is kept."""
    if proof.proven is None and criterion.id not in proof.kept_criteria:
        return False
    was_named = any(names(result, criterion) for result in proven)
    return not was_named or any(names(result, criterion) for result in tests)


def respecified(state: LoopState, found: Respec) -> LoopState:
    """Return to RED if a criterion must be proven red; else keep the state."""
    if not found.reopened:
        return state
    wanted = frozenset(found.kept_tests)
    tests = tuple(result for result in _proven_for_criteria(state.proof) if result.id in wanted)
    proof = replace(
        state.proof,
        kept=tests,
        kept_criteria=found.kept,
        kept_tree=state.proof.proven_tree or state.proof.kept_tree,
        proven=None,
        proven_tree="",
        red_tree="",
        green_tree="",
        phases=(),
        kinds=tuple((name, kind) for name, kind in state.proof.kinds if name in found.kept),
        held=tuple(name for name in state.proof.held if name in found.kept),
    )
    reopened = f"the specification was changed: {', '.join(found.reopened)} must be proven by a test that fails"
    stays = f"; the tests of {', '.join(found.kept)} were proven and stay as they are" if found.kept else ""
    visits = tuple(replace(visit, completed_at=None, exit_reason=None) for visit in state.visits)
    again = replace(
        state,
        proof=proof,
        phases_completed=(),
        visits=visits,
        attempts=(),
        memory=Memory(reasons=(reopened + stays,), uncovered=found.reopened),
    )
    return enter_phase(again, Phase.RED, Marks())


def _proven_for_criteria(proof: Proof) -> tuple[CaseResult, ...]:
    """Proven tests that are new or changed since the baseline; without any proof, those kept by an earlier change."""
    if proof.proven is None:
        return proof.kept
    before = {result.id: result.digest for result in proof.baseline}
    return tuple(r for r in proof.proven if r.id not in before or before[r.id] not in ("", r.digest))
