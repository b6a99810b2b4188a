"""Rewritten tests, their run without the work -> what is missing before they count.

Tests of a criterion that did not notice broken code are rewritten in RED while the work stays: they must fail without
it, and no other test may change.
"""

from collections.abc import Iterable, Iterator, Sequence

from dualgate.core.evidence.comparison import unfolded
from dualgate.core.evidence.examine import Examined, examine
from dualgate.core.evidence.kinds import kind_of
from dualgate.core.values.case_names import function_of, names
from dualgate.core.values.facts import Facts
from dualgate.core.values.notation import applying, listed
from dualgate.core.values.probes import WeakCriterion
from dualgate.core.values.replacing import replace
from dualgate.core.values.specification import Criterion, Kind, Specification
from dualgate.core.values.state import LoopState, Proof
from dualgate.core.values.suite import CaseOutcome, CaseResult, SuiteReport, Trial, short_id


def rewritten_tests(state: LoopState, prp: Specification, runs: Sequence[SuiteReport]) -> tuple[str, ...]:
    """New and changed tests of the criteria whose tests are rewritten: those to run without the work."""
    last = _last(runs, state.proof)
    if last is None:
        return ()
    found = (_changed(last, state.proof, *each) for each in _asked(prp, state.proof))
    return tuple(dict.fromkeys(result.id for results in found for result in results))


def with_rewriting(
    facts: Facts, state: LoopState, prp: Specification, runs: Sequence[SuiteReport], trial: Trial | None
) -> Facts:
    """Add what is missing before the rewritten tests count; nothing is added if no tests are rewritten."""
    if not state.proof.rewriting:
        return facts
    last = _last(runs, state.proof)
    missing = () if last is None else (*_missing(last, state.proof, prp, trial), *_others(last, state.proof, prp))
    return replace(facts, observed=replace(facts.observed, trial=trial, unrewritten=missing))


def with_rewritten(proof: Proof, trial: Trial) -> Proof:
    """The proof after tests were rewritten: their results without the work replace those of the old ones."""
    functions = {function_of(name) for weak in proof.rewriting for name in weak.tests}
    functions |= {function_of(result.id) for result in trial.results}
    kept = (result for result in proof.red if function_of(result.id) not in functions)
    return replace(proof, red=(*kept, *trial.results), red_tree=trial.tree, rewriting=())


def _last(runs: Sequence[SuiteReport], proof: Proof) -> Examined | None:
    wholes = [seen for seen in examine(runs, proof) if not seen.run.only and seen.run.trusted]
    return wholes[-1] if wholes else None


def _asked(prp: Specification, proof: Proof) -> Iterator[tuple[Criterion, WeakCriterion]]:
    weak = {each.id: each for each in proof.rewriting}
    return ((criterion, weak[criterion.id]) for criterion in prp.criteria if criterion.id in weak)


def _is_of(result: CaseResult, criterion: Criterion, weak: WeakCriterion) -> bool:
    return names(result, criterion) or function_of(result.id) in {function_of(name) for name in weak.tests}


def _changed(last: Examined, proof: Proof, criterion: Criterion, weak: WeakCriterion) -> list[CaseResult]:
    before = {(result.id, result.digest) for result in proof.proven or ()}
    return [r for r in last.run.results if (r.id, r.digest) not in before and _is_of(r, criterion, weak)]


def _missing(last: Examined, proof: Proof, prp: Specification, trial: Trial | None) -> Iterator[str]:
    if trial is not None and trial.problems:
        yield f"the rewritten tests could not be run without the work: {'; '.join(trial.problems)}"
        return
    failed = unfolded((r for r in trial.results if r.failed), last.run.results) if trial else ()
    failing = {result.id for result in failed}
    for criterion, weak in _asked(prp, proof):
        changed = _changed(last, proof, criterion, weak)
        named = listed(short_id(result.id, proof.suites) for result in changed)
        if not any(result.outcome is CaseOutcome.PASSED or result.failed for result in changed):
            yield f"{criterion.id} has no rewritten test: {weak.reason}"
        elif kind_of(criterion, proof) is Kind.NEW and not any(result.id in failing for result in changed):
            yield f"{criterion.id}: {named} must fail without the work, and passes on the tree of RED"


def _others(last: Examined, proof: Proof, prp: Specification) -> tuple[str, ...]:
    """Everything else that must stay as it is."""
    own = {r.id for r in (*last.run.results, *(proof.proven or ())) if _is_any(r, prp, proof)}
    since = last.since_proven

    def others(ids: Iterable[str]) -> str:
        return listed(short_id(name, proof.suites) for name in ids if name not in own)

    pairs = (
        ("tests of other criteria changed, and must stay", since.altered),
        ("tests of other criteria are gone", since.vanished),
        ("tests that ran before are skipped", (*since.newly_skipped, *since.newly_xfailed)),
        ("other tests fail now", tuple(result.id for result in last.failing)),
    )
    return applying(*((others(ids), f"{what}: {others(ids)}") for what, ids in pairs))


def _is_any(result: CaseResult, prp: Specification, proof: Proof) -> bool:
    return any(_is_of(result, criterion, weak) for criterion, weak in _asked(prp, proof))
