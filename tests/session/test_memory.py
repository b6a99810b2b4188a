"""The memory of a run: what it keeps, what it catches up with, and what it does when it fails."""

from pathlib import Path

import pytest

from dualgate.core.secrets.redaction import Redactor
from dualgate.core.values.answer import Recalled
from dualgate.core.values.events import GuidanceGiven, RunSuspended
from dualgate.core.values.memory import MemoryEntry
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import EntryKind, Phase
from dualgate.session.memory import SessionMemory, open_memory, recalling, remembering
from dualgate.session.unfinished import UnfinishedTurn
from dualgate.settings import Settings
from dualgate.settings.declaration import MemoryUse
from dualgate.store.account import read_account
from dualgate.store.journal import Journal
from dualgate.store.lines import JOURNAL
from dualgate.store.memory import MemoryStore
from dualgate.store.memory_switch import switch_off
from dualgate.testing import NOW, a_host, a_spec, a_start, a_state

PROJECT = "/project"
GUIDANCE = GuidanceGiven(at=NOW, by="ada", text="use a queue")


@pytest.fixture
def store(tmp_path: Path) -> MemoryStore:
    return MemoryStore(tmp_path / "memory.db", Redactor())


def a_memory(store: MemoryStore, other_projects: bool = False) -> SessionMemory:
    told: list[str] = []
    return SessionMemory(store=store, project=PROJECT, use=MemoryUse(other_projects=other_projects), tell=told.append)


def a_note(text: str, project: str = PROJECT) -> MemoryEntry:
    return MemoryEntry(key=text, kind=EntryKind.NOTE, project=project, text=text, at=NOW)


def in_qa() -> LoopState:
    return a_state(phase=Phase.QA)


def test_each_event_is_passed_on_and_those_worth_it_are_kept(store: MemoryStore) -> None:
    seen: list[str] = []
    watch = remembering(a_memory(store), lambda event, _: seen.append(event.kind), a_state(), lambda *_: None)

    watch(RunSuspended(at=NOW, seconds=1.0), a_state())
    watch(GUIDANCE, a_state())

    assert seen == ["run.suspended", "guidance.given"]
    assert [each.entry.text for each in store.all(PROJECT)] == ["A person said: use a queue"]
    assert store.seen(a_state().session_id) == 3


def test_a_resumed_session_catches_up_with_its_journal_unless_it_ran_without_memory(
    store: MemoryStore, tmp_path: Path
) -> None:
    journal = Journal(tmp_path / JOURNAL, 1, lambda: True)
    for event in (a_start(), GUIDANCE):
        journal.append(event)
    account, memory = read_account(tmp_path), a_memory(store)

    memory.catch_up(tmp_path, account)
    unknown = store.all(PROJECT)
    store.keep([], 10, account.state.session_id, 1)
    memory.catch_up(tmp_path, account)
    first = store.all(PROJECT)
    memory.catch_up(tmp_path, account)

    assert (len(unknown), len(first), store.all(PROJECT) == first) == (0, 1, True)
    assert store.seen(account.state.session_id) == 2


def test_other_projects_are_recalled_only_where_a_person_says_so(store: MemoryStore) -> None:
    store.keep([a_note("one thing"), a_note("another thing", "/srv/billing")], 10)

    own = recalling(a_memory(store), a_spec(), UnfinishedTurn())(in_qa())
    every = recalling(a_memory(store, other_projects=True), a_spec(), UnfinishedTurn())(in_qa())

    assert [each.text for each in own] == ["one thing"]
    assert {each.source for each in every} == {"a person's note, 2026-01-16", "a person's note of billing, 2026-01-16"}


def test_a_turn_that_was_cut_off_gets_what_its_journal_says(store: MemoryStore) -> None:
    class Held(UnfinishedTurn):
        def recalled(self) -> tuple[Recalled, ...]:
            return ()

    store.keep([a_note("one thing")], 10)

    assert recalling(a_memory(store), a_spec(), Held())(in_qa()) == ()
    assert recalling(None, a_spec(), UnfinishedTurn())(in_qa()) == ()


def test_a_memory_that_fails_is_told_of_once_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "memory.db").mkdir()
    told: list[str] = []
    store = MemoryStore(tmp_path / "memory.db", Redactor())
    memory = SessionMemory(store=store, project=PROJECT, use=MemoryUse(), tell=told.append)

    memory.keep((), "s", 1)
    memory.keep((), "s", 2)

    assert memory.recall(a_spec(), in_qa()) == ()
    (line,) = told
    assert "This run continues without it." in line


def test_a_memory_that_is_switched_off_during_a_run_is_not_used(tmp_path: Path) -> None:
    host = a_host(tmp_path, {"HOME": str(tmp_path)})
    memory = open_memory(host, Settings())
    assert memory is not None
    file = tmp_path / ".bp-sessions" / ".memory" / "memory.db"
    memory.keep((a_note("one thing", memory.project),), "s", 1)

    before = memory.recall(a_spec(), in_qa())
    switch_off(file, None)
    memory.keep((a_note("another thing", memory.project),), "s", 2)

    assert (len(before), memory.recall(a_spec(), in_qa())) == (1, ())
    assert open_memory(host, Settings()) is None
    assert len(memory.store.all(None)) == 1
    assert open_memory(host, Settings(memory=MemoryUse(enabled=False))) is None
