"""GREEN's gate: the tests are green, in the required number of runs of one tree, and notice enough broken code."""

from dualgate.core.evidence.green import REPEATS_NEEDED, why_not_green
from dualgate.core.evidence.sensitivity import killed_share, surviving
from dualgate.core.gates.criteria import criteria_missing
from dualgate.core.gates.disarmed import why_disarmed, why_leaning
from dualgate.core.values.facts import Facts, Observed
from dualgate.core.values.limits import Limits, required_share
from dualgate.core.values.notation import applying, listed


def green_missing(facts: Facts, limits: Limits) -> tuple[str, ...]:
    seen = facts.observed
    is_repeated = seen.green_runs > 0 and seen.repeats >= REPEATS_NEEDED
    short = seen.green_runs < limits.green_runs and not is_repeated
    made = f"green runs of this tree: {seen.green_runs}"
    reason = f"{made}; {limits.green_runs} are needed, and the next one follows your EXIT_SIGNAL"
    shut = why_not_green(seen, facts.suites) or applying((short, reason))
    tests = (*why_disarmed(seen), *why_leaning(seen))
    return (*shut, *criteria_missing(facts), *tests, *_too_few_killed(seen, limits))


def _too_few_killed(seen: Observed, limits: Limits) -> tuple[str, ...]:
    """Probes that survive keep the gate shut only if a share of killed ones is required."""
    required = required_share(limits.sensitivity)
    share = killed_share(seen.probes) if seen.probes else None
    if required is None or share is None or seen.probes is None or share >= required:
        return ()
    named = listed(surviving(seen.probes))
    return (f"{share:.0f} % of the probes are killed, {required:g} % are required; add tests that notice: {named}",)
