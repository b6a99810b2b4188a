"""Reasons that keep a gate shut because tests were disarmed or skipped."""

from dualgate.core.values.facts import Observed

RESTORE = (
    "restore the behaviour that it asks for. A changed requirement needs a changed test that fails before the work; "
    "a removed feature goes with its code"
)
NO_SKIPS = (
    "a test of the baseline must not be skipped or expected to fail: let it run, change it, or remove it with its code"
)


_TAKE_BACK = "remove what replaces the code under test, and change the code itself"


def why_leaning(seen: Observed) -> tuple[str, ...]:
    return tuple(f"{sentence}: {_TAKE_BACK}" for sentence in seen.leaning)


def why_disarmed(seen: Observed) -> tuple[str, ...]:
    return tuple(f"{sentence}: {RESTORE}" for sentence in seen.disarmed)
