"""A work tree that is ours until a block ends: locked, rid of what a killed run left, its name on all that we start."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from dualgate.agents.command import local_now
from dualgate.core.values.events import Event, LeftoversEnded
from dualgate.core.values.state import LoopState
from dualgate.errors import StoreFailed
from dualgate.processes.leftovers import branded, end_leftovers, owner_name
from dualgate.processes.supervisor import owned_by
from dualgate.session.record import Recorder
from dualgate.session.redactor import our_redactor
from dualgate.store.books import Books, rebuild
from dualgate.store.journal import JOURNAL, Journal, close_seal, cut_torn_line, first_record
from dualgate.store.seals import seal_place
from dualgate.store.sessions import Owner, owned

Made = TypeVar("Made", bound=Event)


@contextmanager
def taken_over(project: Path, folder: Path) -> Iterator[tuple[Owner, LeftoversEnded | None]]:
    """The owner, and what was ended of an earlier run, to be recorded once there is a journal."""
    with (
        owned(project, folder, os.environ, local_now()) as owner,
        owned_by(owner_name(project, owner.epoch)),
        branded(project),
    ):
        ended = end_leftovers(project)
        for process in ended:
            print(f"dualgate: ended, left by a run that was killed: {our_redactor().text(process)}", file=sys.stderr)
        try:
            yield owner, LeftoversEnded(at=local_now(), processes=ended) if ended else None
        finally:
            close_seal(folder)


def require_writable(project: Path) -> None:
    """Said before anybody is asked to work where nothing can be changed."""
    if not os.access(project, os.W_OK):
        raise StoreFailed(f"{project} cannot be written, so nothing can be done in it.", "Give permission to write it.")


def open_journal(folder: Path, owner: Owner, seq: int = 0) -> Journal:
    """The journal of a session behind its event `seq`, for its owner; no secret of our environment gets into it."""
    return Journal(folder / JOURNAL, owner.epoch, owner.is_current, seq, our_redactor(), seal_place(folder))


def append_event(project: Path, folder: Path, made: Callable[[LoopState], Made]) -> tuple[Made, LoopState]:
    """Append to the journal of a session that nobody runs what is made of its state; where there is none, none is."""
    first_record(folder)
    with taken_over(project, folder) as (owner, leftovers):
        cut_torn_line(folder)
        account = rebuild(folder)
        event = made(account.state)
        journal = open_journal(folder, owner, account.seq)
        record = Recorder(account.state, journal, Books(folder, account.ledger), lambda *_: None)
        if leftovers:
            record(leftovers)
        return event, record(event)
