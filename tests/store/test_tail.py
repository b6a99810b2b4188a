"""What is new in a journal, read without the rest of it."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from dualgate.core.values.events import CallStarted, Event, SuiteEnded
from dualgate.core.values.vocabulary import Phase
from dualgate.errors import JournalDamaged, SessionMissing
from dualgate.store.codec import Record, pack
from dualgate.store.journal import Journal
from dualgate.store.lines import JOURNAL
from dualgate.store.reading import read_journal, tail
from dualgate.testing import NOW, a_report, a_start, passed

RESULTS = tuple(passed(f"test_{number}", digest=f"{number:08x}") for number in range(400))


def a_run(number: int) -> SuiteEnded:
    return SuiteEnded(at=NOW, report=a_report(*(replace(each, seconds=number / 7) for each in RESULTS)))


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    """Lines of very different lengths."""
    journal = Journal(tmp_path / JOURNAL, 1, lambda: True)
    journal.append(a_start())
    for number in range(1, 8):
        for event in (CallStarted(at=NOW, number=number, phase=Phase.RED, iteration=1), a_run(number)):
            journal.append(event)
    return journal


def events(records: list[Record]) -> list[Event]:
    return [record.event for record in records]


def test_the_tail_is_all_behind_a_number_with_what_it_refers_to(tmp_path: Path, journal: Journal) -> None:
    everything = list(read_journal(tmp_path))

    for after in range(journal.seq + 3):
        assert tail(tmp_path, after) == everything[after:]


@pytest.mark.parametrize("recorded", sorted(Path(__file__).parents[1].glob("data/journals/*/*")), ids=lambda p: p.name)
def test_the_tail_of_an_older_session_is_read_too(recorded: Path) -> None:
    assert tail(recorded, 5) == list(read_journal(recorded))[5:]


def test_a_line_that_is_being_written_comes_with_the_next_call(tmp_path: Path, journal: Journal) -> None:
    whole, last = (tmp_path / JOURNAL).read_bytes(), journal.seq
    journal.append(a_run(9))
    longer = (tmp_path / JOURNAL).read_bytes()
    for cut in (len(whole), len(whole) + 1, len(longer) - 1):
        (tmp_path / JOURNAL).write_bytes(longer[:cut])
        assert tail(tmp_path, last) == []

    (tmp_path / JOURNAL).write_bytes(longer)
    assert events(tail(tmp_path, last)) == [a_run(9)]


def test_what_lies_before_is_not_decoded(tmp_path: Path, journal: Journal) -> None:
    path = tmp_path / JOURNAL
    path.write_bytes(path.read_bytes().replace(b'"call.started"', b'"call.burnt!!"', 3))

    assert events(tail(tmp_path, journal.seq - 1)) == [a_run(7)]
    with pytest.raises(JournalDamaged, match="unknown kind of event"):
        list(read_journal(tmp_path))


@pytest.mark.parametrize("changed", [13, 14])
@pytest.mark.usefixtures("journal")
def test_a_line_that_was_changed_is_named(tmp_path: Path, changed: int) -> None:
    lines = (tmp_path / JOURNAL).read_bytes().splitlines(keepends=True)
    lines[changed - 1] = lines[changed - 1].replace(b"2026", b"2027", 1)
    (tmp_path / JOURNAL).write_bytes(b"".join(lines))

    with pytest.raises(JournalDamaged, match=f"{JOURNAL}:{changed}: was changed after it was written"):
        tail(tmp_path, 13)


def test_a_line_without_a_digest_behind_one_with_is_named(tmp_path: Path, journal: Journal) -> None:
    lines = (tmp_path / JOURNAL).read_bytes().splitlines(keepends=True)
    lines[-1] = pack(Record(seq=journal.seq, epoch=1, event=a_run(7)))
    (tmp_path / JOURNAL).write_bytes(b"".join(lines))

    with pytest.raises(JournalDamaged, match=f"{JOURNAL}:15: was changed after it was written"):
        tail(tmp_path, 14)


def test_a_line_without_a_number_is_damage(tmp_path: Path, journal: Journal) -> None:
    with (tmp_path / JOURNAL).open("ab") as file:
        file.write(b"not json\n" * 20)

    with pytest.raises(JournalDamaged, match="does not begin with its format and number") as caught:
        tail(tmp_path, journal.seq)
    assert "Nothing was changed." in caught.value.next_step


@pytest.mark.usefixtures("journal")
def test_a_number_that_is_missing_is_damage(tmp_path: Path) -> None:
    lines = (tmp_path / JOURNAL).read_bytes().splitlines(keepends=True)
    (tmp_path / JOURNAL).write_bytes(b"".join((*lines[:12], *lines[13:])))

    with pytest.raises(JournalDamaged, match=r"journal\.jsonl:13: carries number 14"):
        tail(tmp_path, 11)


def test_no_journal_has_no_tail(tmp_path: Path) -> None:
    with pytest.raises(SessionMissing):
        tail(tmp_path)


def test_a_program_that_reads_a_journal_imports_data_and_little_else() -> None:
    code = "import sys, dualgate.store.reading; print(*(name for name in sys.modules if name.startswith('dualgate')))"

    ours = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()

    assert len([name for name in ours if name != "dualgate._version"]) <= 35  # which a build writes
    assert not [name for name in ours if name.startswith("dualgate.core.") and ".values" not in name]
