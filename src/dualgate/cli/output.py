"""Print the output of commands: lines for people on a terminal, one JSON object a line for programs."""

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO

from dualgate.core.values.notation import harmless
from dualgate.display.lines import Line, Tone, fitted
from dualgate.errors import OutputLost, SettingError

if TYPE_CHECKING:
    from pathlib import Path

    from dualgate.core.secrets.redaction import Redactor

COLOURS = {Tone.PLAIN: "", Tone.QUIET: "\x1b[2m", Tone.GOOD: "\x1b[32m", Tone.BAD: "\x1b[31m"}
PLAIN_SIGNS = str.maketrans({"✓": "ok", "→": "->", "…": "..."})
RESET = "\x1b[0m"


def show(lines: Iterable[Line]) -> None:
    """Print lines; on a terminal, wrap long ones between words."""
    for text in rendered(lines):
        _say(text)


def rendered(lines: Iterable[Line]) -> Iterator[str]:
    """The rows that lines take: wrapped and coloured for a terminal, each line as it is for a file or a pipe."""
    for line in lines:
        # before wrapping: half a secret is not recognised
        line = line._replace(text=harmless(our_redactor().text(line.text)))
        colour = COLOURS[line.tone] if in_colour() else ""
        for part in fitted(line, columns_of(sys.stdout)) if sys.stdout.isatty() else [line]:
            yield f"{colour}{part.text}{RESET}" if colour else part.text


def say(text: str) -> None:
    """Print a text, its control characters escaped: file names and answers of agents must not steer a terminal."""
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
    _print(json.dumps(our_redactor().value(record)))


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
