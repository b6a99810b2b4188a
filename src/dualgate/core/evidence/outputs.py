"""Paths that test runs write by themselves, as patterns that were learned at the baseline or given."""

import re
from collections.abc import Iterable
from fnmatch import translate
from functools import cache

# numbers, addresses, random names as uuid and tempfile make them
VOLATILE = re.compile(
    r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|(?<=tmp)[a-z0-9_]{8}(?![a-z0-9_])|[0-9a-fA-F]{6,}|\d+"
)
ANY_NUMBER = "<n>"
"""Stands for one of these in a pattern; the rest of it is read as a shell does."""


def is_output(path: str, outputs: Iterable[str]) -> bool:
    return any(_matcher(pattern).fullmatch(path) for pattern in outputs)


@cache
def _matcher(pattern: str) -> re.Pattern[str]:
    volatile = f"(?:{VOLATILE.pattern})"
    return re.compile(volatile.join(_translated(part) for part in pattern.split(ANY_NUMBER)))


def _translated(part: str) -> str:
    """Without the end of the whole text that is put behind every pattern."""
    return translate(part)[:-2]
