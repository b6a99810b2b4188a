"""Claim, SuiteReports, Changes -> Facts: what is claimed beside what was observed. It compares, and decides nothing."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from dualgate.core.blocks import SuiteStatus
from dualgate.core.prp import Prp
from dualgate.core.response import Claim
from dualgate.core.state import LoopState, Proof
from dualgate.core.suite import IDLE, CaseResult, Counts, SuiteReport
from dualgate.core.vocabulary import Changes, Criterion, Phase

GREEN_RUNS_NEEDED = 2
ADR_PATH = re.compile(r"(^|/)(adrs?|decisions)/[^/]+\.\w+$|(^|/)adr[-_]?\d+[^/]*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedClaim:
    """One thing the agent said, beside what was measured."""

    claim: str
    claimed: str
    measured: str

    @property
    def holds(self) -> bool:
        return self.claimed == self.measured

    @property
    def sentence(self) -> str:
        return f"{self.claim} was given as {self.claimed}, measured {self.measured}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """Evidence alone. Nothing in it came from what the agent wrote about itself."""

    counts: Counts = field(default_factory=Counts)
    problems: tuple[str, ...] = ()
    """Why the test runs cannot be believed; empty where they can."""
    failing: tuple[CaseResult, ...] = ()
    """Failures that are not the project's own."""
    red: tuple[str, ...] = ()
    """New or changed tests that fail by themselves."""
    uncovered: tuple[str, ...] = ()
    """Criteria that no red test names."""
    broken: tuple[str, ...] = ()
    """Tests of the baseline that fail now and were not changed."""
    vanished: tuple[str, ...] = ()
    newly_skipped: tuple[str, ...] = ()
    altered: tuple[str, ...] = ()
    """Proven tests whose code is another now."""
    green_runs: int = 0
    changes: Changes


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    phase: Phase
    iteration: int
    criteria: int
    claimed: Claim
    observed: Observed
    blocked_before: int = 0
    checked: tuple[CheckedClaim, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """One run beside what was proven: everything that keeps it from being green."""

    failing: tuple[CaseResult, ...]
    vanished: tuple[str, ...]
    newly_skipped: tuple[str, ...]
    altered: tuple[str, ...]
    trusted: bool

    @property
    def is_green(self) -> bool:
        return self.trusted and not (self.failing or self.vanished or self.newly_skipped or self.altered)


def gather(state: LoopState, prp: Prp, claim: Claim, runs: Sequence[SuiteReport], changes: Changes) -> Facts:
    observed = observe(state, prp, runs, changes)
    return Facts(
        phase=state.phase,
        iteration=state.iteration + 1,
        criteria=len(prp.criteria),
        claimed=claim,
        observed=observed,
        blocked_before=state.blocked_in_a_row,
        checked=_check(claim, observed),
    )


def observe(state: LoopState, prp: Prp, runs: Sequence[SuiteReport], changes: Changes) -> Observed:
    """Compare the runs of one tree with what was proven before; what is wrong in any of them is wrong."""
    compared = [_compare(run, state.proof) for run in runs]
    last = runs[-1].results if runs else ()
    baseline = {result.id: result for result in state.proof.baseline}
    red = tuple(result for result in last if _is_red(result, baseline))
    failing = tuple({result.id: result for run in compared for result in run.failing}.values())
    return Observed(
        counts=runs[-1].counts if runs else Counts(),
        problems=_problems(runs),
        failing=failing,
        red=tuple(result.id for result in red),
        uncovered=tuple(c.id for c in prp.criteria if not any(names(result, c) for result in red)),
        broken=tuple(r.id for r in failing if r.id in baseline and r.digest == baseline[r.id].digest),
        vanished=_union(run.vanished for run in compared),
        newly_skipped=_union(run.newly_skipped for run in compared),
        altered=_union(run.altered for run in compared),
        green_runs=sum(run.is_green for run in compared),
        changes=changes,
    )


def names(result: CaseResult, criterion: Criterion) -> bool:
    """Whether a test names a criterion, in its own name or its docstring: AC-1 as `ac1`, `ac_1` or `AC-1`."""
    parts = re.findall(r"[a-z]+|[0-9]+", criterion.id.lower())
    pattern = r"[-_. ]?".join("0*" + part.lstrip("0") if part.isdigit() else part for part in parts)
    wanted = re.compile(rf"(?<![a-z0-9])(?:test)?{pattern}(?![0-9])")
    name = result.id.partition("::")[2]
    return bool(wanted.search(name.lower()) or wanted.search(result.doc.lower()))


def wants_run(state: LoopState, claim: Claim, changes: Changes, runs: Sequence[SuiteReport]) -> bool:
    """Whether one more run of the tests can decide something. A failed call that left no work has nothing to judge.

    GREEN needs two green runs of one tree; the second is worth its time only after a green one and the signal.
    """
    if claim.failure and not changes.paths:
        return False
    if state.phase is not Phase.GREEN or not claim.exit_signal:
        return not runs
    return len(runs) < GREEN_RUNS_NEEDED and all(_compare(run, state.proof).is_green for run in runs)


def _compare(run: SuiteReport, proof: Proof) -> _Run:
    reference = proof.baseline if proof.proven is None else proof.proven
    own = {(result.id, result.digest) for result in proof.baseline if result.failed or result.id in proof.unstable}
    now = {result.id: result for result in run.results}
    ran = {result.id for result in reference if result.outcome not in IDLE}
    digests = {result.id: result.digest for result in proof.proven or ()}
    return _Run(
        failing=tuple(r for r in run.results if r.failed and (r.id, r.digest) not in own),
        vanished=_vanished(reference, now),
        newly_skipped=tuple(name for name, r in now.items() if r.outcome in IDLE and name in ran),
        altered=tuple(name for name, r in now.items() if digests.get(name, r.digest) != r.digest),
        trusted=run.trusted,
    )


def _vanished(reference: Iterable[CaseResult], now: dict[str, CaseResult]) -> tuple[str, ...]:
    """Tests that are gone. A case whose parameter is a time or an address is there while its function has as many."""
    before = [result.id for result in reference if not result.is_broken_file]
    counts, wanted = Counter(map(_function, now)), Counter(map(_function, before))
    gone = (name for name in before if name not in now)
    return tuple(sorted(n for n in gone if "[" not in n or counts[_function(n)] < wanted[_function(n)]))


def _function(name: str) -> str:
    return name.partition("[")[0]


def _is_red(result: CaseResult, baseline: dict[str, CaseResult]) -> bool:
    before = baseline.get(result.id)
    is_new = before is None or before.digest != result.digest
    return is_new and result.failed and not result.is_broken_file


def _union(names_of_runs: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(sorted({name for names_ in names_of_runs for name in names_}))


def _problems(runs: Sequence[SuiteReport]) -> tuple[str, ...]:
    if not runs:
        return ("no test run was made",)
    return tuple(dict.fromkeys(problem for run in runs for problem in run.problems))


def _check(claim: Claim, observed: Observed) -> tuple[CheckedClaim, ...]:
    """Every number the agent gives, beside the measured one; what was not measured, or not claimed, is not compared."""
    measured = SuiteStatus.FAILING if observed.failing else SuiteStatus.PASSING
    ran = claim.tests_status not in (None, SuiteStatus.NOT_RUN) and not observed.problems
    pairs = (
        ("TESTS_STATUS", claim.tests_status if ran else None, measured),
        ("FILES_MODIFIED", claim.files_modified, len(observed.changes.paths)),
    )
    return tuple(
        CheckedClaim(claim=name, claimed=str(claimed), measured=str(truth))
        for name, claimed, truth in pairs
        if claimed is not None
    )
