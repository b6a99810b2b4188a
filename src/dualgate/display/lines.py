"""A line for people with its tone, texts that fit a terminal, and the line that shows the current activity."""

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import combining, east_asian_width, normalize

if TYPE_CHECKING:
    from dualgate.core.values.control import Activity

NAME_LENGTH = 60
GAP = "  "
UNITS = ((1_000_000, "M"), (1_000, "k"))
NO_OUTPUT = "no output yet"


class Tone(StrEnum):
    PLAIN = "plain"
    QUIET = "quiet"
    GOOD = "good"
    BAD = "bad"


class Line(NamedTuple):
    text: str
    tone: Tone = Tone.PLAIN
    hang: int = 13
    """The indent of continuation lines; the default fits the lines of a run."""


def place_in_run(phase: str, iteration: int) -> str:
    """The beginning of a line about one iteration of a phase."""
    return f"{phase:<8} {iteration:>2} "


def fitted(line: Line, columns: int) -> list[Line]:
    """Break a line between words, and replace control characters."""
    from textwrap import wrap

    indent, text = " " * min(line.hang, columns // 2), printable(line.text)
    if any(map(_is_wide, text)):
        return [line._replace(text=part) for part in _wrapped_wide(text, columns, indent)]
    parts = wrap(text, columns, subsequent_indent=indent, break_on_hyphens=False)
    return [line._replace(text=part) for part in parts or [""]]


def _wrapped_wide(text: str, columns: int, indent: str) -> list[str]:
    """Break a text with wide characters, which may have no words: at a space near the end, else anywhere."""
    parts: list[str] = []
    before = ""
    while width(before) + width(text) > columns:
        end = max(1, _fitting(text, columns - len(before)))
        space = text.rfind(" ", end // 2 + 1, end + 1)
        end = space if space > 0 else end
        parts.append(f"{before}{text[:end].rstrip()}")
        text, before = text[end:].lstrip(), indent
    return [*parts, f"{before}{text}"]


def printable(text: str) -> str:
    """Replace control characters, which could steer a terminal."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def shown(name: str) -> str:
    """The name of an agent, without the folder of a script, and cut if it is a long command."""
    kind, _, rest = name.partition(":")
    if rest.startswith("/") and " " not in rest:
        name = f"{kind}:{rest.rpartition('/')[2]}"
    return name if len(name) <= NAME_LENGTH else f"{name[:NAME_LENGTH]}…"


def width(text: str) -> int:
    """Columns that a terminal takes for a text: wide characters take two, combining marks take none."""
    return sum(0 if combining(sign) else 2 if _is_wide(sign) else 1 for sign in text)


def _is_wide(sign: str) -> bool:
    return east_asian_width(sign) in "WF"


def padded(text: str, columns: int, to_right: bool = False) -> str:
    """A text filled up with spaces to a width."""
    space = " " * max(0, columns - width(text))
    return f"{space}{text}" if to_right else f"{text}{space}"


def cut(text: str, columns: int) -> str:
    """The beginning of a text that fits into so many columns."""
    if _fitting(text, columns) == len(text):
        return text
    return f"{text[: _fitting(text, columns - 1)]}…" if columns > 0 else ""


def _fitting(text: str, columns: int) -> int:
    """How many characters of a text fit into so many columns."""
    taken = 0
    for number, sign in enumerate(text):
        taken += width(sign)
        if taken > columns:
            return number
    return len(text)


def activity_line(activity: "Activity", seconds: float, columns: int) -> str:
    """Source, progress, activity, tokens and time; the activity is cut if there is no room."""
    counted = f"{activity.done}/{activity.total}" if activity.total else ""
    used = f"{shown_count(activity.tokens)} tokens" if activity.tokens else ""
    before = GAP.join(filter(None, (activity.source, counted)))
    behind = GAP.join(filter(None, (used, shown_time(seconds))))
    said = printable(normalize("NFC", activity.text)).strip() or ("" if counted else NO_OUTPUT)
    text = cut(said, columns - width(before) - width(behind) - 2 * len(GAP))
    return cut(GAP.join(filter(None, (before, text, behind))), columns)


def shown_count(count: int) -> str:
    """950, 12.3k, 1.2M."""
    size, unit = next((each for each in UNITS if count >= each[0]), (1, ""))
    return f"{count / size:.1f}{unit}" if unit else str(count)


def shown_time(seconds: float) -> str:
    """45s, 1m20s, 1h02m."""
    minutes, rest = divmod(int(seconds), 60)
    hours, left = divmod(minutes, 60)
    return f"{hours}h{left:02}m" if hours else f"{minutes}m{rest:02}s" if minutes else f"{rest}s"
