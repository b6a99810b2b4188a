"""Stretch -> Sections: the lines of a packet, split at its keys. Values are not read here."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dualgate.core.said.packets.report import Code, Report, shown
from dualgate.core.said.packets.stretches import BLANKS, FENCE, Stretch

NOTES = "Notes"
FIX_REQUEST = "FixRequest"
# dualgate asks a reviewer for this line in addition to the packets
_VERDICT = re.compile(r"(?:(?:[-*+>]|#{1,6})[ \t]+)?[*_]*Verdict[*_]*[ \t]*:[ \t*_]*(?:APPROVE|REJECT)", re.IGNORECASE)
KEY = re.compile(
    r"(?P<lead>(?:[-*+]|#{1,6})[ \t]+)?(?P<mark>[*_`]{0,3})(?P<key>[A-Za-z][A-Za-z -]{0,40}?)"
    r"(?P<hint>[ \t]*\([^()]{0,40}\))?(?P<close>[*_`]{0,3})[ \t]*:(?P<inner>[*_`]{0,3})(?P<value>.*)",
    re.DOTALL,
)
HEADING = re.compile(r"#{1,6}[ \t]")
_RULE = re.compile(r"-{3,}|\*{3,}|_{3,}")
REQUEST_HEADING = re.compile(r"(?:#{1,6}[ \t]+[*_]{0,3}|[*_]{2,3})FixRequest\b[^:]{0,40}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """Keys of a phase: case-folded key -> name; the names that hold excerpts; the keys of other phases."""

    known: Mapping[str, str]
    excerpts: frozenset[str]
    foreign: frozenset[str]


@dataclass(slots=True, kw_only=True)
class Section:
    """A key with the text after it on its line (`inline`) and the lines below (`rest[0]` is line + 1)."""

    report: Report
    name: str = ""
    line: int
    inline: str = ""
    rest: list[str] = field(default_factory=list)

    def error(self, code: Code, said: str) -> None:
        self.report.error(code, f"{self.name} {said}", self.name, self.line)

    def warn(self, code: Code, said: str, line: int | None = None) -> None:
        self.report.warn(code, f"{self.name} {said}", self.name, line or self.line)

    @property
    def bare(self) -> list[str]:
        """The non-blank lines below the key."""
        return [line for line in self.rest if not is_blank(line)]


def cut(stretch: Stretch, keys: Keys, report: Report) -> list[Section]:
    return list(_Cutter(stretch, keys, report).sections())


def is_blank(line: str) -> bool:
    return not line.strip(BLANKS)


def indentation(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


class _Cutter:
    def __init__(self, stretch: Stretch, keys: Keys, report: Report) -> None:
        self.stretch, self.keys, self.report = stretch, keys, report
        self.lines = _cleaned(stretch, report)
        self.fences_close = True
        self.untouched = True

    def sections(self) -> Iterator[Section]:
        current = Section(report=self.report, line=self.stretch.line)
        index = 0
        while index < len(self.lines):
            opened = self._opened(index, current)
            if opened is not None:
                yield current
                current, self.untouched = opened, not opened.inline
                if current.name == NOTES:
                    current.rest = self._notes(index, current.inline)
                    break
                index += 1
                continue
            taken = self._fenced(index, current)
            current.rest.extend(self.lines[index : index + taken] if taken else (self._content(index, current),))
            self.untouched = self.untouched and is_blank(current.rest[-1])
            index += taken or 1
        yield current

    def _opened(self, index: int, current: Section) -> Section | None:
        """The section that a line opens, if any; a section without a name takes the lines of an unknown field."""
        line, number = self.lines[index], self.stretch.line + index
        if REQUEST_HEADING.fullmatch(line) and FIX_REQUEST.casefold() in self.keys.known:
            heading = Section(report=self.report, name=FIX_REQUEST, line=number - 1, rest=[""])
            return None if current.name == FIX_REQUEST else heading
        match = KEY.fullmatch(line)
        if match is None:
            return None
        name = self.keys.known.get(match["key"].casefold())
        if name == FIX_REQUEST and current.name == FIX_REQUEST:
            return None
        if name is not None and self._counts(match):
            self._decoration(match, name, number)
            return Section(report=self.report, name=name, line=number, inline=match["value"].strip(BLANKS))
        if name is None and self._is_unknown(match, current):
            self._unknown(match["key"], line, number)
            return Section(report=self.report, line=number)
        return None

    def _counts(self, match: re.Match[str]) -> bool:
        """Whether the match is a key. A bullet is a list item, unless the packet is a list or the key is marked up."""
        lead = match["lead"] or ""
        return not lead or lead.startswith("#") or bool(match["mark"]) or self.stretch.bulleted

    def _is_unknown(self, match: re.Match[str], current: Section) -> bool:
        if not match["key"][0].isupper() or not (match["value"] == "" or match["value"][0] in BLANKS):
            return False
        if match["lead"] and not match["lead"].startswith("#"):
            return False
        return current.name not in self.keys.excerpts or match["key"].casefold() in self.keys.foreign

    def _unknown(self, key: str, line: str, number: int) -> None:
        if _VERDICT.match(line):
            self.report.warn(Code.EXTENSION, "a Verdict inside a packet is an extension of dualgate", key, number)
        else:
            self.report.warn(Code.UNKNOWN_FIELD, f"{key} is not a field of this packet and is ignored", key, number)

    def _decoration(self, match: re.Match[str], name: str, number: int) -> None:
        if match["lead"] or match["mark"] or match["close"] or match["inner"]:
            self.report.warn(Code.DECORATION, f"{name} has markup; write the key without it", None, number)
        if match["key"] != name or not (match["value"] == "" or match["value"][0] in BLANKS):
            self.report.warn(Code.FORM, f"{name} is written {shown(match['key'] + ':')}", name, number)

    def _fenced(self, index: int, current: Section) -> int:
        """The number of lines in a fence that opens an excerpt; 0 if there is no fence or it is never closed."""
        mark = _mark(self.lines[index])
        wanted = self.untouched and self.fences_close and current.name in self.keys.excerpts
        if not mark or not wanted:
            return 0
        for end in range(index + 1, len(self.lines)):
            if _closes(self.lines[end], mark):
                return end - index + 1
        self.fences_close = False
        return 0

    def _content(self, index: int, current: Section) -> str:
        """The line as content of the section; a line that only decorates becomes blank."""
        line = self.lines[index]
        if current.name == FIX_REQUEST and REQUEST_HEADING.match(line):
            return line
        plain = current.name not in self.keys.excerpts and (HEADING.match(line) or _RULE.fullmatch(line))
        if not plain and not _mark(line):
            return line
        self.report.warn(Code.DECORATION, f"{shown(line)} only decorates", None, self.stretch.line + index)
        return ""

    def _notes(self, index: int, inline: str) -> list[str]:
        """Notes end with the packet: at the closing fence around it, at a verdict, or at the end of the stretch."""
        if inline.casefold() == "none":
            return []
        rest: list[str] = []
        for line in self.lines[index + 1 :]:
            if _VERDICT.match(line) or (self.stretch.fence and _closes(line, self.stretch.fence)):
                break
            rest.append(line)
        return _without_tail(rest)


def _cleaned(stretch: Stretch, report: Report) -> Sequence[str]:
    if stretch.fence:
        report.warn(Code.DECORATION, "the packet is in a code fence", None, stretch.line)
    cleaned = []
    for number, line in enumerate(stretch.lines, stretch.line):
        bare = line[:-1] if line.endswith("\r") else line
        if bare is not line:
            report.warn(Code.LINE_ENDS, "lines end with CR LF", None, number)
        cleaned.append(bare.rstrip(BLANKS))
        if len(cleaned[-1]) != len(bare):
            report.warn(Code.TRAILING_BLANKS, "a line ends with blanks", None, number)
    return cleaned


def _mark(line: str) -> str:
    match = FENCE.fullmatch(line)
    return match["mark"] if match else ""


def _closes(line: str, mark: str) -> bool:
    return len(line) >= len(mark) and line == mark[0] * len(line)


def _without_tail(rest: list[str]) -> list[str]:
    """Notes without the lines that introduce the next packet: a heading, a rule, an unclosed fence."""
    odd = sum(1 for line in rest if _mark(line)) % 2 == 1
    while rest and (is_blank(rest[-1]) or HEADING.match(rest[-1]) or _RULE.fullmatch(rest[-1]) or _mark(rest[-1])):
        if _mark(rest[-1]) and not odd:
            break
        odd = odd and not _mark(rest[-1])
        rest.pop()
    return rest
