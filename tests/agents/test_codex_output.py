"""codex: every recording, and what the recordings do not show."""

import json
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.agents.codex import CLIENT
from dualgate.core.values.answer import Answer, CallEnd, Failure, Trouble
from tests.agents.recordings import (
    BAD,
    GOOD,
    damaged,
    events_of,
    read_bytes,
    read_events,
    recording,
)

OK = events_of("codex", "ok.jsonl")
LIMITED = events_of("codex", "usage_limit_midway.jsonl")


def failed(message: str, end: CallEnd = BAD) -> Answer:
    start = {"type": "thread.started", "thread_id": "t"}
    return read_events([start, {"type": "turn.failed", "error": {"message": message}}], end)


MESSAGES = [
    ("Quota exceeded. Check your plan and billing details.", Trouble.QUOTA),
    ("To use Codex with your ChatGPT plan, upgrade to Plus: https://example.org", Trouble.QUOTA),
    ("Codex ran out of room in the model's context window. Start a new conversation.", Trouble.CONTEXT_FULL),
    ("We're currently experiencing high demand, which may cause temporary errors.", Trouble.SERVER_ERROR),
    ("unexpected status 500 Internal Server Error: oops", Trouble.SERVER_ERROR),
    ("unexpected status 403 Forbidden: no", Trouble.AUTHENTICATION),
    ("exceeded retry limit, last status: 503 Service Unavailable", Trouble.OVERLOADED),
    ("Your access token could not be refreshed. Please log out and sign in again.", Trouble.AUTHENTICATION),
    ("stream disconnected before completion: Rate limit reached for gpt-5.5. Try again in 11s", Trouble.RATE_LIMIT),
    ("turn aborted. Something went wrong?", Trouble.INTERRUPTED),
    ("Fatal error: no such file", Trouble.CRASH),
]


@pytest.mark.parametrize(("message", "kind"), MESSAGES)
def test_a_failed_turn_says_what_kind_of_failure_it_was(message: str, kind: Trouble) -> None:
    failure = failed(message).failure

    assert failure is not None
    assert (failure.kind, failure.message) == (kind, message)


def test_a_usage_limit_that_ends_days_later_is_the_weekly_one() -> None:
    failure = failed("You've hit your usage limit. Try again at Nov 20th, 2026 9:51 AM.").failure

    assert failure is not None
    assert (failure.kind, failure.resets_at) == (Trouble.WEEKLY_LIMIT, datetime(2026, 11, 20, 9, 51, tzinfo=UTC))


def test_a_usage_limit_without_a_time_has_none() -> None:
    failure = failed("You’ve hit your usage limit. Upgrade to Plus to continue using Codex.").failure

    assert failure is not None
    assert (failure.kind, failure.resets_at) == (Trouble.USAGE_LIMIT, None)


@pytest.mark.parametrize("exit_code", [0, 1])
def test_a_failed_turn_is_a_failure_whatever_the_exit_code(exit_code: int) -> None:
    assert failed("Quota exceeded.", replace(BAD, exit_code=exit_code)).failure is not None


def test_a_good_stream_with_a_bad_exit_code_is_a_crash() -> None:
    failure = read_events(OK, BAD).failure

    assert failure is not None
    assert failure.kind is Trouble.CRASH


@pytest.mark.parametrize("kept", range(1, len(OK)))
def test_no_stream_cut_before_its_end_is_a_success(kept: int) -> None:
    failure = read_events(OK[:kept], GOOD).failure

    assert failure is not None
    assert failure.kind is Trouble.CUT_STREAM


def test_an_error_with_nothing_behind_it_still_says_what_it_was() -> None:
    failure = read_events(LIMITED[:-1], BAD).failure

    assert failure is not None
    assert failure.kind is Trouble.USAGE_LIMIT


def test_a_turn_begun_behind_a_completed_one_must_be_completed_too() -> None:
    assert read_events([*OK, {"type": "turn.started"}], GOOD).failure is not None


NO_SANDBOX = events_of("codex", "no_sandbox.jsonl")
NO_NAMESPACE = "bwrap: No permissions to create new namespace, likely because the kernel does not allow it\n"


def ran(output: str, command: str = "/bin/bash -lc ls", **item: object) -> dict[str, Any]:
    done = {"type": "command_execution", "command": command, "aggregated_output": output, "exit_code": 1}
    return {"type": "item.completed", "item": done | {"status": "failed"} | item}


def test_a_codex_that_cannot_start_its_own_sandbox_is_named_with_the_flag_that_helps() -> None:
    failure = read_events(NO_SANDBOX, GOOD).failure

    assert failure
    assert "cannot start its own sandbox" in failure.message
    assert "Creating new namespace failed" in failure.message
    assert "danger-full-access" in failure.sentence


@pytest.mark.parametrize(
    "error",
    [
        NO_NAMESPACE,
        "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted\n",
        "bwrap: execvp codex-linux-sandbox: No such file or directory\n",
        "bwrap: setting up uid map: Permission denied\nfailed to openpty: Permission denied\n",
        "error running landlock: Sandbox(LandlockRestrict)\n",
        "thread 'main' panicked at linux_run_main.rs:30:9:\nerror running landlock: LandlockRestrict\n",
    ],
)
def test_it_is_known_by_the_error_of_any_sandbox_that_codex_uses(error: str) -> None:
    answer = read_events([*OK[:2], ran(error), *OK[-2:]], GOOD)

    assert (answer.failure or Failure(kind=Trouble.EMPTY)).kind is Trouble.DENIED


@pytest.mark.parametrize(
    "works",
    [
        ran("a.txt\n", exit_code=0, status="completed"),
        ran("FAILED tests/test_double.py\n"),
        {"type": "item.completed", "item": {"type": "file_change", "changes": [], "status": "completed"}},
    ],
)
def test_a_sandbox_in_which_any_tool_works_is_no_failure_of_the_call(works: dict[str, Any]) -> None:
    assert read_events([*OK[:2], ran(NO_NAMESPACE), works, *OK[-2:]], GOOD).failure is None


def test_a_project_that_uses_bubblewrap_itself_may_see_it_fail() -> None:
    assert read_events([*OK[:2], ran(NO_NAMESPACE, "/bin/bash -lc 'bwrap true'"), *OK[-2:]], GOOD).failure is None


def test_a_declined_command_is_a_denied_tool() -> None:
    declined = {"type": "item.completed", "item": {"id": "i", "type": "command_execution", "status": "declined"}}

    assert read_events([*OK[:-1], declined, OK[-1]], GOOD).denied == ("command_execution",)


def test_a_question_is_kept() -> None:
    asked = {"type": "request_user_input", "id": "1", "call_id": "c", "questions": [{"question": "Which one?"}, 17]}

    assert read_events([*OK[:-1], asked, OK[-1]], GOOD).questions == ("Which one?",)


def test_unknown_events_and_fields_change_nothing() -> None:
    more = [event | {"new": {"type": "turn.failed"}} for event in OK]

    assert read_events([more[0], {"type": "item.plan.delta", "delta": "x"}, *more[1:]], GOOD) == read_events(OK, GOOD)


@given(damaged(OK) | damaged(LIMITED), st.sampled_from([0, 1, None]))
def test_damaged_events_never_raise(events: list[Any], exit_code: int | None) -> None:
    assert isinstance(read_events(events, replace(GOOD, exit_code=exit_code)), Answer)


PROSE = recording("codex", "prose_limits.text").path.read_text(encoding="utf-8")
LIMIT = "You’ve hit your usage limit. Visit https://example.org or try again at 8:03 PM."


def test_prose_about_limits_is_no_limit_even_where_the_process_failed() -> None:
    failure = read_bytes(PROSE.encode(), BAD).failure

    assert failure is not None
    assert failure.kind is Trouble.CRASH


@pytest.mark.parametrize("text", [LIMIT, f"{LIMIT}\n", f"ERROR: {LIMIT}\n"])
def test_a_failed_call_that_says_a_limit_and_nothing_else_is_one(text: str) -> None:
    answer = read_bytes(text.encode(), BAD)

    assert answer.failure is not None
    assert (answer.agent, answer.failure.kind, answer.failure.message) == ("codex", Trouble.USAGE_LIMIT, LIMIT)


def test_the_same_sentence_of_a_good_call_is_an_answer() -> None:
    answer = read_bytes(LIMIT.encode(), GOOD)

    assert (answer.agent, answer.text, answer.failure) == (None, LIMIT, None)


def test_both_streams_in_one_file_are_read_too() -> None:
    recorded = recording("codex", "usage_limit_midway.text")

    answer = read_bytes(recorded.end.stderr.encode(), BAD)

    assert answer.failure is not None
    assert (answer.agent, answer.text, answer.failure.kind) == ("codex", "", Trouble.USAGE_LIMIT)


def test_of_a_long_run_the_end_is_enough() -> None:
    recorded = recording("codex", "usage_limit_midway.text")

    answer = read_bytes(b"", replace(BAD, stderr=recorded.end.stderr[-500:]))

    assert answer.failure is not None
    assert answer.failure.kind is Trouble.USAGE_LIMIT


def test_a_command_that_printed_an_error_is_not_taken_for_codex() -> None:
    stderr = "exec\nmake in /project\n exited 2 in 5ms:\nERROR: You've hit your usage limit.\nmake: *** failed\n"

    failure = read_bytes(b"", replace(BAD, stderr=stderr)).failure

    assert failure is not None
    assert failure.kind is Trouble.CRASH


@given(st.text(), st.text(), st.sampled_from([0, 1, 173, -15, None]))
def test_any_text_gets_an_answer(text: str, stderr: str, exit_code: int | None) -> None:
    end = replace(GOOD, exit_code=exit_code, stderr="OpenAI Codex v1\nERROR: " + stderr)

    assert isinstance(read_bytes(text.encode("utf-8", "replace"), end), Answer)


THREAD = "01a1e3ee-f6cb-7e52-9cb1-b06f947cdaf3"
SAID = datetime(2026, 11, 16, 12, 7, tzinfo=UTC)
FAILURE = Failure(kind=Trouble.USAGE_LIMIT, message="at 12:07 PM", resets_at=SAID)
AT_LIMIT = Answer(session_id=THREAD, failure=FAILURE)


def a_window(end: datetime) -> dict[str, object]:
    return {"used_percent": 100.0, "window_minutes": 300, "resets_at": int(end.timestamp())}


def noted(folder: Path, model: object = "gpt-5.5", **windows: object) -> Path:
    """The record that codex keeps of a session, in the form in which it was seen to."""
    file = folder / "sessions" / "2026" / "11" / "16" / f"rollout-2026-11-16T10-37-31-{THREAD}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    told = [
        {"type": "session_meta", "payload": {"id": THREAD, "base_instructions": {"text": "You are"}}},
        {"type": "turn_context", "payload": {"turn_id": "1", "model": "gpt-5.1"}},
        {"type": "turn_context", "payload": {"turn_id": "2", "model": model}},
        {"type": "event_msg", "payload": {"type": "token_count", "info": None, "rate_limits": windows}},
    ]
    file.write_text("".join(json.dumps(each) + "\n" for each in told))
    return file


def test_the_model_stands_in_the_record_of_the_session(tmp_path: Path) -> None:
    noted(tmp_path)

    assert CLIENT.completed(Answer(session_id=THREAD), tmp_path).model == "gpt-5.5"
    assert CLIENT.completed(Answer(session_id="../../x"), tmp_path).model is None
    assert CLIENT.completed(Answer(session_id=THREAD), tmp_path / "elsewhere").model is None


@pytest.mark.parametrize(
    ("windows", "used"),
    [
        ({"primary": {"used_percent": 81.5, "window_minutes": 300}}, [("5 hours", 0.815)]),
        ({"primary": {"used_percent": 100.0}, "secondary": {"used_percent": 7}}, [("limit", 1.0), ("limit", 0.07)]),
        ({"primary": None, "secondary": None}, []),
        ({"primary": {"used_percent": "half"}}, []),
        ({}, []),
    ],
)
def test_the_used_shares_of_limits_stand_in_the_record_of_the_session(
    tmp_path: Path, windows: dict[str, object], used: list[object]
) -> None:
    file = noted(tmp_path, **windows)
    with file.open("a") as opened:  # codex notes null after that, if a response has no such headers
        opened.write('{"type": "event_msg", "payload": {"type": "token_count", "info": null, "rate_limits": null}}\n')

    found = CLIENT.completed(Answer(session_id=THREAD), tmp_path).limit_use

    assert [(each.window, each.used) for each in found] == used
    assert CLIENT.completed(Answer(session_id="../x"), tmp_path).limit_use == ()


UNIFIED = (
    "Chunk ID: fb6735\nWall time: 0.0000 seconds\nProcess exited with code {}\nOriginal token count: 16\nOutput:\n{}"
)
PATCHED = "Exit code: 1\nWall time: 0.1 seconds\nOutput:\nFailed to write file /p/w.txt\n"
OUTPUTS = [
    ([UNIFIED.format(1, NO_NAMESPACE)], True),
    ([UNIFIED.format(1, NO_NAMESPACE), PATCHED, "Plan updated"], True),
    ([UNIFIED.format(1, NO_NAMESPACE), UNIFIED.format(0, "a.txt\n")], False),
    ([UNIFIED.format(1, NO_NAMESPACE), UNIFIED.format(2, "ls: cannot access 'x'\n")], False),
    ([UNIFIED.format(1, "FAILED tests/test_double.py\n")], False),
    ([PATCHED], False),
    ([7, {"text": "x"}], False),
]


@pytest.mark.parametrize(("outputs", "is_named"), OUTPUTS)
def test_a_sandbox_that_does_not_start_is_found_in_the_record_where_no_event_tells(
    outputs: list[object], is_named: bool, tmp_path: Path
) -> None:
    with noted(tmp_path).open("a") as file:
        for number, output in enumerate(outputs):
            payload = {"type": "function_call_output", "call_id": f"c{number}", "output": output}
            file.write(json.dumps({"type": "response_item", "payload": payload}) + "\n")

    answer = CLIENT.completed(Answer(session_id=THREAD), tmp_path)

    assert bool(answer.failure and "cannot start its own sandbox" in answer.failure.message) == is_named


@pytest.mark.parametrize("model", [None, 5, "", "x" * 500])
def test_what_is_no_name_of_a_model_is_passed_over(tmp_path: Path, model: object) -> None:
    noted(tmp_path, model)

    assert CLIENT.completed(Answer(session_id=THREAD), tmp_path).model == "gpt-5.1"


@pytest.mark.parametrize("name", ["primary", "secondary"])
def test_a_limit_ends_in_the_second_that_the_record_names(tmp_path: Path, name: str) -> None:
    exact = SAID + timedelta(seconds=31)
    noted(tmp_path, **({"primary": a_window(SAID - timedelta(hours=1))} | {name: a_window(exact)}))

    failure = CLIENT.completed(AT_LIMIT, tmp_path).failure

    assert failure == replace(FAILURE, resets_at=exact)


@pytest.mark.parametrize("seconds", [-1, 60, 86400])
def test_a_record_that_does_not_fit_what_was_said_changes_nothing(tmp_path: Path, seconds: int) -> None:
    noted(tmp_path, primary=a_window(SAID + timedelta(seconds=seconds)), secondary="soon")

    assert CLIENT.completed(AT_LIMIT, tmp_path).failure == FAILURE


def test_a_record_that_is_torn_or_no_file_is_no_reason_to_fail(tmp_path: Path) -> None:
    file = noted(tmp_path)
    file.write_bytes(file.read_bytes()[:-9] + b"\xff\n")
    assert CLIENT.completed(Answer(session_id=THREAD), tmp_path).model == "gpt-5.5"

    file.write_bytes(b'{"type":"turn_context","payload":' + b"[" * 10_000 + b"]" * 10_000 + b"}\n")
    assert CLIENT.completed(Answer(session_id=THREAD), tmp_path).model is None

    file.unlink()
    os.mkfifo(file)
    assert CLIENT.completed(AT_LIMIT, tmp_path) == AT_LIMIT
