"""The parameters of an endpoint: read and checked by the same schema that the OpenAPI document shows."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dualgate.core.values.notation import in_line
from dualgate.core.values.shapes import Schema
from dualgate.errors import SettingError

_MOST_DIGITS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    name: str
    schema: Schema
    about: str
    default: Any = None
    in_path: bool = False


def read_parameters(known: Iterable[Parameter], path: Mapping[str, str], query: Mapping[str, str]) -> dict[str, Any]:
    """The values by name, defaults for those that are not given. Raises SettingError."""
    known = tuple(known)
    names = [each.name for each in known if not each.in_path]
    if unknown := [name for name in query if name not in names]:
        allowed = f"Known: {', '.join(names)}." if names else "It takes no parameters."
        raise SettingError(f"There is no parameter '{in_line(unknown[0][:40])}'.", allowed)
    found: dict[str, Any] = {}
    for each in known:
        text = (path if each.in_path else query).get(each.name)
        found[each.name] = each.default if text is None else _value(each, text)
    return found


def _value(parameter: Parameter, text: str) -> Any:
    schema = parameter.schema
    if schema.get("type") == "integer":
        is_number = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
        if is_number and schema["minimum"] <= int(text) <= schema.get("maximum", int(text)):
            return int(text)
    elif "enum" in schema:
        if text in schema["enum"]:
            return text
    elif len(text) <= schema["maxLength"] and re.search(schema["pattern"], text) and "\n" not in text:
        return text
    raise SettingError(f"Invalid {parameter.name}.", f"It is {parameter.about[0].lower()}{parameter.about[1:]}")


def text_of(pattern: str, longest: int) -> Schema:
    """The schema of a parameter that is a text."""
    return {"type": "string", "pattern": f"^(?:{pattern})$", "maxLength": longest}
