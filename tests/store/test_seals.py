import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from dualgate.core.values.events import CallStarted, Event, SessionPaused
from dualgate.core.values.vocabulary import Phase
from dualgate.errors import JournalDamaged
from dualgate.store.archive import Keep, prune
from dualgate.store.codec import Record, pack
from dualgate.store.journal import Journal, close_seal, cut_torn_line, incomplete_line
from dualgate.store.lines import JOURNAL
from dualgate.store.making_room import make_room
from dualgate.store.owners import boot
from dualgate.store.reading import read_journal
from dualgate.store.seals import digest_of, read_seal, seal_place, write_seal
from dualgate.testing import NOW, a_start

PAUSE = SessionPaused(at=NOW, reason="user_interrupt")
EVENTS: tuple[Event, ...] = (a_start(), CallStarted(at=NOW, number=1, phase=Phase.RED, iteration=1), PAUSE)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "session"


def written(folder: Path) -> Journal:
    journal = Journal(folder / JOURNAL, 1, lambda: True, seal=seal_place(folder))
    for event in EVENTS:
        journal.append(event)
    return journal


def ended(folder: Path) -> None:
    written(folder)
    close_seal(folder)


def chained(events: tuple[Event, ...]) -> bytes:
    """A whole journal as a forger would write it, with digests that fit each other."""
    lines: list[bytes] = []
    for number, event in enumerate(events, 1):
        before = digest_of(lines[-1][:-1]) if lines else ""
        lines.append(pack(Record(seq=number, epoch=1, event=event, before=before)))
    return b"".join(lines)


def test_the_seal_knows_the_last_line_and_whether_more_may_come(folder: Path) -> None:
    written(folder)
    while_it_runs = read_seal(seal_place(folder))
    close_seal(folder)
    at_its_end = read_seal(seal_place(folder))

    assert while_it_runs is not None
    assert (while_it_runs.seq, while_it_runs.open) == (3, True)
    assert at_its_end == replace(while_it_runs, open=False)
    assert len(list(read_journal(folder))) == 3


FORGERIES: list[tuple[str, Callable[[bytes], bytes], str]] = [
    ("written anew", lambda _: chained((*EVENTS[:2], replace(PAUSE, reason="rate_limit"))), ":3: does not match"),
    ("cut", lambda content: b"".join(content.splitlines(keepends=True)[:2]), ":3: is missing"),
    ("longer", lambda _: chained((*EVENTS, PAUSE)), ":4: was not written by the run"),
]


@pytest.mark.parametrize(("forge", "told"), [each[1:] for each in FORGERIES], ids=[each[0] for each in FORGERIES])
def test_a_journal_whose_digests_fit_each_other_and_not_the_seal_is_told(
    folder: Path, forge: Callable[[bytes], bytes], told: str
) -> None:
    ended(folder)
    (folder / JOURNAL).write_bytes(forge((folder / JOURNAL).read_bytes()))

    with pytest.raises(JournalDamaged, match=f"{JOURNAL}{told}"):
        list(read_journal(folder))


@pytest.mark.parametrize("end", [written, ended])
def test_a_sealed_line_of_which_a_power_cut_left_a_part_is_passed_over_and_taken_away(
    folder: Path, end: Callable[[Path], object]
) -> None:
    end(folder)
    whole = (folder / JOURNAL).read_bytes()
    for cut in (1, 20):
        (folder / JOURNAL).write_bytes(whole[:-cut])
        assert len(list(read_journal(folder))) == 2

    assert cut_torn_line(folder)
    assert len(list(read_journal(folder))) == 2
    journal = Journal(folder / JOURNAL, 2, lambda: True, seq=2, seal=seal_place(folder))
    journal.append(PAUSE)
    assert len(list(read_journal(folder))) == 3


@pytest.mark.parametrize("kept", [1, 2])
def test_a_journal_that_was_written_anew_is_told_though_its_end_is_torn(folder: Path, kept: int) -> None:
    ended(folder)
    forged = chained((EVENTS[0], replace(PAUSE, reason="rate_limit"))[:kept])
    (folder / JOURNAL).write_bytes(forged + b'{"format":1,"se')

    for _ in range(2):
        with pytest.raises(JournalDamaged, match=f"{JOURNAL}:2: (is missing|does not match)"):
            list(read_journal(folder))
        cut_torn_line(folder)


def test_a_run_that_was_killed_behind_its_line_was_not_forged(folder: Path) -> None:
    written(folder)
    (folder / JOURNAL).write_bytes(chained((*EVENTS, PAUSE)))

    assert len(list(read_journal(folder))) == 4


def test_an_owner_that_is_killed_behind_its_first_line_was_not_forged(folder: Path) -> None:
    ended(folder)
    Journal(folder / JOURNAL, 2, lambda: True, seq=3, seal=seal_place(folder)).append(PAUSE)
    seal = read_seal(seal_place(folder))
    assert seal is not None
    write_seal(
        seal_place(folder), replace(seal, seq=3, digest=digest_of((folder / JOURNAL).read_bytes().split(b"\n")[2]))
    )

    assert len(list(read_journal(folder))) == 4


def test_two_lines_behind_the_seal_are_one_too_many(folder: Path) -> None:
    written(folder)
    (folder / JOURNAL).write_bytes(chained((*EVENTS, PAUSE, PAUSE)))

    with pytest.raises(JournalDamaged, match=":5: was not written by the run"):
        list(read_journal(folder))


def test_a_seal_that_the_power_cut_left_behind_says_nothing_of_later_lines(folder: Path) -> None:
    written(folder)
    seal = seal_place(folder)
    seal.write_bytes(seal.read_bytes().replace(b'"boot":"', b'"boot":"before-'))
    (folder / JOURNAL).write_bytes(chained((*EVENTS, PAUSE, PAUSE)))

    assert len(list(read_journal(folder))) == 5


@pytest.mark.parametrize("content", [b"", b"{", b'{"seq":"x"}'])
def test_a_seal_that_cannot_be_read_is_none(folder: Path, content: bytes) -> None:
    ended(folder)
    seal_place(folder).write_bytes(content)

    assert len(list(read_journal(folder))) == 3


def test_a_journal_that_was_emptied_is_not_begun_over_unasked(folder: Path) -> None:
    ended(folder)
    (folder / JOURNAL).write_bytes(b"")

    with pytest.raises(JournalDamaged, match=":1: is missing"):
        make_room(folder, fresh=False)
    place = make_room(folder, fresh=True)
    assert place is not None
    assert place.name.startswith("unreadable-")


def test_a_seal_goes_into_the_archive_and_away_with_its_session(folder: Path) -> None:
    ended(folder)
    place = make_room(folder, fresh=True)
    assert place is not None
    (place / JOURNAL).write_bytes(chained((*EVENTS, PAUSE)))

    with pytest.raises(JournalDamaged, match=":4: was not written by the run"):
        list(read_journal(place))
    assert read_seal(seal_place(folder)) is None


def test_a_home_that_cannot_be_written_keeps_no_seal_and_stops_nothing(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HOME", str(tmp_path / "file"))
    ended(folder)

    assert len(list(read_journal(folder))) == 3
    assert prune(folder, Keep(last=0, days=0), NOW).gone == ()
    assert os.environ["HOME"].endswith("file")


def test_an_incomplete_last_line_is_said_and_one_that_was_sealed_was_cut_by_somebody(folder: Path) -> None:
    ended(folder)
    path = folder / JOURNAL
    whole = path.read_bytes()
    lines = whole.count(b"\n")
    assert incomplete_line(folder) == ""

    path.write_bytes(whole + b'{"format":1,"seq"')
    crashed = incomplete_line(folder)
    path.write_bytes(whole[:-20])
    cut = incomplete_line(folder)
    place = seal_place(folder)
    place.write_bytes(place.read_bytes().replace(boot().encode(), b"another"))

    assert crashed == f"line {lines + 1} of the journal is incomplete, as a crash leaves it, and is dropped"
    assert cut.startswith(f"line {lines} of the journal was cut after it was written and sealed: somebody changed")
    assert "as a crash leaves it" in incomplete_line(folder)  # the power was cut since
