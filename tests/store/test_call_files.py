import gzip
from pathlib import Path

import pytest

from dualgate.store.call_files import ALWAYS_KEPT, CALLS, NEWEST, PACKED_FROM, CallFiles, pack_calls, trim_calls


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    """Forty calls of a hundred bytes each, in two files, and a file that is not ours."""
    folder = tmp_path / CALLS
    folder.mkdir()
    for number in range(1, 41):
        (folder / f"{number:04}-RED-prompt.md").write_text("p" * 60)
        (folder / f"{number:04}-RED-answer.txt").write_text("a" * 40)
    (folder / "notes.txt").write_text("n" * 10_000)
    return folder


def numbers(folder: Path) -> list[int]:
    return sorted({int(path.name[:4]) for path in folder.iterdir() if path.name[0].isdigit()})


def test_the_oldest_calls_give_way_to_what_is_kept_of_the_others(tmp_path: Path, calls: Path) -> None:
    freed = trim_calls(tmp_path, 3000)

    assert (freed, numbers(calls)) == (1000, list(range(11, 41)))
    assert (calls / "notes.txt").exists()
    assert trim_calls(tmp_path, 3000) == 0


def test_the_newest_calls_stay_however_large_they_are(tmp_path: Path, calls: Path) -> None:
    trim_calls(tmp_path, 0)

    assert numbers(calls) == list(range(41 - ALWAYS_KEPT, 41))


def test_where_there_are_no_calls_nothing_is_done(tmp_path: Path) -> None:
    pack_calls(tmp_path)

    assert trim_calls(tmp_path, 0) == 0


def test_large_files_of_an_archive_are_packed_and_small_ones_stay(tmp_path: Path, calls: Path) -> None:
    large = "many words " * PACKED_FROM
    (calls / "0007-RED-answer.txt").write_text(large)

    pack_calls(tmp_path)
    pack_calls(tmp_path)

    packed = calls / "0007-RED-answer.txt.gz"
    assert gzip.decompress(packed.read_bytes()).decode() == large
    assert packed.stat().st_size < len(large) / 20
    assert not (calls / "0007-RED-answer.txt").exists()
    assert (calls / "0008-RED-answer.txt").read_text() == "a" * 40


def test_what_a_run_writes_is_known_without_a_look_at_the_folder(tmp_path: Path, calls: Path) -> None:
    files = CallFiles(tmp_path)
    first = files.newest()
    (calls / "9999-RED-answer.txt").write_text("not by the run")
    for _ in range(2):
        files.write("0041-RED-prompt.md", b"p")

    assert (len(first), first[-1]) == (NEWEST, "notes.txt")
    assert files.newest() == (*first[1:], "0041-RED-prompt.md")
    assert CallFiles(tmp_path / "elsewhere").newest() == ()


def test_calls_give_way_when_a_run_has_written_more_than_is_kept(tmp_path: Path, calls: Path) -> None:
    files = CallFiles(tmp_path, 4100)
    files.trim()
    files.write("0041-RED-answer.txt", b"a" * 100)
    files.trim()
    assert numbers(calls) == list(range(1, 42))

    files.write("0042-RED-answer.txt", b"a" * 100)
    files.trim()
    assert numbers(calls) == list(range(2, 43))


def test_a_run_that_keeps_all_calls_removes_none(tmp_path: Path, calls: Path) -> None:
    CallFiles(tmp_path).trim()

    assert numbers(calls) == list(range(1, 41))
