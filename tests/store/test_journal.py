from pathlib import Path

import pytest

from dualgate.core.history import CallStarted, SessionPaused, SessionStarted, apply
from dualgate.core.vocabulary import Phase, Status
from dualgate.errors import JournalDamaged, SessionMissing, StoreFailed
from dualgate.store.codec import KINDS, decode, encode
from dualgate.store.journal import JOURNAL, Journal, fold, read_journal
from dualgate.testing import NOW, a_start, a_state

CALL = CallStarted(at=NOW, number=1, phase=Phase.RED, iteration=1)
PAUSE = SessionPaused(at=NOW, reason="user_interrupt")


def a_journal(folder: Path) -> Journal:
    journal = Journal(folder / JOURNAL, 3, lambda: True)
    for event in (a_start(), CALL, PAUSE):
        journal.append(event)
    return journal


def test_the_state_is_what_the_events_make(tmp_path: Path) -> None:
    a_journal(tmp_path)

    state = fold(read_journal(tmp_path))

    assert state == apply(apply(a_state(), CALL), PAUSE)
    assert state.status is Status.PAUSED


def test_lines_are_numbered_and_carry_the_owner(tmp_path: Path) -> None:
    a_journal(tmp_path)

    assert [(record.seq, record.epoch) for record in read_journal(tmp_path)] == [(1, 3), (2, 3), (3, 3)]


def test_what_no_utf8_can_hold_is_written_as_its_escape(tmp_path: Path) -> None:
    journal = Journal(tmp_path / JOURNAL, 1, lambda: True)
    journal.append(a_start(project="/tmp/\udcff", test_command=("/tmp/\udcff/python",)))

    (record,) = read_journal(tmp_path)

    assert isinstance(record.event, SessionStarted)
    assert (record.event.project, record.event.test_command) == ("/tmp/\\udcff", ("/tmp/\\udcff/python",))


def test_every_kind_of_event_has_a_dotted_name() -> None:
    assert all(name.count(".") == 1 and name == name.lower() for name in KINDS)


def test_a_torn_last_line_is_passed_over_at_every_cut(tmp_path: Path) -> None:
    a_journal(tmp_path)
    whole = (tmp_path / JOURNAL).read_bytes()
    begin_of_last = whole.rindex(b"\n", 0, -1) + 1
    for cut in range(begin_of_last, len(whole)):
        (tmp_path / JOURNAL).write_bytes(whole[:cut])

        assert len(list(read_journal(tmp_path))) == 2


DAMAGE = [
    (b"not json\n", "journal.jsonl:2: "),
    (b'{"format":9,"seq":2,"epoch":1,"kind":"x","data":{}}\n', "newer dualgate"),
    (b'{"format":1,"seq":2,"epoch":1,"kind":"foreign.thing","data":{}}\n', "unknown kind of event 'foreign.thing'"),
    (b'{"format":1,"seq":2,"epoch":1,"kind":"call.started","data":{"at":"x"}}\n', r"\$.at"),
]


@pytest.mark.parametrize(("line", "message"), DAMAGE)
def test_a_foreign_line_is_named_by_file_and_line(tmp_path: Path, line: bytes, message: str) -> None:
    first = encode(decode(_first_line(tmp_path)))
    (tmp_path / JOURNAL).write_bytes(first + line)

    with pytest.raises(JournalDamaged, match=message):
        list(read_journal(tmp_path))


def test_a_missing_line_is_noticed(tmp_path: Path) -> None:
    a_journal(tmp_path)
    lines = (tmp_path / JOURNAL).read_bytes().splitlines(keepends=True)
    (tmp_path / JOURNAL).write_bytes(lines[0] + lines[2])

    with pytest.raises(JournalDamaged, match="carries number 3"):
        list(read_journal(tmp_path))


def test_a_journal_must_begin_with_the_start(tmp_path: Path) -> None:
    Journal(tmp_path / JOURNAL, 1, lambda: True).append(PAUSE)

    with pytest.raises(JournalDamaged, match="does not begin"):
        fold(read_journal(tmp_path))


def test_no_journal_is_no_session(tmp_path: Path) -> None:
    with pytest.raises(SessionMissing, match="Start one with"):
        list(read_journal(tmp_path))


def test_an_owner_who_lost_the_tree_cannot_write(tmp_path: Path) -> None:
    journal = Journal(tmp_path / JOURNAL, 1, lambda: False)

    with pytest.raises(JournalDamaged, match="belongs to another run now"):
        journal.append(PAUSE)
    assert not (tmp_path / JOURNAL).exists()


def test_a_disk_that_refuses_leaves_the_journal_as_it_was(tmp_path: Path) -> None:
    journal = a_journal(tmp_path)
    before = (tmp_path / JOURNAL).read_bytes()
    with _file_size_limit(len(before) + 20), pytest.raises(StoreFailed, match="cannot be written"):
        journal.append(PAUSE)

    assert (tmp_path / JOURNAL).read_bytes() == before
    assert journal.append(PAUSE).seq == 4


def _first_line(folder: Path) -> bytes:
    a_journal(folder)
    return (folder / JOURNAL).read_bytes().splitlines()[0]


class _file_size_limit:  # noqa: N801  reads as the statement it is
    """A disk that is full after so many bytes of a file."""

    def __init__(self, size: int) -> None:
        self._size = size

    def __enter__(self) -> None:
        import resource
        import signal

        self._handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        self._before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (self._size, self._before[1]))

    def __exit__(self, *_: object) -> None:
        import resource
        import signal

        resource.setrlimit(resource.RLIMIT_FSIZE, self._before)
        signal.signal(signal.SIGXFSZ, self._handler)
