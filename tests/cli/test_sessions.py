"""Sessions as a user lists, shows, archives and prunes them."""

import shutil
from pathlib import Path

from jsonschema import Draft202012Validator

from dualgate.core.report.schemas import schema
from dualgate.core.values.events import SessionFailed
from dualgate.store.journal import Journal
from dualgate.store.lease import owned
from dualgate.store.lines import JOURNAL
from dualgate.store.making_room import make_room
from dualgate.testing import NOW, a_start
from tests.support import Dualgate


def lay_down(home: Path, project: Path, letter: str, reason: str = "no program") -> Path:
    folder = home / ".bp-sessions" / project.name
    folder.mkdir(parents=True, exist_ok=True)
    journal = Journal(folder / JOURNAL, 1, lambda: True)
    journal.append(a_start(session_id=letter * 8 + "-e5f6-4890-abcd-ef1234567890", project=str(project)))
    if reason:
        journal.append(SessionFailed(at=NOW, reason=reason))
    return folder


def test_sessions_are_listed_shown_archived_and_pruned(
    dualgate: Dualgate, environment: dict[str, str], project: Path, tmp_path: Path
) -> None:
    home = Path(environment["HOME"])
    assert dualgate("sessions").out == "No session found. Start one with: dualgate run SPEC.md --agent NAME\n"
    folder = lay_down(home, project, "a")
    make_room(folder, fresh=False)
    lay_down(home, project, "b")
    lay_down(home, tmp_path / "other", "c", reason="")

    own = dualgate("sessions")
    every = dualgate("sessions", "list", "--all", "--json").lines[0]["sessions"]
    shown = dualgate("sessions", "show", "aaaa")
    foreign = dualgate("sessions", "show", "cccc", "--json")
    moved = dualgate("sessions", "archive", "--json")
    gone = dualgate("sessions", "prune", "--keep-last", "0", "--keep-days", "0", "--json")

    assert [line.split()[:3] for line in own.out.splitlines()[:-1]] == [
        ["ID", "state", "spec"],
        ["bbbbbbbb", "halted", "PRP.md"],
        ["aaaaaaaa", "halted,", "archived"],
    ]
    assert [(each["id"][0], each["archived"], each["alive"]) for each in every] == [
        ("b", False, False),
        ("c", False, False),
        ("a", True, False),
    ]
    assert every[1]["project"] == str(tmp_path / "other")
    assert (shown.code, "halted in RED: no program" in shown.out, "in the archive" in shown.out) == (0, True, True)
    assert (foreign.lines[0]["current_phase"], foreign.lines[0]["status"]) == ("RED", "running")
    assert (moved.code, moved.lines[0]["id"][0], moved.lines[0]["archived"]) == (0, "b", True)
    assert sorted(gone.lines[0]["pruned"])[0].startswith("a")
    assert len(gone.lines[0]["pruned"]) == 2
    assert gone.lines[0]["bytes_freed"] > 500
    assert dualgate("sessions", "--json").lines[0]["sessions"] == []


def test_a_session_that_is_running_is_not_archived(
    dualgate: Dualgate, environment: dict[str, str], project: Path
) -> None:
    folder = lay_down(Path(environment["HOME"]), project, "a", reason="")

    with owned(project, folder, environment, NOW):
        refused = dualgate("sessions", "archive")
        alive = dualgate("sessions", "--json").lines[0]["sessions"][0]["alive"]
        pruned = dualgate("sessions", "prune")

    assert (refused.code, alive, pruned.code) == (6, True, 6)
    assert (folder / JOURNAL).exists()
    assert "process died" in dualgate("sessions").out


def test_without_a_name_the_present_session_is_shown(
    dualgate: Dualgate, environment: dict[str, str], project: Path
) -> None:
    make_room(lay_down(Path(environment["HOME"]), project, "a"), fresh=False)
    lay_down(Path(environment["HOME"]), project, "b")

    shown = dualgate("sessions", "show", "--json")

    assert (shown.code, shown.lines[0]["id"][0], shown.lines[0]["archived"]) == (0, "b", False)


def test_where_there_is_nothing_to_archive_or_show_it_is_said(dualgate: Dualgate) -> None:
    nothing, unknown = dualgate("sessions", "archive"), dualgate("sessions", "show", "abc")
    none_present = dualgate("sessions", "show")

    assert (nothing.code, "There is no session in" in nothing.err) == (1, True)
    assert (unknown.code, "There is no session 'abc' here." in unknown.err) == (1, True)
    assert (none_present.code, none_present.err) == (1, nothing.err)


def test_a_damaged_session_is_named_by_line_and_put_away_whole(
    dualgate: Dualgate, environment: dict[str, str], project: Path
) -> None:
    folder = lay_down(Path(environment["HOME"]), project, "a")
    with owned(project, folder, environment, NOW):
        pass
    content = b"\0" + (folder / JOURNAL).read_bytes()[1:]
    (folder / JOURNAL).write_bytes(content)

    status, moved = dualgate("status"), dualgate("sessions", "archive", "--json")

    assert (status.code, f"{JOURNAL}:1: " in status.err, "dualgate sessions archive" in status.err) == (1, True, True)
    assert (moved.code, (Path(moved.lines[0]["folder"]) / JOURNAL).read_bytes()) == (0, content)


def test_a_run_lets_go_of_old_sessions_by_the_settings_when_it_starts(
    dualgate: Dualgate, environment: dict[str, str], project: Path
) -> None:
    for letter in "ab":
        make_room(lay_down(Path(environment["HOME"]), project, letter), fresh=False)
    lay_down(Path(environment["HOME"]), project, "c")
    (project / "conftest.py").write_text("raise SystemError")
    (project / "dualgate.toml").write_text("[sessions]\nkeep_last = 1\nkeep_days = 0\n")

    ended = dualgate("run", "SPEC.md", "--agent", "rehearsal")

    kept = dualgate("sessions", "--json").lines[0]["sessions"]
    assert (ended.code, "The tests cannot be run as they are" in ended.err) == (1, True)
    assert [each["id"][0] for each in kept][1:] == ["c"]


def test_the_list_names_running_sessions_first_with_figures_and_totals(
    dualgate: Dualgate, environment: dict[str, str], project: Path, tmp_path: Path
) -> None:
    home, elsewhere = Path(environment["HOME"]), tmp_path / "elsewhere"
    lay_down(home, tmp_path / "other", "a")
    other = tmp_path / "mine"
    other.mkdir()
    moved = lay_down(home, other, "b", reason="")
    moved.rename(elsewhere)  # as PRP_SESSION_DIR does

    with owned(other, elsewhere, environment, NOW):
        listed = dualgate("sessions", "--all")
        record = dualgate("sessions", "--all", "--json").lines[0]

    assert [line.split()[0] for line in listed.out.splitlines()] == ["ID", "bbbbbbbb", "aaaaaaaa", "2"]
    assert listed.out.splitlines()[-1].endswith("1 running, 0 proven, 1 halted (environment 1), cost unknown")
    first = record["sessions"][0]
    assert (first["alive"], first["iteration"], first["tests"]["passing"], first["breaker"]) == (True, 0, 0, "CLOSED")
    assert (first["percent"], first["calls"], first["tokens"], first["cost_usd"], first["agent"]) == (
        0,
        0,
        None,
        None,
        "",
    )
    assert (record["totals"]["running"], record["totals"]["halted"]) == (1, {"environment": 1})


def test_metrics_are_a_table_of_one_session_or_of_all(dualgate: Dualgate, tmp_path: Path) -> None:
    recorded = Path(__file__).parent.parent / "data" / "journals" / "format2" / "rejected"
    shutil.copytree(recorded, tmp_path / "kept")
    there = {"PRP_SESSION_DIR": str(tmp_path / "kept")}

    one = dualgate("sessions", "metrics", **there)
    document = dualgate("sessions", "metrics", "--json", **there).lines[0]
    every = dualgate("sessions", "metrics", "--all", **there)

    lines = one.out.splitlines()
    assert lines[0].split()[:6] == ["#", "phase", "it", "decision", "tests", "agent"]
    assert len(lines) == len(document["rows"]) + 2
    assert lines[-1].startswith(f"{document['calls']} calls, {document['iterations']} iterations; agents ")
    assert (every.out.splitlines()[-1].startswith("1 session, "), "1 proven" in every.out) == (True, True)


def test_the_json_of_status_and_of_sessions_fits_its_schema(
    dualgate: Dualgate, environment: dict[str, str], project: Path, tmp_path: Path
) -> None:
    recorded = Path(__file__).parent.parent / "data" / "journals" / "format2"
    lay_down(Path(environment["HOME"]), tmp_path / "other", "a", reason="")
    for name in ("halted", "rejected", "ralph"):
        shutil.copytree(recorded / name, tmp_path / name)
        there = {"PRP_SESSION_DIR": str(tmp_path / name)}

        status = dualgate("status", "--json", **there)
        every = dualgate("status", "--all", "--json", **there)

        Draft202012Validator(schema("status")).validate(status.lines[0])
        Draft202012Validator(schema("sessions")).validate(every.lines[0])
        assert len(every.lines[0]["sessions"]) == 2
        assert every.lines[0] == dualgate("sessions", "--all", "--json", **there).lines[0]
        assert (status.lines[0]["halt"] is None) == (status.lines[0]["status"] != "halted")


def test_all_sessions_cannot_be_shown_in_one_line_or_watched(dualgate: Dualgate) -> None:
    assert dualgate("status", "--all", "--line").code == dualgate("status", "--all", "--watch").code == 2
