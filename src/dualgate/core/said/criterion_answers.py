"""Text of a review -> its answers about single criteria and tests: `AC-5: met src/pkg/__init__.py:12 why`.

An answer begins with an id on a line of its own and may go on over the lines below. Bold, bullets, tables, code marks
and the order of verdict, file and reason do not matter.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from dualgate.core.values.case_names import id_parts
from dualgate.core.values.claim import CriterionAnswer

_DECORATION = re.compile(r"[*`]+|(?<!\w)_(?=[A-Za-z -]+_(?!\w))|(?<=[A-Za-z])_(?![\w.])")
_START = re.compile(
    r"^[ \t>#|•–—-]*(?:\d+[.)][ \t]+)?(?:\[[ xX]\][ \t]+)?(?P<id>[A-Za-z][A-Za-z0-9]*(?:[-_.][A-Za-z0-9]+)*(?<=\d))"
    r"(?![\w/])[ \t]*(?:\([^)\n]*\)[ \t]*)?(?P<mark>[:=|–—-]|->|→|is\b|)[ \t]*(?P<rest>.*)$"
)
_PLACE = re.compile(
    r"(?<![\w./@+~-])(?P<file>(?:[\w.@+~-]+/)*[\w.@+~-]*[\w@+~-]\.[A-Za-z]\w{0,9}|(?:[\w.@+~-]+/)+[\w.@+~-]*[\w@+~-]"
    r"|\.[A-Za-z][\w-]+|[A-Z][A-Za-z]*file\b|LICENSE\b)"
    r"(?:(?::|#L?|,?[ \t]+\(?(?:at[ \t]+)?(?:lines?|l\.|L)[ \t]*|\()(?P<line>\d{1,7})(?:[:–-]L?\d+)?)?"
)
_NOT = r"(?:not|isn't|wasn't)[ \t_-]*(?:yet[ \t]+|fully[ \t]+)?"
_NOT_MET = re.compile(rf"\b{_NOT}(?:met|fulfilled|satisfied)\b|\b(?:unmet|unfulfilled|unsatisfied)\b", re.IGNORECASE)
_MET = re.compile(r"\b(?:met|fulfilled|satisfied)\b", re.IGNORECASE)
# words that mean a verdict only where an answer begins with them
_FIRST_NO = re.compile(rf"{_NOT}(?:done|ok|okay)\b|(?:no|fails?|failed|violated|missing)\b|[✗✘❌]", re.IGNORECASE)
_FIRST_YES = re.compile(r"(?:yes|ok|okay|done|holds|pass(?:es|ed)?)\b|[✓✔✅]", re.IGNORECASE)
_NOT_JUSTIFIED = re.compile(rf"\b{_NOT}justified\b|\bunjustified\b", re.IGNORECASE)
_JUSTIFIED = re.compile(r"\bjustified\b", re.IGNORECASE)
_BOTH = re.compile(r"\b(met|justified)\b[ \t]*(?:/|\bor\b|\|)[ \t]*not[ \t]+\1\b", re.IGNORECASE)
_EDGES = " \t\n,;:.()[]|-–—→=>'\""
_HEADING = re.compile(r"#{1,6}[ \t]+(?!FixRequest)[^:]*$")
PLACEHOLDER = "FILE:LINE"
"""The place in the form of an answer; a line that still has it repeats the form."""
REASON_LENGTH = 300


def read_answers(text: str) -> tuple[CriterionAnswer, ...]:
    """One answer for each id, the last one. If only an earlier one with the same verdict cites a file, that one."""
    return _last(_answers(text, _verdict))


def read_justifications(text: str) -> tuple[CriterionAnswer, ...]:
    """The answers about tests, in the same way: `T-1: justified tests/test_a.py:3 why`."""
    return _last(_answers(text, _justification))


def without_answers(text: str) -> str:
    """The text without its answers and the headings above them: reviewers write them between and inside packets."""
    kept: list[str] = []
    for raw in text.split("\n"):
        if not _is_answer(raw):
            kept.append(raw)
            continue
        above = next((place for place in reversed(range(len(kept))) if kept[place].strip()), None)
        if above is not None and _HEADING.match(kept[above]):
            del kept[above:]
    return "\n".join(kept)


def _is_answer(raw: str) -> bool:
    start = _START.match(_DECORATION.sub("", raw).rstrip())
    if start is None or not start["mark"]:
        return False
    words = _PLACE.sub(" ", start["rest"]).strip(_EDGES)
    return _verdict(words) is not None or _justification(words) is not None


def _last(answers: Iterable[CriterionAnswer]) -> tuple[CriterionAnswer, ...]:
    found: dict[tuple[str, ...], CriterionAnswer] = {}
    for answer in answers:
        earlier = found.get(id_parts(answer.id))
        if earlier is None or answer.file or not earlier.file or answer.met is not earlier.met:
            found[id_parts(answer.id)] = answer
    return tuple(found.values())


Verdict = tuple[bool, re.Match[str]]


def _answers(text: str, verdict_of: Callable[[str], Verdict | None]) -> Iterator[CriterionAnswer]:
    for name, said, is_marked in _entries(text):
        places = list(_PLACE.finditer(said))
        place = next((each for each in places if each["line"]), places[0] if places else None)
        words = _PLACE.sub(" ", said).strip(_EDGES)
        verdict = verdict_of(words)
        if verdict is None or PLACEHOLDER in said or _BOTH.search(said) or not (is_marked or verdict[1].start() == 0):
            continue
        met, found = verdict
        reason = " ".join((words[: found.start()] + words[found.end() :]).replace("|", " ").split()).strip(_EDGES)
        yield CriterionAnswer(
            id=name,
            met=met,
            file=place["file"].removeprefix("./") if place else "",
            line=int(place["line"]) if place and place["line"] else None,
            reason=reason[:REASON_LENGTH],
        )


def _justification(words: str) -> Verdict | None:
    for met, pattern in ((False, _NOT_JUSTIFIED), (True, _JUSTIFIED)):
        if found := pattern.search(words):
            return met, found
    return None


def _verdict(words: str) -> Verdict | None:
    """Whether the words say met, and by which of them: by the first ones, or by one that means nothing else."""
    for met, pattern in ((False, _FIRST_NO), (True, _FIRST_YES)):
        if first := pattern.match(words):
            return met, first
    found = [(met, match) for met, match in ((False, _NOT_MET.search(words)), (True, _MET.search(words))) if match]
    return min(found, key=lambda each: each[1].start(), default=None)


def _entries(text: str) -> Iterator[tuple[str, str, bool]]:
    """Each id at the beginning of a line, its text up to the next id or blank line, and whether a mark parts them."""
    name, lines, is_marked = "", list[str](), False
    for raw in (*text.splitlines(), ""):
        line = _DECORATION.sub("", raw).rstrip()
        start = _START.match(line)
        if start or not line.strip() or raw.startswith("#"):
            if name:
                yield name, "\n".join(lines), is_marked
            name, lines = (start["id"], [start["rest"]]) if start else ("", [])
            is_marked = bool(start and start["mark"])
        elif name:
            lines.append(line.strip())
