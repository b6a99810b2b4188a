"""The events of the journal -> docs/events.md: each kind with its fields, and the values that these hold."""

import dataclasses
import re
import types
import typing
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

from dualgate.core.values.events import KINDS, Happening, Step
from tools.markdown import cell, table, texts_under_fields

PAGE = Path(__file__).parent.parent / "docs" / "events.md"
GROUPS = (
    ("The session", "Events about the whole session, and what people decide.", Happening),
    ("Inside an iteration", "Steps of a call and of the test runs around it. They are most of a journal.", Step),
)


def page() -> str:
    """The whole page: an overview, the events, then the values inside of them."""
    parts = [INTRODUCTION, overview()]
    for title, text, group in GROUPS:
        parts += [f"## {title}\n\n{text}\n", *map(event_section, sorted(typing.get_args(group), key=kind_of))]
    parts += ["## Values\n\nObjects inside of events, by name.\n"]
    parts += [value_section(value) for value in sorted(values_inside(), key=lambda value: value.__name__)]
    return "\n".join(parts)


INTRODUCTION = """# Events of the journal

The journal of a session is a file of events, one JSON object per line ([the lines](records.md#the-journal)).
`dualgate log` shows them as text. `dualgate log --json` prints them whole. The fields below are the keys of `data`.

`make reference` makes this page from `core/values/events.py`. A test compares the page with the code.
"""


def overview() -> str:
    rows = [(f"[`{kind}`](#{anchor(kind)})", summary(event)) for kind, event in sorted(KINDS.items())]
    return table(("kind", "what happened"), rows)


def event_section(event: type) -> str:
    return f"### `{kind_of(event)}`\n\n{description(event)}\n\n{fields_table(event)}"


def value_section(value: type) -> str:
    return f"### {value.__name__}\n\n{description(value)}\n\n{fields_table(value)}"


def fields_table(owner: type) -> str:
    texts, hints = texts_under_fields(owner), typing.get_type_hints(owner)
    rows = [
        (f"`{field.name}`", type_name(hints[field.name]), cell(re.sub(r"\bNone\b", "null", texts.get(field.name, ""))))
        for field in dataclasses.fields(owner)
    ]
    return table(("field", "type", "meaning"), rows)


def type_name(hint: object) -> str:
    """A type in the words of JSON, with a link where it is an object of ours."""
    origin, given = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(type_name(each) for each in given)
    if origin is tuple:
        return f"list of {type_name(given[0])}" if given[-1] is Ellipsis else "list"
    if origin is not None and len(given) == 2:
        return f"object: {type_name(given[0])} to {type_name(given[1])}"
    if dataclasses.is_dataclass(hint):
        return f"[{hint.__name__}](#{anchor(hint.__name__)})" if isinstance(hint, type) else "object"
    if isinstance(hint, type) and issubclass(hint, Enum):
        return " ".join(f"`{member.value}`" for member in hint)
    return JSON_WORDS.get(hint, "any")


JSON_WORDS: dict[object, str] = {
    str: "text",
    int: "integer",
    float: "number",
    bool: "true or false",
    type(None): "null",
}
JSON_WORDS[typing.get_type_hints(next(iter(KINDS.values())))["at"]] = "time"


def values_inside() -> set[type]:
    """Every dataclass that an event holds, at any depth."""
    found: set[type] = set()
    waiting: list[type] = list(KINDS.values())
    while waiting:
        for hint in typing.get_type_hints(waiting.pop()).values():
            new = {value for value in dataclasses_in(hint) if value not in found and value not in KINDS.values()}
            found |= new
            waiting += new
    return found


def dataclasses_in(hint: object) -> Iterator[type]:
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        yield hint
    for each in typing.get_args(hint):
        yield from dataclasses_in(each)


def kind_of(event: type) -> str:
    return str(getattr(event, "kind"))  # noqa: B009  a class variable that `type` does not declare


def anchor(heading: str) -> str:
    """The anchor of a heading, as sites and GitHub make it."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def summary(owner: type) -> str:
    return cell(description(owner).split("\n\n")[0])


def description(owner: type) -> str:
    text = owner.__doc__ or ""
    # a dataclass without a docstring gets its signature as one
    return "" if text.startswith(f"{owner.__name__}(") else " ".join(text.split())
