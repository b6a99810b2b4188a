"""Journal -> Account: a session as its events tell it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from dualgate.core.machine.history import apply, begin, first_of
from dualgate.core.machine.resuming import CutOff, cut_off_after, just_begun
from dualgate.core.record.ledger import Ledger, enter, open_ledger
from dualgate.core.values.phase_status import PhaseStatus
from dualgate.core.values.state import LoopState
from dualgate.store.codec import Record
from dualgate.store.reading import read_journal


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A session as its journal tells it: the state, the ledger, every record, and the number of the last event.

    All from one reading, with where the session goes on: of a long one each costs as much as all the rest of a start.
    """

    state: LoopState
    ledger: Ledger
    records: tuple[PhaseStatus, ...]
    seq: int
    cut_off: CutOff


def read_account(folder: Path) -> Account:
    return take_account(read_journal(folder))


def take_account(records: Iterable[Record]) -> Account:
    """What the events make of a session."""
    events = iter(records)
    first = next(events, None)
    started = first_of(first.event if first else None)
    state, seq = begin(started), 1
    ledger, said = open_ledger(started, state)
    found, told = just_begun(started, state), [*said]
    for record in events:
        before, state, seq = state, apply(state, record.event), record.seq
        ledger, said = enter(ledger, record.event, before, state)
        found = cut_off_after(found, record.event, state)
        told += said
    return Account(state=state, ledger=ledger, records=tuple(told), seq=seq, cut_off=replace(found, state=state))
