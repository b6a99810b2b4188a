"""The gate of RED while tests are rewritten: they fail without the work, and nothing else changed."""

from dualgate.core.values.facts import Facts
from dualgate.core.values.limits import Limits
from dualgate.core.values.notation import applying


def rewriting_missing(facts: Facts, _: Limits) -> tuple[str, ...]:
    seen = facts.observed
    return (*applying((seen.problems, "; ".join(seen.problems))), *seen.unrewritten)
