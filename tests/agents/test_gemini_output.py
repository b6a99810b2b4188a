"""gemini: every recording, and what the recordings do not show."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.core.values.answer import Answer, AnswerFormat, Trouble
from tests.agents.recordings import (
    BAD,
    GOOD,
    NOW,
    Recording,
    damaged,
    events_of,
    kind_of,
    read_bytes,
    read_events,
    recording,
    recordings,
)

OK = events_of("gemini", "ok.stream-json")
DENIED = events_of("gemini", "denied.stream-json")
LIMITED = events_of("gemini", "rate_limit.stream-json")
DOCUMENT = json.loads(recording("gemini", "ok.json").path.read_text(encoding="utf-8"))
ERROR = {"type": "error", "timestamp": "2026-11-15T18:00:00.000Z", "severity": "error"}


FAILED_STREAMS = [
    each
    for each in recordings("gemini")
    if each.expected["format"] == "json_lines" and each.expected["failure"] not in (None, "timed_out")
]


@pytest.mark.parametrize("recorded", FAILED_STREAMS, ids=str)
def test_the_events_alone_tell_the_kind_of_failure(recorded: Recording) -> None:
    answer = replace(recorded, end=GOOD).read()

    assert kind_of(answer) == recorded.expected["failure"]


EXITS = [
    (173, Trouble.RATE_LIMIT),
    (247, Trouble.OVERLOADED),
    (244, Trouble.SERVER_ERROR),
    (145, Trouble.AUTHENTICATION),
    (147, Trouble.AUTHENTICATION),
    (148, Trouble.MODEL_UNKNOWN),
    (41, Trouble.AUTHENTICATION),
    (53, Trouble.TURN_LIMIT),
    (130, Trouble.INTERRUPTED),
    (144, Trouble.CRASH),
    (1, Trouble.CUT_STREAM),
]


@pytest.mark.parametrize(("exit_code", "kind"), EXITS)
def test_where_the_message_says_nothing_the_exit_code_does(exit_code: int, kind: Trouble) -> None:
    result = {"type": "result", "timestamp": "t", "status": "error", "error": {"message": "[API Error: so it is]"}}

    assert kind_of(read_events([*OK[:-1], result], replace(BAD, exit_code=exit_code))) is kind


def test_a_status_of_error_without_an_error_is_a_failure_with_exit_code_0_too() -> None:
    result = OK[-1] | {"status": "error"}

    assert kind_of(read_events([*OK[:-1], result], GOOD)) is Trouble.CRASH


@pytest.mark.parametrize("error", [{}, "boom", 17, {"message": None}])
def test_an_error_in_a_result_that_calls_itself_a_success_is_a_failure(error: object) -> None:
    assert read_events([*OK[:-1], OK[-1] | {"error": error}], GOOD).failure is not None


def test_an_error_with_no_word_of_the_agent_behind_it_is_a_failure() -> None:
    stopped = [*OK[:-1], ERROR | {"message": "Maximum session turns exceeded"}, OK[-1]]

    assert kind_of(read_events(stopped, GOOD)) is Trouble.TURN_LIMIT


def test_an_error_that_the_agent_got_over_is_none() -> None:
    answer = read_events([OK[0], ERROR | {"message": "Resource has been exhausted"}, *OK[1:]], GOOD)

    assert answer.failure is None


def test_a_warning_is_a_problem_and_no_failure() -> None:
    warning = ERROR | {"severity": "warning", "message": "Loop detected, stopping execution"}

    answer = read_events([*OK[:-1], warning, OK[-1]], GOOD)

    assert (answer.failure, answer.problems) == (None, ("Loop detected, stopping execution",))


@pytest.mark.parametrize("kept", range(1, len(OK)))
def test_no_stream_cut_before_its_end_is_a_success(kept: int) -> None:
    assert kind_of(read_events(OK[:kept], GOOD)) is Trouble.CUT_STREAM


def test_a_stream_without_its_result_is_explained_by_standard_error() -> None:
    stderr = recording("gemini", "usage_limit.text").end.stderr

    assert kind_of(read_events(OK[:3], replace(BAD, stderr=stderr))) is Trouble.USAGE_LIMIT


def test_the_words_before_the_last_tool_are_not_the_final_text() -> None:
    assert read_events(OK, GOOD).text.startswith("Created hello.txt.")


def test_a_tool_that_policy_forbids_is_denied() -> None:
    events = json.loads(json.dumps(DENIED).replace("tool_not_registered", "policy_violation"))

    assert read_events(events, GOOD).denied == ("bash",)


def test_a_question_is_kept() -> None:
    asked = {
        "type": "tool_use",
        "tool_name": "ask_user",
        "tool_id": "q",
        "parameters": {"questions": [{"question": "A?"}]},
    }

    assert read_events([OK[0], asked, *OK[1:]], GOOD).questions == ("A?",)


def test_of_a_quota_that_ends_hours_later_the_end_is_told() -> None:
    message = "[API Error: You have exhausted your capacity on this model. Your quota will reset after 2h30m.]"
    result = {"type": "result", "timestamp": NOW.isoformat(), "status": "error", "error": {"message": message}}

    failure = read_events([*OK[:-1], result], replace(BAD, exit_code=173)).failure

    assert failure is not None
    assert (failure.kind, failure.resets_at) == (Trouble.USAGE_LIMIT, NOW + timedelta(hours=2.5))


def test_several_models_are_added_up_and_the_one_that_did_most_is_named() -> None:
    document = json.loads(json.dumps(DOCUMENT))
    document["stats"]["models"]["gemini-flash"] = {"api": {"totalRequests": 3}, "tokens": {"prompt": 10, "total": 12}}

    answer = read_bytes(json.dumps(document).encode(), GOOD)

    assert answer.usage is not None
    assert (answer.model, answer.turns, answer.usage.input) == ("gemini-2.5-pro", 5, 2410)


def test_a_document_with_an_error_is_a_failure_wherever_it_was_written() -> None:
    recorded = recording("gemini", "auth.json")

    answer = read_bytes(recorded.end.stderr.encode(), replace(recorded.end, stderr=""))

    assert (answer.agent, kind_of(answer)) == ("gemini", Trouble.AUTHENTICATION)


def test_unknown_events_and_fields_change_nothing() -> None:
    more = [event | {"new": {"status": "error"}} for event in OK]

    assert read_events([more[0], {"type": "thought", "text": "x"}, *more[1:]], GOOD) == read_events(OK, GOOD)


@given(damaged(OK) | damaged(DENIED) | damaged(LIMITED), st.sampled_from([0, 1, 173, None]))
def test_damaged_events_never_raise(events: list[Any], exit_code: int | None) -> None:
    assert isinstance(read_events(events, replace(GOOD, exit_code=exit_code)), Answer)


@given(damaged([DOCUMENT]))
def test_a_damaged_document_never_raises(events: list[Any]) -> None:
    assert isinstance(read_bytes(json.dumps(events[0], indent=2).encode(), GOOD), Answer)


def test_the_turn_limit_is_recognised_in_text_mode() -> None:
    stderr = "YOLO mode is enabled.\nReached max session turns for this session. Increase the number of turns.\n"

    answer = read_bytes(b"half an answer\n", replace(BAD, exit_code=53, stderr=stderr))

    assert (answer.agent, answer.text, kind_of(answer)) == (None, "half an answer\n", Trouble.TURN_LIMIT)


@pytest.mark.parametrize("exit_code", [0, -9])
def test_standard_error_alone_makes_no_failure(exit_code: int) -> None:
    recorded = recording("gemini", "usage_limit.text")

    answer = read_bytes(b"Done.\n", replace(recorded.end, exit_code=exit_code))

    assert (answer.agent, answer.format, answer.text) == (None, AnswerFormat.TEXT, "Done.\n")


def test_prose_about_errors_is_no_error_of_gemini_even_where_the_process_failed() -> None:
    text = "I now handle:\n\nError when talking to Gemini API TerminalQuotaError: You have exhausted your daily quota\n"

    assert kind_of(read_bytes(text.encode(), BAD)) is Trouble.CRASH


@given(st.text(), st.text(), st.sampled_from(["\n{\n", "\nError when talking to Gemini API X: ", ""]))
def test_any_text_gets_an_answer(text: str, rest: str, opening: str) -> None:
    end = replace(BAD, stderr=opening + rest)

    assert isinstance(read_bytes(text.encode("utf-8", "replace"), end), Answer)
