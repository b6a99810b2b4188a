"""The memory of earlier sessions, as a run uses it. A run never fails because of it: problems are reported once."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dualgate.core.machine.history import apply, begin
from dualgate.core.prompt.recall import choose, query_for
from dualgate.core.record.memory_entries import REMEMBERED, change_of, entries_of
from dualgate.core.values.answer import Recalled
from dualgate.core.values.changes import Changes
from dualgate.core.values.events import CallStarted, Event, SessionStarted, TurnEnded
from dualgate.core.values.memory import MemoryEntry
from dualgate.core.values.specification import Specification
from dualgate.core.values.state import LoopState
from dualgate.errors import DualgateError, StoreFailed
from dualgate.session.host import Host
from dualgate.session.record import Watcher
from dualgate.session.unfinished import UnfinishedTurn
from dualgate.settings import Settings
from dualgate.settings.declaration import MemoryUse
from dualgate.store.account import Account
from dualgate.store.home import written_path
from dualgate.store.memory import MemoryStore
from dualgate.store.memory_switch import is_off
from dualgate.store.reading import read_journal, tail
from dualgate.store.sessions import memory_store
from dualgate.workspace.differences import diff_of


@dataclass(slots=True, kw_only=True)
class SessionMemory:
    """The memory of one run. After a failure it is not used again in this run."""

    store: MemoryStore
    project: str
    use: MemoryUse
    tell: Callable[[str], None]
    is_on: Callable[[], bool] = lambda: True
    """Whether a person has not switched it off meanwhile."""
    usable: bool = True

    def recall(self, prp: Specification, state: LoopState) -> tuple[Recalled, ...]:
        query = query_for(prp, state)
        if query is None or not self._is_used():
            return ()
        try:
            found = self.store.find(query, None if self.use.other_projects else self.project)
        except StoreFailed as error:
            self._give_up(error)
            return ()
        return choose(query, found, self.use.budget, self.project)

    def keep(self, entries: tuple[MemoryEntry, ...], session: str, seq: int) -> None:
        if self._is_used():
            try:
                self.store.keep(entries, self.use.keep, session, seq)
            except StoreFailed as error:
                self._give_up(error)

    def catch_up(self, folder: Path, account: Account) -> None:
        """Keep what the journal holds and the memory has not seen: events of a killed run, or of other commands.

        A session that ran without memory stays unknown.
        """
        session, seq = account.state.session_id, account.seq
        try:
            seen = self.store.seen(session)
        except StoreFailed as error:
            self._give_up(error)
            return
        is_behind = any(isinstance(record.event, REMEMBERED) for record in tail(folder, min(seen, seq)))
        if not seen or not is_behind:
            return
        found: list[MemoryEntry] = []
        state: LoopState | None = None
        for record in read_journal(folder):
            event, before = record.event, state
            if isinstance(event, SessionStarted):
                state = begin(event)
            elif before is not None:
                state = apply(before, event)
                found += entries_of(before, event, state, self.project)
        self.keep(tuple(found), session, seq)

    def _is_used(self) -> bool:
        return self.usable and self.is_on()

    def _give_up(self, error: StoreFailed) -> None:
        self.usable = False
        self.tell(f"{error.message} This run continues without it. {error.next_step}")


@dataclass(slots=True, kw_only=True)
class Remembering:
    """A watcher that passes each event on, then keeps its entries."""

    memory: SessionMemory
    watch: Watcher
    before: LoopState
    seq: int
    """The number of the last event."""
    read: Callable[[str, str], bytes | None]
    """Reads a file of a tree."""
    tree: str = ""
    """The tree before the last call."""

    def __call__(self, event: Event, after: LoopState) -> None:
        before, self.before = self.before, after
        self.seq += 1
        self.watch(event, after)
        if isinstance(event, CallStarted) and event.phase is after.phase and not event.follows:
            self.tree = event.tree
        if isinstance(event, REMEMBERED):
            change = self._change(event.facts.observed.changes) if isinstance(event, TurnEnded) else ""
            entries = entries_of(before, event, after, self.memory.project, change)
            self.memory.keep(entries, after.session_id, self.seq)

    def _change(self, changes: Changes) -> str:
        if not self.tree:
            return ""
        try:
            return change_of(
                (path, diff_of(path, self.read(self.tree, path), self.read(changes.tree, path)))
                for path in changes.paths
            )
        except DualgateError:  # the entries are kept without it
            return ""


def open_memory(host: Host, settings: Settings) -> SessionMemory | None:
    """The memory for a run; None if it is switched off."""
    file = memory_store(host.project, host.environment)
    project = written_path(host.project)
    if not settings.memory.enabled or is_off(file, project):
        return None
    return SessionMemory(
        store=MemoryStore(file, host.redactor, host.tell),
        project=project,
        use=settings.memory,
        tell=host.tell,
        is_on=lambda: not is_off(file, project),
    )


def remembering(
    memory: SessionMemory | None,
    watch: Watcher,
    state: LoopState,
    read: Callable[[str, str], bytes | None],
    seq: int = 1,
) -> Watcher:
    """A watcher that also keeps the entries of each event after number `seq`, if there is a memory."""
    return Remembering(memory=memory, watch=watch, before=state, seq=seq, read=read) if memory else watch


def recalling(
    memory: SessionMemory | None, prp: Specification, unfinished: UnfinishedTurn
) -> Callable[[LoopState], tuple[Recalled, ...]]:
    """Returns what a prompt shows of earlier sessions; a turn that was cut off takes it from the journal."""

    def recall(state: LoopState) -> tuple[Recalled, ...]:
        journaled = unfinished.recalled()
        if journaled is not None:
            return journaled
        return memory.recall(prp, state) if memory else ()

    return recall
