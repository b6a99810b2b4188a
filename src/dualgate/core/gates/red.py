"""RED's gate: every criterion has a new or changed test that fails, and nothing else broke."""

from collections.abc import Sequence

from dualgate.core.evidence.green import PARTIAL_RUN
from dualgate.core.values.facts import Facts, Observed
from dualgate.core.values.limits import Limits
from dualgate.core.values.notation import applying, listed
from dualgate.core.values.suite import short_id

KEPT = "tests were proven for criteria that did not change, and must stay"
ALREADY_MET = (
    "seems to be met already: its new tests pass before any work; write one that fails, "
    "or let a person take it out of the specification or skip RED",
    "seem to be met already: their new tests pass before any work; write some that fail, "
    "or let a person take them out of the specification or skip RED",
)
"""The sentence for one criterion, and for several."""
KEPT_TESTS_DEPEND = (
    "tests stand on it that were proven for criteria which did not change; leave what was there as it was, "
    "and put what new tests need beside it, under names of its own"
)


def red_missing(facts: Facts, _: Limits) -> tuple[str, ...]:
    seen = facts.observed
    unreadable = [result.id for result in seen.failing if result.is_broken_file]
    by_name = len(seen.uncovered) < facts.criteria and not changed_tests_stand_in(seen)
    return applying(
        (seen.problems, "; ".join(seen.problems)),
        (seen.partial, PARTIAL_RUN),
        (unreadable, f"these test files cannot be collected: {_tests(unreadable, facts.suites)}"),
        (seen.broken, f"tests that passed before fail now and were not changed: {_tests(seen.broken, facts.suites)}"),
        (seen.met, f"{listed(seen.met)} {ALREADY_MET[len(seen.met) > 1]}"),
        (seen.unkept, f"{KEPT}: {_tests(seen.unkept, facts.suites)}"),
        (seen.changes.disturbed, f"{listed(seen.changes.disturbed)}: {KEPT_TESTS_DEPEND}"),
        (by_name and seen.uncovered, f"no failing new test names {listed(seen.uncovered)}"),
        (
            len(seen.red) < facts.criteria,
            f"{facts.criteria} criteria need as many new or changed tests that fail; there are {len(seen.red)}",
        ),
    )


def changed_tests_stand_in(seen: Observed) -> bool:
    """Whether changed old tests, named before the criteria existed, are enough for the uncovered criteria, one each."""
    return 0 < len(seen.uncovered) <= len(seen.nameless)


def _tests(ids: Sequence[str], suites: Sequence[str]) -> str:
    return listed(short_id(name, suites) for name in ids)
