"""Steering a session in the browser: the requests of commands over HTTP, with real runs of the rehearsal agent."""

import json
import os
import platform
import shutil
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from dualgate.store.owners import is_owned
from tests.loop.scripts import GREEN, RED, REST
from tests.spawner import Child, Order, Spawner
from tests.support import PATIENCE, Dualgate, until
from tests.web.serving import Served

TOKEN = "a-token-of-twenty-four-x"
BEARER = {"authorization": f"Bearer {TOKEN}"}
ADA = f"ada@{platform.node()}"
HONEST = RED + GREEN + REST
SLOW = RED.replace('phase = "RED"', 'phase = "RED"\nclaims = "more"') + GREEN + REST
WAITING = '[[turn]]\nphase = "RED"\nrun = ["while [ ! -e ../go ]; do sleep 0.05; done"]\n' + HONEST
ASKING = '[[turn]]\nphase = "RED"\nsays = "Should double accept None?"\nclaims = "more"\n' + HONEST
Steer = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def environment(environment: dict[str, str]) -> dict[str, str]:
    return environment | {
        "DUALGATE_SENSITIVITY": "off",
        "USER": "ada",
    }


@pytest.fixture
def home(environment: dict[str, str]) -> Path:
    place = Path(environment["HOME"]) / ".bp-sessions"
    place.mkdir()
    return place


@pytest.fixture
def folder(environment: dict[str, str]) -> Path:
    return Path(environment["HOME"]) / ".bp-sessions" / "doubling"


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], tuple[str, ...]]:
    def write(text: str) -> tuple[str, ...]:
        (tmp_path / "script.toml").write_text(text)
        return "run", "SPEC.md", "--agent", f"rehearsal:{tmp_path / 'script.toml'}"

    return write


@dataclass(frozen=True, slots=True, kw_only=True)
class Dashboard:
    """A dashboard as a process of its own, as a person starts it."""

    client: httpx.Client

    def rows(self) -> dict[str, Any]:
        return {row["id"]: row for row in self.client.get("/api/overview").json()["sessions"]}


@pytest.fixture
def served(environment: dict[str, str], project: Path, tmp_path: Path, spawner: Spawner) -> Iterator[Dashboard]:
    printed = tmp_path / "dashboard.out"
    os.mkfifo(printed)
    child = spawner.start(
        Order(
            words=("dashboard", "--allow-control", "--port", "0"),
            cwd=str(project),
            environment=environment | {"DUALGATE_DASHBOARD_TOKEN": TOKEN},
            out=str(printed),
            err=str(tmp_path / "dashboard.err"),
        )
    )
    with printed.open(encoding="utf-8") as lines, ended_after(child):
        address = lines.readline().removeprefix("Dashboard: ").partition("#")[0]
        with httpx.Client(base_url=address, timeout=60, trust_env=False) as client:
            yield Dashboard(client=client)


@contextmanager
def ended_after(child: Child) -> Iterator[None]:
    """Ask a process to end when the test has ended, if it still runs."""
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            os.kill(child.pid, signal.SIGTERM)
        child.wait_or_kill(PATIENCE)


@pytest.fixture
def served_here(serve: Callable[..., Served]) -> Served:
    """A dashboard in this process, for requests that change nothing."""
    return serve(allows_control=True, token=TOKEN)


@pytest.fixture
def running(
    script: Callable[[str], tuple[str, ...]],
    project: Path,
    environment: dict[str, str],
    folder: Path,
    tmp_path: Path,
    spawner: Spawner,
) -> Iterator[Path]:
    """A run whose agent waits until the file `go` is there; it ends with the test."""
    run = spawner.start(
        Order(
            words=script(WAITING),
            cwd=str(project),
            environment=environment,
            out=os.devnull,
            err=str(tmp_path / "run.err"),
        )
    )
    with ended_after(run):
        until(lambda: (folder / "journal.jsonl").exists() and b"call.started" in journal_of(folder))
        yield folder
        (tmp_path / "go").touch()


def journal_of(folder: Path) -> bytes:
    return (folder / "journal.jsonl").read_bytes()


def last_event(folder: Path) -> dict[str, Any]:
    event: dict[str, Any] = json.loads(journal_of(folder).splitlines()[-1])
    return event


def kinds(folder: Path) -> list[str]:
    return [json.loads(line)["kind"] for line in journal_of(folder).splitlines()]


def steer(
    served: Dashboard | Served, action: str, headers: dict[str, str] | None = None, **more: str
) -> tuple[int, dict[str, Any]]:
    until(lambda: bool(served.rows()))
    name, sent = next(iter(served.rows())), BEARER if headers is None else headers
    answer = served.client.post(f"/api/sessions/{name}/control", json={"action": action, **more}, headers=sent)
    return answer.status_code, answer.json()


def names_of(served: Dashboard) -> list[str]:
    """The actions that the session offers now."""
    until(lambda: bool(served.rows()))
    told = served.client.get(f"/api/sessions/{next(iter(served.rows()))}").json()
    return [each["name"] for each in told["actions"]]


def test_a_stopped_session_is_guided_reset_skipped_and_aborted(
    dualgate: Dualgate, script: Callable[[str], tuple[str, ...]], folder: Path, served: Dashboard
) -> None:
    assert dualgate(*script(SLOW), "--max-iterations", "1", "--json").code == 3

    offered = names_of(served)
    guided = steer(served, "guide", text="use plain addition\nonly")
    numbered = steer(served, "withdraw", value="7")
    withdrawn = steer(served, "withdraw", value="1")
    reset = steer(served, "reset", text="be brief")
    skipped = steer(served, "skip")
    aborted = steer(served, "abort")

    assert offered == ["guide", "reset", "skip", "abort"]
    assert guided == (200, {"done": True, "message": guided[1]["message"], "state": "halted"})
    assert guided[1]["message"] == f"guidance from {ADA}: use plain addition\nonly"
    assert (numbered[0], numbered[1]["error"]["message"]) == (409, "'withdraw' is not possible with the value '7'.")
    assert withdrawn[1]["message"].startswith("guidance withdrawn by")
    assert (reset[0], skipped[0], aborted[0], aborted[1]["state"]) == (200, 200, 200, "halted")
    assert kinds(folder)[-5:] == [
        "guidance.given",
        "guidance.withdrawn",
        "session.reset",
        "phase.skipped",
        "session.aborted",
    ]
    asked = last_event(folder)["data"]
    assert (asked["by"], asked["asked"]["origin"].startswith("dashboard, process ")) == (ADA, True)


def test_actions_that_do_not_fit_are_refused_with_a_sentence(
    dualgate: Dualgate, script: Callable[[str], tuple[str, ...]], folder: Path, served: Dashboard
) -> None:
    dualgate(*script(SLOW), "--max-iterations", "1", "--json")
    before = journal_of(folder)

    refused = {
        action: steer(served, action, None, **more)[1]["error"]["message"]
        for action, more in {
            "pause": {},
            "pause-now": {},
            "skip-wait": {},
            "approve": {},
            "reject": {"text": "no"},
            "answer": {"text": "yes"},
            "resume": {},
            "skip": {"value": "QA"},
            "withdraw": {"value": "all"},
            "dance": {},
            "guide": {"text": " "},
        }.items()
    }

    assert refused == {
        "pause": "Nothing runs in this folder.",
        "pause-now": "Nothing runs in this folder.",
        "skip-wait": "Nothing runs in this folder, so nothing waits.",
        "approve": "No finished work waits for approval.",
        "reject": "No finished work waits for approval.",
        "answer": "No question of the agent is open.",
        "resume": refused["resume"],
        "skip": "'skip' is not possible with the value 'QA'.",
        "withdraw": "No guidance is in force.",
        "dance": "There is no such action.",
        "guide": "'guide' needs a text.",
    }
    assert refused["resume"].startswith("The session halted: ")
    assert journal_of(folder) == before


BAD_TEXTS = ["x" * 8001, "one\x1b[2Jtwo", "bell\x07", "nul\x00", "\u202eright to left"]


@pytest.mark.parametrize("text", BAD_TEXTS)
def test_a_text_that_is_too_long_or_steers_a_terminal_is_refused(
    recorded: Path, served_here: Served, text: str
) -> None:
    assert steer(served_here, "guide", text=text)[0] == 400


NO_ACTIONS = [b"", b"[]", b'{"action": "\xff"}', b'{"action": 1}', b'{"x":' + b"[" * 5_000 + b"]" * 5_000 + b"}"]


@pytest.mark.parametrize("body", NO_ACTIONS, ids=["empty", "list", "bytes", "number", "deep"])
def test_a_body_that_is_no_action_is_refused_with_the_form_of_one(
    recorded: Path, served_here: Served, body: bytes
) -> None:
    until(lambda: bool(served_here.rows()))
    place = f"/api/sessions/{next(iter(served_here.rows()))}/control"
    headers = BEARER | {"content-type": "application/json"}

    answer = served_here.client.post(place, content=body, headers=headers)

    assert answer.status_code == 400
    assert 'Send {"action": NAME, "text": TEXT}.' in answer.text.replace("\\", "")


REFUSED = [
    ({}, 401),
    ({"authorization": "Bearer another-token-of-theirs"}, 401),
    ({"authorization": f"Basic {TOKEN}"}, 401),
    (BEARER | {"origin": "http://evil.example"}, 403),
    (BEARER | {"sec-fetch-site": "cross-site"}, 403),
    (BEARER | {"host": "evil.example"}, 421),
]


@pytest.mark.parametrize(("headers", "status"), REFUSED)
def test_nobody_steers_without_the_token_or_from_another_site(
    recorded: Path, served_here: Served, headers: dict[str, str], status: int
) -> None:
    before = [journal_of(place) for place in sorted(recorded.iterdir())]

    assert steer(served_here, "abort", headers)[0] == status
    assert [journal_of(place) for place in sorted(recorded.iterdir())] == before


def test_without_control_there_are_neither_actions_nor_requests(recorded: Path, serve: Callable[..., Served]) -> None:
    status, told = steer(serve(), "abort")

    assert (status, told["error"]["message"]) == (403, "Control is off.")


def test_sessions_in_the_archive_and_of_missing_projects_are_not_steered(
    recorded: Path, home: Path, served_here: Served
) -> None:
    """The projects of recorded sessions are not on this machine."""
    (recorded / "halted" / "archive").mkdir()
    shutil.move(recorded / "ralph", recorded / "halted" / "archive" / "old")
    until(lambda: any(row["archived"] for row in served_here.rows().values()))
    rows = served_here.rows().values()

    told = {
        row["archived"]: served_here.client.post(
            f"/api/sessions/{row['id']}/control", json={"action": "resume"}, headers=BEARER
        ).json()["error"]["message"]
        for row in rows
    }

    assert told[True] == "The session is in the archive."
    assert told[False].startswith("The folder of the project does not exist: ")


def test_a_running_session_takes_up_requests_and_is_paused_and_continued(
    running: Path, served: Dashboard, project: Path, tmp_path: Path
) -> None:
    guided = steer(served, "guide", text="be brief")
    again = steer(served, "resume")
    paused = steer(served, "pause-now")
    (tmp_path / "go").touch()
    resumed = steer(served, "resume")

    assert (guided[0], guided[1]["message"]) == (
        200,
        "Asked the run for: guide. It takes that up after its present iteration.",
    )
    assert (again[0], again[1]["error"]["message"]) == (409, "A run of this session is active.")
    assert (paused[0], paused[1]["state"]) == (200, "paused")
    assert resumed[0] == 200, resumed
    until(lambda: not is_owned(project))
    assert served.rows()
    assert kinds(running)[-1] == "turn.ended"
    told = [json.loads(line)["data"] for line in journal_of(running).splitlines()]
    origins = [each["asked"]["origin"] for each in told if each.get("asked")]
    assert len(origins) == 2
    assert all(origin.startswith("dashboard, process ") for origin in origins)
    output = running / "resume-output.txt"
    assert output.stat().st_mode & 0o777 == 0o600
    assert TOKEN not in output.read_text()
    until(lambda: next(iter(served.rows().values()))["standing"] == "proven")


def test_a_running_session_is_reset_skipped_and_aborted_after_its_iteration(
    running: Path, served: Dashboard, project: Path, tmp_path: Path
) -> None:
    offered = names_of(served)
    told = [
        steer(served, action, None, **more)
        for action, more in (("reset", {"text": "be brief"}), ("skip", {"value": "RED"}), ("abort", {}))
    ]
    (tmp_path / "go").touch()
    until(lambda: not is_owned(project))

    assert offered == ["pause", "pause-now", "guide", "reset", "skip", "abort", "abort-now"]
    assert [status for status, _ in told] == [200, 200, 200]
    assert kinds(running)[-4:] == ["session.reset", "phase.skipped", "session.paused", "session.aborted"]


def test_of_two_people_who_abort_at_once_one_is_told_that_it_is_done(running: Path, served: Dashboard) -> None:
    with ThreadPoolExecutor(2) as people:
        answers = list(people.map(lambda _: steer(served, "abort-now"), range(2)))

    assert kinds(running).count("session.aborted") == 1
    assert 200 in [status for status, _ in answers]
    assert {status for status, _ in answers} <= {200, 409}


def test_finished_work_is_approved_in_the_browser(
    dualgate: Dualgate, script: Callable[[str], tuple[str, ...]], folder: Path, served: Dashboard
) -> None:
    assert dualgate(*script(HONEST), "--approve", "human", "--json").code == 130
    until(lambda: any(row["waits"] for row in served.rows().values()))
    row = next(iter(served.rows().values()))
    offered = names_of(served)

    resumed = steer(served, "resume")
    approved = steer(served, "approve", value="work")

    assert offered == ["approve", "reject", "guide", "abort"]
    assert row["waits"] == {
        "until": None,
        "reason": "waits for approval: dualgate approve | dualgate reject 'REASON'",
    }
    assert (resumed[0], "waits for approval" in resumed[1]["error"]["message"]) == (409, True)
    assert (approved[0], approved[1]["state"]) == (200, "completed")
    assert last_event(folder)["kind"] == "work.approved"


def test_a_question_is_answered_and_the_session_continued(
    dualgate: Dualgate,
    script: Callable[[str], tuple[str, ...]],
    folder: Path,
    served: Dashboard,
    project: Path,
) -> None:
    assert dualgate(*script(ASKING), "--on-question", "halt", "--json").code == 4

    answered = steer(served, "answer", text="no")
    resumed = steer(served, "resume")

    assert answered[1]["message"] == f"answered by {ADA}: no"
    assert resumed[0] == 200
    until(lambda: not is_owned(project))
    assert json.loads((folder / "loop-state.json").read_text())["status"] == "completed"


def test_a_resume_that_ends_at_once_is_told_with_its_message(
    dualgate: Dualgate, script: Callable[[str], tuple[str, ...]], project: Path, served: Dashboard
) -> None:
    dualgate(*script(ASKING), "--on-question", "halt", "--json")
    (project / "SPEC.md").write_text((project / "SPEC.md").read_text() + "- AC-3: double(None) is an error\n")

    undecided = steer(served, "resume")
    wrong = steer(served, "resume", value="--yes")

    assert undecided[0] == 409
    assert "SPEC.md" in undecided[1]["error"]["message"]
    assert wrong[0] == 400
