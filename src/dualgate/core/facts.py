"""Claim, SuiteReports, Changes -> Facts: what is claimed beside what was observed. It compares, and decides nothing."""

import re
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
    """Compare the runs of one tree with what was proven before; a failure in any of them is a failure."""
    last = runs[-1].results if runs else ()
    proof = state.proof
    baseline = {result.id: result for result in proof.baseline}
    red = tuple(result for result in last if _is_red(result, baseline))
    reference = proof.baseline if proof.red is None else proof.red
    return Observed(
        counts=runs[-1].counts if runs else Counts(),
        problems=_problems(runs),
        failing=_failing(runs, proof),
        red=tuple(result.id for result in red),
        uncovered=tuple(c.id for c in prp.criteria if not any(names(result, c) for result in red)),
        broken=tuple(r.id for r in _failing(runs, proof) if r.id in baseline and r.digest == baseline[r.id].digest),
        vanished=tuple(sorted({r.id for r in reference if not r.is_broken_file} - {r.id for r in last})),
        newly_skipped=_newly_skipped(reference, last),
        green_runs=sum(run.trusted and not _failing((run,), proof) for run in runs),
        changes=changes,
    )


def names(result: CaseResult, criterion: Criterion) -> bool:
    """Whether a test names a criterion, in its own name or its docstring: AC-1 as `ac1`, `ac_1` or `AC-1`."""
    parts = re.findall(r"[a-z]+|[0-9]+", criterion.id.lower())
    pattern = r"[-_. ]?".join("0*" + part.lstrip("0") if part.isdigit() else part for part in parts)
    wanted = re.compile(rf"(?<![a-z0-9]){pattern}(?![0-9])")
    name = result.id.rpartition("::")[2]
    return bool(wanted.search(name.lower()) or wanted.search(result.doc.lower()))


def wants_run(state: LoopState, claim: Claim, changes: Changes, runs: Sequence[SuiteReport]) -> bool:
    """Whether one more run of the tests can decide something. A failed call that left no work has nothing to judge.

    GREEN needs two green runs of one tree; the second is worth its time only after a green one and the signal.
    """
    if claim.failure and not changes.paths:
        return False
    if state.phase is not Phase.GREEN or not claim.exit_signal:
        return not runs
    return len(runs) < GREEN_RUNS_NEEDED and all(run.trusted and not _failing((run,), state.proof) for run in runs)


def _is_red(result: CaseResult, baseline: dict[str, CaseResult]) -> bool:
    before = baseline.get(result.id)
    is_new = before is None or before.digest != result.digest
    return is_new and result.failed and not result.is_broken_file


def _failing(runs: Iterable[SuiteReport], proof: Proof) -> tuple[CaseResult, ...]:
    """Failures in any of the runs, without those that the project had before and nobody touched."""
    own = {(result.id, result.digest) for result in proof.baseline if result.failed or result.id in proof.unstable}
    found = {r.id: r for run in runs for r in run.results if r.failed and (r.id, r.digest) not in own}
    return tuple(found.values())


def _newly_skipped(reference: Iterable[CaseResult], now: Iterable[CaseResult]) -> tuple[str, ...]:
    ran_before = {result.id for result in reference if result.outcome not in IDLE}
    return tuple(result.id for result in now if result.outcome in IDLE and result.id in ran_before)


def _problems(runs: Sequence[SuiteReport]) -> tuple[str, ...]:
    if not runs:
        return ("no test run was made",)
    return tuple(dict.fromkeys(problem for run in runs for problem in run.problems))


def _check(claim: Claim, observed: Observed) -> tuple[CheckedClaim, ...]:
    """Every number the agent gives, beside the measured one."""
    measured = SuiteStatus.FAILING if observed.failing or observed.problems else SuiteStatus.PASSING
    pairs = (
        ("TESTS_STATUS", claim.tests_status, measured),
        ("FILES_MODIFIED", claim.files_modified, len(observed.changes.paths)),
    )
    return tuple(
        CheckedClaim(claim=name, claimed=str(claimed), measured=str(truth))
        for name, claimed, truth in pairs
        if claimed is not None
    )
