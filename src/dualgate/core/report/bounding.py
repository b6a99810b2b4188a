"""Report -> Report of a bounded size: long lists lose their middle, long texts their end, and both say how much."""

from collections.abc import Sequence
from functools import partial
from typing import TypeVar

from dualgate.core.report.values import LeftOut, Moment, MomentKind
from dualgate.core.secrets.redaction import mapped_texts

V = TypeVar("V")
LONGEST_TEXT = 2_000
LONGEST_LINE = 1_000
LONGEST_SPECIFICATION = 200_000
MOST_MOMENTS = 400
MOST_ITERATIONS = 1_000
MOST_ROWS = 200
"""Rows of every other list."""


def shortened(value: V, most: int = LONGEST_TEXT) -> V:
    """A value with each of its texts cut to a length."""
    changed: V = mapped_texts(value, partial(cut_text, most=most))
    return changed


def cut_text(text: str, most: int) -> str:
    """The beginning of a text, with its long lines cut too; a note says how much is missing."""
    if len(text) > most:
        text = f"{text[:most]}\n[cut: {len(text) - most} more characters]"
    if len(text) > LONGEST_LINE:
        text = "\n".join(map(_cut_line, text.split("\n")))
    return text


def _cut_line(line: str) -> str:
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]} [cut: {len(line) - LONGEST_LINE} more]"


def ends_of(rows: Sequence[V], most: int) -> tuple[V, ...]:
    """The first quarter and the last three quarters of so many rows; all if there are no more."""
    if len(rows) <= most:
        return tuple(rows)
    first = most // 4
    return (*rows[:first], *rows[len(rows) - (most - first) :])


def shown_moments(moments: Sequence[Moment]) -> tuple[Moment, ...]:
    """The moments that fit. Plain steps give way first."""
    if len(moments) <= MOST_MOMENTS:
        return tuple(moments)
    telling = [number for number, each in enumerate(moments) if each.kind is not MomentKind.STEP]
    kept = set(ends_of(telling, MOST_MOMENTS))
    steps = [number for number in range(len(moments)) if moments[number].kind is MomentKind.STEP]
    kept |= set(ends_of(steps, MOST_MOMENTS - len(kept))) if len(kept) < MOST_MOMENTS else set()
    return tuple(moments[number] for number in sorted(kept))


def left_out(section: str, every: Sequence[object], shown: Sequence[object], command: str) -> tuple[LeftOut, ...]:
    missing = len(every) - len(shown)
    return (LeftOut(section=section, count=missing, command=command),) if missing else ()
