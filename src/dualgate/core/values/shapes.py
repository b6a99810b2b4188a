"""Build JSON Schemas, and check values against them. `check` supports only what these builders produce."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from dualgate.core.values.problems import Problem, error, warning

Schema = dict[str, Any]
_SHOWN = 60

ANY_TEXT: Schema = {"type": "string"}
SOME_TEXT: Schema = {"type": "string", "minLength": 1}
SHA256: Schema = {"type": "string", "pattern": "^[0-9a-fA-F]{64}$"}
MOMENT: Schema = {"type": "string", "format": "date-time"}
"""A time with its zone; without a zone it is ambiguous."""
IDENTITY: Schema = {"type": "string", "format": "uuid"}
"""Any UUID of RFC 4122, whatever its version."""
NUMBER: Schema = {"type": "number", "minimum": 0}
_HEX = re.compile("[0-9a-fA-F]{64}")


def words(allowed: Iterable[str]) -> Schema:
    return {"enum": [str(word) for word in allowed]}


def integer(least: int = 0, most: int | None = None) -> Schema:
    return {"type": "integer", "minimum": least} | ({} if most is None else {"maximum": most})


def or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def list_of(item: Schema, most: int | None = None) -> Schema:
    return {"type": "array", "items": item} | ({} if most is None else {"maxItems": most})


def by_word(allowed: Iterable[str], item: Schema) -> Schema:
    """An object whose keys are words of a fixed set."""
    return {"type": "object", "propertyNames": words(allowed), "additionalProperties": item}


def record(required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """An object with named fields. An unknown field is only a warning."""
    return {"type": "object", "properties": {**required, **(optional or {})}, "required": list(required)}


def closed(properties: Mapping[str, Schema], required: Iterable[str] | None = None) -> Schema:
    """An object with these fields and no others; all are required by default."""
    names = list(properties if required is None else required)
    return {"type": "object", "properties": dict(properties), "required": names, "additionalProperties": False}


def check(schema: Schema, value: Any, path: str = "") -> Iterator[Problem]:
    """Yield the problems of a value, each with the path of its field in the document."""
    if "anyOf" in schema:
        yield from () if value is None else check(schema["anyOf"][0], value, path)
    elif schema.get("type") == "array":
        yield from _check_list(schema, value, path)
    elif schema.get("type") == "object":
        yield from _check_object(schema, value, path)
    else:
        expected, is_legal = _expectation(schema)
        if not is_legal(value):
            yield _wrong(path, expected, value)


def _check_list(schema: Schema, value: Any, path: str) -> Iterator[Problem]:
    if not isinstance(value, list):
        yield _wrong(path, "a list", value)
        return
    most = schema.get("maxItems", len(value))
    if len(value) > most:
        yield error("too_many", f"{path} holds {len(value)} entries; {most} are kept", path)
    for number, item in enumerate(value):
        yield from check(schema["items"], item, f"{path}[{number}]")


def _check_object(schema: Schema, value: Any, path: str) -> Iterator[Problem]:
    if not isinstance(value, dict):
        yield _wrong(path or "the document", "an object", value)
        return
    for name in schema.get("required", ()):
        if name not in value:
            yield error("missing_field", f"{_inside(path, name)} is missing", _inside(path, name))
    for name, item in value.items():
        where = _inside(path, name[:_SHOWN])
        if "propertyNames" in schema:
            yield from check(schema["propertyNames"], name, where)
            yield from check(schema["additionalProperties"], item, where)
        elif name in schema["properties"]:
            yield from check(schema["properties"][name], item, where)
        else:
            yield warning("unknown_field", f"there is no field {where}; it is ignored", where)


def _expectation(schema: Schema) -> tuple[str, Callable[[Any], bool]]:
    """Return what a plain value must be, in words, and a function that checks it."""
    match schema:
        case {"enum": allowed}:
            return f"one of {', '.join(allowed)}", lambda value: isinstance(value, str) and value in allowed
        case {"type": "integer", "minimum": least}:
            most = schema.get("maximum", math.inf)
            bounds = f"{least} or more" if most == math.inf else f"from {least} to {most}"
            return f"a whole number, {bounds}", lambda value: type(value) is int and least <= value <= most
        case {"type": "number"}:
            return "a number, 0 or more", lambda value: type(value) in (int, float) and 0 <= value < math.inf
        case {"format": "date-time"}:
            return "an ISO-8601 time with its zone, such as 2026-01-16T10:00:00-03:00", _has_zone
        case {"format": "uuid"}:
            return "a UUID", _is_uuid
        case {"pattern": _}:
            return "a SHA-256 in 64 hexadecimal digits", lambda value: bool(_HEX.fullmatch(str(value)))
        case {"minLength": _}:
            return "a text that is not empty", lambda value: isinstance(value, str) and bool(value.strip())
        case _:
            return "a text", lambda value: isinstance(value, str)


def _has_zone(value: Any) -> bool:
    try:
        return datetime.fromisoformat(value).tzinfo is not None
    except (TypeError, ValueError):
        return False


def _is_uuid(value: Any) -> bool:
    from uuid import RFC_4122, UUID  # slow to load, and seldom needed

    try:
        return str(UUID(value)) == value.lower() and UUID(value).variant == RFC_4122
    except (AttributeError, TypeError, ValueError):
        return False


def _wrong(path: str, expected: str, value: Any) -> Problem:
    return error("illegal_value", f"{path} must be {expected}: {str(value)[:_SHOWN]}", path)


def _inside(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
