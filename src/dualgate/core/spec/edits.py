"""Two texts of a specification -> whether it changed, and what changed in words.

Ticks and whitespace at line ends are no change: an agent ticks boxes as it works, and an editor trims lines.
"""

import re
from collections.abc import Iterable, Sequence
from hashlib import sha256

from dualgate.core.spec.identity import Known, same_words
from dualgate.core.values.specification import Criterion, Specification

TICK = re.compile(r"^([\s>]*(?:[-*+]|\d{1,9}[.)])\s+)\[[ xX]\]")
PASSES = re.compile(r'("passes"\s*:\s*)(?:true|false)\b')
MOST_SHOWN = 10


def without_ticks(text: str) -> str:
    """The text with all boxes unticked, and without whitespace at line ends."""
    lines = "\n".join(TICK.sub(r"\1[ ]", line.rstrip()) for line in text.splitlines()).rstrip()
    return PASSES.sub(r"\1false", lines) if text.lstrip().startswith(("{", "[")) else lines


def is_same_text(one: str, other: str) -> bool:
    """Whether two texts differ in ticks and whitespace at line ends at most."""
    return one == other or without_ticks(one) == without_ticks(other)


def text_digest(text: str) -> str:
    """The same for all texts that count as one."""
    return sha256(without_ticks(text).encode("utf-8", "surrogatepass")).hexdigest()


def changes_between(before: Specification, now: Specification) -> tuple[str, ...]:
    """The changes in words for a person; both specifications have the ids of the session."""
    told = [*_criteria(before.criteria, now.criteria), *_others(before, now)]
    if told:
        return tuple(told)
    lines = _changed_lines(without_ticks(before.text), without_ticks(now.text))
    return (f"only context: {lines}" if now.criteria else lines,)


def _criteria(before: Sequence[Criterion], now: Sequence[Criterion]) -> list[str]:
    known: dict[str, Known] = {each.id: each for each in before}
    there = {each.id for each in now}
    added = [f"{each.id} (line {each.line})" for each in now if each.id not in known]
    removed = [f"{each.id} (was line {each.line})" for each in before if each.id not in there]
    changed = [f"{each.id} (line {each.line})" for each in now if _says_another(known.get(each.id), each)]
    kinds = [
        f"{each.id} is now {each.kind} (line {each.line})"
        for each in now
        if each.id in known and known[each.id].kind is not each.kind
    ]
    groups = (("added", added), ("removed", removed), ("changed", changed), ("kind", kinds))
    return [f"{word}: {_listed(ids)}" for word, ids in groups if ids]


def _says_another(before: Known | None, now: Criterion) -> bool:
    return before is not None and not same_words(before.text, now.text)


def _others(before: Specification, now: Specification) -> list[str]:
    """Changes of tasks and validation commands, without those that were only moved or ticked."""
    pairs = (
        ("tasks", [each.text for each in before.tasks], [each.text for each in now.tasks]),
        ("validation commands", [c.command for c in before.validation], [c.command for c in now.validation]),
    )
    return [f"{word} changed" for word, was, is_now in pairs if was != is_now]


def _changed_lines(before: str, now: str) -> str:
    """The lines from the first to the last difference, by their numbers in the new text."""
    was, is_now = before.splitlines(), now.splitlines()
    shorter = min(len(was), len(is_now))
    first = next((i for i in range(shorter) if was[i] != is_now[i]), shorter)
    last = next((i for i in range(shorter - first) if was[-1 - i] != is_now[-1 - i]), shorter - first)
    end = len(is_now) - last
    if end <= first:
        return f"lines removed after line {first}"
    return f"line {end}" if end == first + 1 else f"lines {first + 1}-{end}"


def _listed(items: Iterable[str]) -> str:
    items = list(items)
    more = f" and {len(items) - MOST_SHOWN} more" if len(items) > MOST_SHOWN else ""
    return ", ".join(items[:MOST_SHOWN]) + more
