"""Fields in tables: a packet, its subfields and its FixRequests are read and written by the same few functions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from dualgate.core.said.packets.decoration import NONE
from dualgate.core.said.packets.forms import Bullets, FieldForm
from dualgate.core.said.packets.report import Code, Report, shown
from dualgate.core.said.packets.sections import FIX_REQUEST, KEY, REQUEST_HEADING, Section, indentation, is_blank
from dualgate.core.said.packets.stretches import BLANKS
from dualgate.core.values.shapes import Schema, closed, list_of

HEADING = "### FixRequest"


@dataclass(frozen=True, slots=True)
class PacketField:
    """A key with the form of its value. `gap` puts a blank line before it, `hint` stands behind it in brackets."""

    name: str
    form: FieldForm
    _: KW_ONLY
    hint: str = ""
    required: bool = True
    gap: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Subfields:
    """Keys below a key, as bullets or indented."""

    fields: tuple[PacketField, ...]
    lead: str = "  "

    @property
    def schema(self) -> Schema:
        return schema_of(self.fields)

    def read(self, section: Section, report: Report) -> dict[str, Any] | None:
        if section.inline:
            report.warn(Code.STRAY_TEXT, f"{shown(section.inline)} is no field", section.name, section.line)
        found = gathered(self._parts(section, report))
        values = read_fields(self.fields, found, section.line, report, f"{section.name}.")
        return values if is_whole(self.fields, values) else None

    def _parts(self, section: Section, report: Report) -> Iterator[Section]:
        names = {field.name.casefold(): field.name for field in self.fields}
        part, depth = Section(name="", line=section.line), -1
        for line, text in enumerate(section.rest, section.line + 1):
            match = KEY.fullmatch(text.lstrip(" \t"))
            name = names.get(match["key"].casefold()) if match else None
            if match and (name or (indentation(text) <= depth and match["value"][:1] in ("", *BLANKS))):
                yield part
                part = Section(name=name or "", line=line, inline=match["value"].strip(BLANKS))
                depth = indentation(text)
                self._complain(match["key"], name, text, f"{section.name}.", line, report)
            elif part.name or depth >= 0:
                part.rest.append(text)
            elif not is_blank(text):
                report.warn(Code.STRAY_TEXT, f"{shown(text)} is no field", section.name, line)
        yield part

    def _complain(self, key: str, name: str | None, text: str, where: str, line: int, report: Report) -> None:
        if name is None:
            report.warn(Code.UNKNOWN_FIELD, f"{where}{key} is no field and is left out", where + key, line)
        elif not text.startswith(f"{self.lead}{name}:"):
            report.warn(Code.DECORATION, f"{where}{name} is written otherwise: {shown(text)}", None, line)

    def write(self, value: Mapping[str, Any]) -> list[str]:
        lines = [""]
        below = "" if self.lead == "- " else self.lead
        for field in self.fields:
            first, *rest = field.form.write(value[field.name])
            lines += [f"{self.lead}{field.name}: {first}", *(f"{below}{line}" if line else "" for line in rest)]
        return lines


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestBlocks:
    """`none`, or FixRequests one below the other."""

    block: Subfields

    @property
    def schema(self) -> Schema:
        return list_of(self.block.schema)

    def read(self, section: Section, report: Report) -> list[dict[str, Any]] | None:
        blocks = list(_blocks(section))
        if section.inline.casefold() == NONE and not blocks:
            return []
        if section.inline:
            message = f"{section.name} is 'none' or is followed by blocks: {shown(section.inline)}"
            report.error(Code.ILLEGAL_VALUE, message, section.name, section.line)
        elif not blocks:
            report.error(Code.EMPTY_FIELD, f"{section.name} has no blocks; write none", section.name, section.line)
        requests = [request for block in blocks if (request := self.block.read(block, report)) is not None]
        return requests if requests and len(requests) == len(blocks) and not section.inline else None

    def write(self, value: Sequence[Mapping[str, Any]]) -> list[str]:
        lines = [line for request in value for line in ("", HEADING, *self.block.write(request)[1:])]
        return lines or [NONE]


def schema_of(table: Sequence[PacketField]) -> Schema:
    return closed({f.name: f.form.schema for f in table}, [f.name for f in table if f.required])


def is_whole(table: Sequence[PacketField], values: Mapping[str, Any]) -> bool:
    return all(field.name in values for field in table if field.required)


def gathered(sections: Iterable[Section]) -> dict[str, list[Section]]:
    found: dict[str, list[Section]] = {}
    for section in sections:
        found.setdefault(section.name, []).append(section)
    return found


def read_fields(
    table: Sequence[PacketField], found: Mapping[str, Sequence[Section]], line: int, report: Report, where: str = ""
) -> dict[str, Any]:
    """The values of a table by name; what is missing or illegal is complained of and left out."""
    values: dict[str, Any] = {}
    for field in table:
        section = _only(field.name, found.get(field.name, ()), where, report)
        if section is None:
            if field.required:
                report.error(Code.MISSING_FIELD, f"{where}{field.name} is missing", where + field.name, line)
        elif field.required or isinstance(field.form, Bullets) or section.inline.casefold() != NONE:
            value = field.form.read(section, report)
            values |= {} if value is None else {field.name: value}
    return values


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
