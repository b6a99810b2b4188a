"""RED's gate: every new criterion has a new or changed test that fails, every one to keep has a test that passes."""

from collections.abc import Sequence

from dualgate.core.evidence.green import PARTIAL_RUN
from dualgate.core.gates.criteria import checks_missing
from dualgate.core.gates.disarmed import NO_SKIPS
from dualgate.core.values.facts import Facts
from dualgate.core.values.limits import Limits
from dualgate.core.values.notation import applying, in_line, listed
from dualgate.core.values.suite import short_id

KEPT = "tests were proven for criteria that did not change, and must stay"
CODE_CHANGED = (
    "their tests must fail before the code exists. If the behaviour existed before, restore these files; "
    "stubs without behaviour may stay"
)
NOT_CONFIRMED = (
    "its new tests pass before any work; after your EXIT_SIGNAL the loop runs them again, to confirm that it holds "
    "already"
)
KEPT_TESTS_DEPEND = (
    "proven tests of unchanged criteria depend on this file; do not change its existing lines, and add new helpers "
    "under new names"
)
ONCE_EACH = ": parameters of one test, and tests with equal bodies, count once"
IDLE_TESTS = "a test that is skipped or expected to fail does not count"
FIX_NOW = "tests are frozen when RED ends, so fix what it reports about them now; this is reported once"


def red_missing(facts: Facts, _: Limits) -> tuple[str, ...]:
    seen = facts.observed
    unreadable = [result.id for result in seen.failing if result.is_broken_file]
    broken = [result for result in seen.failing if result.is_broken_test]
    by_name = len(seen.uncovered) < facts.criteria and len(seen.unlinked) > seen.spare
    needed = facts.criteria - len(seen.met)
    counted = len(seen.red) if seen.counted is None else seen.counted
    return applying(
        (seen.problems, "; ".join(seen.problems)),
        (seen.partial, PARTIAL_RUN),
        (unreadable, f"these test files cannot be collected: {_tests(unreadable, facts.suites)}"),
        (seen.newly_skipped, f"{_tests(seen.newly_skipped, facts.suites)}: {NO_SKIPS}"),
        (seen.broken, f"tests that passed before fail now and were not changed: {_tests(seen.broken, facts.suites)}"),
        (
            seen.met and seen.code,
            f"new tests of {listed(seen.met)} pass, but code was changed in RED ({listed(seen.code)}): {CODE_CHANGED}",
        ),
        (seen.met and not seen.code, f"{listed(seen.met)}: {NOT_CONFIRMED}"),
        *((each.missing, each.missing) for each in seen.criteria),
        (
            seen.held_before,
            f"{_tests(seen.held_before, facts.suites)}: passes on the code from before the run, and fails only because "
            f"RED changed {listed(seen.changes.code)}; restore these files",
        ),
        (seen.unkept, f"{KEPT}: {_tests(seen.unkept, facts.suites)}"),
        (seen.changes.disturbed, f"{listed(seen.changes.disturbed)}: {KEPT_TESTS_DEPEND}"),
        *((True, f"{short_id(each.id, facts.suites)} is broken, not red: {in_line(each.message)}") for each in broken),
        (by_name, f"no failing new test names {listed(seen.unlinked)}"),
        (counted < needed, _too_few(facts, needed, counted)),
        *((True, f"{each.sentence}; this is reported once") for each in seen.asks),
        *((True, f"{sentence}; {FIX_NOW}") for sentence in checks_missing(facts)),
    )


def _too_few(facts: Facts, needed: int, counted: int) -> str:
    """Which criteria have no test that fails, and which new tests do not count."""
    seen = facts.observed
    lacking = [name for name in seen.uncovered if name not in seen.met] or ["every criterion"]
    need = "each need" if len(lacking) > 1 else "needs"
    idle = f"; {_tests(seen.idle, facts.suites)}: {IDLE_TESTS}" if seen.idle else ""
    return (
        f"{listed(lacking)} {need} a new or changed test that fails; {needed} needed, {counted} found"
        f"{ONCE_EACH if counted < len(seen.red) else ''}{idle}"
    )


def _tests(ids: Sequence[str], suites: Sequence[str]) -> str:
    return listed(short_id(name, suites) for name in ids)
