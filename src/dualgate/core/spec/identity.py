"""Old criteria and a newly read Specification -> the same with stable ids: an id stays with its text.

The reader numbers criteria by their position. In a session an id belongs to its criterion: tests and proofs name it.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from dualgate.core.values.case_names import id_parts
from dualgate.core.values.specification import Criterion, CriterionState, Specification

Known = Criterion | CriterionState
NEAR = 0.85
"""The similarity from which two texts count as one that was edited."""
NEAREST = 5
"""How many old texts a new one is compared with: those that share most words."""
LONG = 100
"""Longer texts are compared by words instead of characters: comparing characters takes quadratic time."""
STEM = 4
CODE = re.compile(r"`([^`\n]*)`")
DASHES = re.compile("[\u2010-\u2015]")
# emphasis around words, marks after words: 1.5 is not 15, 2*3 is not 23
MARKS = re.compile(r"(?<!\w)[*_]+(?=\w)|(?<=\w)[*_]+(?!\w)|[.,;:]+(?=\s|$)")
NUMBERED = re.compile(r"(?P<prefix>.*?)(?P<number>\d+)$", re.DOTALL)


def keep_ids(before: Sequence[Known], spec: Specification, retired: Iterable[str] = ()) -> Specification:
    """Give each criterion the id that it had before; a new one gets a number that no criterion ever had.

    Ids written in the text are kept as written.
    """
    now = spec.criteria
    ids = {place: criterion.id for place, criterion in enumerate(now) if criterion.named}
    written = {id_parts(id_) for id_ in ids.values()}
    for place, old in _matches(before, now):
        if place not in ids and id_parts(before[old].id) not in written:
            ids[place] = before[old].id
    numbers = _Numbers((*(each.id for each in before), *retired, *ids.values()))
    criteria = (replace(each, id=ids.get(place) or numbers.next_like(each.id)) for place, each in enumerate(now))
    return replace(spec, criteria=tuple(criteria))


def same_words(one: str, other: str) -> bool:
    """Whether two texts differ in whitespace, case, decoration and punctuation at most; code keeps its case."""
    return one == other or _normalised(one) == _normalised(other)


def retired_after(used: Iterable[str], now: Iterable[CriterionState]) -> tuple[str, ...]:
    """The used ids that no criterion has now."""
    there = {each.id for each in now}
    return tuple(id_ for id_ in dict.fromkeys(used) if id_ not in there)


def _matches(before: Sequence[Known], now: Sequence[Criterion]) -> Iterator[tuple[int, int]]:
    """Pairs of a new and an old criterion with the same or nearly the same text, each in one pair only."""
    old_texts = [_normalised(each.text) for each in before]
    new_texts = [_normalised(each.text) for each in now]
    places: dict[str, list[int]] = defaultdict(list)
    for old in reversed(range(len(before))):
        places[old_texts[old]].append(old)
    left: list[int] = []
    for place, text in enumerate(new_texts):
        if places.get(text):
            yield place, places[text].pop()
        else:
            left.append(place)
    unmatched = sorted(old for rest in places.values() for old in rest)
    yield from _near({old: old_texts[old] for old in unmatched}, {place: new_texts[place] for place in left})


def _near(old_texts: dict[int, str], new_texts: dict[int, str]) -> Iterator[tuple[int, int]]:
    """Pairs of similar texts, the most similar first."""
    index = defaultdict(list)
    for old, text in old_texts.items():
        for stem in _stems(text):
            index[stem].append(old)
    found = sorted(
        (-ratio, place, old)
        for place, text in new_texts.items()
        for old in _candidates(text, old_texts, index)
        if (ratio := _similarity(old_texts[old], text)) >= NEAR
    )
    for _, place, old in found:
        if place in new_texts and old in old_texts:
            del new_texts[place], old_texts[old]
            yield place, old


def _candidates(text: str, old_texts: dict[int, str], index: dict[str, list[int]]) -> Iterable[int]:
    if len(old_texts) <= NEAREST:
        return tuple(old_texts)
    shared: Counter[int] = Counter()
    for stem in _stems(text):
        shared.update(index.get(stem, ()))
    return [old for old, _ in shared.most_common(NEAREST)]


def _stems(text: str) -> set[str]:
    """The words and their beginnings, by which texts are looked up."""
    words = text.casefold().split()
    return {*words, *(word[:STEM] for word in words)}


def _similarity(one: str, other: str) -> float:
    is_long = max(len(one), len(other)) > LONG
    first, second = (one.split(), other.split()) if is_long else (one, other)
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    if matcher.real_quick_ratio() < NEAR or matcher.quick_ratio() < NEAR:
        return 0.0
    return matcher.ratio()


def _normalised(text: str) -> str:
    parts = CODE.split(DASHES.sub("-", text))  # every second part is code
    words = (part if number % 2 else MARKS.sub("", part).casefold() for number, part in enumerate(parts))
    return " ".join("".join(words).split())


class _Numbers:
    """The highest number of each form of id; `AC-1`, `AC1` and `ac_1` are one form, since tests name them alike."""

    def __init__(self, ids: Iterable[str]) -> None:
        self._highest: dict[tuple[str, ...], int] = {}
        for id_ in ids:
            form, number, _ = _form(id_)
            self._highest[form] = max(number, self._highest.get(form, 0))

    def next_like(self, id_: str) -> str:
        form, _, prefix = _form(id_)
        number = self._highest[form] = self._highest.get(form, 0) + 1
        return f"{prefix}{number}"


def _form(id_: str) -> tuple[tuple[str, ...], int, str]:
    """The parts of an id before its last number, that number, and the id without it."""
    found = NUMBERED.fullmatch(id_)
    prefix, number = (found["prefix"], int(found["number"])) if found else (f"{id_}-", 0)
    return id_parts(prefix), number, prefix
