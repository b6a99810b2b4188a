"""LoopState, Metrics, CutOff -> the lines of `dualgate status`: each fact once, the next commands last."""

from dataclasses import dataclass
from datetime import datetime

from dualgate.core.machine.criteria import criteria_rows
from dualgate.core.machine.resuming import CutOff
from dualgate.core.record.halting import halt_report, next_ways
from dualgate.core.record.metrics import Metrics
from dualgate.core.record.run_facts import still_needed, waits_for
from dualgate.core.record.session_state import Doing, Step, doing
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Status
from dualgate.display.box import box
from dualgate.display.criteria import criteria_lines
from dualgate.display.halts import Row, in_short, labelled
from dualgate.display.lines import Line, Tone, fitted, shown, shown_time
from dualgate.display.summary import brief_lines, fact_lines, halt_lines, next_lines, record_lines, rows_as_lines
from dualgate.display.usage import usage_rows

_DIED = "No process works on this session. Nothing that it recorded is lost."


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Facts about a session that its journal does not hold."""

    now: datetime
    record: str
    """The folder of the session."""
    report: str = ""
    """The report in it; empty if there is none."""
    owner: str = ""
    """The process that works on it, in words; empty if none does."""
    spec_note: str = ""
    """How a person changed the specification; empty if nobody did."""
    worktree: str = ""
    """The worktree that the session works in, with its repository; or worktrees in which other runs are active."""
    problems: tuple[Row, ...] = ()
    """An incomplete journal, a killed step."""

    @property
    def is_alive(self) -> bool:
        return bool(self.owner)


def status_lines(
    found: CutOff,
    metrics: Metrics,
    around: Surroundings,
    columns: int = 80,
    ascii_only: bool = False,
    height: int | None = None,
) -> list[Line]:
    """The box of document 001, what the run does and needs, or why it stopped, and the next commands.

    If that does not fit into `height` rows, a short form without the box and the rarer facts.
    """
    state = found.state
    died = state.status is Status.RUNNING and not around.is_alive
    drawn = [Line(text=row, hang=0) for row in box(state, metrics, columns, ascii_only, died).splitlines()]
    table = [Line(text=row, hang=0) for row in criteria_lines(criteria_rows(state), columns)]
    present = _present_lines(found, metrics, around)
    ways = next_lines(state, next_ways(state, bool(around.spec_note), around.is_alive), bool(around.spec_note), columns)
    owner = rows_as_lines([("Owner", around.owner)] if around.owner else [], Tone.QUIET)
    worktree = rows_as_lines([("Worktree", around.worktree)] if around.worktree else [], Tone.QUIET)
    closing = [
        *owner,
        *worktree,
        *record_lines(around.record, around.spec_note, around.report),
        *rows_as_lines(around.problems, Tone.BAD),
        *ways,
    ]
    gap = [Line(text="")]
    whole = [*drawn, *gap, *present, *fact_lines(state), *(gap if table else []), *table, *gap, *closing]
    if height is None or sum(len(fitted(line, columns)) for line in whole) <= height:
        return whole
    return [*brief_lines(state, metrics), *present, *rows_as_lines(usage_rows(state)), *ways]


def _present_lines(found: CutOff, metrics: Metrics, around: Surroundings) -> list[Line]:
    """The current step of the run and what the gate needs, or why it halted."""
    state = found.state
    died = state.status is Status.RUNNING and not around.is_alive
    step = None if died else doing(found)
    # the box shows a wait
    now = [("Now", doing_text(step, around.now))] if step and step.step is not Step.WAIT else []
    return [
        *rows_as_lines([("Died", _DIED)] if died else now, Tone.BAD if died else Tone.PLAIN),
        *(_waiting_line(state, around.now) if died else []),
        *rows_as_lines(labelled("Needed", still_needed(state, metrics.view))),
        *_halted_line(state),
        *halt_lines(state),
    ]


def _waiting_line(state: LoopState, now: datetime) -> list[Line]:
    """The wait that a resumed run continues."""
    wait = waits_for(state, now)
    return rows_as_lines([("Waits", f"the next call waits until {wait.until:%H:%M}: {wait.reason}")] if wait else [])


def _halted_line(state: LoopState) -> list[Line]:
    report = halt_report(state)
    return rows_as_lines([("Halted", in_short(report))], Tone.BAD) if report else []


def doing_text(step: Doing, now: datetime) -> str:
    """`asking claude (call 5) for 2m10s`."""
    elapsed = f"for {shown_time(max(0.0, (now - step.since).total_seconds()))}"
    match step.step:
        case Step.CALL:
            return f"asking {shown(step.agent) or 'the agent'} (call {step.call}) {elapsed}"
        case Step.TRIAL:
            return f"running tests on {step.reason} {elapsed}"
        case _:
            return f"{step.step} {elapsed}"
