"""Sessions -> a table that fits the terminal: the least important columns are left out; cards in a narrow one."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath
from typing import Protocol

from dualgate.core.money.allowances import show_cost
from dualgate.core.record.metrics import Figures
from dualgate.core.record.session_state import Standing
from dualgate.display.lines import GAP, Line, Tone, cut, padded, printable, shown, shown_count, width

WIDE = 240
"""Columns of a table that no terminal limits."""
_NARROW = 60
_SHORT = 8
_LONGEST_AGENT = 20
_LEAST = 8
"""Columns that a project or a specification keeps at least."""
_TONES = {Standing.RUNNING: Tone.GOOD, Standing.WAITING: Tone.GOOD, Standing.DIED: Tone.BAD, Standing.HALTED: Tone.BAD}
_UNITS = ((86400, "d"), (3600, "h"), (60, "m"))


class SessionRow(Protocol):
    """The fields of a session that a table shows."""

    @property
    def id(self) -> str: ...
    @property
    def archived(self) -> bool: ...
    @property
    def project(self) -> str: ...
    @property
    def worktree_of(self) -> str: ...
    @property
    def specification(self) -> str: ...
    @property
    def standing(self) -> Standing: ...
    @property
    def waits_for_approval(self) -> bool: ...
    @property
    def figures(self) -> Figures | None: ...
    @property
    def last_activity(self) -> datetime | None: ...
    @property
    def problem(self) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column; those with a high `rank` are left out first. `longest` bounds a text that may be cut."""

    heading: str
    rank: int
    cell: Callable[[SessionRow, datetime], str]
    to_right: bool = False
    longest: int | None = None


def _figure(cell: Callable[[Figures], str]) -> Callable[[SessionRow, datetime], str]:
    return lambda row, _: cell(row.figures) if row.figures else "-"


def _project(row: SessionRow, now: datetime) -> str:
    """The name of the project's folder, with that of the repository if it is a worktree: `shop: csv-export`."""
    del now
    name = PurePath(row.project).name or row.project or "-"
    return f"{PurePath(row.worktree_of).name}: {name}" if row.worktree_of else name


def _state(row: SessionRow) -> str:
    waits = ", waits for approval" if row.waits_for_approval else ""
    return f"{row.standing}{waits}{', archived' if row.archived else ''}"


_PROJECT = Column(heading="project", rank=0, cell=_project, longest=24)
_COLUMNS = (
    Column(heading="ID", rank=0, cell=lambda row, _: row.id[:_SHORT]),
    Column(heading="state", rank=0, cell=lambda row, _: _state(row)),
    _PROJECT,
    Column(heading="spec", rank=5, cell=lambda row, _: PurePath(row.specification).name or "-", longest=24),
    Column(heading="phase", rank=1, cell=_figure(lambda known: f"{known.phase} {known.iteration}")),
    Column(
        heading="tests", rank=2, cell=_figure(lambda known: f"{known.tests.passing}/{known.tests.total}"), to_right=True
    ),
    Column(heading="done", rank=3, cell=_figure(lambda known: f"{known.percent}%"), to_right=True),
    Column(heading="breaker", rank=7, cell=_figure(lambda known: known.breaker.value)),
    Column(heading="calls", rank=8, cell=_figure(lambda known: str(known.calls)), to_right=True),
    Column(
        heading="tokens",
        rank=9,
        cell=_figure(lambda known: "-" if known.tokens is None else shown_count(known.tokens)),
        to_right=True,
    ),
    Column(
        heading="cost",
        rank=4,
        cell=_figure(lambda known: "-" if known.cost_usd is None else show_cost(known.cost_usd)),
        to_right=True,
    ),
    Column(heading="agent", rank=6, cell=_figure(lambda known: cut(shown(known.agent), _LONGEST_AGENT) or "-")),
    Column(heading="last event", rank=1, cell=lambda row, now: ago(row.last_activity, now), to_right=True),
)


def table_lines(rows: Sequence[SessionRow], now: datetime, columns: int, with_projects: bool) -> list[Line]:
    """One line for each session, with the columns that fit; under a session that cannot be read, why."""
    chosen = [column for column in _COLUMNS if with_projects or column is not _PROJECT]
    if columns < _NARROW:
        return [line for row in rows for line in _card(row, now, chosen)]
    cells = {column.heading: [column.heading, *(_cell(column, row, now) for row in rows)] for column in chosen}
    chosen, widths = _fitting(chosen, cells, columns)
    lines = [_joined(chosen, cells, widths, number) for number in range(len(rows) + 1)]
    tones = [Tone.QUIET, *(_TONES.get(row.standing, Tone.PLAIN) for row in rows)]
    told = [Line(text=text, tone=tone, hang=0) for text, tone in zip(lines, tones, strict=True)]
    return [told[0], *(line for row, first in zip(rows, told[1:], strict=True) for line in (first, *_problem(row)))]


def _cell(column: Column, row: SessionRow, now: datetime) -> str:
    text = printable(column.cell(row, now))
    return cut(text, column.longest) if column.longest else text


def _fitting(
    chosen: Sequence[Column], cells: dict[str, list[str]], columns: int
) -> tuple[list[Column], dict[str, int]]:
    """Leave out columns by rank, then cut names, until a line fits."""
    kept = list(chosen)
    widths = {name: max(map(width, texts)) for name, texts in cells.items()}

    def too_wide() -> int:
        return sum(widths[each.heading] for each in kept) + len(GAP) * (len(kept) - 1) - columns

    while too_wide() > 0 and any(column.rank for column in kept):
        shrinkable = [each for each in kept if each.longest and widths[each.heading] > _LEAST]
        least = max(kept, key=lambda column: column.rank)
        room = sum(widths[each.heading] - _LEAST for each in shrinkable)
        if room < too_wide():
            kept.remove(least)
            continue
        longest = max(shrinkable, key=lambda column: widths[column.heading])
        widths[longest.heading] -= 1
    return kept, widths


def _joined(kept: Sequence[Column], cells: dict[str, list[str]], widths: dict[str, int], number: int) -> str:
    texts = (
        padded(cut(cells[each.heading][number], widths[each.heading]), widths[each.heading], each.to_right)
        for each in kept
    )
    return GAP.join(texts).rstrip()


def _card(row: SessionRow, now: datetime, chosen: Sequence[Column]) -> Iterator[Line]:
    """A session in a narrow terminal: its id and state, then the other cells, which wrap."""
    told = {column.heading: _cell(column, row, now) for column in chosen}
    first = f"{told.pop('ID')}  {told.pop('state')}"
    yield Line(text=first, tone=_TONES.get(row.standing, Tone.PLAIN), hang=2)
    names = [told.pop(name) for name in ("project", "spec") if name in told]
    yield Line(text=f"  {'  '.join(names)}", hang=2)
    if known := [f"{name} {text}" for name, text in told.items() if text != "-"]:
        yield Line(text=f"  {', '.join(known)}", hang=2)
    yield from _problem(row)


def _problem(row: SessionRow) -> Iterator[Line]:
    if row.problem:
        yield Line(text=f"  {row.problem}", tone=Tone.BAD, hang=2)


def ago(then: datetime | None, now: datetime) -> str:
    """`40s ago`, `12m ago`, `3h ago`, `5d ago`."""
    if then is None:
        return "-"
    seconds = max(0, int((now - then).total_seconds()))
    size, unit = next((each for each in _UNITS if seconds >= each[0]), (1, "s"))
    return f"{seconds // size}{unit} ago"
