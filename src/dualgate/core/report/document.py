"""Report -> the object of `dualgate report --format json`, and its JSON Schema, made from the types of its fields."""

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from dualgate.core.report.values import FORMAT, Report
from dualgate.core.values.shapes import ANY_TEXT, MOMENT, NUMBER, Schema, integer, list_of, or_null, record, words

_PLAIN: Mapping[type, Schema] = {
    str: ANY_TEXT,
    int: integer(),
    float: NUMBER,
    bool: {"type": "boolean"},
    datetime: MOMENT,
}


def report_document(report: Report) -> dict[str, Any]:
    """The report as JSON has it: objects, lists, words, numbers and times with their zone."""
    document: dict[str, Any] = _plain(report)
    return document


def report_schema() -> Schema:
    schema = _schema(Report)
    return schema | {"properties": schema["properties"] | {"format": integer(1, FORMAT)}}


def schema_of_type(kind: type) -> Schema:
    """The schema of a value of the report, as the document has it."""
    return _schema(kind)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, datetime):
        return value.isoformat()
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


@cache
def _schema(kind: Any) -> Schema:
    """The schema of a type. A field without a default is required; all are written."""
    if kind in _PLAIN:
        return dict(_PLAIN[kind])
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return words(kind)
    if get_origin(kind) is tuple:
        return _schema_of_tuple(get_args(kind))
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        every = {field.name: _schema(hints[field.name]) for field in fields(kind)}
        required = [
            field.name for field in fields(kind) if (field.default, field.default_factory) == (MISSING, MISSING)
        ]
        return record({name: every[name] for name in required}, every)
    given = [each for each in get_args(kind) if each is not NoneType]
    return or_null(_schema(given[0]))


def _schema_of_tuple(items: tuple[Any, ...]) -> Schema:
    return list_of(_schema(items[0]))
