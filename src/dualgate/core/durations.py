"""Text -> seconds, and back: `90s`, `30m`, `1h30m`, `250ms`; a plain number is seconds."""

import re

UNITS = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
# the largest unit first, each at most once
DURATION = re.compile(
    r"(?:(?P<d>\d+(?:\.\d+)?)d)? ?(?:(?P<h>\d+(?:\.\d+)?)h)? ?(?:(?P<m>\d+(?:\.\d+)?)m)? ?"
    r"(?:(?P<s>\d+(?:\.\d+)?)s)? ?(?:(?P<ms>\d+(?:\.\d+)?)ms)?",
    re.ASCII,
)
PLAIN = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
LONGEST = 366 * UNITS["d"]
"""More than a year is a slip, and more than some clocks can wait."""


def read_duration(value: object) -> float:
    """Seconds; ValueError where it is no duration."""
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
    """The shortest text that is read as the same duration."""
    left, parts = round(seconds * 1000), []
    for unit, size in UNITS.items():
        count, left = divmod(left, round(size * 1000))
        parts += [f"{count}{unit}"] if count else []
    return "".join(parts) or "0s"


def _seconds(text: str) -> float:
    if PLAIN.fullmatch(text):
        return float(text)
    found = DURATION.fullmatch(text) if text else None
    if found is None:
        raise ValueError(text)
    return sum(float(count) * UNITS[unit] for unit, count in found.groupdict().items() if count)
