"""Journal -> Account: a session folded from its events, from the first one or from a checkpoint."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from dualgate.core.machine.history import apply, begin, first_of
from dualgate.core.machine.resuming import CutOff, cut_off_after, just_begun
from dualgate.core.record.metrics import Metrics, first_metrics, metrics_after
from dualgate.core.values.events import Event, SessionStarted
from dualgate.core.values.phase_status import PhaseStatus
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import LoopState
from dualgate.store.checkpoint import Checkpoint, LogMark, read_checkpoint
from dualgate.store.codec import Record
from dualgate.store.reading import StoredJournal


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A session as its journal describes it: state, metrics, the number of the last event, and where to resume."""

    state: LoopState
    metrics: Metrics
    seq: int
    cut_off: CutOff
    records: tuple[PhaseStatus, ...] = ()
    """The PRP_PHASE_STATUS records since the checkpoint."""
    checkpoint: Checkpoint | None = None
    """The checkpoint that the account was folded from; None if it was folded from the first event."""


def read_account(folder: Path) -> Account:
    journal = StoredJournal(folder)
    checkpoint = read_checkpoint(folder, journal.seal)
    if checkpoint is None or not journal.holds(checkpoint.seq, checkpoint.digest):
        return take_account(journal.records())
    return carried_on(account_at(checkpoint, first_of(journal.first())), journal.records(checkpoint.seq))


def take_account(records: Iterable[Record]) -> Account:
    """Fold all events of a session."""
    rest = iter(records)
    first = next(rest, None)
    return carried_on(begun(first_of(first.event if first else None)), rest)


def begun(started: SessionStarted) -> Account:
    state = begin(started)
    metrics, said = first_metrics(started, state)
    return Account(state=state, metrics=metrics, seq=1, cut_off=just_begun(started, state), records=said)


def account_after(account: Account, event: Event, after: LoopState, seq: int) -> Account:
    """The account after one more event, which led to the state `after`; `records` are those of this event."""
    metrics, said = metrics_after(account.metrics, event, account.state, after)
    found = cut_off_after(account.cut_off, event, after)
    return replace(account, state=after, metrics=metrics, seq=seq, cut_off=found, records=said)


def checkpoint_of(account: Account, digest: str, log: LogMark) -> Checkpoint | None:
    """A checkpoint of the account; None in the middle of a turn, since a checkpoint does not hold its steps."""
    found = account.cut_off
    made = Checkpoint(
        seq=account.seq,
        digest=digest,
        state=account.state,
        metrics=account.metrics,
        spec=found.spec,
        tree=found.tree,
        thread=found.thread,
        log=log,
    )
    return made if account_at(made, found.started).cut_off == found else None


def account_at(checkpoint: Checkpoint, started: SessionStarted) -> Account:
    state = checkpoint.state
    found = just_begun(started, state)
    found = replace(found, spec=checkpoint.spec, tree=checkpoint.tree, thread=checkpoint.thread)
    return Account(state=state, metrics=checkpoint.metrics, seq=checkpoint.seq, cut_off=found, checkpoint=checkpoint)


def carried_on(account: Account, records: Iterable[Record]) -> Account:
    told = [*account.records]
    for record in records:
        account = account_after(account, record.event, apply(account.state, record.event), record.seq)
        told += account.records
    found = replace(account.cut_off, state=account.state)
    return replace(account, records=tuple(told), cut_off=found)
