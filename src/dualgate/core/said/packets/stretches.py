"""text -> Stretches: where the packets of a text begin and end. It knows lines, and of the fields only Phase."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dualgate.core.said.packets.packet import PacketPhase

BLANKS = " \t\r"
FENCE = re.compile(r"(?P<mark>`{3,}|~{3,})[^`]*")
_DELIMITER = re.compile(r"---[A-Z][A-Z_]*---")
REMARK = re.compile(r"[ \t]+[(#—]")
_OPENING = re.compile(r"Phase[*_`]{0,3}[ \t]{0,9}:")
START = re.compile(
    r"(?P<lead>(?:[-*+]|#{1,6})[ \t]+)?(?P<mark>[*_`]{0,3})Phase[*_`]{0,3}[ \t]*:[*_`]{0,3}[ \t]*(?P<value>[^\n]*)"
)
# what agents write for a phase that is none: a word in capitals, or what is left of a template
_WORD = re.compile(r"[A-Z][A-Z_]+")
_TEMPLATE = re.compile(r"[\[<]|[A-Z_]+ *\|")
_LONGEST_LEAD = 16
_LONGEST_START = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """The lines from one Phase line to the next, or to a status block; `fence` is the mark of a fence just above it."""

    line: int
    lines: tuple[str, ...]
    bulleted: bool = False
    fence: str = ""


def find_stretches(text: str | bytes) -> tuple[Stretch, ...]:
    whole = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    starts = list(_starts(whole))
    ends = [start for start, _ in starts[1:]] + [len(whole)]
    stretches: list[Stretch] = []
    line, counted = 1, 0
    for (start, bulleted), end in zip(starts, ends, strict=False):
        line, counted = line + whole.count("\n", counted, start), start
        lines = _until_delimiter(whole[start:end].split("\n"))
        stretches.append(Stretch(line=line, lines=lines, bulleted=bulleted, fence=_fence_above(whole, start)))
    return tuple(stretches)


def phase_word(value: str) -> str:
    """The phase that a value names, however it is decorated; a word in capitals where it names none."""
    bare = REMARK.split(value, maxsplit=1)[0].strip(BLANKS + "*_`")
    plain = bare.upper().replace(" ", "_").replace("-", "_")
    return plain if plain in list(PacketPhase) else bare


def _starts(text: str) -> Iterator[tuple[int, bool]]:
    """Offsets of Phase lines. Each look at the text is bounded, since a line may be as long as the text."""
    for opening in _OPENING.finditer(text):
        bounds = _short_line(text, opening.start())
        match = START.fullmatch(text[bounds[0] : bounds[1]]) if bounds else None
        if bounds and match and _names_a_phase(match["value"]):
            yield bounds[0], bool(match["lead"]) and not match["lead"].startswith("#")


def _short_line(text: str, position: int) -> tuple[int, int] | None:
    before = max(0, position - _LONGEST_LEAD)
    start = text.rfind("\n", before, position) + 1
    if start == 0 and before > 0:
        return None
    start = max(start, int(text.startswith("\ufeff")))
    end = text.find("\n", position, position + _LONGEST_START)
    if end < 0 and len(text) > position + _LONGEST_START:
        return None
    return start, len(text) if end < 0 else end


def _names_a_phase(value: str) -> bool:
    word = phase_word(value)
    return bool(_WORD.fullmatch(word) or _TEMPLATE.match(value.strip(BLANKS + "*_`")))


def _until_delimiter(lines: list[str]) -> tuple[str, ...]:
    for index, line in enumerate(lines):
        if line.startswith("---") and _DELIMITER.fullmatch(line.rstrip(BLANKS)):
            return tuple(lines[:index])
    return tuple(lines)


def _fence_above(text: str, start: int) -> str:
    above = text[text.rfind("\n", 0, max(0, start - 1)) + 1 : max(0, start - 1)]
    match = FENCE.fullmatch(above.rstrip(BLANKS))
    return match["mark"] if match else ""
