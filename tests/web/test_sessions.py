"""One session: status, report, iterations, events and texts; each answer fits its schema."""

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dualgate.core.values.events import SessionStarted
from dualgate.store.lines import JOURNAL
from dualgate.store.reading import first_record
from dualgate.web.endpoints import ENDPOINTS
from dualgate.web.openapi import openapi_document
from tests.web.conftest import RECORDED, Serve

SECRET = "correct-horse-battery-staple"
EVERY = sorted(place.name for place in RECORDED.iterdir())


def name_of(folder: Path) -> str:
    first = first_record(folder)
    assert first is not None
    assert isinstance(first.event, SessionStarted)
    return first.event.session_id


def fits(schema: str, answer: Any) -> bool:
    document = openapi_document()
    jsonschema.validate(answer, {"$ref": f"#/components/schemas/{schema}", "components": document["components"]})
    return True


@pytest.fixture
def session(recorded: Path) -> str:
    return name_of(recorded / "rejected")


@pytest.mark.parametrize("recording", EVERY)
def test_every_answer_about_a_session_fits_its_schema(recording: str, home: Path, serve: Serve) -> None:
    shutil.copytree(RECORDED / recording, home / recording)
    session, served = name_of(home / recording), serve()
    last = served.rows()[session]["iterations"]
    values = {"id": session, "n": str(last or 1), "number": "1", "part": "prompt", "seq": "3"}

    checked = 0
    for endpoint in ENDPOINTS:
        answer = served.client.get(endpoint.path.format(**values))
        assert answer.status_code in (200, 404), answer.text
        assert fits(endpoint.schema if answer.status_code == 200 else "Error", answer.json())
        checked += answer.status_code == 200

    assert checked >= len(ENDPOINTS) - 2  # recordings hold no texts, and some no iteration


def test_a_session_is_told_as_status_and_report_tell_it(session: str, serve: Serve) -> None:
    found = serve().get(f"/api/sessions/{session}")

    assert found["row"]["id"] == found["status"]["session_id"] == found["report"]["session_id"] == session
    assert found["row"]["seq"] == found["status"]["seq"] == found["report"]["seq"]
    assert not {"iterations", "diffs", "specification"} & set(found["report"])
    assert "Acceptance" in found["specification"]
    assert found["actions"] == []


def test_iterations_come_in_pages(session: str, serve: Serve) -> None:
    served = serve()
    whole = served.get(f"/api/sessions/{session}/iterations")
    some = served.get(f"/api/sessions/{session}/iterations?after=1&limit=2")

    assert [row["number"] for row in whole["iterations"]] == list(range(1, whole["last"] + 1))
    assert some["iterations"] == whole["iterations"][1:3]
    one = served.get(f"/api/sessions/{session}/iterations/2")
    assert (one["phase"], one["gate_1"], one["seconds"]) == tuple(
        whole["iterations"][1][name] for name in ("phase", "gate_1", "seconds")
    )


def test_events_come_in_pages_from_either_end(session: str, serve: Serve) -> None:
    served = serve()

    def numbers(query: str) -> tuple[list[int], bool]:
        found = served.get(f"/api/sessions/{session}/events?{query}")
        return [each["seq"] for each in found["events"]], found["more"]

    last = served.get(f"/api/sessions/{session}/events?limit=1")["last"]
    assert numbers("limit=3") == ([last - 2, last - 1, last], True)
    assert numbers("after=0&limit=2") == ([1, 2], True)
    assert numbers(f"after={last}") == ([], False)
    assert numbers("before=4&limit=2") == ([2, 3], True)
    turns = served.get(f"/api/sessions/{session}/events?kind=turn.ended&phase=RED&after=0")["events"]
    assert turns
    assert {(each["kind"], each["phase"]) for each in turns} == {("turn.ended", "RED")}
    assert any(each["text"] for each in turns)


def test_an_event_is_shown_as_it_is_in_the_journal(session: str, recorded: Path, serve: Serve) -> None:
    lines = (recorded / "rejected" / JOURNAL).read_bytes().splitlines()
    served = serve()

    assert served.get(f"/api/sessions/{session}/events/4")["event"] == json.loads(lines[3])
    assert served.client.get(f"/api/sessions/{session}/events/{len(lines) + 1}").status_code == 404


def test_a_large_answer_is_shown_in_pieces_plain_or_compressed(session: str, recorded: Path, serve: Serve) -> None:
    text = "ä€😀" * 50_000
    calls = recorded / "rejected" / "calls"
    calls.mkdir(exist_ok=True)
    (calls / "0001-RED-answer.txt").write_text(text)
    with gzip.open(calls / "0002-RED-answer.txt.gz", "wb") as packed:
        packed.write(text.encode())
    served = serve()

    for call in (1, 2):
        pieces = [served.get(f"/api/sessions/{session}/calls/{call}/answer?limit=100001")]
        while offset := pieces[-1]["next"]:
            pieces.append(served.get(f"/api/sessions/{session}/calls/{call}/answer?offset={offset}&limit=100001"))
        assert {piece["size"] for piece in pieces} == {len(text.encode())}
        assert "".join(piece["text"] for piece in pieces) == text


def test_an_iteration_shows_the_beginning_of_a_large_text(session: str, recorded: Path, serve: Serve) -> None:
    calls = recorded / "rejected" / "calls"
    calls.mkdir(exist_ok=True)
    served = serve()
    first = served.get(f"/api/sessions/{session}/iterations/1")["calls"][0]
    with (calls / f"{first:04}-RED-answer.txt").open("wb") as file:
        file.truncate(200 << 20)

    answer = served.get(f"/api/sessions/{session}/iterations/1")["answers"][0]

    assert (answer["call"], answer["size"], len(answer["text"]), answer["truncated"]) == (
        first,
        200 << 20,
        64 << 10,
        True,
    )


def test_a_link_in_a_session_folder_is_not_followed(session: str, recorded: Path, tmp_path: Path, serve: Serve) -> None:
    (tmp_path / "private").write_text("of somebody else")
    calls = recorded / "rejected" / "calls"
    calls.mkdir(exist_ok=True)
    (calls / "0001-RED-prompt.md").symlink_to(tmp_path / "private")

    answer = serve().client.get(f"/api/sessions/{session}/calls/1/prompt")

    assert (answer.status_code, "somebody" in answer.text) == (404, False)


def test_no_secret_of_the_environment_leaves_the_server(session: str, recorded: Path, serve: Serve) -> None:
    calls = recorded / "rejected" / "calls"
    calls.mkdir(exist_ok=True)
    (calls / "0001-RED-prompt.md").write_text(f"the key is {SECRET}")

    piece = serve().get(f"/api/sessions/{session}/calls/1/prompt")

    assert piece["text"] == "the key is [redacted:DEMO_API_KEY]"


def test_the_report_is_a_page_with_a_policy_of_its_own(session: str, serve: Serve) -> None:
    answer = serve().client.get(f"/sessions/{session}/report")

    policy = answer.headers["content-security-policy"]
    assert answer.status_code == 200
    assert "sha256-" in policy
    assert "script-src" not in policy
    assert "frame-ancestors 'none'" in policy
    assert "<html" in answer.text


def test_a_damaged_journal_is_named_with_its_line(session: str, recorded: Path, serve: Serve) -> None:
    served = serve()
    journal = recorded / "rejected" / JOURNAL
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join((*lines[:5], b'{"format": 3, "seq": 6, broken\n', *lines[6:])))

    answer = served.client.get(f"/api/sessions/{session}/events")

    assert answer.status_code == 409
    assert f"{JOURNAL}:6" in answer.json()["error"]["message"]
    assert answer.json()["error"]["next_step"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/sessions/none", 404),
        ("/api/sessions/{id}/iterations/0", 400),
        ("/api/sessions/{id}/iterations/99999", 404),
        ("/api/sessions/{id}/iterations?limit=100000", 400),
        ("/api/sessions/{id}/iterations?after=-1", 400),
        ("/api/sessions/{id}/events?kind=nothing", 400),
        ("/api/sessions/{id}/calls/1/secrets", 400),
        ("/api/sessions/{id}/calls/1/prompt?limit=1000000000", 400),
        ("/api/totals?zone=Nowhere/Town", 400),
        ("/api/totals?zone=../../etc/passwd", 400),
        ("/api/totals?days=0", 400),
        ("/api/overview?x=1", 400),
        ("/api/sessions/{id}/events?limt=3", 400),
        ("/api/nothing", 404),
        ("/sessions/none/report", 404),
    ],
)
def test_a_wrong_request_is_answered_with_an_error(path: str, status: int, session: str, serve: Serve) -> None:
    answer = serve().client.get(path.format(id=session))

    assert answer.status_code == status
    assert fits("Error", answer.json())
