"""What the commands print: lines for people on a terminal, one JSON object a line for programs."""

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO

from dualgate.display.lines import Line, Tone
from dualgate.errors import OutputLost, SettingError

if TYPE_CHECKING:
    from pathlib import Path

COLOURS = {Tone.PLAIN: "", Tone.QUIET: "\x1b[2m", Tone.GOOD: "\x1b[32m", Tone.BAD: "\x1b[31m"}
PLAIN_SIGNS = str.maketrans({"✓": "ok", "→": "->", "…": "..."})
RESET = "\x1b[0m"


def show(lines: Iterable[Line]) -> None:
    for line in lines:
        colour = COLOURS[line.tone] if _in_colour() else ""
        say(f"{colour}{line.text}{RESET}" if colour else line.text)


def say(text: str) -> None:
    """Print, and never fail over a character that the terminal cannot show."""
    encoding = sys.stdout.encoding or "utf-8"
    if not encoding.lower().startswith("utf"):
        text = text.translate(PLAIN_SIGNS)
    _print(text.encode(encoding, "backslashreplace").decode(encoding))


def say_json(record: Mapping[str, Any]) -> None:
    _print(json.dumps(record))


@contextmanager
def open_input(file: str) -> Iterator[BinaryIO]:
    """A file that the user named; '-' is standard input."""
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
    """Whoever read our output has gone: print into nothing from now on, and do not complain at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _in_colour() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
