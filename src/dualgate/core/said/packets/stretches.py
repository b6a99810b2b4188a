"""text -> Stretches: where each packet begins and ends. The only field known here is Phase."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dualgate.core.said.packets.packet import PacketPhase

BLANKS = " \t\r"
FENCE = re.compile(r"(?P<mark>`{3,}|~{3,})[^`]*")
REMARK = re.compile(r"[ \t]+[(#—]")
_DELIMITER = re.compile(r"---[A-Z][A-Z_]*---")
# Searched first: finding a word is ten times as fast as finding lines that begin with it.
_OPENING = re.compile(r"Phase[*_`]{0,3}[ \t]{0,9}:")
# Every length is bounded, because a line can be as long as the text.
_LONGEST_LEAD = 20
_START = re.compile(
    r"(?P<lead>(?:[-*+]|#{1,6})[ \t]{1,9})?[*_`]{0,3}(?P<opening>Phase)[*_`]{0,3}[ \t]{0,9}:[*_`]{0,3}[ \t]{0,9}"
    r"(?P<value>[^\n]{0,200})$",
    re.MULTILINE,
)
# agents write an invalid phase as a word in capitals, or leave the template's placeholder
_WORD = re.compile(r"[A-Z][A-Z_]+")
_TEMPLATE = re.compile(r"[\[<]|[A-Z_]+ *\|")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """The lines from one Phase line to the next, or to a status block; `fence` is the fence mark just above them."""

    line: int
    lines: Sequence[str]
    phase: PacketPhase | None = None
    bulleted: bool = False
    fence: str = ""


def find_stretches(text: str | bytes) -> list[Stretch]:
    whole = (text.decode("utf-8", "replace") if isinstance(text, bytes) else text).removeprefix("\ufeff")
    starts = list(_starts(whole))
    ends = [match.start() for match in starts[1:]] + [len(whole)]
    stretches: list[Stretch] = []
    line, counted = 1, 0
    for match, end in zip(starts, ends, strict=False):
        line, counted = line + whole.count("\n", counted, match.start()), match.start()
        word = phase_word(match["value"])
        stretch = Stretch(
            line=line,
            lines=_until_delimiter(whole[match.start() : end].split("\n")),
            phase=PacketPhase(word) if word in list(PacketPhase) else None,
            bulleted=(match["lead"] or "#")[0] != "#",
            fence=_fence_above(whole, match.start()),
        )
        stretches.append(stretch)
    return stretches


def phase_word(value: str) -> str:
    """The phase that a value names, without decoration; the undecorated value if it names no phase."""
    bare = REMARK.split(value, maxsplit=1)[0].strip(BLANKS + "*_`")
    plain = bare.upper().replace(" ", "_").replace("-", "_")
    return plain if plain in list(PacketPhase) else bare


def _starts(text: str) -> Iterator[re.Match[str]]:
    for opening in _OPENING.finditer(text):
        begin = text.rfind("\n", max(0, opening.start() - _LONGEST_LEAD), opening.start()) + 1
        match = _START.match(text, begin)
        if match and match.start("opening") == opening.start() and _names_a_phase(match["value"]):
            yield match


def _names_a_phase(value: str) -> bool:
    return bool(_WORD.fullmatch(phase_word(value)) or _TEMPLATE.match(value.strip(BLANKS + "*_`")))


def _until_delimiter(lines: list[str]) -> list[str]:
    for index, line in enumerate(lines):
        if line.startswith("---") and _DELIMITER.fullmatch(line.rstrip(BLANKS)):
            return lines[:index]
    return lines


def _fence_above(text: str, start: int) -> str:
    above = text[text.rfind("\n", 0, max(0, start - 1)) + 1 : max(0, start - 1)]
    match = FENCE.fullmatch(above.rstrip(BLANKS))
    return match["mark"] if match else ""
