"""A misspelt name and the known names -> the names that were probably meant."""

from collections.abc import Iterable

LIKENESS = 0.6


def close_names(name: str, known: Iterable[str], most: int = 1, likeness: float = LIKENESS) -> tuple[str, ...]:
    """The known names closest to a name, ignoring case, the closest first."""
    from difflib import get_close_matches  # imported here, so that programs that start fast can import this module

    by_lower = {other.lower(): other for other in known}
    return tuple(by_lower[each] for each in get_close_matches(name.lower(), by_lower, most, likeness))


def did_you_mean(name: str, known: Iterable[str], likeness: float = LIKENESS) -> str:
    """The question for the closest name, followed by a space; empty if no name is close."""
    return "".join(f"Did you mean {meant}? " for meant in close_names(name, known, likeness=likeness))
