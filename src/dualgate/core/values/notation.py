"""Text -> seconds, and back: `90s`, `30m`, `1h30m`, `250ms`; a plain number is seconds."""

import re
import shlex
from collections.abc import Iterable

UNITS = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
# the largest unit first, each at most once
DURATION = re.compile(
    r"(?:(?P<d>\d+(?:\.\d+)?)d)? ?(?:(?P<h>\d+(?:\.\d+)?)h)? ?(?:(?P<m>\d+(?:\.\d+)?)m)? ?"
    r"(?:(?P<s>\d+(?:\.\d+)?)s)? ?(?:(?P<ms>\d+(?:\.\d+)?)ms)?",
    re.ASCII,
)
_PYTHON = re.compile(r"python[\d.]*")
_PLAIN = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
LONGEST = 366 * UNITS["d"]
"""More than a year is probably a typo, and longer than some clocks can wait."""


def read_duration(value: object) -> float:
    """Return seconds; raise ValueError for an invalid duration."""
    match value:
        case bool():
            raise ValueError(value)
        case int() | float():
            seconds = float(min(value, LONGEST + 1))
        case str():
            seconds = _seconds(value.strip())
        case _:
            raise ValueError(value)
    if not 0 <= seconds <= LONGEST:
        raise ValueError(value)
    return seconds


def show_duration(seconds: float) -> str:
    """Return the shortest text that `read_duration` reads as the same duration."""
    left, parts = round(seconds * 1000), []
    for unit, size in UNITS.items():
        count, left = divmod(left, round(size * 1000))
        parts += [f"{count}{unit}"] if count else []
    return "".join(parts) or "0s"


def _seconds(text: str) -> float:
    if _PLAIN.fullmatch(text):
        return float(text)
    found = DURATION.fullmatch(text) if text else None
    if found is None:
        raise ValueError(text)
    return sum(float(count) * UNITS[unit] for unit, count in found.groupdict().items() if count)


_SHELL_SIGNS = frozenset("|&;<>()$`*?~#\n")


def split_command(command: str) -> tuple[str, ...]:
    """Split a command line into words; wrap it in `/bin/sh -c` if it uses shell syntax."""
    words = _words(command)
    if not words or "=" in words[0] or _SHELL_SIGNS & set(command):
        return ("/bin/sh", "-c", command)
    return tuple(words)


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []


# control characters, separators of lines, and signs that turn the direction of writing
_STEERING = "\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
_IN_NAMES = re.compile(f"[{_STEERING}]")
# halves of a pair, which neither UTF-8 nor an escaped byte can hold
_UNPAIRED = re.compile("[\ud800-\udc7f\udd00-\udfff]")
_IN_TEXTS = re.compile(f"(?![\\n\\t])[{_STEERING}]")


def shown(path: str) -> str:
    """Return a path as valid UTF-8 text on one line; bytes that are not text and control characters are escaped."""
    raw = _UNPAIRED.sub(_escaped, path).encode("utf-8", "surrogateescape")
    return _IN_NAMES.sub(_escaped, raw.decode("utf-8", "backslashreplace"))


def harmless(text: str) -> str:
    """Return a text without characters that steer a terminal or hide words from a reader; lines and tabs stay."""
    return _IN_TEXTS.sub(_escaped, text.replace("\r\n", "\n"))


def _escaped(found: re.Match[str]) -> str:
    return repr(found[0])[1:-1]


def in_line(path: str) -> str:
    """Return a path on one line, with line breaks and terminal control characters escaped."""
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in shown(path))


def is_python(program: str) -> bool:
    """Whether a program is a Python interpreter by its name."""
    return _PYTHON.fullmatch(program.rpartition("/")[2]) is not None


def listed(names: Iterable[str], most: int = 5, between: str = ", ") -> str:
    """Join the first names, and say how many more there are."""
    names = list(names)
    before = " " if between == ", " else between
    more = f"{before}and {len(names) - most} more" if len(names) > most else ""
    return between.join(names[:most]) + more


def applying(*pairs: tuple[object, str]) -> tuple[str, ...]:
    """Return the sentences whose condition is true."""
    return tuple(text for applies, text in pairs if applies)


def counted(number: int, one: str, many: str) -> str:
    """A number with its noun: '1 task', '3 tasks'."""
    return f"{number} {one if number == 1 else many}"
