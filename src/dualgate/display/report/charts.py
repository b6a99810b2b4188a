"""Rows of a report -> shapes of its charts, in units of their own: the page stretches them to its width."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from dualgate.core.record.metrics import Row
from dualgate.core.report.values import PhaseStay, StayEnd, UsageRow
from dualgate.core.values.spending import Used

WIDTH = 1000.0
HEIGHT = 100.0
MOST_BARS = 150
"""Above that, bars would be thinner than a line: their outline is drawn instead."""
_LEAST = 3.0
_GAP = 1.5
_LABELLED = 40.0
_WIDEST = 40.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    x: float
    y: float
    width: float
    height: float
    kind: str
    title: str = ""
    label: str = ""
    """Written inside, where there is room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    points: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TestChart:
    """Bars, or areas if there are many iterations; `most` is the number of tests at the top."""

    bars: tuple[Bar, ...] = ()
    areas: tuple[Area, ...] = ()
    most: int = 0


_KINDS: tuple[tuple[str, Callable[[Row], int]], ...] = (
    ("good", lambda row: row.tests.passing),
    ("bad", lambda row: row.tests.failing),
    ("idle", lambda row: row.tests.skipped),
)


def test_chart(rows: Sequence[Row]) -> TestChart:
    """Passing, failing and skipped tests of each iteration, stacked."""
    most = max((row.tests.total for row in rows), default=0)
    if not most:
        return TestChart()
    if len(rows) > MOST_BARS:
        return TestChart(areas=_areas(rows, most), most=most)
    step = WIDTH / len(rows)
    width = min(step * 0.8, _WIDEST)
    bars = (bar for n, row in enumerate(rows) for bar in _stack(row, n * step + (step - width) / 2, width, most))
    return TestChart(bars=tuple(bars), most=most)


def _stack(row: Row, x: float, width: float, most: int) -> list[Bar]:
    title = f"{row.phase} {row.iteration}: {row.tests.passing} passing, {row.tests.failing} failing"
    bars, base = [], HEIGHT
    for kind, count in _KINDS:
        height = HEIGHT * count(row) / most
        base -= height
        if height:
            bars.append(Bar(x=_r(x), y=_r(base), width=_r(width), height=_r(height), kind=kind, title=title))
    return bars


def _areas(rows: Sequence[Row], most: int) -> tuple[Area, ...]:
    """One outline for each kind, the highest first, so that the lower ones lie upon it."""
    step = WIDTH / (len(rows) - 1)
    areas, sums = [], [0] * len(rows)
    for kind, count in _KINDS:
        sums = [known + count(row) for known, row in zip(sums, rows, strict=True)]
        line = " ".join(f"{_r(n * step)},{_r(HEIGHT - HEIGHT * value / most)}" for n, value in enumerate(sums))
        areas.append(Area(points=f"0,{_r(HEIGHT)} {line} {_r(WIDTH)},{_r(HEIGHT)}", kind=kind))
    return tuple(reversed(areas))


STAY_COLOURS = {StayEnd.PASSED: "good", StayEnd.PROVEN_AGAIN: "good", StayEnd.OPEN: "info"}


def phase_bars(stays: Sequence[PhaseStay], start: datetime, end: datetime) -> tuple[Bar, ...]:
    """The stays in phases over the time of the session; short ones stay visible."""
    whole = max(0.001, (end - start).total_seconds())
    bars = []
    for stay in stays:
        x = WIDTH * (stay.began - start).total_seconds() / whole
        width = max(_LEAST, WIDTH * ((stay.ended or end) - stay.began).total_seconds() / whole - _GAP)
        kind = STAY_COLOURS.get(stay.end, "bad")
        title = f"{stay.phase}, {stay.end}"
        label = stay.phase.value if width > _LABELLED else ""
        bars.append(Bar(x=_r(x), y=0, width=_r(width), height=HEIGHT, kind=kind, title=title, label=label))
    return tuple(bars)


def share_measure(total: Used, seconds: float) -> str:
    """The measure by which usage is compared: cost, tokens or time, the first that is known; else calls."""
    known = (("cost", total.cost_usd), ("tokens", total.tokens), ("time", seconds))
    return next((name for name, amount in known if amount), "calls")


def share_of(measure: str, row: UsageRow, total: Used, seconds: float) -> float:
    """The length of a row's bar."""
    used = row.used
    parts = {
        "cost": (used.cost_usd, total.cost_usd),
        "tokens": (used.tokens, total.tokens),
        "time": (row.seconds, seconds),
        "calls": (used.calls, total.calls or 1),
    }
    part, whole = parts[measure]
    return _r(WIDTH * part / whole)


def _r(value: float) -> float:
    return round(value, 1)
