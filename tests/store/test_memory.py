"""The memory on disk: real SQLite, several processes, kills, damage and secrets."""

import os
import signal
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from dualgate.core.secrets.redaction import Redactor, Secret
from dualgate.core.values.memory import MemoryEntry, MemoryQuery
from dualgate.core.values.vocabulary import EntryKind, Phase
from dualgate.errors import SettingError, StoreFailed
from dualgate.store.memory import MemoryStore
from dualgate.store.memory_switch import is_off, switch_off, switch_on
from dualgate.testing import NOW

HERE, ELSEWHERE = "/srv/shop", "/srv/billing"
WRITER = """
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from dualgate.core.secrets.redaction import Redactor
from dualgate.store.memory import MemoryStore
from tests.store.test_memory import an_entry
for number in range({count}):
    MemoryStore(Path({file!r}), Redactor()).keep([an_entry(f"{name}-{{number}}")], 1000)
    print(number, flush=True)
"""


def an_entry(key: str = "one", **values: Any) -> MemoryEntry:
    defaults: dict[str, Any] = {"kind": EntryKind.ERROR, "project": HERE, "at": NOW, "phase": Phase.GREEN}
    return MemoryEntry(**{**defaults, "key": key, "text": f"error {key}", "session": "s1", "iteration": 2, **values})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "base" / "memory.db"


@pytest.fixture
def store(file: Path) -> MemoryStore:
    return MemoryStore(file, Redactor())


def keys(store: MemoryStore, project: str | None = HERE) -> list[str]:
    return [each.entry.key for each in store.all(project)]


def started(file: Path, name: str, count: int) -> "subprocess.Popen[bytes]":
    root = str(Path(__file__).parents[2])
    code = WRITER.format(tests=root, file=str(file), name=name, count=count)
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)


def test_an_entry_is_found_by_its_signature_its_words_and_its_files(store: MemoryStore, file: Path) -> None:
    one = an_entry(signature="abc", files=("src/a.py",), criteria=("AC-1",), cure="call list()")
    store.keep([one, an_entry("two", text="nothing else"), an_entry("three", project=ELSEWHERE, signature="abc")], 10)
    kinds = tuple(EntryKind)

    assert [each.entry for each in store.find(MemoryQuery(kinds=kinds, signatures=("abc",)), HERE)] == [one]
    assert [each.entry for each in store.find(MemoryQuery(kinds=kinds, words=("list",)), HERE)] == [one]
    assert [each.entry for each in store.find(MemoryQuery(kinds=kinds, files=("src/a.py",)), HERE)] == [one]
    assert len(store.find(MemoryQuery(kinds=kinds, signatures=("abc",)), None)) == 2
    assert store.find(MemoryQuery(kinds=kinds), HERE) == ()
    assert [each.entry.key for each in store.search(["nothing", "ELSE"], HERE)] == ["two"]
    assert store.search(['a "quoted" OR* word'], HERE) == ()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_an_entry_that_is_made_again_replaces_itself_and_the_oldest_give_way(store: MemoryStore) -> None:
    store.keep([an_entry(), an_entry("note", kind=EntryKind.NOTE)], 2, "s1", 4)
    store.keep([an_entry(cure="raise it")], 2, "s1", 9)
    (first,) = (each for each in store.all(HERE) if each.entry.key == "one")

    store.keep([an_entry("new", at=NOW + timedelta(days=1))], 2)

    assert (first.entry.cure, store.seen("s1"), store.seen("s2")) == ("raise it", 9, 0)
    assert keys(store) == ["new", "note"]
    assert store.search(["raise"], HERE) == ()


def test_what_a_person_forgot_is_gone_from_the_disk_and_does_not_come_back(store: MemoryStore, file: Path) -> None:
    store.keep([an_entry(text="the customer is called Rumpelstilzchen"), an_entry("two")], 10)
    (told,) = store.search(["Rumpelstilzchen"], None)

    store.forget([told.id])
    store.keep([told.entry], 10)

    assert keys(store) == ["two"]
    held = b"".join(path.read_bytes() for path in file.parent.iterdir())
    assert b"umpelstilzchen" not in held


def test_secrets_are_redacted_when_they_are_written_and_when_they_are_read(file: Path) -> None:
    careful = MemoryStore(file, Redactor(secrets=(Secret(name="API_KEY", value="hunter2hunter2"),)))
    careful.keep([an_entry(text="hunter2hunter2 failed", cure="use ghp_" + "a1B2" * 9)], 10)
    MemoryStore(file, Redactor()).keep([an_entry("two", text="later: hunter2hunter2")], 10)

    texts = [each.entry.text for each in careful.all(HERE)]
    with closing(sqlite3.connect(file)) as database:
        content = database.execute("SELECT content FROM entries WHERE key = 'one'").fetchall()

    assert texts == ["later: [redacted:API_KEY]", "[redacted:API_KEY] failed"]
    assert "hunter2" not in content[0][0]
    assert "a1B2a1B2" not in content[0][0]


def test_a_text_that_is_no_unicode_can_be_kept(store: MemoryStore) -> None:
    store.keep([an_entry(text="bad \udcff byte", files=("a\udcff.py",))], 10)

    assert [each.entry.text for each in store.all(HERE)] == ["bad \\udcff byte"]


def test_several_processes_write_at_once(store: MemoryStore, file: Path) -> None:
    writers = [started(file, name, 20) for name in ("a", "b")]

    assert [writer.wait(timeout=60) for writer in writers if writer.communicate()] == [0, 0]
    assert len(keys(store)) == 40


def test_a_kill_leaves_every_entry_that_was_kept(store: MemoryStore, file: Path) -> None:
    writer = started(file, "a", 10_000)
    assert writer.stdout is not None
    for _ in range(5):
        last = int(writer.stdout.readline())
    os.kill(writer.pid, signal.SIGKILL)
    writer.communicate()

    assert {f"a-{number}" for number in range(last + 1)} <= {*keys(store)}
    store.keep([an_entry("after")], 20_000)
    assert "after" in keys(store)


def test_an_entry_is_kept_whole_or_not_at_all(store: MemoryStore, file: Path) -> None:
    store.keep([an_entry()], 10)
    spoilt = replace(an_entry("three"), at="never")  # type: ignore[arg-type]

    with pytest.raises(Exception, match=r"timestamp|datetime|Expected"):
        store.keep([an_entry("two"), spoilt], 10)

    assert keys(store) == ["one"]


def test_a_damaged_index_of_words_counts_as_damage(file: Path) -> None:
    told: list[str] = []
    store = MemoryStore(file, Redactor(), told.append)
    store.keep([an_entry()], 10)
    with closing(sqlite3.connect(file)) as database:
        database.execute("DELETE FROM words_data WHERE id > 10")
        database.commit()

    assert (store.search(["error"], HERE), len(told)) == ((), 1)


@pytest.mark.parametrize("damage", [b"this is no database at all, but long enough" * 40, None])
def test_a_damaged_file_is_moved_aside_and_a_new_one_is_begun(file: Path, damage: bytes | None) -> None:
    told: list[str] = []
    store = MemoryStore(file, Redactor(), told.append)
    store.keep([an_entry(str(number), text="word " * 200) for number in range(50)], 100)
    whole = file.read_bytes()
    file.write_bytes(damage or whole[:4096] + b"\xff" * (len(whole) - 4096))

    store.keep([an_entry("new")], 100)

    assert keys(store) == ["new"]
    (line,) = told
    assert line.startswith("the memory was damaged and is now ")
    assert len(list(file.parent.glob("memory.db.damaged-*"))) == 1


@pytest.mark.parametrize("content", ["{}", '{"x":' + "[" * 10_000 + "]" * 10_000 + "}"], ids=["empty", "deep"])
def test_a_row_that_cannot_be_read_is_passed_over(store: MemoryStore, file: Path, content: str) -> None:
    store.keep([an_entry(), an_entry("two")], 10)
    with sqlite3.connect(file) as database:
        database.execute("UPDATE entries SET content = ? WHERE key = 'one'", (content,))
    database.close()

    assert keys(store) == ["two"]


def test_a_memory_that_cannot_be_used_says_why_and_what_to_do(file: Path) -> None:
    with pytest.raises(StoreFailed, match="no such module: fts99") as missing:
        MemoryStore(file, Redactor(), fts="fts99").keep([an_entry()], 10)
    file.unlink()
    MemoryStore(file, Redactor()).keep([], 10)
    with sqlite3.connect(file) as database:
        database.execute("PRAGMA user_version = 9")
    database.close()
    with pytest.raises(StoreFailed, match=r"newer dualgate \(format 9\)"):
        MemoryStore(file, Redactor()).all(None)

    assert "FTS5" in missing.value.next_step


def test_looking_at_a_memory_that_is_not_there_creates_nothing(store: MemoryStore, file: Path) -> None:
    assert (store.all(None), store.search(["a"], None), file.parent.exists()) == ((), (), False)


def test_the_memory_is_switched_off_for_one_project_or_for_all(file: Path) -> None:
    states = [is_off(file, HERE)]
    for change, project in ((switch_off, HERE), (switch_on, HERE), (switch_off, None)):
        change(file, project)
        states.append(is_off(file, HERE))

    assert (states, is_off(file, ELSEWHERE)) == ([False, True, False, True], True)
    with pytest.raises(SettingError, match="off for all projects"):
        switch_on(file, HERE)
    switch_on(file, None)
    assert not is_off(file, HERE)


def test_a_switch_that_cannot_be_read_means_off(file: Path) -> None:
    (file.parent / "memory.off").mkdir(parents=True)

    assert is_off(file, HERE)
