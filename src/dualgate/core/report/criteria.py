"""Gathered, LoopState -> ReportedCriteria: each criterion with its proof, when it was red and green, and its probes."""

from dualgate.core.evidence.sensitivity import Standing, surviving
from dualgate.core.machine.criteria import criteria_rows
from dualgate.core.report.gathering import NEVER_SEEN, Gathered
from dualgate.core.report.values import CriterionSensitivity, ProbeTotals, ReportedCriterion
from dualgate.core.values.probes import ProbeReport, ProbeState
from dualgate.core.values.replacing import replace
from dualgate.core.values.specification import PROVEN_BY_TESTS, CriterionState
from dualgate.core.values.state import LoopState

SURVIVORS_SHOWN = 50
NOT_MEASURED = "not measured"


def reported_criteria(gathered: Gathered, state: LoopState) -> tuple[ReportedCriterion, ...]:
    rows = zip(state.criteria_states, criteria_rows(state), strict=True)
    return tuple(_reported(known, shown, gathered, state) for known, shown in rows)


def probe_totals(report: ProbeReport | None) -> ProbeTotals | None:
    if report is None:
        return None
    states = [probe.state for probe in report.probes]
    return ProbeTotals(
        killed=states.count(ProbeState.KILLED),
        surviving=surviving(report)[:SURVIVORS_SHOWN],
        unknown=states.count(ProbeState.UNKNOWN),
        left_out=report.left_out,
        problems=report.problems,
    )


def _reported(known: CriterionState, row: CriterionState, gathered: Gathered, state: LoopState) -> ReportedCriterion:
    history = gathered.criteria.get(row.id, NEVER_SEEN)
    return ReportedCriterion(
        id=row.id,
        text=row.text,
        kind=row.kind,
        state=row.state,
        proof=row.proof,
        red=history.red,
        green=history.green,
        sensitivity=_sensitivity(known, gathered.probes, state),
    )


def _sensitivity(
    criterion: CriterionState, report: ProbeReport | None, state: LoopState
) -> CriterionSensitivity | None:
    """By the tests' full ids, which the probes name."""
    if criterion.kind not in PROVEN_BY_TESTS or not criterion.proof:
        return None
    tests = frozenset(criterion.proof)
    probes = report.probes if report else ()
    own = tuple(probe for probe in probes if tests & {*probe.killed_by, *probe.survived})
    weak = {each.id: each.reason for each in state.proof.weak}
    is_proven = criterion.id in state.proof.sensitive
    standing = Standing.WEAK if criterion.id in weak else Standing.PROVEN if is_proven else Standing.UNMEASURED
    return CriterionSensitivity(
        standing=standing,
        reason=weak.get(criterion.id, NOT_MEASURED if standing is Standing.UNMEASURED else ""),
        killed=sum(bool(tests & {*probe.killed_by}) for probe in own),
        surviving=surviving(replace(report, probes=own))[:SURVIVORS_SHOWN] if report else (),
    )
