"""Event -> the entries of the ledger: each test run, check and run with probes, and what it takes to repeat it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from dualgate.core.evidence.sensitivity import summary
from dualgate.core.values.checks import CheckEnded
from dualgate.core.values.events import Event, SuiteEnded
from dualgate.core.values.probes import ProbesEnded
from dualgate.core.values.suite import SEPARATOR, Counts, SuiteReport
from dualgate.display.lines import Line, Tone
from dualgate.display.measuring import counted
from dualgate.display.suites import command_line

_SHORT = 12
_HANG = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One command that dualgate ran. `reused` marks a result of an earlier run on the same tree."""

    at: datetime
    kind: str
    command: str
    exit_code: int | None
    tree: str = ""
    commit: str = ""
    output_hash: str = ""
    tools: tuple[str, ...] = ()
    suite: str = ""
    """The suite, if one run has several."""
    counts: Counts | None = None
    probes: str = ""
    """The result of a run with probes, in words; such a run has no exit code that says anything."""
    problems: tuple[str, ...] = ()
    only: int = 0
    """How many tests were selected; 0 for all."""
    reused: bool = False


def evidence_entries(event: Event) -> tuple[Entry, ...]:
    """The entries of an event; a run of several suites has one for each."""
    match event:
        case SuiteEnded():
            return _of_suites(event)
        case CheckEnded():
            run = event.check
            return (
                Entry(
                    at=event.at,
                    kind="check",
                    command=run.command,
                    exit_code=run.exit_code,
                    tree=run.tree,
                    commit=run.commit,
                    output_hash=run.output_hash,
                    tools=run.tools,
                    problems=(run.problem,) if run.problem else (),
                    reused=event.known,
                ),
            )
        case ProbesEnded():
            return (_of_probes(event),)
        case _:
            return ()


def _of_probes(event: ProbesEnded) -> Entry:
    report = event.report
    return Entry(
        at=event.at,
        kind="probes",
        command="; ".join(command_line(command) for command in report.commands),
        exit_code=None,
        tree=report.tree,
        probes=summary(report) if report.probes else "no probes",
        problems=report.problems,
        reused=event.known,
    )


def _of_suites(event: SuiteEnded) -> tuple[Entry, ...]:
    report = event.report
    parts: list[Mapping[str, Any]] = [asdict(part) for part in report.parts] or [
        {
            "command": report.command,
            "exit_code": report.exit_code,
            "output_hash": report.output_hash,
            "tools": report.tools,
        }
    ]
    return tuple(
        Entry(
            at=event.at,
            kind="tests",
            tree=report.tree,
            commit=report.commit,
            counts=_counts(report, part.get("suite", "")),
            problems=report.problems,
            only=len(report.only),
            reused=event.known,
            **{**part, "command": command_line(part["command"])},
        )
        for part in parts
    )


def _counts(report: SuiteReport, suite: str) -> Counts:
    own = tuple(result for result in report.results if not suite or result.id.startswith(f"{suite}{SEPARATOR}"))
    return replace(report, results=own).counts


def entry_record(number: int, entry: Entry) -> dict[str, Any]:
    """The entry as an object; `seq` is the number of its line in the journal."""
    return {"seq": number} | asdict(entry) | {"at": entry.at.isoformat(), "tools": list(entry.tools)}


def entry_lines(entry: Entry) -> list[Line]:
    """The entry for people: how it ended, then what it ran on; hashes are shortened."""
    is_good = (entry.exit_code == 0 or entry.probes) and not entry.problems
    reused = " (tree unchanged, result reused)" if entry.reused else ""
    named = f"{entry.kind} {entry.suite}".strip()
    first = f"{entry.at.astimezone():%Y-%m-%d %H:%M:%S} {named}: {_result(entry)}{reused}"
    known = (("tree", entry.tree), ("commit", entry.commit), ("output", entry.output_hash))
    marks = [f"{name} {value[:_SHORT]}" for name, value in known if value]
    return [
        Line(text=first, tone=Tone.GOOD if is_good else Tone.BAD, hang=_HANG),
        Line(text=f"    {entry.command}", hang=_HANG),
        Line(text=f"    {', '.join((*marks, *entry.tools))}", tone=Tone.QUIET, hang=_HANG),
    ]


def _result(entry: Entry) -> str:
    ended = entry.probes or f"exit code {entry.exit_code}"
    tests = f", {counted(entry.counts)}" if entry.counts else ""
    why = "" if entry.probes else "not trusted: "
    some = f" of {entry.only} selected" if entry.only else ""
    return f"{ended}{tests}{some}{''.join(f'; {why}{problem}' for problem in entry.problems[:1])}"
