"""Text of one value -> the value, or None. Common inexact spellings are tolerated, each under a name."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

_LINE_LENGTH = 500
_REMARK = re.compile(r"(\S+)[ \t]+[(#—].*", re.DOTALL)
# more digits than any count needs, and fewer than the limit of int()
_INTEGER = re.compile(r"[0-9]{1,18}")
_MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]{1,9})?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)"
)
_PLACEHOLDER = re.compile(
    r"\[[^\[\]]*\]|<[^<>]*>|.*\[(?:specific next task|summary|specific blocker description)\]", re.DOTALL
)
_ENDS_OF_PLACEHOLDERS = ("]", ">")
_CHOICE = re.compile(r"\S+ ?\| ?\S+.*", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueForm:
    """How the values of a field are written; `read` returns None for an illegal value."""

    read: Callable[[str], Any]
    expected: str
    schema: Mapping[str, Any]
    """The JSON Schema of the value."""
    loose: Mapping[str, Any] = field(default_factory=dict)
    """Other spellings that agents use, with their values."""
    takes_remark: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadValue:
    """A value, and the names of the inexact forms that were tolerated."""

    value: Any
    tolerated: tuple[str, ...] = ()


def read_value(form: ValueForm, text: str) -> ReadValue | None:
    remark = _REMARK.fullmatch(text) if form.takes_remark else None
    word, tolerated = (remark[1], ("remark",)) if remark else (text, ())
    value = form.read(word)
    if value is None and word in form.loose:
        value, tolerated = form.loose[word], ("case", *tolerated)
    return None if value is None else ReadValue(value=value, tolerated=tolerated)


def _is_placeholder(text: str) -> bool:
    """Whether a value is a placeholder of a template: `[true|false]`, `<number>`."""
    return text.endswith(_ENDS_OF_PLACEHOLDERS) and bool(_PLACEHOLDER.fullmatch(text))


def looks_like_template(text: str) -> bool:
    return _is_placeholder(text) or bool(_CHOICE.fullmatch(text))


def word(allowed: type[StrEnum]) -> ValueForm:
    return ValueForm(
        read={str(member): member for member in allowed}.get,
        expected=f"one of {', '.join(allowed)}",
        schema={"enum": [str(member) for member in allowed]},
    )


def number(least: int = 0, most: int | None = None) -> ValueForm:
    """ASCII digits without a sign, within bounds."""

    def read(text: str) -> int | None:
        if not _INTEGER.fullmatch(text):
            return None
        return value if (value := int(text)) >= least and (most is None or value <= most) else None

    bounds = f"{least} or more" if most is None else f"from {least} to {most}"
    upper = {} if most is None else {"maximum": most}
    return ValueForm(
        read=read,
        expected=f"a whole number, {bounds}, in the digits 0-9 without a sign",
        schema={"type": "integer", "minimum": least, **upper},
    )


def one_line(text: str, length: int = _LINE_LENGTH) -> str:
    """Any text as a legal line: shortened, never empty, never read as a placeholder or as `none`."""
    line = " ".join(text.split())
    line = line if len(line) <= length else line[: length - 1].rstrip() + "…"
    is_taken = _is_placeholder(line) or line.lower() == "none"
    return f"({line})" if is_taken else line or "(nothing was said)"


def moment_text(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if _MOMENT.fullmatch(text) else None
    except ValueError:  # right shape, but no such date
        return None


def _line(text: str) -> str | None:
    is_line = text.splitlines() == [text] == [text.strip(" \t")] and not _is_placeholder(text)
    return text if is_line else None


BOOLEAN = ValueForm(
    read={"true": True, "false": False}.get,
    expected="true or false",
    schema={"type": "boolean"},
    loose={"TRUE": True, "True": True, "FALSE": False, "False": False},
)
MOMENT_WITH_ZONE = ValueForm(
    read=_moment,
    expected="an ISO-8601 time with its zone, such as 2026-01-13T10:15:00Z",
    schema={"type": "string", "format": "date-time"},
)
LINE = ValueForm(
    read=_line,
    expected="one line, not empty and not a placeholder",
    schema={"type": "string", "pattern": r"^\S(.*\S)?$"},
    takes_remark=False,
)
TOKEN = ValueForm(
    read=lambda text: None if _is_placeholder(text) or len(text.split()) > 1 else text.strip("`'\"").lower(),
    expected="the one word that the prompt gives",
    schema={"type": "string", "pattern": r"^\S*$"},
)
