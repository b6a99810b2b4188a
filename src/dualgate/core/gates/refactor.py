"""REFACTOR's gate: still green, and the refactoring is complete or its iterations are over."""

from dualgate.core.evidence.green import faults, why_not_green
from dualgate.core.gates.criteria import checks_missing, criteria_missing
from dualgate.core.gates.disarmed import why_leaning
from dualgate.core.values.facts import Facts
from dualgate.core.values.limits import Limits
from dualgate.core.values.notation import applying
from dualgate.core.values.vocabulary import Phase


def refactor_missing(facts: Facts, limits: Limits) -> tuple[str, ...]:
    """List what keeps gate 1 shut. A signal counts only with a green run, so the last iteration is verified."""
    is_over = facts.iteration >= limits.refactor_iterations
    is_complete = facts.claimed.report.no_refactoring or facts.claimed.exit_signal
    goes_on = (
        f"the agent does not report refactoring as complete, and fewer than {limits.refactor_iterations} "
        "iterations are over"
    )
    tests = (*why_not_green(facts.observed, facts.suites), *why_leaning(facts.observed))
    shut = (*tests, *criteria_missing(facts), *checks_missing(facts))
    return shut or applying((not is_over and not is_complete, goes_on))


def breaks_tests(facts: Facts) -> bool:
    """Whether a refactoring must be rolled back because its changes broke the tests."""
    seen = facts.observed
    return facts.phase is Phase.REFACTOR and bool(seen.changes.paths) and bool(faults(seen))
