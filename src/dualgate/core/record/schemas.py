"""The tables of the four documents -> JSON Schemas of what `dualgate parse` gives as `fields`."""

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Any, get_type_hints

from dualgate.core.record import loop_document
from dualgate.core.said.blocks import phase_text, ralph_text
from dualgate.core.said.blocks.values import LINE
from dualgate.core.said.packets.grammar import CLOSING, COMMON, REQUEST, TABLES
from dualgate.core.said.packets.records import Decided, Field, Record, Requests
from dualgate.core.said.packets.shapes import Excerpt, Items, Line, Remarks, Shape, Text, Word
from dualgate.core.said.packets.values import PHASES

DIALECT = "https://json-schema.org/draft/2020-12/schema"
PLAIN: dict[type, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer", "minimum": 0},
    bool: {"type": "boolean"},
}
Schema = dict[str, Any]


def ralph_status() -> Schema:
    forms = {name: dict(form.schema) for name, form in ralph_text.FORMS.items()}
    complete = {"properties": {"STATUS": {"const": "COMPLETE"}}}
    signalled = {"properties": {"EXIT_SIGNAL": {"const": True}}, "required": ["EXIT_SIGNAL"]}
    return _closed(forms, forms) | {"if": signalled, "then": complete}


def phase_status() -> Schema:
    """The dotted names of the table as sections."""
    nested: dict[str, Any] = {}
    for name in phase_text.ORDER:
        section, _, key = name.rpartition(".")
        place = nested.setdefault(section, {}) if section else nested
        blockers = {"type": "array", "items": dict(LINE.schema)}
        place[key] = blockers if name == phase_text.BLOCKERS else dict(phase_text.FORMS[name].schema)
    sections = phase_text.SECTIONS - {phase_text.BLOCKERS}
    whole = {name: _closed(value, value) if name in sections else value for name, value in nested.items()}
    return _closed(whole, whole)


def phase_packet() -> Schema:
    """One of the forms that the phases have."""
    forms = []
    for details, table in TABLES.items():
        form = _of_fields((*COMMON, *table, *CLOSING))
        form["properties"]["Phase"] = {"const": str(PHASES[details])}
        forms.append(form)
    return {"oneOf": forms}


def fix_request() -> Schema:
    return _of_fields(REQUEST.fields)


SCHEMAS: dict[str, Callable[[], Schema]] = {
    "ralph-status": ralph_status,
    "phase-status": phase_status,
    "phase-packet": phase_packet,
    "fix-request": fix_request,
    "loop-state": loop_document.schema,
}


def schema(name: str) -> Schema:
    return {"$schema": DIALECT, "title": name, **SCHEMAS[name]()}


def _of_fields(table: Iterable[Field]) -> Schema:
    table = tuple(table)
    return _closed({f.name: _of_shape(f.shape) for f in table}, [f.name for f in table if f.required])


def _of_shape(shape: Shape) -> Schema:
    match shape:
        case Text() | Excerpt() | Remarks():
            return {"type": "string"}
        case Word(allowed=words):
            return {"enum": [str(word) for word in words]}
        case Line():
            return _of_line(shape)
        case Items(item=item):
            return {"type": "array", "items": _of_line(item)}
        case Record(fields=table):
            return _of_fields(table)
        case Requests(record=record):
            return {"type": "array", "items": _of_shape(record)}
        case Decided(word=word, reasons=reasons):
            return _of_fields((word, reasons))
        case _:
            raise TypeError(f"{type(shape).__name__} has no schema")


def _of_line(line: Line) -> Schema:
    """A dataclass as an object whose keys are the names that the form gives its fields."""
    if not line.names:
        return _of_type(line.type)
    hints = get_type_hints(line.type)  # of a dataclass: in the order of its fields
    typed = {name: _of_type(hint) for name, hint in zip(line.names, hints.values(), strict=True)}
    return _closed(typed, typed)


def _of_type(type_: Any) -> Schema:
    if isinstance(type_, type) and issubclass(type_, StrEnum):
        return {"enum": [str(word) for word in type_]}
    if type_ == tuple[str, ...]:
        return {"type": "array", "items": {"type": "string"}}
    return dict(PLAIN[type_])


def _closed(properties: Mapping[str, Any], required: Iterable[str]) -> Schema:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }
