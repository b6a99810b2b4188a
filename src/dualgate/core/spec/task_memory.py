"""Two readings of a task list -> the later one, with the tasks that were ticked in the run and those that left it."""

import re
from collections import Counter
from collections.abc import Collection
from difflib import SequenceMatcher

from dualgate.core.values.replacing import replace
from dualgate.core.values.specification import Plan

RECOGNISED = 0.6
"""The similarity from which two texts count as one task that was reworded."""
REMEMBERED = 500
COMPARED = 100
"""How many missing tasks are compared with as many new texts: the time for it is quadratic."""
_WORD = re.compile(r"\w+")
# words by which a ticked task is withdrawn instead of done
_WITHDRAWN = re.compile(
    r"\b(won'?t|wontfix|not (needed|required|applicable|done|doing)|no longer|obsolete|skip(ped|ping)?|descoped|"
    r"out of scope|cancell?ed|dropped|deferred|postponed|n/a|later)\b",
    re.IGNORECASE,
)


def remembered(before: Plan | None, now: Plan | None) -> Plan | None:
    """Add what earlier readings of the run showed: a ticked task may leave the list, an open one may not."""
    if before is None or now is None or now.is_gone:
        return now
    there = Counter((*now.open, *now.done))
    expected = Counter((*before.open, *before.lost))
    reworded = _reworded([*(expected - there).elements()], [*(there - expected - Counter(before.done)).elements()])
    known = Counter(before.lost if before.is_edited else (*before.lost, *before.open))
    lost = known - there - Counter([*reworded])
    awaited = {*expected, *reworded.values()}
    finished = (*before.finished, *(task for task in now.done if task in awaited))
    return replace(
        now,
        lost=tuple(lost.elements())[:REMEMBERED],
        finished=tuple(dict.fromkeys(task for task in finished if task not in now.open))[-REMEMBERED:],
    )


def edited_by_person(plan: Plan | None, paths: Collection[str]) -> Plan | None:
    """The task list after a person's edits: a task that a person removes is not lost."""
    return replace(plan, is_edited=True) if plan is not None and plan.file in paths else plan


def _reworded(gone: list[str], new: list[str]) -> dict[str, str]:
    """Each task that is gone with the new text that it has now, the most similar first."""
    compared = ((_likeness(old, text), old, text) for old in gone[:COMPARED] for text in new[:COMPARED])
    pairs = sorted(compared, key=lambda pair: -pair[0])
    found: dict[str, str] = {}
    for likeness, old, text in pairs:
        if likeness >= RECOGNISED and old not in found and text not in found.values():
            found[old] = text
    return found


def _likeness(old: str, new: str) -> float:
    if _WITHDRAWN.search(new) and not _WITHDRAWN.search(old):
        return 0.0
    one, other = _words(old), _words(new)
    if one and {*one} <= {*other}:
        return 1.0  # the same task with more said about it
    return SequenceMatcher(None, " ".join(one), " ".join(other), autojunk=False).ratio()


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
