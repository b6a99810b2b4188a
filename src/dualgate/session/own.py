"""Lock a work tree until a block ends, end processes that a killed run left, and tag every process that we start."""

import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dualgate.core.secrets.redaction import Redactor
from dualgate.core.values.events import Event, LeftoversEnded
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Status
from dualgate.errors import JournalDamaged, SessionLocked, SessionMissing, StoreFailed
from dualgate.processes.leftovers import end_leftovers
from dualgate.processes.private import why_open
from dualgate.processes.scratch import clear_abandoned
from dualgate.processes.tags import tag_of
from dualgate.session.host import Host, Lease
from dualgate.session.killed_steps import may_be_switched, restore_work
from dualgate.session.record import Recorder
from dualgate.store.account import read_account
from dualgate.store.journal import Journal, close_seal, cut_torn_line, incomplete_line
from dualgate.store.lines import JOURNAL
from dualgate.store.projections import Projections, rebuild
from dualgate.store.reading import first_record
from dualgate.store.seals import seal_place


@contextmanager
def taken_over(host: Host, folder: Path) -> Iterator[tuple[Lease, LeftoversEnded | None]]:
    """Take the lease and end leftover processes; yields both, since there may be no journal yet to record them."""
    with host.take(host.project, folder, host.environment, host.now()) as lease:
        ended = end_leftovers(host.project)  # before anything that this process starts can have the same tag
        clear_abandoned()
        for process in ended:
            host.tell(f"stopped a process that a killed run left: {host.redactor.text(process)}")
        if reason := why_open(folder):
            host.tell(f"{reason}; choose a place that is yours alone with PRP_SESSION_DIR, or give it mode 700")
        with host.supervisor.owned_by(tag_of(host.project, lease.epoch)):
            try:
                yield lease, LeftoversEnded(at=host.now(), processes=ended) if ended else None
            finally:
                close_seal(folder)


def require_writable(project: Path) -> None:
    """Raise StoreFailed before an agent is asked to work in a folder that cannot be written."""
    if not os.access(project, os.W_OK):
        raise StoreFailed(
            f"{project} is not writable, so no command can work in it.",
            f"Give yourself permission: chmod u+w {shlex.quote(str(project))}",
        )


def open_journal(folder: Path, lease: Lease, redactor: Redactor, seq: int = 0) -> Journal:
    """The session's journal after event `seq`. It redacts secrets, and only the owner can append."""

    def is_owner() -> bool:
        lease.renew()
        return not lease.lost()

    return Journal(folder / JOURNAL, lease.epoch, is_owner, seq, redactor, seal_place(folder))


def cut_incomplete_line(host: Host, folder: Path) -> None:
    """Cut off an incomplete last line of the journal, and say that its event is dropped."""
    if problem := incomplete_line(folder):
        host.tell(problem)
    cut_torn_line(folder)


def settle_killed_run(host: Host, folder: Path) -> None:
    """Restore the work that a killed step of the session left switched for another tree, and end its processes."""
    with suppress(SessionMissing, JournalDamaged):
        account = read_account(folder)
        if may_be_switched(account.cut_off):
            append_events(host, folder, lambda _: ())
        elif account.state.status is Status.RUNNING:
            with suppress(SessionLocked):  # the run is alive
                end_leftovers_of(host, folder)


def end_leftovers_of(host: Host, folder: Path) -> None:
    """End the processes that a killed run of a session left, and journal them. The work tree stays as it is."""
    with taken_over(host, folder) as (lease, leftovers):
        if leftovers:
            cut_incomplete_line(host, folder)
            account = rebuild(folder)
            journal = open_journal(folder, lease, host.redactor, account.seq)
            Recorder(account.state, journal, Projections(folder, account), lambda *_: None)(leftovers)


def append_events(host: Host, folder: Path, made: Callable[[LoopState], tuple[Event, ...]]) -> LoopState:
    """Append made(state) to a session that is not running. Raises SessionMissing if there is none."""
    first_record(folder)
    with taken_over(host, folder) as (lease, leftovers):
        cut_incomplete_line(host, folder)
        account = rebuild(folder)
        events = made(account.state)
        events = (*restore_work(host, folder, account.cut_off), *events)
        journal = open_journal(folder, lease, host.redactor, account.seq)
        record = Recorder(account.state, journal, Projections(folder, account), lambda *_: None)
        if leftovers:
            record(leftovers)
        for event in events:
            record(event)
        return record.state
