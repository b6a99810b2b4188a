"""Event, LoopState -> Ledger: what the records, the metrics and the history of the breaker are written from.

It is made from events alone, so that what was lost of these files can be made again.
"""

from dataclasses import dataclass, field

from dualgate.core.blocks.phase_status import PhaseStatus
from dualgate.core.events import Event, SessionStarted
from dualgate.core.machine import TurnEnded
from dualgate.core.metrics import Row, Spent, row_of, spent_after
from dualgate.core.progress import overall_progress
from dualgate.core.records import View, first_record, tell
from dualgate.core.shifts import Shift, shifts_of
from dualgate.core.spending import Used
from dualgate.core.state import LoopState


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    view: View
    rows: tuple[Row, ...] = ()
    shifts: tuple[Shift, ...] = ()
    spent: Spent = field(default_factory=Spent)
    booked: Used = field(default_factory=Used)
    """What the rows hold of what was used."""


Entered = tuple[Ledger, tuple[PhaseStatus, ...]]


def open_ledger(event: SessionStarted, state: LoopState) -> Entered:
    view, said = first_record(event, state)
    return Ledger(view=view), said


def enter(ledger: Ledger, event: Event, before: LoopState, after: LoopState) -> Entered:
    """The ledger after an event, and the records that the event brings."""
    view, said = tell(ledger.view, event, before, after)
    spent, rows, booked = spent_after(ledger.spent, event, before.phase), ledger.rows, ledger.booked
    if isinstance(event, TurnEnded):
        # the view may be that of the next phase already; the first record is of this turn
        tests, progress = said[0].tests, said[0].progress_percent
        total = after.spending.total
        rows = (*rows, row_of(event, spent, total - booked, tests, progress, overall_progress(after)))
        spent, booked = Spent(), total
    shifts = (*ledger.shifts, *shifts_of(event, before, after))
    return Ledger(view=view, rows=rows, shifts=shifts, spent=spent, booked=booked), said
