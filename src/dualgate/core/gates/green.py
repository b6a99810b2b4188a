"""GREEN's gate: the tests are green, in the required number of runs of one tree."""

from dualgate.core.evidence.green import REPEATS_NEEDED, why_not_green
from dualgate.core.gates.criteria import criteria_missing
from dualgate.core.gates.disarmed import why_disarmed
from dualgate.core.values.facts import Facts
from dualgate.core.values.limits import Limits
from dualgate.core.values.notation import applying


def green_missing(facts: Facts, limits: Limits) -> tuple[str, ...]:
    seen = facts.observed
    is_repeated = seen.green_runs > 0 and seen.repeats >= REPEATS_NEEDED
    short = seen.green_runs < limits.green_runs and not is_repeated
    made = f"green runs of this tree: {seen.green_runs}"
    reason = f"{made}; {limits.green_runs} are needed, the next is made on your signal"
    shut = why_not_green(seen, facts.suites) or applying((short, reason))
    return (*shut, *criteria_missing(facts), *why_disarmed(seen))
