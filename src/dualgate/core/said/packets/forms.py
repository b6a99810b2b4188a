"""Section <-> value: the forms a field can have. Each reads with complaints, and writes the document's own form."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from dualgate.core.said.packets.decoration import (
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
from dualgate.core.said.packets.report import Code, Report, shown
from dualgate.core.said.packets.sections import Section
from dualgate.core.said.packets.stretches import BLANKS
from dualgate.core.values.shapes import ANY_TEXT, Schema, closed, list_of, words

SHORTEST_EXCERPT, LONGEST_EXCERPT = 5, 15


class FieldForm(Protocol):
    """What a field holds; `read` answers None where it complained, `write` gives lines: the first behind the key."""

    def read(self, section: Section, report: Report) -> Any: ...

    def write(self, value: Any) -> list[str]: ...

    @property
    def schema(self) -> Schema:
        """The JSON Schema of what is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prose:
    """Words of one line, or of several where `lines` allows it."""

    lines: bool = False
    schema: ClassVar[Schema] = ANY_TEXT

    def read(self, section: Section, report: Report) -> str | None:
        return checked(section, report, text_of(section, report, self.lines))

    def write(self, value: str) -> list[str]:
        first, *rest = value.split("\n")
        return [first, *_indented(rest)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Remarks:
    """Notes: everything to the end of the packet, as it stands."""

    schema: ClassVar[Schema] = ANY_TEXT

    def read(self, section: Section, report: Report) -> str | None:
        text = checked(section, report, block_of(section))
        return NONE if text is not None and text.casefold() == NONE else text

    def write(self, value: str) -> list[str]:
        return ["", *_indented(value.split("\n"))] if "\n" in value else [value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """Output of a program, indented below its key."""

    schema: ClassVar[Schema] = ANY_TEXT

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
        return ["", *_indented(value.split("\n"))]


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of a few words."""

    allowed: Sequence[str]

    @property
    def schema(self) -> Schema:
        return words(self.allowed)

    def read(self, section: Section, report: Report) -> str | None:
        text = checked(section, report, text_of(section, report))
        if text is None:
            return None
        for word in map(str, self.allowed):
            if head(text).casefold() == head(word).casefold():
                _compare(section, report, text, word)
                return word
        if "|" in text:
            placeholder_left(section, report, text)
            return None
        said = "must be" if len(self.allowed) == 1 else "is none of"
        message = f"{section.name} {said} {', '.join(self.allowed)}: {shown(text)}"
        report.error(Code.ILLEGAL_VALUE, message, section.name, section.line)
        return None

    def write(self, value: str) -> list[str]:
        return [value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """A text in a fixed form. `parse` answers None for what is not in it; `below` puts it under its key, indented."""

    form: str
    parse: Callable[[str], Any]
    format: Callable[[Any], str] = str
    schema: Schema = field(default_factory=lambda: ANY_TEXT)
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
        has_parts = self.schema.get("type") == "object"
        if (" | " in text and not has_parts) or ("[" in text and "]" in text):
            placeholder_left(section, report, text)
            return None
        message = f"{section.name} is not of the form {self.form!r}: {shown(text)}"
        report.error(Code.ILLEGAL_VALUE, message, section.name, section.line)
        return None

    def write(self, value: Any) -> list[str]:
        written = self.format(value)
        return ["", *_indented(written.split("\n"))] if self.below else [written]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bullets:
    """A list below its key; `none` is the empty list where that is allowed."""

    item: Phrase
    bullet: str = "- "
    indent: str = ""
    may_be_empty: bool = False

    @property
    def schema(self) -> Schema:
        return list_of(self.item.schema)

    def read(self, section: Section, report: Report) -> list[Any] | None:
        found = list(split_items(section, report, bulleted=bool(self.bullet)))
        said = [undecorated(word).casefold() for word in (section.inline, *(part.inline for part in found)) if word]
        if self.may_be_empty and said == [NONE]:
            return []
        if section.inline:
            report.warn(Code.STRAY_TEXT, f"{shown(section.inline)} is no item", section.name, section.line)
        if not found:
            hint = "; write none" if self.may_be_empty else ""
            report.error(Code.EMPTY_FIELD, f"{section.name} has no items{hint}", section.name, section.line)
            return None
        values = [self._item(part, number, report) for number, part in enumerate(found, 1)]
        return None if any(value is None for value in values) else values

    def _item(self, part: Section, number: int, report: Report) -> Any:
        whole, label = text_of(part, report, several=True), self.bullet[2:].format(number)
        if not whole.startswith(label):
            report.warn(Code.FORM, f"an item of {part.name} does not begin with {label!r}", part.name, part.line)
        text = checked(part, report, settled(whole.removeprefix(label.strip(BLANKS))))
        return None if text is None else self.item.read_text(text, part, report)

    def write(self, value: Sequence[Any]) -> list[str]:
        lines = [""]
        for number, item in enumerate(value, 1):
            first, *rest = self.item.format(item).split("\n")
            lines.append(f"{self.indent}{self.bullet.format(number)}{first}")
            lines.extend(f"{self.indent}{line}" if line else "" for line in _indented(rest))
        return lines if value else [NONE]


@dataclass(frozen=True, slots=True, kw_only=True)
class WithReasons:
    """A word behind the key, called Decision, with a list below it, called Reasons."""

    word: OneOf
    reasons: Bullets

    @property
    def schema(self) -> Schema:
        return closed({"Decision": self.word.schema, "Reasons": self.reasons.schema})

    def read(self, section: Section, report: Report) -> dict[str, Any] | None:
        word = self.word.read(Section(name=section.name, line=section.line, inline=section.inline), report)
        reasons = self.reasons.read(Section(name=section.name, line=section.line, rest=section.rest), report)
        return None if word is None or reasons is None else {"Decision": word, "Reasons": reasons}

    def write(self, value: Mapping[str, Any]) -> list[str]:
        return [value["Decision"], *self.reasons.write(value["Reasons"])[1:]]


def _compare(section: Section, report: Report, text: str, right: str) -> None:
    if text != right:
        message = f"{section.name} is read as {shown(right)}: {shown(text)}"
        report.warn(Code.FORM, message, section.name, section.line)


def _indented(lines: Sequence[str]) -> Iterator[str]:
    return ("  " + line if line else "" for line in lines)
