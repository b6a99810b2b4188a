"""Shapes of JSON values. One table says what a document may hold; the checks and the JSON Schema both come from it."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol
from uuid import RFC_4122, UUID

from dualgate.core.values.problems import Problem, error, warning

SHOWN = 60


class Shape(Protocol):
    def check(self, value: Any, path: str) -> Iterator[Problem]: ...

    def schema(self) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A string that something else than its being a string is asked of."""

    expected: str
    is_legal: "re.Pattern[str]"
    says: Mapping[str, Any] = field(default_factory=dict)

    def check(self, value: Any, path: str) -> Iterator[Problem]:
        if not isinstance(value, str) or not self.is_legal.fullmatch(value):
            yield wrong(path, self.expected, value)

    def schema(self) -> dict[str, Any]:
        return {"type": "string", **self.says}


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    words: type[StrEnum]

    def check(self, value: Any, path: str) -> Iterator[Problem]:
        if not isinstance(value, str) or value not in list(self.words):
            yield wrong(path, f"one of {', '.join(self.words)}", value)

    def schema(self) -> dict[str, Any]:
        return {"enum": [str(word) for word in self.words]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Integer:
    least: int = 0
    most: int | None = None

    def check(self, value: Any, path: str) -> Iterator[Problem]:
        bounds = f"{self.least} or more" if self.most is None else f"from {self.least} to {self.most}"
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        if not is_whole or value < self.least or (self.most is not None and value > self.most):
            yield wrong(path, f"a whole number, {bounds}", value)

    def schema(self) -> dict[str, Any]:
        most = {} if self.most is None else {"maximum": self.most}
        return {"type": "integer", "minimum": self.least, **most}


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """Any number from 0 on, whole or not."""

    def check(self, value: Any, path: str) -> Iterator[Problem]:
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < math.inf:
            yield wrong(path, "a number, 0 or more", value)

    def schema(self) -> dict[str, Any]:
        return {"type": "number", "minimum": 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """An instant, with its zone: without one it names no instant."""

    def check(self, value: Any, path: str) -> Iterator[Problem]:
        try:
            has_zone = datetime.fromisoformat(value).tzinfo is not None
        except (TypeError, ValueError):
            has_zone = False
        if not has_zone:
            yield wrong(path, "an ISO-8601 time with its zone, such as 2026-01-16T10:00:00-03:00", value)

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "date-time"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Any UUID of RFC 4122, whatever its version."""

    def check(self, value: Any, path: str) -> Iterator[Problem]:
        try:
            is_legal = str(UUID(value)) == value.lower() and UUID(value).variant == RFC_4122
        except (AttributeError, TypeError, ValueError):
            is_legal = False
        if not is_legal:
            yield wrong(path, "a UUID", value)

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "uuid"}


@dataclass(frozen=True, slots=True, kw_only=True)
class OrNull:
    shape: Shape

    def check(self, value: Any, path: str) -> Iterator[Problem]:
        if value is not None:
            yield from self.shape.check(value, path)

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [self.shape.schema(), {"type": "null"}]}


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOf:
    item: Shape
    most: int | None = None

    def check(self, value: Any, path: str) -> Iterator[Problem]:
        if not isinstance(value, list):
            yield wrong(path, "a list", value)
            return
        if self.most is not None and len(value) > self.most:
            yield error("too_many", f"{path} holds {len(value)} entries; {self.most} are kept", path)
        for number, item in enumerate(value):
            yield from self.item.check(item, f"{path}[{number}]")

    def schema(self) -> dict[str, Any]:
        most = {} if self.most is None else {"maxItems": self.most}
        return {"type": "array", "items": self.item.schema(), **most}


@dataclass(frozen=True, slots=True, kw_only=True)
class ByWord:
    """An object whose keys are words of a fixed set."""

    words: type[StrEnum]
    item: Shape

    def check(self, value: Any, path: str) -> Iterator[Problem]:
        if not isinstance(value, dict):
            yield wrong(path, "an object", value)
            return
        for key, item in value.items():
            yield from Word(words=self.words).check(key, f"{path}.{key[:SHOWN]}")
            yield from self.item.check(item, f"{path}.{key[:SHOWN]}")

    def schema(self) -> dict[str, Any]:
        names = Word(words=self.words).schema()
        return {"type": "object", "propertyNames": names, "additionalProperties": self.item.schema()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """An object with named fields. A field it does not know is reported and breaks nothing."""

    required: Mapping[str, Shape]
    optional: Mapping[str, Shape] = field(default_factory=dict)

    def check(self, value: Any, path: str) -> Iterator[Problem]:
        if not isinstance(value, dict):
            yield wrong(path or "the document", "an object", value)
            return
        for name in self.required.keys() - value.keys():
            yield error("missing_field", f"{_inside(path, name)} is missing", _inside(path, name))
        known = {**self.required, **self.optional}
        for name, item in value.items():
            if name in known:
                yield from known[name].check(item, _inside(path, name))
            else:
                where = _inside(path, name[:SHOWN])
                message = f"there is no field {where}; it was left out"
                yield warning("unknown_field", message, where)

    def schema(self) -> dict[str, Any]:
        known = {**self.required, **self.optional}
        return {
            "type": "object",
            "properties": {name: shape.schema() for name, shape in known.items()},
            "required": list(self.required),
        }


ANY_TEXT = Text(expected="a text", is_legal=re.compile(r".*", re.DOTALL))
SOME_TEXT = Text(expected="a text that is not empty", is_legal=re.compile(r".*\S.*", re.DOTALL), says={"minLength": 1})
SHA256 = Text(
    expected="a SHA-256 in 64 hexadecimal digits",
    is_legal=re.compile(r"[0-9a-fA-F]{64}"),
    says={"pattern": "^[0-9a-fA-F]{64}$"},
)


def wrong(path: str, expected: str, value: Any) -> Problem:
    return error("illegal_value", f"{path} must be {expected}: {str(value)[:SHOWN]}", path)


def _inside(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
