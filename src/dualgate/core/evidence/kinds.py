"""Criterion, Proof -> the kind by which it is proven; criteria of RED -> which need a red test, and which hold already.

The kind of the specification counts until RED passes. From then on the kinds count by which RED was proven.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from dualgate.core.evidence.examine import Examined
from dualgate.core.evidence.linking import covered_criteria
from dualgate.core.values.case_names import function_of, names
from dualgate.core.values.changes import Changes, is_output
from dualgate.core.values.specification import Criterion, Kind
from dualgate.core.values.state import Proof
from dualgate.core.values.suite import CaseOutcome, CaseResult

RUNS_NEEDED = 2
"""Runs of one tree in which the tests of a criterion must pass before it counts as one that holds already."""


def kind_of(criterion: Criterion, proof: Proof) -> Kind:
    """The kind by which a criterion is proven. A session whose RED passed before kinds existed has new ones only."""
    kinds = dict(proof.kinds)
    return Kind.NEW if proof.red_tree and not kinds else kinds.get(criterion.id, criterion.kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class InRed:
    """The criteria that RED has to prove by tests."""

    new: tuple[Criterion, ...] = ()
    """Criteria that need a red test."""
    bare: tuple[Criterion, ...] = ()
    """Those of `new` without a red test."""
    met: tuple[Criterion, ...] = ()
    """Those of `bare` whose new or changed tests pass."""
    held: tuple[Criterion, ...] = ()
    """Criteria that were new and hold already; they are not in `new`."""
    reread: tuple[Criterion, ...] = ()
    """Those of `new` that were read as keep."""

    def kind(self, criterion: Criterion, proof: Proof) -> Kind:
        if criterion in self.held:
            return Kind.KEEP
        return Kind.NEW if criterion in self.reread else kind_of(criterion, proof)


def in_red(
    criteria: Iterable[Criterion],
    examined: Sequence[Examined],
    red: Sequence[CaseResult],
    proof: Proof,
    wavering: Collection[str] = (),
    code: Collection[str] = (),
) -> InRed:
    """Sort the criteria by what the runs of one tree show; `code` are changed files for which tests may pass."""
    asked = [c for c in criteria if _needs_red(c, red)]
    covered = covered_criteria(asked, red)
    bare = [c for c in asked if c.id not in covered]
    wholes = [seen for seen in examined if seen.run.trusted and not seen.run.only]
    met = [c for c in bare if wholes and passes_anew(c, wholes[-1], proof, wavering)]
    twice = [c for c in met if sum(passes_anew(c, seen, proof, wavering) for seen in wholes) >= RUNS_NEEDED]
    held = [] if code else twice
    return InRed(
        new=tuple(c for c in asked if c not in held),
        bare=tuple(c for c in bare if c not in held),
        met=tuple(c for c in met if c not in held),
        held=tuple(held),
        reread=tuple(c for c in asked if c.kind is Kind.KEEP),
    )


def passes_anew(criterion: Criterion, seen: Examined, proof: Proof, wavering: Collection[str] = ()) -> bool:
    """Whether new or changed tests name a criterion, and all of them pass.

    Tests of an earlier RED were proven for an earlier text of the specification, so at least one must be newer.
    """
    fresh = {*seen.since_start.new, *seen.since_start.changed}
    named = [r for r in seen.run.results if r.id in fresh and names(r, criterion)]
    earlier = {(r.id, r.digest) for r in proof.red}
    is_new = any((r.id, r.digest) not in earlier for r in named)
    return is_new and all(r.outcome is CaseOutcome.PASSED and r.id not in wavering for r in named)


def changed_code(changes: Changes, results: Iterable[CaseResult], proof: Proof) -> tuple[str, ...]:
    """Changed files that are no tests by their name or by their results. A source with examples in it is code."""
    tests = {result.file for result in (*proof.baseline, *results) if not _is_example(result)}
    return tuple(path for path in changes.code if path not in tests and not is_output(path, proof.outputs))


def _is_example(result: CaseResult) -> bool:
    """Whether a result is that of a docstring's example, whose id ends in a dotted name."""
    return "." in function_of(result.id).rpartition("::")[2]


def _needs_red(criterion: Criterion, red: Sequence[CaseResult]) -> bool:
    """Whether a criterion is new, or was read as keep and has a red test."""
    is_reread = criterion.kind is Kind.KEEP and criterion.inferred and _is_red(criterion, red)
    return criterion.kind is Kind.NEW or is_reread


def _is_red(criterion: Criterion, red: Sequence[CaseResult]) -> bool:
    return any(names(result, criterion) for result in red)
