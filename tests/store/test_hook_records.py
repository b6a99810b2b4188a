"""The records of host sessions: private, whole, and removed after two weeks."""

import stat
from pathlib import Path

import pytest

from dualgate.store.hook_records import KEPT_SECONDS, clear_old, held, read_record, record_of, write_record


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path)}


def test_a_record_is_read_as_it_was_written(home: dict[str, str]) -> None:
    path = record_of("one", home)
    write_record(path, {"seen": "abc", "blocks": 1})

    assert read_record(path) == {"seen": "abc", "blocks": 1, "format": 1}
    assert read_record(record_of("two", home)) == {}


def test_only_the_owner_can_read_a_record(home: dict[str, str]) -> None:
    path = record_of("one", home)
    write_record(path, {})

    assert [stat.S_IMODE(each.stat().st_mode) for each in (path, path.parent)] == [0o600, 0o700]


@pytest.mark.parametrize("session", ["../../etc/passwd", "a/b", "\ud800", "x" * 10_000])
def test_any_session_id_names_a_file_in_the_folder(session: str, home: dict[str, str]) -> None:
    path = record_of(session, home)

    assert path.parent == record_of("one", home).parent
    assert len(path.name) < 60


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"format": 99}', b"\xff\xfe"])
def test_a_damaged_record_is_no_record(damage: bytes, home: dict[str, str]) -> None:
    path = record_of("one", home)
    write_record(path, {})
    path.write_bytes(damage)

    assert read_record(path) == {}


def test_a_record_is_held_by_one_at_a_time(home: dict[str, str]) -> None:
    path = record_of("one", home)
    with held(path) as first, held(path) as second, held(record_of("two", home)) as other:
        assert (first, second, other) == (True, False, True)
    with held(path) as again:
        assert again


def test_records_of_two_weeks_ago_are_removed(home: dict[str, str]) -> None:
    path = record_of("one", home)
    write_record(path, {})
    written = path.stat().st_mtime

    clear_old(home, now=written + KEPT_SECONDS - 60)
    kept = path.exists()
    clear_old(home, now=written + KEPT_SECONDS + 60)

    assert (kept, path.exists()) == (True, False)


def test_clearing_without_any_record_does_nothing(home: dict[str, str]) -> None:
    clear_old(home)

    assert list(Path(home["HOME"]).iterdir()) == []
