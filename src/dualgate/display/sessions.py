"""Kept sessions as lines for people and as objects for programs."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from dualgate.core.money.allowances import show_cost
from dualgate.core.record.metrics import Figures
from dualgate.core.record.status_document import counts_document
from dualgate.core.values.notation import counted, show_duration
from dualgate.core.values.vocabulary import Phase, Status
from dualgate.display.lines import Line, Tone
from dualgate.display.session_table import SessionRow, table_lines
from dualgate.display.snapshots import sized

_SHORT = 8
_THOUSAND = 1000


class ShownSession(SessionRow, Protocol):
    """The fields of a session that are shown."""

    @property
    def folder(self) -> Path: ...
    @property
    def bytes(self) -> int: ...
    @property
    def status(self) -> Status | None: ...
    @property
    def phase(self) -> Phase | None: ...
    @property
    def proven(self) -> bool: ...
    @property
    def started(self) -> datetime | None: ...
    @property
    def alive(self) -> bool: ...


def session_record(session: ShownSession) -> dict[str, Any]:
    return {
        "id": session.id,
        "project": session.project or None,
        "worktree_of": session.worktree_of or None,
        "specification": session.specification or None,
        "standing": session.standing.value,
        "status": session.status and session.status.value,
        "phase": session.phase and session.phase.value,
        "proven": session.proven,
        "started": session.started and session.started.isoformat(),
        "last_activity": session.last_activity and session.last_activity.isoformat(),
        "bytes": session.bytes,
        "alive": session.alive,
        "archived": session.archived,
        "folder": str(session.folder),
        "problem": session.problem or None,
    } | _figures_record(session.figures)


def _figures_record(figures: Figures | None) -> dict[str, Any]:
    """The figures by their names, null where they are not known; time and status stand beside them already."""
    names = (
        name for name in Figures.__dataclass_fields__ if name not in ("status", "phase", "proven", "last_activity")
    )
    known: Mapping[str, Any] = asdict(figures) | {"tests": counts_document(figures.tests)} if figures else {}
    return {name: known.get(name) for name in names}


def totals_record(sessions: Sequence[ShownSession]) -> dict[str, Any]:
    """The totals of the sessions."""
    known = [session.figures for session in sessions if session.figures]
    return {
        "sessions": len(sessions),
        "running": sum(session.alive for session in sessions),
        "proven": sum(session.proven for session in sessions),
        "halted": dict(_causes(known)),
        "calls": sum(each.calls for each in known),
        "iterations": sum(each.iterations for each in known),
        "tokens": _sum(each.tokens for each in known),
        "cost_usd": _sum(each.cost_usd for each in known),
        "calls_without_cost": sum(each.calls_without_cost for each in known),
        "agent_seconds": round(sum(each.agent_seconds for each in known), 3),
        "test_seconds": round(sum(each.test_seconds for each in known), 3),
        "bytes": sum(session.bytes for session in sessions),
    }


def sessions_record(sessions: Sequence[ShownSession]) -> dict[str, Any]:
    """The object of `status --all --json` and `sessions --json`."""
    totals = totals_record(sessions)
    return {"sessions": [session_record(each) for each in sessions], "bytes": totals["bytes"], "totals": totals}


def running_first(sessions: Iterable[ShownSession]) -> list[Any]:
    """Sessions at work first, then by their last event, the newest first, those in an archive last."""
    return sorted(
        sessions,
        key=lambda each: (
            not each.alive,
            each.archived,
            -each.last_activity.timestamp() if each.last_activity else 0,
        ),
    )


def session_lines(
    sessions: Sequence[ShownSession], now: datetime, columns: int, with_projects: bool, elsewhere: str = ""
) -> list[Line]:
    """The table and its totals; `elsewhere` names sessions in worktrees of the repository."""
    if not sessions:
        start = "No session found. Start one with: dualgate run SPEC.md --agent NAME"
        return [Line(text=f"No session found in this folder. {elsewhere}" if elsewhere else start)]
    table = table_lines(sessions, now, columns, with_projects)
    others = [Line(text=elsewhere)] if elsewhere else []
    return [*table, Line(text=total_line(sessions), tone=Tone.QUIET, hang=2), *others]


_IN_METRICS = ("ID", ">iterations", ">calls", ">agent", ">tests", ">tokens", ">cost", "state")
_IN_SESSION = (">#", ">phase", ">it", "decision", ">tests", ">agent", ">test time", ">tokens", ">cost", ">files")


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Lines of a table. A head that begins with > is that of a column of figures, which ends in line."""
    names = [head.lstrip(">") for head in heads]
    widths = [max(map(len, cells)) for cells in zip(names, *rows, strict=True)]
    for cells in (names, *rows):
        padded = [
            cell.rjust(width) if head.startswith(">") else cell.ljust(width)
            for head, width, cell in zip(heads, widths, cells, strict=True)
        ]
        yield "  ".join(padded).rstrip()


def total_line(sessions: Sequence[ShownSession]) -> str:
    """`3 sessions, 1.2 MB: 1 running, 1 proven, 1 halted (no progress 1), $1.20`."""
    totals = totals_record(sessions)
    halted = sum(totals["halted"].values())
    causes = ", ".join(f"{cause.replace('_', ' ')} {count}" for cause, count in totals["halted"].items())
    parts = [
        f"{totals['running']} running" if totals["running"] else "",
        f"{totals['proven']} proven",
        f"{halted} halted ({causes})" if halted else "",
        _cost(totals["cost_usd"], totals["calls_without_cost"]),
    ]
    named = counted(len(sessions), "session", "sessions")
    return f"{named}, {sized(totals['bytes'])}: {', '.join(filter(None, parts))}"


def metric_lines(document: Mapping[str, Any]) -> Iterator[str]:
    """A `metrics.json` as a table: one line for each iteration."""
    yield from _table(_IN_SESSION, [(str(number), *_iteration(row)) for number, row in enumerate(document["rows"], 1)])
    times = f"agents {_seconds(document['agent_seconds'])}, tests {_seconds(document['test_seconds'])}"
    used = f"{_tokens(document['tokens'])}, {_cost(document['cost_usd'], document['usage']['calls_without_cost'])}"
    calls = counted(document["calls"], "call", "calls")
    yield f"{calls}, {counted(document['iterations'], 'iteration', 'iterations')}; {times}; {used}"


def _iteration(row: Mapping[str, Any]) -> Iterator[str]:
    tokens = None if row["input_tokens"] is None else row["input_tokens"] + (row["output_tokens"] or 0)
    yield from (row["phase"], str(row["iteration"]), row["decision"])
    yield f"{row['tests']['passing']}/{sum(row['tests'].values())}"
    yield from (_seconds(row["agent_seconds"]), _seconds(row["test_seconds"]))
    yield from (_short(tokens), _dollars(row["cost_usd"]), str(row["files_changed"]))


def metric_totals(sessions: Sequence[ShownSession]) -> Iterator[str]:
    """The time and cost of each session, and of all together."""
    rows = [tuple(_taken(session, session.figures)) for session in sessions if session.figures]
    yield from _table(_IN_METRICS, rows)
    totals = totals_record(sessions)
    times = f"agents {_seconds(totals['agent_seconds'])}, tests {_seconds(totals['test_seconds'])}"
    yield f"{total_line(sessions)}; {times}; {_tokens(totals['tokens'])}"


def _taken(session: ShownSession, figures: Figures) -> Iterator[str]:
    yield from (session.id[:_SHORT], str(figures.iterations), str(figures.calls))
    yield from (_seconds(figures.agent_seconds), _seconds(figures.test_seconds))
    yield from (_short(figures.tokens), _dollars(figures.cost_usd), f"{session.standing}  {session.project}")


def _causes(figures: Iterable[Figures]) -> Counter[str]:
    halted = (each.halted_by for each in figures if each.status is Status.HALTED)
    return Counter(cause.value if cause else "other" for cause in halted)


def _sum(amounts: Iterable[float | None]) -> float | None:
    known = [amount for amount in amounts if amount is not None]
    return round(sum(known), 6) if known else None


def _cost(dollars: float | None, unreported: int) -> str:
    if dollars is None:
        return "cost unknown"
    return f"{'at least ' if unreported else ''}{show_cost(dollars)}"


def _dollars(cost: float | None) -> str:
    return "-" if cost is None else show_cost(cost)


def _tokens(count: float | None) -> str:
    return "tokens unknown" if count is None else f"{_short(count)} tokens"


def _short(tokens: float | None) -> str:
    if tokens is None:
        return "-"
    if tokens < _THOUSAND:
        return f"{tokens:.0f}"
    return f"{tokens / _THOUSAND:.1f}k" if tokens < _THOUSAND**2 else f"{tokens / _THOUSAND**2:.1f}M"


def _seconds(seconds: float) -> str:
    return show_duration(round(seconds)) if seconds >= 1 or not seconds else f"{seconds:.1f}s"
