import fcntl
import json
import os
import threading
from pathlib import Path

import pytest

from bench.races import one_each_time, race
from dualgate.core.values.events import CallStarted, Event, SessionAborted, SessionFailed, SessionHalted, SessionPaused
from dualgate.core.values.vocabulary import Decision, Phase
from dualgate.errors import JournalDamaged, SessionLocked, SessionMissing, SessionUnfinished, SettingError, StoreFailed
from dualgate.store.home import LOOP_STATE
from dualgate.store.journal import Journal
from dualgate.store.lease import owned, owner_of
from dualgate.store.lines import JOURNAL
from dualgate.store.making_room import load_state, make_room
from dualgate.store.owners import described, is_alive, read_owner
from dualgate.store.projections import write_loop_state
from dualgate.store.reading import read_journal
from dualgate.store.sessions import session_folder
from dualgate.testing import NOW, a_start, a_state


def a_session(folder: Path, project: Path) -> None:
    folder.mkdir(parents=True)
    Journal(folder / JOURNAL, 1, lambda: True).append(a_start(project=str(project)))


def append(folder: Path, *events: Event) -> None:
    journal = Journal(folder / JOURNAL, 1, lambda: True, seq=1)
    for event in events:
        journal.append(event)


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


def test_a_project_that_was_moved_is_told_where_its_session_goes_on(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path)}
    was, now = tmp_path / "a" / "api", tmp_path / "b" / "api"
    was.mkdir(parents=True)
    a_session(session_folder(was, home), was)

    with pytest.raises(SessionMissing) as beside:
        load_state(session_folder(now, home))
    was.rmdir()
    with pytest.raises(SessionMissing) as moved:
        load_state(session_folder(now, home))

    assert beside.value.next_step == "Start one with: dualgate run SPEC …"
    assert moved.value.next_step.startswith(f"If this project was moved, move it back to {was} to continue its session")


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
        assert (first.lost(), second.lost()) == (True, False)


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
    with pytest.raises(SettingError, match="contains the project itself"):
        session_folder(tmp_path / "project", {"PRP_SESSION_DIR": given})


def test_a_session_folder_in_which_others_keep_their_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "mine.md").write_text("mine")

    with pytest.raises(SettingError, match="contains files that are not of dualgate"):
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


def test_a_session_with_a_damaged_first_line_stays_with_its_project_at_every_lost_byte(tmp_path: Path) -> None:
    one, other = tmp_path / "a" / "api", tmp_path / "b" / "api"
    home = {"HOME": str(tmp_path)}
    one.mkdir(parents=True)
    other.mkdir(parents=True)
    folder = session_folder(one, home)
    a_session(folder, one)
    with owned(one, folder, home, NOW):
        pass
    line = (folder / JOURNAL).read_bytes()
    for place in range(len(line) - 1):
        (folder / JOURNAL).write_bytes(line[:place] + b"\0" + line[place + 1 :])

        assert session_folder(one, home) == folder
        assert session_folder(other, home).name.startswith("api-")


def test_a_session_of_a_newer_format_stays_with_its_project(tmp_path: Path) -> None:
    folder = tmp_path / ".bp-sessions" / "api"
    a_session(folder, tmp_path / "api")
    line = (folder / JOURNAL).read_bytes()
    (folder / JOURNAL).write_bytes(line.replace(b'"format":3', b'"format":99'))

    found = session_folder(tmp_path / "api", {"HOME": str(tmp_path)})

    assert found == folder
    with pytest.raises(JournalDamaged, match="format 99"):
        load_state(found)


def test_what_is_in_the_archive_is_never_overwritten(tmp_path: Path) -> None:
    for content in ("one\n", "other\n"):
        (tmp_path / "s").mkdir(exist_ok=True)
        (tmp_path / "s" / JOURNAL).write_text(content)
        make_room(tmp_path / "s", fresh=True)

    kept = sorted(path.read_text() for path in (tmp_path / "s").glob(f"archive/*/{JOURNAL}"))
    assert kept == ["one\n", "other\n"]


def test_a_move_into_the_archive_that_was_cut_off_goes_on_where_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    a_session(folder, tmp_path)
    (folder / "metrics.json").write_text("{}")
    begun = folder / "archive" / "20260116T100000-a1b2c3d4"
    (begun / "calls").mkdir(parents=True)

    archive = make_room(folder, fresh=True)

    assert archive == begun
    assert sorted(path.name for path in begun.iterdir()) == ["calls", JOURNAL, "metrics.json"]


def test_what_was_written_since_a_move_was_cut_off_overwrites_nothing_of_it(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    a_session(folder, tmp_path)
    begun = folder / "archive" / "20260116T100000-a1b2c3d4"
    for place, content in ((folder, "new"), (begun, "old")):
        (place / "calls").mkdir(parents=True)
        (place / "calls" / "0001-prompt.md").write_text(content)

    archive = make_room(folder, fresh=True)

    assert archive is not None
    assert [(each / "calls" / "0001-prompt.md").read_text() for each in (begun, archive)] == ["old", "new"]


def test_a_project_whose_path_is_no_text_knows_its_session_again(tmp_path: Path) -> None:
    project = tmp_path / os.fsdecode(b"\xff")
    a_session(tmp_path / ".bp-sessions" / project.name, project)

    assert session_folder(project, {"HOME": str(tmp_path)}).name == project.name


def test_an_unfinished_session_is_not_overwritten(tmp_path: Path) -> None:
    a_session(tmp_path / "s", tmp_path)

    with pytest.raises(SessionUnfinished, match="--fresh"):
        make_room(tmp_path / "s", fresh=False)
    assert len(list(read_journal(tmp_path / "s"))) == 1


CALLED = CallStarted(at=NOW, number=1, phase=Phase.RED, iteration=1)
HALTS: list[tuple[str, SessionHalted, str]] = [
    ("stuck", SessionHalted(at=NOW, decision=Decision.STUCK, reason="x"), "Continue with: dualgate resume --reset."),
    ("blocked", SessionHalted(at=NOW, decision=Decision.BLOCKED, reason="x"), "Continue with: dualgate resume."),
    (
        "spent",
        SessionHalted(
            at=NOW, decision=Decision.BUDGET_EXHAUSTED, reason="x", way_on="dualgate resume --max-tokens 200"
        ),
        "Continue with: dualgate resume --max-tokens 200.",
    ),
]


@pytest.mark.parametrize(("halt", "way_on"), [each[1:] for each in HALTS], ids=[each[0] for each in HALTS])
def test_a_session_that_halted_at_work_can_go_on_and_is_unfinished(
    tmp_path: Path, halt: SessionHalted, way_on: str
) -> None:
    a_session(tmp_path / "s", tmp_path)
    append(tmp_path / "s", CALLED, halt)

    with pytest.raises(SessionUnfinished) as refused:
        make_room(tmp_path / "s", fresh=False)

    assert way_on in refused.value.next_step
    assert "--fresh" in refused.value.next_step


@pytest.mark.parametrize(
    "events",
    [(CALLED, SessionAborted(at=NOW, by="ann")), (SessionFailed(at=NOW, reason="no tests"),)],
    ids=["given up", "failed before any call"],
)
def test_a_session_that_nobody_goes_on_with_makes_room(tmp_path: Path, events: tuple[Event, ...]) -> None:
    a_session(tmp_path / "s", tmp_path)
    append(tmp_path / "s", *events)

    archive = make_room(tmp_path / "s", fresh=False)

    assert archive is not None
    assert (archive / JOURNAL).exists()


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


def test_of_two_runs_that_begin_at_once_one_goes_on_and_one_is_refused(tmp_path: Path) -> None:
    assert race(tmp_path, 30) == one_each_time(30)


def test_who_only_looks_does_not_keep_a_run_from_beginning(tmp_path: Path) -> None:
    descriptor = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    looking = threading.Timer(0.2, os.close, [descriptor])
    looking.start()

    with owned(tmp_path, tmp_path / "s", {"HOME": str(tmp_path)}, NOW) as owner:
        assert owner.epoch == 1
    looking.join()


def test_the_owner_is_told_while_it_lives_and_nobody_after(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path), "USER": "ada"}
    before = owner_of(tmp_path, home)
    with owned(tmp_path, session_folder(tmp_path, home), home, NOW):
        during = owner_of(tmp_path, home)

    assert (before, owner_of(tmp_path, home)) == (None, None)
    assert during is not None
    assert (during["pid"], during["by"].partition("@")[0]) == (os.getpid(), "ada")


def test_a_number_that_another_process_has_now_is_not_the_owner(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path)}
    with owned(tmp_path, tmp_path / "s", home, NOW) as owner:
        said = read_owner(owner.record)

    assert is_alive(said)
    assert not is_alive(said | {"started": said["started"] - 3600})
    assert not is_alive(said | {"boot": "another start of the machine"})
    assert not is_alive({"epoch": 3})
    assert is_alive(said | {"host": "another.example", "boot": "another"})
    assert described(said | {"started": 1.0}) == "it has just begun, or its record cannot be read"


def test_what_a_killed_writer_left_of_a_file_goes_when_the_next_owner_comes(tmp_path: Path) -> None:
    folder, home = tmp_path / "s", {"HOME": str(tmp_path / "home")}
    (folder / "calls").mkdir(parents=True)
    parts = [folder / ".loop-state.json.4711", folder / "calls" / ".0001-RED-answer.txt.4711"]
    theirs = [folder / ".gitignore", folder / "calls" / "0001-RED-answer.txt"]
    for path in (*parts, *theirs):
        path.write_text("")

    with owned(tmp_path, folder, home, NOW):
        left = [path for path in (*parts, *theirs) if path.exists()]

    assert left == theirs
