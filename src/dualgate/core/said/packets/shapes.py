"""Section <-> value: the shapes a field can have. Each reads with complaints, and writes the document's own form."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from types import GenericAlias
from typing import Any, Protocol

from dualgate.core.said.packets.report import Code, Report, shown
from dualgate.core.said.packets.sections import Section
from dualgate.core.said.packets.stretches import BLANKS
from dualgate.core.said.packets.texts import (
    NONE,
    block_of,
    checked,
    head,
    placeholder_left,
    settled,
    split_items,
    text_of,
    undecorated,
    unfenced,
)

SHORTEST_EXCERPT, LONGEST_EXCERPT = 5, 15


class Shape(Protocol):
    """What a field holds; `read` answers None where it complained, `write` gives lines: the first behind the key."""

    def read(self, section: Section, report: Report) -> Any: ...

    def write(self, value: Any) -> list[str]: ...

    def plain(self, value: Any) -> object: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """Words of one line, or of several where `lines` allows it."""

    lines: bool = False

    def read(self, section: Section, report: Report) -> str | None:
        return checked(section, report, text_of(section, report, self.lines))

    def write(self, value: str) -> list[str]:
        first, *rest = value.split("\n")
        return [first, *("  " + line if line else "" for line in rest)]

    def plain(self, value: str) -> object:
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Remarks:
    """Notes: everything to the end of the packet, as it stands. `none` is the empty text."""

    def read(self, section: Section, report: Report) -> str | None:
        text = checked(section, report, block_of(section))
        return "" if text is not None and text.casefold() == NONE else text

    def write(self, value: str) -> list[str]:
        return ["", *_indented(value)] if "\n" in value else [value or NONE]

    def plain(self, value: str) -> object:
        return value or NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """Output of a program, indented below its key."""

    def read(self, section: Section, report: Report) -> str | None:
        bare = Section(name=section.name, line=section.line, inline=section.inline, rest=unfenced(section, report))
        if bare.inline or any(line and not line[0].isspace() for line in section.rest):
            report.warn(Code.FORM, f"{section.name} is not indented below its key", section.name, section.line)
        text = checked(section, report, block_of(bare))
        length = text.count("\n") + 1 if text else SHORTEST_EXCERPT
        if not SHORTEST_EXCERPT <= length <= LONGEST_EXCERPT:
            message = f"{section.name} has {length} lines; {SHORTEST_EXCERPT} to {LONGEST_EXCERPT} are asked for"
            report.warn(Code.EXCERPT_LENGTH, message, section.name, section.line)
        return text

    def write(self, value: str) -> list[str]:
        return ["", *_indented(value)]

    def plain(self, value: str) -> object:
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One of the values of an enum."""

    allowed: type[StrEnum]

    def read(self, section: Section, report: Report) -> StrEnum | None:
        text = checked(section, report, text_of(section, report))
        if text is None:
            return None
        for member in self.allowed:
            if _bare(text) == _bare(member):
                _compare(section, report, text, member)
                return member
        if "|" in text:
            placeholder_left(section, report, text)
            return None
        said = f"{section.name} is none of {', '.join(self.allowed)}"
        if len(self.allowed) == 1:
            said = f"{section.name} must be {', '.join(self.allowed)}"
        report.error(Code.ILLEGAL_VALUE, f"{said}: {shown(text)}", section.name, section.line)
        return None

    def write(self, value: StrEnum) -> list[str]:
        return [str(value)]

    def plain(self, value: StrEnum) -> object:
        return str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A text in a fixed form. `parse` answers None for what is not in it; `below` puts it under its key, indented."""

    form: str
    type: "type | GenericAlias"
    """What `parse` gives: a plain type, or a dataclass whose fields are called `names` in JSON."""
    parse: Callable[[str], Any]
    format: Callable[[Any], str]
    names: tuple[str, ...] = ()
    below: bool = False

    def read(self, section: Section, report: Report) -> Any:
        text = checked(section, report, text_of(section, report, self.below))
        return None if text is None else self.read_text(text, section, report)

    def read_text(self, text: str, section: Section, report: Report) -> Any:
        for candidate in (text, head(text)):
            value = self.parse(candidate)
            # what would read otherwise when it is written is not of the form
            if value is not None and self.parse(self.format(value)) == value:
                _compare(section, report, text, self.format(value))
                return value
        if (" | " in text and not self.names) or ("[" in text and "]" in text):
            placeholder_left(section, report, text)
            return None
        message = f"{section.name} is not of the form {self.form!r}: {shown(text)}"
        report.error(Code.ILLEGAL_VALUE, message, section.name, section.line)
        return None

    def write(self, value: Any) -> list[str]:
        return ["", *_indented(self.format(value))] if self.below else [self.format(value)]

    def plain(self, value: Any) -> object:
        if not self.names:
            return _plain_word(value)
        parts = (getattr(value, part.name) for part in fields(value))
        return {name: _plain_word(part) for name, part in zip(self.names, parts, strict=True)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """A list below its key; `none` is the empty list where that is allowed."""

    item: Line
    bullet: str = "- "
    indent: str = ""
    may_be_empty: bool = False

    def read(self, section: Section, report: Report) -> tuple[Any, ...] | None:
        found = list(split_items(section, report, bulleted=bool(self.bullet)))
        words = [undecorated(word).casefold() for word in (section.inline, *(part.inline for part in found)) if word]
        if self.may_be_empty and words == [NONE]:
            return ()
        if section.inline:
            report.warn(Code.STRAY_TEXT, f"{shown(section.inline)} is no item", section.name, section.line)
        if not found:
            hint = "; write none" if self.may_be_empty else ""
            message = f"{section.name} has no items{hint}"
            report.error(Code.EMPTY_FIELD, message, section.name, section.line)
            return None
        values = [self._item(part, number, report) for number, part in enumerate(found, 1)]
        return None if any(value is None for value in values) else tuple(values)

    def _item(self, part: Section, number: int, report: Report) -> Any:
        whole, label = text_of(part, report, several=True), self.bullet[2:].format(number)
        if not whole.startswith(label):
            report.warn(Code.FORM, f"an item of {part.name} does not begin with {label!r}", part.name, part.line)
        text = checked(part, report, settled(whole.removeprefix(label.strip(BLANKS))))
        return None if text is None else self.item.read_text(text, part, report)

    def write(self, value: Sequence[Any]) -> list[str]:
        lines = [""]
        for number, item in enumerate(value, 1):
            first, *rest = Text().write(self.item.format(item))
            lines.append(f"{self.indent}{self.bullet.format(number)}{first}")
            lines.extend(f"{self.indent}{line}" if line else "" for line in rest)
        return lines if value else [NONE]

    def plain(self, value: Sequence[Any]) -> object:
        return [self.item.plain(item) for item in value]


def _plain_word(value: object) -> object:
    """A value as JSON has it."""
    if isinstance(value, StrEnum):
        return str(value)
    return list(value) if isinstance(value, tuple) else value


def _compare(section: Section, report: Report, text: str, right: str) -> None:
    if text != right:
        message = f"{section.name} is read as {shown(right)}: {shown(text)}"
        report.warn(Code.FORM, message, section.name, section.line)


def _bare(text: str) -> str:
    return head(text).casefold()


def _indented(text: str) -> Iterator[str]:
    return ("  " + line if line else "" for line in text.split("\n"))
