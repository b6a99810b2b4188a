"""The JSON of each host -> a stop."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.hooks.payload import Stop, read_stop

CLAUDE = {"session_id": "s", "cwd": "/r", "permission_mode": "default", "last_assistant_message": "Done."}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
FIELDS = ("last_assistant_message", "transcript_path", "permission_mode", "background_tasks", "turn_id")

BACKGROUND: list[tuple[Any, bool]] = [
    ([], False),
    (None, False),
    ("text", False),
    ([{"id": "1"}], True),
    ([{"id": "1", "status": "running"}], True),
    ([{"id": "1", "status": "completed"}], False),
    (["1"], True),
]


@pytest.mark.parametrize(("tasks", "running"), BACKGROUND)
def test_background_work_is_what_has_not_ended(tasks: Any, running: bool) -> None:
    assert read_stop({**CLAUDE, "background_tasks": tasks}).has_background_work is running


def test_each_host_says_the_last_message_in_its_own_field() -> None:
    assert read_stop(CLAUDE).message == "Done."
    assert read_stop({"prompt_response": "Done."}).message == "Done."
    assert read_stop({**CLAUDE, "last_assistant_message": None}).message == ""
    assert read_stop({**CLAUDE, "permission_mode": "plan"}).in_plan_mode


def test_two_hooks_of_one_stop_see_the_same_event(tmp_path: Path) -> None:
    transcript = tmp_path / "events.jsonl"
    transcript.write_text("{}\n")
    copilot = {"sessionId": "s", "transcriptPath": str(transcript)}
    first = read_stop(copilot).event
    transcript.write_text("{}\n{}\n")

    assert read_stop(CLAUDE).event == read_stop({**CLAUDE, "extra": 1}).event
    assert read_stop(CLAUDE).event != read_stop({**CLAUDE, "last_assistant_message": "Done"}).event
    assert read_stop(copilot).event != first


LINES = [
    {"type": "assistant.message", "data": {"content": "Which one?"}},
    {"type": "assistant", "message": {"content": [{"type": "text", "text": "Which one?"}]}},
    {"role": "assistant", "content": "Which one?"},
]


@pytest.mark.parametrize("line", LINES)
def test_where_the_host_does_not_say_it_the_transcript_does(line: dict[str, Any], tmp_path: Path) -> None:
    transcript = tmp_path / "t.jsonl"
    noise = b"\xff\xfe broken\n" + b'{"type": "tool", "data": {"content": "x"}}\n' * 50_000
    transcript.write_bytes(noise + json.dumps(line).encode() + b'\n{"type": "session.idle"}\n{"torn')

    assert read_stop({"transcriptPath": str(transcript)}).message == "Which one?"


@pytest.mark.parametrize("path", ["", "/nowhere", "/dev/null", "/", "a\0b"])
def test_a_transcript_that_cannot_be_read_says_nothing(path: str) -> None:
    assert read_stop({"transcript_path": path}).message == ""


@given(st.dictionaries(st.sampled_from(FIELDS), JSON))
def test_any_object_is_read(payload: dict[str, Any]) -> None:
    assert isinstance(read_stop(payload), Stop)
