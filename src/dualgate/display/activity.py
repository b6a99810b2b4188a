"""Activity -> one line that fits a terminal: who is at it, what, how many tokens so far, since when."""

from unicodedata import normalize

from dualgate.core.values.control import Activity
from dualgate.display.box import width
from dualgate.display.lines import printable

GAP = "  "
UNITS = ((1_000_000, "M"), (1_000, "k"))
NO_OUTPUT = "no output yet"


def activity_line(activity: Activity, seconds: float, columns: int) -> str:
    """What is being done comes first, and is cut where there is no room for all of it."""
    counted = f"{activity.done}/{activity.total}" if activity.total else ""
    used = f"{shown_count(activity.tokens)} tokens" if activity.tokens else ""
    before = GAP.join(filter(None, (activity.source, counted)))
    behind = GAP.join(filter(None, (used, shown_time(seconds))))
    waiting = "" if counted else NO_OUTPUT
    said = printable(normalize("NFC", activity.text)).strip()  # an agent may name its files as it likes
    text = cut(said or waiting, columns - width(before) - width(behind) - 2 * len(GAP))
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


def cut(text: str, columns: int) -> str:
    """The beginning of a text, as much as a terminal shows in so many columns."""
    if width(text) <= columns:
        return text
    while text and width(text) > columns - 1:
        text = text[:-1]
    return f"{text}…" if columns > 0 else ""
