"""The end of an output -> its last sentence."""

import re

__all__ = ["LONGEST_LINE", "last_words"]

COLOUR = re.compile(r"\x1b\[[\d;]*m")
LONGEST_LINE = 600
LAST_LINES = 4
ADVICE = re.compile(
    r"/|please|visit|run |see |upgrade|to |http|learn more|possible quota|retry|view |manage", re.IGNORECASE
)


def last_words(text: str) -> str:
    """The last line, with those before it that it goes on from, or that it only says what to do about."""
    lines = [line.strip() for line in COLOUR.sub("", text[-4 * LONGEST_LINE :]).splitlines() if line.strip()]
    first = len(lines) - 1
    while first > 0 and len(lines) - first < LAST_LINES and _goes_on(lines[first], lines[first - 1]):
        first -= 1
    return " ".join(lines[first:])[-LONGEST_LINE:] if lines else ""


def _goes_on(line: str, before: str) -> bool:
    is_wrapped = line[0].islower() and before[-1] not in ".!?"
    is_bracketed = line[0] == "(" or before.count("(") > before.count(")")
    return is_wrapped or is_bracketed or before.endswith(":") or ADVICE.match(line) is not None
