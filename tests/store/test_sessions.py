import json
import os
from pathlib import Path

import pytest

from dualgate.core.history import SessionPaused
from dualgate.errors import SessionLocked, SessionUnfinished
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
    home = {"HOME": str(tmp_path)}
    with owned(tmp_path, home, NOW), pytest.raises(SessionLocked) as caught, owned(tmp_path, home, NOW):
        pass

    assert f"process {os.getpid()}, since 2026-01-16T10:00:00" in str(caught.value)
    assert caught.value.exit_code == 6


def test_every_owner_has_a_higher_number_than_the_last(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path)}
    with owned(tmp_path, home, NOW) as first:
        pass
    with owned(tmp_path, home, NOW) as second:
        assert (first.epoch, second.epoch) == (1, 2)
        assert second.is_current()


def test_an_owner_whose_lock_was_taken_away_is_not_current(tmp_path: Path) -> None:
    with owned(tmp_path, {"HOME": str(tmp_path)}, NOW) as owner:
        owner.path.unlink()
        assert not owner.is_current()
        owner.path.write_text("{}")
        assert not owner.is_current()


def test_a_lock_with_strange_content_can_still_be_taken(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path)}
    with owned(tmp_path, home, NOW) as owner:
        path = owner.path
    path.write_text("[1, 2")

    with owned(tmp_path, home, NOW) as again:
        assert again.epoch == 1


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
