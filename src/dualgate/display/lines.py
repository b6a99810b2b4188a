"""A line for people, with its tone; whoever holds the terminal turns the tone into a colour."""

from enum import StrEnum
from typing import NamedTuple

NAME_LENGTH = 60


class Tone(StrEnum):
    PLAIN = "plain"
    QUIET = "quiet"
    GOOD = "good"
    BAD = "bad"


class Line(NamedTuple):
    text: str
    tone: Tone = Tone.PLAIN
    hang: int = 13
    """The column in which it goes on below where it does not fit; the default is that of a run's lines."""


def fitted(line: Line, columns: int) -> list[Line]:
    """A line as several that fit, broken between words, with nothing in them that would steer a terminal."""
    from textwrap import wrap

    indent = " " * min(line.hang, columns // 2)
    parts = wrap(printable(line.text), columns, subsequent_indent=indent, break_on_hyphens=False)
    return [line._replace(text=part) for part in parts or [""]]


def printable(text: str) -> str:
    """A text without what would steer a terminal."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def shown(name: str) -> str:
    """The name of an agent, a script without its folder; that of a command may be as long as the command."""
    kind, _, rest = name.partition(":")
    if rest.startswith("/") and " " not in rest:
        name = f"{kind}:{rest.rpartition('/')[2]}"
    return name if len(name) <= NAME_LENGTH else f"{name[:NAME_LENGTH]}…"
