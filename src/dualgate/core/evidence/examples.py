"""Digests of a doctest before and after -> whether examples were only added.

An added example that comes before an existing one must not bind a name that an existing one uses or binds.
"""

from collections.abc import Sequence
from dataclasses import dataclass

MARK = "examples "
ANYTHING = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Example:
    digest: str
    bound: frozenset[str]
    used: frozenset[str]


def only_adds_examples(before: str, after: str) -> bool:
    """Whether every example is there as before, in the same order, and keeps its meaning."""
    if not (before.startswith(MARK) and after.startswith(MARK)):
        return False
    waiting, added, early = _read(before), list[_Example](), list[_Example]()
    known = frozenset[str]().union(*(each.bound | each.used for each in waiting))
    for example in _read(after):
        if waiting and example == waiting[0]:
            waiting.pop(0)
            early = list(added)
        else:
            added.append(example)
    return not waiting and bool(added) and not _bound(early) & (known | {ANYTHING})


def _bound(examples: Sequence[_Example]) -> frozenset[str]:
    return frozenset[str]().union(*(each.bound for each in examples))


def _read(digest: str) -> list[_Example]:
    words = (word.split("|") for word in digest.removeprefix(MARK).split())
    return [
        _Example(digest=name, bound=frozenset(filter(None, bound.split(","))), used=frozenset(used.split(",")) - {""})
        for name, bound, used in words
    ]
