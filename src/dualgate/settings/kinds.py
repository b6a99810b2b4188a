"""Kinds of settings: what is legal, how it is read from a file or a variable, and how it is shown."""

import math
import re
from collections.abc import Callable
from enum import StrEnum
from typing import Any, Generic, NamedTuple, TypeVar

from dualgate.core.values.notation import read_duration, show_duration

T = TypeVar("T", covariant=True)
W = TypeVar("W", bound=StrEnum)
OFF = "off"
YES_AND_NO = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
SENSITIVITY_WORDS = re.compile(r"report|off|require:(100|[1-9]?\d)%", re.ASCII)
ID_AND_REASON = re.compile(r"\s*[\w-]+:\s*\S.*", re.DOTALL)
SIZES = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def show_value(value: object) -> str:
    """A value as a file would hold it; an empty value as a dash."""
    match value:
        case None | "":
            return "-"
        case bool():
            return str(value).lower()
        case list() | tuple():
            return "[" + ", ".join(f'"{each}"' for each in value) + "]"
        case _:
            return str(value)


class Kind(NamedTuple, Generic[T]):
    legal: str
    read: Callable[[Any], T]
    """Reads a value from a file; raises ValueError if it is not legal."""
    parse: Callable[[str], Any] = str
    """Converts the text of a variable to the value that a file would hold."""
    show: Callable[[Any], str] = show_value
    words: tuple[str, ...] = ()
    """The legal words, if there is a fixed choice."""


def whole(least: int) -> Kind[int]:
    def read(value: object) -> int:
        return int(_only(type(value) is int and value >= least, value))

    return Kind(legal=f"a whole number from {least} on", read=read, parse=_digits)


def duration(least: float = 0.0) -> Kind[float]:
    def read(value: object) -> float:
        seconds = read_duration(value)
        return float(_only(seconds >= least, seconds))

    from_on = f", from {show_duration(least)} on" if least else ""
    return Kind(legal=f"a duration such as 90s, 30m or 1h30m (a number is seconds){from_on}", read=read, show=_time)


def choice(words: type[W]) -> Kind[W]:
    return Kind(legal=f"one of {', '.join(words)}", read=words, words=tuple(word.value for word in words))


def choices(words: type[W]) -> Kind[tuple[W, ...]]:
    """A list of words of a fixed set; it may be empty."""
    legal = f"a list of {', '.join(words)} (in a variable: separated by commas)"
    return Kind(legal=legal, read=lambda value: tuple(map(words, _list(value))), parse=_listed)


def optional(kind: Kind[T]) -> Kind[T | None]:
    """The same kind, or `off`."""
    return Kind(
        legal=f"{kind.legal}, or {OFF}",
        read=lambda value: None if value is None or value == OFF else kind.read(value),
        parse=lambda text: text if text == OFF else kind.parse(text),
        show=lambda value: OFF if value is None else kind.show(value),
    )


def _only(is_legal: object, value: Any) -> Any:
    if not is_legal:
        raise ValueError(value)
    return value


def _text(value: object) -> str:
    text: str = _only(isinstance(value, str) and value.strip() and "\0" not in value, value)
    return text


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(_text, _list(value)))


def _list(value: object) -> list[object]:
    return list(_only(isinstance(value, list | tuple), value))


def _allowed(value: object) -> tuple[str, ...]:
    """Texts `ID: reason`, each with both."""
    return tuple(_only(ID_AND_REASON.fullmatch(text), text) for text in _texts(value))


def _command(value: object) -> tuple[str, ...]:
    from dualgate.core.values.notation import split_command

    words: tuple[str, ...] = split_command(_text(value)) if isinstance(value, str) else _only(value, _texts(value))
    return words


def _number(value: object) -> float:
    return float(_only(type(value) in (int, float) and 0 <= value < math.inf, value))  # type: ignore[operator]


def _size(value: object) -> int:
    found = re.fullmatch(r"(\d+) ?([KMG]i?B)?", str(value), re.ASCII) if type(value) in (int, str) else None
    if found is None:
        raise ValueError(value)
    return int(found[1]) * SIZES[found[2] or ""]


def _shown_size(value: int) -> str:
    fitting = [unit for unit, size in SIZES.items() if value and value % size == 0]
    unit = max(fitting, key=SIZES.__getitem__, default="")
    return f"{value // SIZES[unit]}{unit}"


def _share(value: object) -> str:
    return str(_only(isinstance(value, str) and SENSITIVITY_WORDS.fullmatch(value), value))


def _is_true(value: object) -> bool:
    return bool(_only(isinstance(value, bool), value))


def _digits(text: str) -> int | str:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else text


def _decimal(text: str) -> float | str:
    return float(text) if re.fullmatch(r"\d+(\.\d+)?", text, re.ASCII) else text


def _time(value: object) -> str:
    return show_duration(value) if isinstance(value, float) else show_value(value)


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")]


TEXT = Kind(legal="a text that is not empty", read=_text)
TEXTS = Kind(legal="a list of texts (in a variable: separated by commas)", read=_texts, parse=_listed)
ALLOWED = TEXTS._replace(legal="a list of texts `ID: reason`", read=_allowed)
COMMAND = Kind(legal="a command line, or a list of its words", read=_command)
FLAG = Kind(legal="true or false", read=_is_true, parse=lambda text: YES_AND_NO.get(text.lower(), text))
PRICE = Kind(legal="dollars for a million tokens, from 0 on", read=_number, parse=_decimal)
AMOUNT = PRICE._replace(legal="a number above 0", read=lambda value: _number(_only(value, value)))
SENSITIVITY = Kind(legal="report, off, or require:N% of the probes", read=_share)
SIZE_OF_FILE = Kind(legal="bytes, or a size such as 10MB or 1GiB", read=_size, show=_shown_size)
