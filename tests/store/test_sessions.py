import json
import os
from pathlib import Path

import pytest

from dualgate.core.history import SessionPaused
from dualgate.errors import JournalDamaged, SessionLocked, SessionUnfinished, SettingError, StoreFailed
from dualgate.store.journal import JOURNAL, Journal, read_journal
from dualgate.store.projections import LOOP_STATE, write_loop_state
from dualgate.store.sessions import make_room, owned, session_folder
from dualgate.testing import NOW, a_start, a_state


def a_session(folder: Path, project: Path) -> None:
    folder.mkdir(parents=True)
    Journal(folder / JOURNAL, 1, lambda: True).append(a_start(project=str(project)))


def test_a_session_lies_in_the_home_under_the_name_of_the_project(tmp_path: Path) -> None:
    project = tmp_path / "my-api"

    assert session_folder(project, {"HOME": str(tmp_path)}) == tmp_path / ".bp-sessions" / "my-api"


def test_the_place_can_be_given_and_may_lie_in_the_project(tmp_path: Path) -> None:
    assert session_folder(tmp_path, {"PRP_SESSION_DIR": ".prp-session"}) == tmp_path / ".prp-session"


def test_two_projects_of_one_name_do_not_share_a_session(tmp_path: Path) -> None:
    one, other = tmp_path / "a" / "api", tmp_path / "b" / "api"
    home = {"HOME": str(tmp_path)}
    a_session(session_folder(one, home), one)

    assert session_folder(one, home).name == "api"
    assert session_folder(other, home).name.startswith("api-")


def test_a_name_stays_with_its_project_when_the_session_is_archived(tmp_path: Path) -> None:
    one, other = tmp_path / "a" / "api", tmp_path / "b" / "api"
    home = {"HOME": str(tmp_path)}
    a_session(session_folder(one, home), one)
    make_room(session_folder(one, home), fresh=True)

    assert session_folder(one, home).name == "api"
    assert session_folder(other, home).name.startswith("api-")


def test_a_second_run_in_one_work_tree_is_told_who_owns_it(tmp_path: Path) -> None:
    one, other = {"HOME": str(tmp_path / "one")}, {"HOME": str(tmp_path / "other")}
    with (
        owned(tmp_path, tmp_path / "s1", one, NOW),
        pytest.raises(SessionLocked) as caught,
        owned(tmp_path, tmp_path / "s2", one, NOW),
    ):
        pass
    with (
        owned(tmp_path, tmp_path / "s1", one, NOW),
        pytest.raises(SessionLocked),
        owned(tmp_path, tmp_path / "s2", other, NOW),
    ):
        pass

    assert f"process {os.getpid()}, since 2026-01-16T10:00:00" in str(caught.value)
    assert caught.value.exit_code == 6


def test_every_owner_has_a_higher_number_than_the_last(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path)}
    with owned(tmp_path, tmp_path / "s", home, NOW) as first:
        pass
    with owned(tmp_path, tmp_path / "s", home, NOW) as second:
        assert (first.epoch, second.epoch) == (1, 2)
        assert second.is_current()
        assert not first.is_current()


def test_two_projects_cannot_run_in_one_session_folder_at_once(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path)}
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    with (
        owned(one, tmp_path / "s", home, NOW),
        pytest.raises(SessionLocked, match=f"owns {tmp_path}/s"),
        owned(other, tmp_path / "s", home, NOW),
    ):
        pass


@pytest.mark.parametrize("content", ["[1, 2", "[1, 2]", '{"epoch": "x"}'])
def test_a_record_of_owners_with_strange_content_does_not_stop_the_next(tmp_path: Path, content: str) -> None:
    home = {"HOME": str(tmp_path)}
    with owned(tmp_path, tmp_path / "s", home, NOW) as owner:
        record = owner.record
    record.write_text(content)

    with owned(tmp_path, tmp_path / "s", home, NOW) as again:
        assert again.epoch == 1


def test_a_session_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "s").write_text("")

    with pytest.raises(StoreFailed, match="cannot be written"), owned(tmp_path, tmp_path / "s", {}, NOW):
        pass


@pytest.mark.parametrize("given", [".", ".."])
def test_a_session_folder_that_holds_the_project_is_refused(tmp_path: Path, given: str) -> None:
    with pytest.raises(SettingError, match="holds the project itself"):
        session_folder(tmp_path / "project", {"PRP_SESSION_DIR": given})


def test_a_session_folder_in_which_others_keep_their_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "mine.md").write_text("mine")

    with pytest.raises(SettingError, match="holds files of somebody else"):
        session_folder(tmp_path, {"PRP_SESSION_DIR": "docs"})


def test_only_what_is_of_a_session_goes_into_the_archive(tmp_path: Path) -> None:
    a_session(tmp_path / "s", tmp_path)
    (tmp_path / "s" / "precious.txt").write_text("mine")

    make_room(tmp_path / "s", fresh=True)

    assert (tmp_path / "s" / "precious.txt").read_text() == "mine"


def test_a_damaged_session_can_be_put_away_and_is_kept(tmp_path: Path) -> None:
    a_session(tmp_path / "s", tmp_path)
    with (tmp_path / "s" / JOURNAL).open("a") as journal:
        journal.write("nonsense\n")

    with pytest.raises(JournalDamaged, match="--fresh"):
        make_room(tmp_path / "s", fresh=False)
    archive = make_room(tmp_path / "s", fresh=True)
    assert archive is not None
    assert (archive / JOURNAL).read_text().endswith("nonsense\n")


@pytest.mark.parametrize(("content", "name"), [("", "api"), ("nonsense\n", "api-")])
def test_a_journal_of_nobody_leaves_the_name_free_and_a_strange_one_does_not(
    tmp_path: Path, content: str, name: str
) -> None:
    (tmp_path / ".bp-sessions" / "api").mkdir(parents=True)
    (tmp_path / ".bp-sessions" / "api" / JOURNAL).write_text(content)

    assert session_folder(tmp_path / "api", {"HOME": str(tmp_path)}).name.startswith(name)


def test_a_project_whose_path_is_no_text_knows_its_session_again(tmp_path: Path) -> None:
    project = tmp_path / os.fsdecode(b"\xff")
    a_session(tmp_path / ".bp-sessions" / project.name, project)

    assert session_folder(project, {"HOME": str(tmp_path)}).name == project.name


def test_an_unfinished_session_is_not_overwritten(tmp_path: Path) -> None:
    a_session(tmp_path / "s", tmp_path)

    with pytest.raises(SessionUnfinished, match="--fresh"):
        make_room(tmp_path / "s", fresh=False)
    assert len(list(read_journal(tmp_path / "s"))) == 1


def test_fresh_puts_an_unfinished_session_in_the_archive(tmp_path: Path) -> None:
    a_session(tmp_path / "s", tmp_path)

    archive = make_room(tmp_path / "s", fresh=True)

    assert archive is not None
    assert archive == tmp_path / "s" / "archive" / "20260116T100000-a1b2c3d4"
    assert len(list(read_journal(archive))) == 1
    assert make_room(tmp_path / "s", fresh=True) is None


def test_the_state_document_has_the_documented_fields(tmp_path: Path) -> None:
    write_loop_state(tmp_path, a_state(), 7)

    document = json.loads((tmp_path / LOOP_STATE).read_text())
    assert document["seq"] == 7
    assert (document["current_phase"], document["current_iteration"], document["status"]) == ("RED", 0, "running")
    assert document["phase_history"]["RED"]["completed_at"] is None
    assert document["started_at"] == "2026-01-16T10:00:00+00:00"
    assert (tmp_path / LOOP_STATE).read_text().startswith('{\n  "format": 1')


def test_a_paused_session_is_unfinished(tmp_path: Path) -> None:
    a_session(tmp_path / "s", tmp_path)
    Journal(tmp_path / "s" / JOURNAL, 1, lambda: True, seq=1).append(SessionPaused(at=NOW, reason="user_interrupt"))

    with pytest.raises(SessionUnfinished, match="is paused in RED"):
        make_room(tmp_path / "s", fresh=False)
