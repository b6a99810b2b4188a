import os
from collections.abc import Callable
from pathlib import Path

import pytest

from dualgate.core.values.events import SessionPaused
from dualgate.store.folder_check import FolderCheck
from dualgate.store.journal import Journal
from dualgate.store.lines import JOURNAL
from dualgate.store.projections import STATUS_LOG, open_projections
from dualgate.store.reading import read_journal
from dualgate.testing import NOW, a_start

STATE = "loop-state.json"


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    journal = Journal(tmp_path / JOURNAL, 1, lambda: True)
    journal.append(a_start())
    open_projections(tmp_path, a_start())
    for name in ("results", "calls", "requests"):
        (tmp_path / name).mkdir()
    (tmp_path / "results" / "a").write_text("ours")
    (tmp_path / "calls" / "0001-RED-prompt.md").write_text("ours")
    return journal


def pipe(path: Path) -> None:
    """What nobody writes to, and whoever opens it to read waits for."""
    path.unlink()
    os.mkfifo(path)


def folder_at(path: Path) -> None:
    path.unlink()
    path.mkdir()


def endless(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


CHANGES: list[tuple[str, Callable[[Path], object]]] = [
    (JOURNAL, lambda folder: (folder / JOURNAL).write_text("")),
    (STATE, lambda folder: (folder / STATE).write_text("{}")),
    (STATE, lambda folder: (folder / STATE).unlink()),
    ("results/b", lambda folder: (folder / "results" / "b").write_text("forged")),
    ("results/a", lambda folder: (folder / "results" / "a").write_text("forged")),
    ("calls/0001-RED-prompt.md", lambda folder: (folder / "calls" / "0001-RED-prompt.md").write_text("forged")),
    ("made", lambda folder: (folder / "made").write_text("forged")),
    (JOURNAL, lambda folder: pipe(folder / JOURNAL)),
    (STATE, lambda folder: pipe(folder / STATE)),
    (STATUS_LOG, lambda folder: pipe(folder / STATUS_LOG)),
    (STATE, lambda folder: folder_at(folder / STATE)),
    (JOURNAL, lambda folder: endless(folder / JOURNAL)),
]


@pytest.mark.parametrize(("name", "change"), CHANGES)
def test_what_is_changed_is_named_once_and_nothing_of_it_is_believed(
    tmp_path: Path, journal: Journal, name: str, change: Callable[[Path], object]
) -> None:
    state, folder_check = (tmp_path / STATE).read_bytes(), FolderCheck(tmp_path, journal.restore)
    with folder_check.during():
        change(tmp_path)

    assert (folder_check.changed(), folder_check.changed()) == ((name,), ())
    assert (tmp_path / STATE).read_bytes() == state
    assert not any("forged" in path.read_text() for path in (tmp_path / "results").iterdir())
    assert len(list(read_journal(tmp_path))) == 1


@pytest.mark.parametrize("calls", [1, 500])
def test_a_call_that_comes_or_goes_is_found_however_many_there_are(
    tmp_path: Path, journal: Journal, calls: int
) -> None:
    for number in range(1, calls + 1):
        (tmp_path / "calls" / f"{number:04}-RED-prompt.md").write_text("ours")
    folder_check = FolderCheck(tmp_path, journal.restore)
    with folder_check.during():
        (tmp_path / "calls" / "0001-RED-prompt.md").unlink()

    assert "calls" in folder_check.changed()
    assert len(list((tmp_path / "calls").iterdir())) == calls - 1


def test_files_that_come_to_those_of_the_calls_are_named(tmp_path: Path, journal: Journal) -> None:
    folder_check = FolderCheck(tmp_path, journal.restore)
    with folder_check.during():
        (tmp_path / "calls" / "0001-RED-answer.txt").write_text("forged")

    assert folder_check.changed() == ("calls", "calls/0001-RED-answer.txt")


def test_requests_of_people_and_what_the_run_writes_itself_are_no_change(tmp_path: Path, journal: Journal) -> None:
    folder_check = FolderCheck(tmp_path, journal.restore)
    with folder_check.during():
        (tmp_path / "requests" / "1-pause.json").write_text("{}")
        journal.append(SessionPaused(at=NOW, reason="user_interrupt"))

    assert folder_check.changed() == ()


def test_without_a_folder_nothing_is_looked_at() -> None:
    folder_check = FolderCheck()
    with folder_check.during():
        pass

    assert folder_check.changed() == ()
