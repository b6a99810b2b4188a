"""Section <-> value: the forms of a field. Each form reports problems on reading, and writes the exact form."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
from dualgate.core.said.packets.report import Code, shown
from dualgate.core.said.packets.sections import Section
from dualgate.core.said.packets.stretches import BLANKS
from dualgate.core.values.shapes import ANY_TEXT, Schema, closed, list_of

SHORTEST_EXCERPT, LONGEST_EXCERPT = 5, 15


class FieldForm(Protocol):
    """The form of a value; `read` returns None after an error, `write` returns lines, the first one after the key."""

    def read(self, section: Section) -> Any: ...

    def write(self, value: Any) -> list[str]: ...

    @property
    def schema(self) -> Schema:
        """The JSON Schema of the value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prose:
    """Text of one line, or of several if `lines` is true."""

    lines: bool = False
    schema: ClassVar[Schema] = ANY_TEXT

    def read(self, section: Section) -> str | None:
        return checked(section, text_of(section, self.lines))

    def write(self, value: str) -> list[str]:
        first, *rest = value.split("\n")
        return [first, *_indented(rest)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Remarks:
    """Notes: everything to the end of the packet, unchanged."""

    schema: ClassVar[Schema] = ANY_TEXT

    def read(self, section: Section) -> str | None:
        text = checked(section, block_of(section.inline, section.rest))
        return NONE if text is not None and text.casefold() == NONE else text

    def write(self, value: str) -> list[str]:
        return ["", *_indented(value.split("\n"))] if "\n" in value else [value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """Output of a program, indented below its key."""

    schema: ClassVar[Schema] = ANY_TEXT

    def read(self, section: Section) -> str | None:
        block = block_of(section.inline, unfenced(section))
        if section.inline or any(line and not line[0].isspace() for line in section.rest):
            section.warn(Code.FORM, "is not indented below its key")
        text = checked(section, block)
        length = text.count("\n") + 1 if text else SHORTEST_EXCERPT
        if not SHORTEST_EXCERPT <= length <= LONGEST_EXCERPT:
            asked = f"{SHORTEST_EXCERPT} to {LONGEST_EXCERPT} are asked for"
            section.warn(Code.EXCERPT_LENGTH, f"has {length} lines; {asked}")
        return text

    def write(self, value: str) -> list[str]:
        return ["", *_indented(value.split("\n"))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """A text in a fixed form. `parse` returns None for any other text; `below` writes it indented under its key."""

    form: str
    """The expected value in words, for error messages."""
    parse: Callable[[str], Any]
    format: Callable[[Any], str] = str
    schema: Schema = field(default_factory=lambda: ANY_TEXT)
    below: bool = False

    def read(self, section: Section) -> Any:
        text = checked(section, text_of(section, self.below))
        return None if text is None else self.read_text(text, section)

    def read_text(self, text: str, section: Section) -> Any:
        for candidate in (text, head(text)):
            value = self.parse(candidate)
            # a value that does not survive writing and reading does not have this form
            if value is not None and self.parse(written := self.format(value)) == value:
                if text != written:
                    section.warn(Code.FORM, f"is read as {shown(written)}: {shown(text)}")
                return value
        has_parts = self.schema.get("type") == "object"
        if ("|" in text and not has_parts) or ("[" in text and "]" in text):
            placeholder_left(section, text)
        else:
            section.error(Code.ILLEGAL_VALUE, f"must be {self.form}: {shown(text)}")
        return None

    def write(self, value: Any) -> list[str]:
        written = self.format(value)
        return ["", *_indented(written.split("\n"))] if self.below else [written]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bullets:
    """A list below its key; `none` is the empty list if `may_be_empty`."""

    item: Phrase
    bullet: str = "- "
    indent: str = ""
    may_be_empty: bool = False

    @property
    def schema(self) -> Schema:
        return list_of(self.item.schema)

    def read(self, section: Section) -> list[Any] | None:
        found = list(split_items(section, bulleted=bool(self.bullet)))
        said = [undecorated(word).casefold() for word in (section.inline, *(part.inline for part in found)) if word]
        if self.may_be_empty and said == [NONE]:
            return []
        if section.inline:
            section.warn(Code.STRAY_TEXT, f"contains a line that is not an item: {shown(section.inline)}")
        if not found:
            section.error(Code.EMPTY_FIELD, "has no items; write none" if self.may_be_empty else "has no items")
            return None
        values = [self._item(part, number) for number, part in enumerate(found, 1)]
        return None if any(value is None for value in values) else values

    def _item(self, part: Section, number: int) -> Any:
        whole, label = text_of(part, several=True), self.bullet[2:].format(number)
        if not whole.startswith(label):
            part.warn(Code.FORM, f"has an item that does not begin with {label!r}")
        text = checked(part, settled(whole.removeprefix(label.strip(BLANKS))))
        return None if text is None else self.item.read_text(text, part)

    def write(self, value: Sequence[Any]) -> list[str]:
        lines = [""]
        for number, item in enumerate(value, 1):
            first, *rest = self.item.format(item).split("\n")
            lines.append(f"{self.indent}{self.bullet.format(number)}{first}")
            lines.extend(f"{self.indent}{line}" if line else "" for line in _indented(rest))
        return lines if value else [NONE]


@dataclass(frozen=True, slots=True, kw_only=True)
class WithReasons:
    """A word after the key, read as Decision, with a list below it, read as Reasons."""

    word: Phrase
    reasons: Bullets

    @property
    def schema(self) -> Schema:
        return closed({"Decision": self.word.schema, "Reasons": self.reasons.schema})

    def read(self, section: Section) -> dict[str, Any] | None:
        word, reasons = self.word.read(replace(section, rest=[])), self.reasons.read(replace(section, inline=""))
        return None if word is None or reasons is None else {"Decision": word, "Reasons": reasons}

    def write(self, value: Mapping[str, Any]) -> list[str]:
        return [value["Decision"], *self.reasons.write(value["Reasons"])[1:]]


def _indented(lines: Sequence[str]) -> Iterator[str]:
    return ("  " + line if line else "" for line in lines)
