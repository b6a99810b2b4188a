"""Print the output of commands: lines for people on a terminal, one JSON object a line for programs."""

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO

from dualgate.core.values.notation import harmless
from dualgate.core.values.reaching import reaching
from dualgate.display.lines import Line, Tone, fitted
from dualgate.errors import OutputLost, SettingError

if TYPE_CHECKING:
    from pathlib import Path

    from dualgate.core.secrets.redaction import Redactor

COLOURS = {Tone.PLAIN: "", Tone.QUIET: "\x1b[2m", Tone.GOOD: "\x1b[32m", Tone.BAD: "\x1b[31m"}
PLAIN_SIGNS = str.maketrans({"✓": "ok", "→": "->", "…": "..."})
RESET = "\x1b[0m"


@dataclass(slots=True)
class Place:
    """The worktree that a person named, and the folder that they are in: commands that we print must work there."""

    worktree: str = ""
    start: str = ""


PLACE = Place()
"""The place of this process. One process is one call by a person."""


def from_start(path: str) -> str:
    """A path that is seen from the folder in which the person is."""
    return os.path.join(PLACE.start, path)  # noqa: PTH118  pathlib takes long to import


def reached(text: str) -> str:
    """A text whose commands work in the folder that the person is in."""
    return reaching(text, PLACE.worktree)


def show(lines: Iterable[Line]) -> None:
    """Print lines; on a terminal, wrap long ones between words."""
    for text in rendered(lines):
        _say(text)


def rendered(lines: Iterable[Line]) -> Iterator[str]:
    """The rows that lines take: wrapped and coloured for a terminal, each line as it is for a file or a pipe."""
    for line in lines:
        # before wrapping: half a secret is not recognised
        line = line._replace(text=reached(harmless(our_redactor().text(line.text))))
        colour = COLOURS[line.tone] if in_colour() else ""
        for part in fitted(line, columns_of(sys.stdout)) if sys.stdout.isatty() else [line]:
            yield f"{colour}{part.text}{RESET}" if colour else part.text


def say(text: str) -> None:
    """Print a text, its control characters escaped: file names and answers of agents must not steer a terminal."""
    _say(reached(harmless(text)))


def say_document(text: str) -> None:
    """Print a text that is kept or sent on: its commands stay as they are."""
    _say(harmless(text))


def _say(text: str) -> None:
    _print(encodable(text))


def encodable(text: str) -> str:
    """A text without secrets and without characters that the output cannot encode."""
    encoding = sys.stdout.encoding or "utf-8"
    text = our_redactor().text(text)
    if not in_unicode():
        text = text.translate(PLAIN_SIGNS)
    return text.encode(encoding, "backslashreplace").decode(encoding)


def columns_of(stream: TextIO) -> int:
    """The width of a terminal, as COLUMNS says or as it is; 80 if it is unknown."""
    if (given := os.environ.get("COLUMNS", "")).isdecimal() and int(given):
        return int(given)
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except OSError:
        return 80


def is_limited(stream: TextIO) -> bool:
    """Whether a width is known for the output: that of a terminal, or COLUMNS."""
    return stream.isatty() or os.environ.get("COLUMNS", "").isdecimal()


def in_unicode() -> bool:
    """Whether the output encoding is Unicode."""
    return (sys.stdout.encoding or "utf-8").lower().startswith("utf")


def say_json(record: Mapping[str, Any]) -> None:
    _print(json.dumps(our_redactor().value(_with_reached(record))))


def _with_reached(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """A record whose next commands work in the folder that the caller is in."""
    ways = record.get("next")
    if not PLACE.worktree or not isinstance(ways, list):
        return record
    return {**record, "next": [_way_reached(way) for way in ways]}


def _way_reached(way: Any) -> Any:
    return {**way, "command": reached(way["command"])} if isinstance(way, dict) and "command" in way else way


@cache
def our_redactor() -> "Redactor":
    """The redactor for the secrets in our environment; all output goes through it."""
    from dualgate.core.secrets.redaction import redactor_of

    return redactor_of(os.environ)


@contextmanager
def open_input(file: str) -> Iterator[BinaryIO]:
    """Open a file that the user named; '-' is standard input."""
    if file == "-":
        if sys.stdin is None:
            raise SettingError("There is no standard input to read.", "Name a file.")
        yield sys.stdin.buffer
        return
    try:
        opened = open(file, "rb")  # noqa: PTH123, SIM115  pathlib takes long to import
    except OSError as error:
        raise SettingError(f"{file} cannot be read: {error.strerror}.") from error
    with opened:
        yield opened


def here() -> "Path":
    """The project: the current folder, by its real path."""
    from pathlib import Path

    try:
        return Path.cwd().resolve()
    except OSError as error:
        raise SettingError(
            "The current folder is not there any more.", "Change to the project and try again."
        ) from error


def _print(text: str) -> None:
    try:
        print(text, flush=True)
    except OSError as error:
        raise OutputLost(f"The output cannot be written: {error.strerror}.") from error


def silence() -> None:
    """Discard all further output, since its reader is gone; avoids an error at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def in_colour() -> bool:
    """Whether the output is a terminal that shows colours and NO_COLOR is not set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
