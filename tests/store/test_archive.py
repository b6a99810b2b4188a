"""Sessions that are kept: listed, found, pruned."""

import os
from datetime import timedelta
from pathlib import Path

import pytest

from dualgate.core.values.events import Event, SessionFailed, SessionPaused
from dualgate.core.values.vocabulary import Phase, Status
from dualgate.errors import SessionMissing
from dualgate.store.archive import Keep, every_session, find_session, prune, sessions_in, tidy
from dualgate.store.journal import Journal
from dualgate.store.lease import owned
from dualgate.store.lines import JOURNAL
from dualgate.store.making_room import make_room
from dualgate.testing import NOW, a_start

ENDED = SessionFailed(at=NOW, reason="no program")
PAUSED = SessionPaused(at=NOW, reason="user_interrupt")


def a_session(folder: Path, number: int, last: Event = ENDED, project: str = "/nowhere") -> None:
    """A session of a project, as many days before NOW as its number says."""
    folder.mkdir(parents=True, exist_ok=True)
    journal = Journal(folder / JOURNAL, 1, lambda: True)
    started = NOW - timedelta(days=number)
    journal.append(a_start(at=started, session_id=f"{number:08}-e5f6-4890-abcd-ef1234567890", project=project))
    journal.append(last)
    (folder / "calls").mkdir(exist_ok=True)
    (folder / "calls" / "0001-RED-prompt.md").write_text("x" * 1000)
    os.utime(folder / JOURNAL, (started.timestamp(), started.timestamp()))


def archived(folder: Path, *numbers: int, last: Event = ENDED) -> None:
    for number in numbers:
        a_session(folder, number, last)
        make_room(folder, fresh=True)


def short(folder: Path) -> list[int]:
    return [int(each.id[:8]) for each in sessions_in(folder)]


def test_the_present_session_comes_first_and_then_the_archive_from_the_newest_on(tmp_path: Path) -> None:
    archived(tmp_path, 5, 9, 7)
    a_session(tmp_path, 1, PAUSED)

    found = sessions_in(tmp_path)

    assert short(tmp_path) == [1, 5, 7, 9]
    assert [each.archived for each in found] == [False, True, True, True]
    assert (found[0].status, found[0].phase, found[0].proven, found[0].alive) == (
        Status.PAUSED,
        Phase.RED,
        False,
        False,
    )
    assert (found[0].started, found[0].last_activity) == (NOW - timedelta(days=1), NOW)
    assert found[1].bytes == 1000 + (found[1].folder / JOURNAL).stat().st_size


def test_a_session_is_alive_while_its_work_tree_is_owned(tmp_path: Path) -> None:
    project, folder = tmp_path / "p", tmp_path / "s"
    project.mkdir()
    a_session(folder, 1, PAUSED, str(project))

    with owned(project, folder, {"HOME": str(tmp_path)}, NOW):
        (during,) = sessions_in(folder)
    (after,) = sessions_in(folder)

    assert (during.alive, after.alive) == (True, False)


def test_a_session_that_cannot_be_read_is_listed_with_what_is_wrong(tmp_path: Path) -> None:
    a_session(tmp_path / "a", 3)
    with (tmp_path / "a" / JOURNAL).open("a") as journal:
        journal.write("nonsense\n")
    for name, content in (("b", ""), ("c", "nonsense\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / JOURNAL).write_text(content)

    (late,), (empty,), (early,) = (sessions_in(tmp_path / name) for name in "abc")

    assert (late.id[:8], late.status, late.project) == ("00000003", None, "/nowhere")
    assert f"{JOURNAL}:3: " in late.problem
    assert (empty.id, "does not begin" in empty.problem) == ("b", True)
    assert (early.id, f"{JOURNAL}:1: " in early.problem) == ("c", True)


def test_those_of_every_project_are_found_at_home(tmp_path: Path) -> None:
    home = tmp_path / ".bp-sessions"
    a_session(home / "one", 1)
    a_session(home / "two", 2)
    (home / ".owners").mkdir()

    found = list(every_session({"HOME": str(tmp_path)}))

    assert [each.folder.name for each in found] == ["one", "two"]
    assert list(every_session({"HOME": str(tmp_path / "nobody")})) == []


def test_a_session_is_found_by_the_beginning_of_its_id(tmp_path: Path) -> None:
    archived(tmp_path, 5, 55)
    known = sessions_in(tmp_path)

    assert find_session(known, "00000005") == known[0]
    assert find_session(known, known[1].folder.name) == known[1]
    with pytest.raises(SessionMissing, match="begins the ids of several sessions"):
        find_session(known, "000000")
    for unknown in ("x", ""):
        with pytest.raises(SessionMissing, match="There is no session"):
            find_session(known, unknown)


def test_what_is_neither_among_the_newest_nor_young_goes_with_its_bytes_counted(tmp_path: Path) -> None:
    archived(tmp_path, 1, 3, 10, 20, 30)
    a_session(tmp_path, 400)
    sizes = {int(each.id[:8]): each.bytes for each in sessions_in(tmp_path)}

    pruned = prune(tmp_path, Keep(last=1, days=15), NOW)

    assert [int(each.id[:8]) for each in pruned.gone] == [20, 30]
    assert pruned.bytes_freed == sizes[20] + sizes[30]
    assert short(tmp_path) == [400, 1, 3, 10]
    assert len(list((tmp_path / "archive").iterdir())) == 3


def test_unfinished_and_unreadable_sessions_stay_and_so_does_what_others_put_there(tmp_path: Path) -> None:
    archived(tmp_path, 10, last=PAUSED)
    archived(tmp_path, 20, 30)
    mine = sessions_in(tmp_path)[2].folder / "mine.txt"
    mine.write_text("mine")
    (tmp_path / "archive" / "broken").mkdir()
    (tmp_path / "archive" / "broken" / JOURNAL).write_text("nonsense\n")

    prune(tmp_path, Keep(last=0, days=0), NOW)

    assert sorted(each.id[:8] for each in sessions_in(tmp_path)) == ["00000010", "broken"]
    assert mine.read_text() == "mine"


def test_a_link_is_removed_and_not_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "large.txt").write_text("x" * 50_000)
    archived(tmp_path, 20)
    (place,) = (each.folder for each in sessions_in(tmp_path))
    (place / "results").symlink_to(tmp_path / "elsewhere")

    assert sessions_in(tmp_path)[0].bytes < 50_000
    tidy(tmp_path, Keep(last=0, days=0), NOW)

    assert not place.exists()
    assert (tmp_path / "elsewhere" / "large.txt").exists()
