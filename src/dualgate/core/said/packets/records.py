"""Fields in tables: a packet and its records are read and written by the same few functions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dualgate.core.said.packets.report import Code, Report, shown
from dualgate.core.said.packets.sections import FIX_REQUEST, KEY, REQUEST_HEADING, Section, indentation, is_blank
from dualgate.core.said.packets.shapes import Items, Shape
from dualgate.core.said.packets.stretches import BLANKS
from dualgate.core.said.packets.texts import NONE
from dualgate.core.values.fix_request import FixRequest

HEADING = "### FixRequest"


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A key with the attribute it fills. `gap` puts a blank line before it, `hint` stands behind it in brackets."""

    name: str
    attribute: str
    shape: Shape
    hint: str = ""
    required: bool = True
    gap: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Keys below a key, as bullets or indented."""

    type: type
    fields: tuple[Field, ...]
    lead: str = "  "

    def read(self, section: Section, report: Report) -> Any:
        if section.inline:
            report.warn(Code.STRAY_TEXT, f"{shown(section.inline)} is no field", section.name, section.line)
        found = gathered(self._parts(section, report))
        values = read_fields(self.fields, found, section.line, report, f"{section.name}.")
        return build(self.type, self.fields, values)

    def _parts(self, section: Section, report: Report) -> Iterator[Section]:
        names = {field.name.casefold(): field.name for field in self.fields}
        part, depth = Section(name="", line=section.line), -1
        for line, text in enumerate(section.rest, section.line + 1):
            match = KEY.fullmatch(text.lstrip(" \t"))
            name = names.get(match["key"].casefold()) if match else None
            if match and (name or (indentation(text) <= depth and match["value"][:1] in ("", *BLANKS))):
                yield from (part,) if part.name else ()
                part, depth = (
                    Section(name=name or "", line=line, inline=match["value"].strip(BLANKS)),
                    indentation(text),
                )
                self._complain(match["key"], name, text, f"{section.name}.", line, report)
            elif part.name or depth >= 0:
                part.rest.append(text)
            elif not is_blank(text):
                report.warn(Code.STRAY_TEXT, f"{shown(text)} is no field", section.name, line)
        yield from (part,) if part.name else ()

    def _complain(self, key: str, name: str | None, text: str, where: str, line: int, report: Report) -> None:
        if name is None:
            report.warn(Code.UNKNOWN_FIELD, f"{where}{key} is no field and is left out", where + key, line)
        elif not text.startswith(f"{self.lead}{name}:"):
            report.warn(Code.DECORATION, f"{where}{name} is written otherwise: {shown(text)}", None, line)

    def write(self, value: Any) -> list[str]:
        return ["", *self.written(value)]

    def written(self, value: Any) -> Iterator[str]:
        for field in self.fields:
            first, *rest = field.shape.write(getattr(value, field.attribute))
            yield f"{self.lead}{field.name}: {first}"
            yield from (f"{'' if self.lead == '- ' else self.lead}{line}" if line else "" for line in rest)

    def plain(self, value: Any) -> dict[str, object]:
        return {field.name: field.shape.plain(getattr(value, field.attribute)) for field in self.fields}


@dataclass(frozen=True, slots=True, kw_only=True)
class Requests:
    """`none`, or FixRequests one below the other."""

    record: Record

    def read(self, section: Section, report: Report) -> tuple[FixRequest, ...] | None:
        blocks = list(_blocks(section))
        if section.inline.casefold() == NONE and not blocks:
            return ()
        if section.inline:
            message = f"{section.name} is 'none' or is followed by blocks: {shown(section.inline)}"
            report.error(Code.ILLEGAL_VALUE, message, section.name, section.line)
        elif not blocks:
            report.error(Code.EMPTY_FIELD, f"{section.name} has no blocks; write none", section.name, section.line)
        requests = [self.record.read(block, report) for block in blocks]
        return None if section.inline or not requests or None in requests else tuple(requests)

    def write(self, value: Sequence[FixRequest]) -> list[str]:
        lines = [""]
        for request in value:
            lines += [*([""] if len(lines) > 1 else []), HEADING, *self.record.written(request)]
        return lines if value else [NONE]

    def plain(self, value: Sequence[FixRequest]) -> object:
        return [self.record.plain(request) for request in value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A word behind the key with its reasons below it."""

    type: type
    word: Field
    reasons: Field

    def read(self, section: Section, report: Report) -> Any:
        above = Section(name=section.name, line=section.line, inline=section.inline)
        below = Section(name=section.name, line=section.line, rest=section.rest)
        word, reasons = self.word.shape.read(above, report), self.reasons.shape.read(below, report)
        values = {self.word.attribute: word, self.reasons.attribute: reasons}
        return None if word is None or reasons is None else self.type(**values)

    def write(self, value: Any) -> list[str]:
        (first,) = self.word.shape.write(getattr(value, self.word.attribute))
        return [first, *self.reasons.shape.write(getattr(value, self.reasons.attribute))[1:]]

    def plain(self, value: Any) -> dict[str, object]:
        return {part.name: part.shape.plain(getattr(value, part.attribute)) for part in (self.word, self.reasons)}


def gathered(sections: Iterable[Section]) -> dict[str, list[Section]]:
    found: dict[str, list[Section]] = {}
    for section in sections:
        found.setdefault(section.name, []).append(section)
    return found


def read_fields(
    table: Sequence[Field], found: Mapping[str, Sequence[Section]], line: int, report: Report, where: str = ""
) -> dict[str, Any]:
    """The values of a table by attribute; what is missing or illegal is complained of and left out."""
    values: dict[str, Any] = {}
    for field in table:
        section = _only(field.name, found.get(field.name, ()), where, report)
        if section is None:
            if field.required:
                report.error(Code.MISSING_FIELD, f"{where}{field.name} is missing", where + field.name, line)
        elif field.required or isinstance(field.shape, Items) or section.inline.casefold() != NONE:
            value = field.shape.read(section, report)
            values |= {} if value is None else {field.attribute: value}
    return values


def build(type_: type, table: Sequence[Field], values: Mapping[str, Any]) -> Any:
    """The typed value, or None where one of its fields could not be read."""
    complete = all(field.attribute in values for field in table if field.required)
    return type_(**{f.attribute: values[f.attribute] for f in table if f.attribute in values}) if complete else None


def _only(name: str, sections: Sequence[Section], where: str, report: Report) -> Section | None:
    if not sections:
        return None
    first, *others = sections
    section = Section(name=where + name, line=first.line, inline=first.inline, rest=first.rest)
    if name == FIX_REQUEST:
        return _joined(section, others)
    own = _bare(first)
    for other in others:
        if other.inline == first.inline and _bare(other) == own:
            report.warn(Code.DUPLICATE_FIELD, f"{where}{name} is given twice", where + name, other.line)
        else:
            message = f"{where}{name} is given twice with different values"
            report.error(Code.DUPLICATE_FIELD, message, where + name, other.line)
    return section


def _bare(section: Section) -> list[str]:
    return [line for line in section.rest if not is_blank(line)]


def _joined(section: Section, others: Sequence[Section]) -> Section:
    """FixRequests in several places are one list; blank lines in between keep the line numbers right."""
    rest = list(section.rest)
    for other in others:
        rest.extend([""] * (other.line - section.line - 1 - len(rest)))
        rest.extend((other.inline if other.inline.casefold() != NONE else "", *other.rest))
    return Section(name=section.name, line=section.line, inline=section.inline, rest=rest)


def _blocks(section: Section) -> Iterator[Section]:
    """Each FixRequest as a section of its own: a heading begins one, and so does a second id."""
    block = Section(name="", line=section.line)
    number, has_id = 1, False
    for line, text in enumerate((*section.rest, HEADING), section.line + 1):
        key = _key(text)
        heading = bool(REQUEST_HEADING.match(text)) or key == FIX_REQUEST.casefold()
        if heading or (has_id and key == "id"):
            if _bare(block):
                yield Section(name=f"{section.name}[{number}]", line=block.line, rest=block.rest)
                number += 1
            block, has_id = Section(name="", line=line if heading else line - 1), False
        if not heading:
            block.rest.append(text)
            has_id = has_id or key == "id"


def _key(text: str) -> str:
    match = KEY.fullmatch(text.lstrip(" \t"))
    return match["key"].casefold() if match else ""
