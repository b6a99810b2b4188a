"""Tables of fields: the same functions read and write a packet, its subfields and its FixRequests."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
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
    """A key with the form of its value. `gap` adds a blank line before it, `hint` a remark in brackets after it."""

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

    def read(self, section: Section) -> dict[str, Any] | None:
        if section.inline:
            section.warn(Code.STRAY_TEXT, f"contains a line that is not a field: {shown(section.inline)}")
        values = read_fields(self.fields, gathered(self._parts(section)), section, f"{section.name}.")
        return values if is_whole(self.fields, values) else None

    def _parts(self, section: Section) -> Iterator[Section]:
        names = {field.name.casefold(): field.name for field in self.fields}
        part, depth = Section(report=section.report, line=section.line), -1
        for line, text in enumerate(section.rest, section.line + 1):
            match = KEY.fullmatch(text.lstrip(" \t"))
            name = names.get(match["key"].casefold()) if match else None
            if match and (name or (indentation(text) <= depth and match["value"][:1] in ("", *BLANKS))):
                yield part
                inline, depth = match["value"].strip(BLANKS), indentation(text)
                part = Section(report=section.report, name=name or "", line=line, inline=inline)
                self._complain(section, match["key"], name, text, line)
            elif part.name or depth >= 0:
                part.rest.append(text)
            elif not is_blank(text):
                section.warn(Code.STRAY_TEXT, f"contains a line that is not a field: {shown(text)}", line)
        yield part

    def _complain(self, section: Section, key: str, name: str | None, text: str, line: int) -> None:
        where = f"{section.name}.{name or key}"
        if name is None:
            section.report.warn(Code.UNKNOWN_FIELD, f"{where} is not a field and is ignored", where, line)
        elif not text.startswith(f"{self.lead}{name}:"):
            section.report.warn(Code.DECORATION, f"{where} is spelled differently: {shown(text)}", None, line)

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

    def read(self, section: Section) -> list[dict[str, Any]] | None:
        blocks = list(_blocks(section))
        if section.inline.casefold() == NONE and not blocks:
            return []
        if section.inline:
            section.error(Code.ILLEGAL_VALUE, f"is 'none' or is followed by blocks: {shown(section.inline)}")
        elif not blocks:
            section.error(Code.EMPTY_FIELD, "has no blocks; write none")
        requests = [request for block in blocks if (request := self.block.read(block)) is not None]
        return requests if requests and len(requests) == len(blocks) and not section.inline else None

    def readable(self, sections: Sequence[Section]) -> list[dict[str, Any]]:
        """The requests, if all can be read; nothing is reported."""
        if not sections:
            return []
        whole = _joined([replace(section, report=Report()) for section in sections])
        requests = [self.block.read(block) for block in _blocks(whole)]
        return [] if None in requests else [request for request in requests if request is not None]

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
    table: Sequence[PacketField], found: Mapping[str, Sequence[Section]], within: Section, where: str = ""
) -> dict[str, Any]:
    """The values of a table by name; missing and illegal values are reported and left out."""
    values: dict[str, Any] = {}
    for field in table:
        name = where + field.name
        if field.name not in found:
            if field.required:
                within.report.error(Code.MISSING_FIELD, f"{name} is missing", name, within.line)
            continue
        sections = [replace(section, name=name) for section in found[field.name]]
        section = _joined(sections) if name == FIX_REQUEST else _only(sections)
        if field.required or isinstance(field.form, Bullets) or section.inline.casefold() != NONE:
            value = field.form.read(section)
            values |= {} if value is None else {field.name: value}
    return values


def _only(sections: Sequence[Section]) -> Section:
    """The first of several sections with one name; reports an error if the others differ from it."""
    first, own = sections[0], sections[0].bare
    for other in sections[1:]:
        if other.inline == first.inline and other.bare == own:
            other.warn(Code.DUPLICATE_FIELD, "is given twice")
        else:
            other.error(Code.DUPLICATE_FIELD, "is given twice with different values")
    return first


def _joined(sections: Sequence[Section]) -> Section:
    """Join FixRequests from several places into one list; blank lines in between keep the line numbers right."""
    first, rest = sections[0], list(sections[0].rest)
    for other in sections[1:]:
        rest.extend([""] * (other.line - first.line - 1 - len(rest)))
        rest.extend((other.inline if other.inline.casefold() != NONE else "", *other.rest))
    return replace(first, rest=rest)


def _blocks(section: Section) -> Iterator[Section]:
    """Each FixRequest as its own section: it begins at a heading or at a second id."""
    block = replace(section, inline="", rest=[])
    number, has_id = 1, False
    for line, text in enumerate((*section.rest, HEADING), section.line + 1):
        key = _key(text)
        heading = bool(REQUEST_HEADING.match(text)) or key == FIX_REQUEST.casefold()
        if heading or (has_id and key == "id"):
            if block.bare:
                yield replace(block, name=f"{section.name}[{number}]")
                number += 1
            block, has_id = replace(block, line=line if heading else line - 1, rest=[]), False
        if not heading:
            block.rest.append(text)
            has_id = has_id or key == "id"


def _key(text: str) -> str:
    match = KEY.fullmatch(text.lstrip(" \t"))
    return match["key"].casefold() if match else ""
