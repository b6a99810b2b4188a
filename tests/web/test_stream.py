"""The stream: changes of journals as they happen, and continued after a disconnect."""

import asyncio
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dualgate.core.secrets.redaction import Redactor
from dualgate.core.values.events import SessionPaused
from dualgate.store.journal import Journal
from dualgate.store.lease import owned
from dualgate.store.lines import JOURNAL
from dualgate.store.making_room import make_room
from dualgate.testing import NOW, a_start
from dualgate.web.feed import Feed
from dualgate.web.register import Change, Register
from dualgate.web.watching import Pace, Watcher
from tests.conftest import SPEC
from tests.support import until
from tests.web.conftest import RECORDED, Serve
from tests.web.serving import QUICK, Event

PAUSED = SessionPaused(at=NOW, reason="user_interrupt")
POLLING = Pace(poll=0.05, alive=0.1, sweep=0.2, watches=False)


def begin(folder: Path, project: Path, number: int = 1) -> Journal:
    folder.mkdir(parents=True, exist_ok=True)
    project.mkdir(exist_ok=True)
    journal = Journal(folder / JOURNAL, 1, lambda: True)
    journal.append(a_start(session_id=f"{number:08}-e5f6-4890-abcd-ef1234567890", project=str(project)))
    return journal


def first_row(events: Iterator[Event], **wanted: Any) -> dict[str, Any]:
    """The next row with these values."""
    for name, data in events:
        if name == "row" and data["row"].items() >= wanted.items():
            return {**data["row"], "cursor": data["cursor"]}
    raise AssertionError("the stream ended")


@pytest.mark.parametrize("pace", [QUICK, POLLING], ids=["reported", "polled"])
def test_sessions_that_begin_change_and_go_are_told(pace: Pace, home: Path, tmp_path: Path, serve: Serve) -> None:
    with serve(pace=pace).stream() as events:
        journal = begin(home / "a", tmp_path / "a")
        new = first_row(events)
        journal.append(PAUSED)
        changed = first_row(events, seq=2)
        shutil.rmtree(home / "a")
        gone = next(data for name, data in events if name == "gone")

    assert (new["seq"], new["standing"]) == (1, "process died")
    assert changed["standing"] == "paused"
    assert gone["id"] == new["id"]


def test_a_stream_continues_where_it_was_cut(home: Path, tmp_path: Path, serve: Serve) -> None:
    journal = begin(home / "a", tmp_path / "a")
    served = serve()
    cursor = served.get("/api/overview")["cursor"]
    journal.append(PAUSED)
    until(lambda: served.get("/api/overview")["cursor"] != cursor)

    with served.stream(after=cursor) as events:
        missed = first_row(events)
    with served.stream(**{"Last-Event-ID": cursor}) as events:
        again = first_row(events)

    assert (missed["seq"], again) == (2, missed)


def test_after_a_restart_the_page_is_asked_to_begin_again(recorded: Path, serve: Serve) -> None:
    cursor = serve().get("/api/overview")["cursor"]

    with serve().stream(after=cursor) as events:
        name, data = next(events)

    assert (name, data["cursor"] != cursor) == ("reset", True)


@pytest.mark.parametrize("cursor", ["x", "-1", "0-99999999999999999999", "<script>"])
def test_a_cursor_that_is_unknown_resets_too(cursor: str, serve: Serve) -> None:
    with serve().stream(after=cursor) as events:
        assert next(events)[0] == "reset"


def test_a_session_that_is_archived_stays_under_its_id(home: Path, tmp_path: Path, serve: Serve) -> None:
    begin(home / "a", tmp_path / "a").append(PAUSED)
    served = serve()
    with served.stream() as events:
        make_room(home / "a", fresh=True)
        moved = first_row(events, archived=True)
        begin(home / "a", tmp_path / "a", 2)
        first_row(events, archived=False)

    assert moved["id"].startswith("00000001")
    assert [row["archived"] for row in served.rows().values()] == [False, True]


def test_a_process_that_dies_is_shown_as_dead(home: Path, tmp_path: Path, serve: Serve) -> None:
    project, environment = tmp_path / "a", {"HOME": str(home.parent)}
    begin(home / "a", project)
    with serve().stream() as events:
        with owned(project, home / "a", environment, NOW):
            first_row(events, standing="running", alive=True)
        dead = first_row(events, alive=False)

    assert dead["standing"] == "process died"


def test_a_session_elsewhere_is_found_by_its_owner_record(home: Path, tmp_path: Path, serve: Serve) -> None:
    (home / ".owners").mkdir()
    with serve().stream() as events:
        journal = begin(tmp_path / "elsewhere", tmp_path / "a")
        (home / ".owners" / "a.json").write_text(f'{{"epoch": 1, "session": "{tmp_path / "elsewhere"}"}}')
        first_row(events, seq=1)
        journal.append(PAUSED)
        assert first_row(events, seq=2)["folder"] == str(tmp_path / "elsewhere")


def test_other_folders_of_sessions_can_be_added(home: Path, tmp_path: Path, serve: Serve) -> None:
    begin(tmp_path / "others" / "a", tmp_path / "a")
    shutil.copytree(RECORDED / "halted", tmp_path / "one")

    served = serve(folders=(tmp_path / "others", tmp_path / "one"))

    assert len(served.rows()) == 2
    with served.stream() as events:
        begin(tmp_path / "others" / "b", tmp_path / "b", 2)
        assert first_row(events)["project_name"] == "b"


def test_the_home_of_sessions_may_come_later(home: Path, tmp_path: Path, serve: Serve) -> None:
    home.rmdir()
    with serve().stream() as events:
        begin(home / "a", tmp_path / "a")
        assert first_row(events)["seq"] == 1


def test_too_many_streams_are_refused(serve: Serve) -> None:
    served = serve(most_streams=1)
    with served.stream():
        until(lambda: served.board.streams.open == 1)
        answer = served.client.get("/api/stream")
    until(lambda: served.board.streams.open == 0)

    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    with served.stream():
        until(lambda: served.board.streams.open == 1)


def test_a_server_ends_at_once_although_streams_are_open(serve: Serve) -> None:
    served = serve()
    with served.stream() as events:
        until(lambda: served.board.streams.open == 1)
        served.server.should_exit = True
        assert list(events) == []


def test_a_bug_in_watching_ends_the_server_instead_of_showing_old_rows(tmp_path: Path) -> None:
    class Broken(Register):
        def sweep(self) -> Iterator[list[Change]]:
            raise ZeroDivisionError

    async def watched() -> tuple[list[str], object]:
        told: list[str] = []
        watcher = Watcher(Broken({"HOME": str(tmp_path)}, Redactor()), Feed(), QUICK)
        watcher.at_failure = lambda: told.append("ended")
        await watcher.run()
        return told, watcher.failure

    told, failure = asyncio.run(watched())

    assert told == ["ended"]
    assert isinstance(failure, ExceptionGroup)


@pytest.mark.whole
def test_a_run_is_shown_while_it_works(tmp_path: Path, environment: dict[str, str], project: Path) -> None:
    """The dashboard as a user starts it, before the run; both end well."""
    (project / "SPEC.md").write_text(SPEC)
    words = [sys.executable, "-m", "dualgate", "dashboard", "--port", "0"]
    with subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True) as dashboard:
        try:
            assert dashboard.stdout is not None
            address = dashboard.stdout.readline().split()[-1]
            told = _watched(address, project, environment)
        finally:
            dashboard.terminate()
        assert dashboard.wait(10) == 0

    assert told[0]["alive"]
    assert [row["seq"] for row in told] == sorted(row["seq"] for row in told)
    assert not told[-1]["alive"]


def _watched(address: str, project: Path, environment: dict[str, str]) -> list[dict[str, Any]]:
    """The rows that the stream tells from the beginning of a run to its end."""
    import httpx

    from tests.web.serving import LIMIT, events_of

    rows = []
    run = [sys.executable, "-m", "dualgate", "run", "SPEC.md", "--agent", "rehearsal", "--max-iterations", "2"]
    with (
        httpx.stream("GET", f"{address}api/stream", timeout=3 * LIMIT, trust_env=False) as answer,
        subprocess.Popen(run, cwd=project, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT),
    ):
        for _, data in events_of(answer.iter_lines()):
            rows.append(data["row"])
            if data["row"]["status"] != "running" and not data["row"]["alive"]:
                return rows
    return rows
