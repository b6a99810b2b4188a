"""LoopState, Facts -> percent: the whole run by the documented weights, one phase by its evidence."""

from collections.abc import Callable, Mapping

from dualgate.core.gates.document import has_record
from dualgate.core.gates.judge import measure
from dualgate.core.values.claim import Review
from dualgate.core.values.facts import Facts
from dualgate.core.values.limits import Limits
from dualgate.core.values.phase_status import CaseCounts
from dualgate.core.values.specification import Plan
from dualgate.core.values.state import LoopState
from dualgate.core.values.verdict import Verdict
from dualgate.core.values.vocabulary import PHASES, Phase

WEIGHTS: Mapping[Phase, int] = {
    Phase.RED: 10,
    Phase.GREEN: 45,
    Phase.REFACTOR: 15,
    Phase.DOCUMENT: 15,
    Phase.QA: 15,
    Phase.BUILD: 100,
}
ASSUMED_ITERATIONS = 10
"""The documented formula assumes this many iterations in a phase."""
NOT_QUITE = 99


def overall_progress(state: LoopState) -> int:
    """Add the weights of the finished phases, and a part of the current one for each iteration.

    A phase that a person skipped counts as finished; other reports say that it is not proven.
    """
    order = PHASES[state.workflow]
    skipped = {phase for phase in state.phases_forced if order.index(phase) < order.index(state.phase)}
    behind = {*state.phases_completed, *skipped}
    progress = float(sum(WEIGHTS[phase] for phase in behind))
    if state.phase not in behind:
        progress += WEIGHTS[state.phase] * min(state.iteration / ASSUMED_ITERATIONS, 1.0)
    return int(progress)


def phase_progress(facts: Facts, verdict: Verdict, tests: CaseCounts, limits: Limits) -> int:
    """Percent of a phase by evidence; 100 only if gate 1 is open."""
    if verdict.gate_1:
        return 100
    parts = PARTS[facts.phase](facts, tests, limits)
    return min(NOT_QUITE, int(100 * sum(parts) / len(parts)))


def _red(facts: Facts, _tests: CaseCounts, _limits: Limits) -> tuple[float, ...]:
    """Share of criteria with a red test; if no test names a criterion, each red test counts as one."""
    named = facts.criteria - len(facts.observed.uncovered)
    return (_part(named or len(facts.observed.red), facts.criteria),)


def is_share_of_tests(phase: Phase, plan: Plan | None) -> bool:
    """Whether the percent of a phase is the share of passing tests, which a test run alone decides."""
    return phase is Phase.GREEN or (phase is Phase.BUILD and not (plan and plan.is_known))


def share_passing(tests: CaseCounts) -> int:
    """Percent of passing tests, before the gate is judged."""
    return min(NOT_QUITE, int(100 * _part(tests.passing, tests.total)))


def _green(_facts: Facts, tests: CaseCounts, _limits: Limits) -> tuple[float, ...]:
    return (_part(tests.passing, tests.total),)


def _refactor(facts: Facts, _tests: CaseCounts, limits: Limits) -> tuple[float, ...]:
    complete = 1.0 if facts.claimed.exit_signal else _part(facts.iteration, limits.refactor_iterations)
    return float(measure(facts).verified), complete


def _document(facts: Facts, _tests: CaseCounts, limits: Limits) -> tuple[float, ...]:
    count = facts.observed.changes.document_count
    enough = _part(len(count.counting), limits.documents)
    return float(measure(facts).verified), enough, float(has_record(count, limits))


def _qa(facts: Facts, _tests: CaseCounts, _limits: Limits) -> tuple[float, ...]:
    review = facts.claimed.review
    unblocked = review is not None and not facts.claimed.blocking_findings
    return float(measure(facts).verified), float(review is Review.APPROVE), float(unblocked)


def _build(facts: Facts, tests: CaseCounts, limits: Limits) -> tuple[float, ...]:
    """Share of ticked tasks; without a task list, share of passing tests."""
    plan = facts.observed.plan
    if plan is None or not plan.is_known:
        return _green(facts, tests, limits)
    return (_part(len(plan.done), len(plan.done) + len(plan.open)),)


def _part(done: int, needed: int) -> float:
    return min(done / needed, 1.0) if needed else 1.0


PARTS: Mapping[Phase, Callable[[Facts, CaseCounts, Limits], tuple[float, ...]]] = {
    Phase.RED: _red,
    Phase.GREEN: _green,
    Phase.REFACTOR: _refactor,
    Phase.DOCUMENT: _document,
    Phase.QA: _qa,
    Phase.BUILD: _build,
}
