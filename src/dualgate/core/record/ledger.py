"""Event, LoopState -> Ledger: what the records, the metrics and the history of the breaker are written from.

It is made from events alone, so that what was lost of these files can be made again.
"""

from dataclasses import dataclass, field

from dualgate.core.gates.progress import overall_progress
from dualgate.core.record.metrics import Row, Spent, row_of, spent_after
from dualgate.core.record.records import View, first_record, tell
from dualgate.core.record.shifts import Shift, shifts_of
from dualgate.core.values.events import Event, SessionStarted, TurnEnded
from dualgate.core.values.phase_status import PhaseStatus
from dualgate.core.values.replacing import replace
from dualgate.core.values.spending import Used
from dualgate.core.values.state import LoopState


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    view: View
    rows: tuple[Row, ...] = ()
    shifts: tuple[Shift, ...] = ()
    spent: Spent = field(default_factory=Spent)
    booked: Used = field(default_factory=Used)
    """What the rows hold of what was used."""
    agent_seconds: float = 0.0
    test_seconds: float = 0.0


Entered = tuple[Ledger, tuple[PhaseStatus, ...]]


def open_ledger(event: SessionStarted, state: LoopState) -> Entered:
    view, said = first_record(event, state)
    return Ledger(view=view), said


def enter(ledger: Ledger, event: Event, before: LoopState, after: LoopState) -> Entered:
    """The ledger after an event, and the records that the event brings."""
    view, said = tell(ledger.view, event, before, after)
    spent = spent_after(ledger.spent, event, before.phase)
    if view is not ledger.view or spent is not ledger.spent:
        ledger = replace(ledger, view=view, spent=spent)
    if shifts := tuple(shifts_of(event, before, after)):
        ledger = replace(ledger, shifts=(*ledger.shifts, *shifts))
    return (_with_row(ledger, event, after, said[0]) if isinstance(event, TurnEnded) else ledger), said


def _with_row(ledger: Ledger, turn: TurnEnded, after: LoopState, said: PhaseStatus) -> Ledger:
    """`said` is the record of this turn; the view may be that of the next phase already."""
    spent, total = ledger.spent, after.spending.total
    row = row_of(turn, spent, total - ledger.booked, said.tests, said.progress_percent, overall_progress(after))
    return replace(
        ledger,
        rows=(*ledger.rows, row),
        spent=Spent(),
        booked=total,
        agent_seconds=ledger.agent_seconds + row.agent_seconds,
        test_seconds=ledger.test_seconds + row.test_seconds,
    )
