"""opencode: every recording, and what the recordings do not show."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.agents.opencode import FORMAT
from dualgate.core.values.answer import Answer, Trouble
from tests.agents.recordings import (
    BAD,
    GOOD,
    NOW,
    damaged,
    events_of,
    kind_of,
    read_bytes,
    read_events,
    recording,
)

OK = events_of("opencode", "ok.json")
DENIED = events_of("opencode", "denied.json")
LIMITED = events_of("opencode", "usage_limit.json")


def an_error(name: str, **data: object) -> dict[str, Any]:
    return {"type": "error", "timestamp": 1794768418037, "sessionID": "ses_1", "error": {"name": name, "data": data}}


UNNAMED = an_error("UnknownError", message="Unexpected server error. Check server logs.", ref="err_1")
LOG = """\
timestamp=2026-11-16T10:16:07.973Z level=ERROR message="share subscriber failed" cause="Cause([Fail(x)])"
timestamp=2026-11-16T10:16:08.275Z level=ERROR message=failed ref={ref} error="{name}: {message}" cause="at x"
"""
NAMED = [
    ("err_1", "ProviderModelNotFoundError", "Model not found: played/nosuch.", Trouble.MODEL_UNKNOWN),
    ("err_1", "ProviderAuthError", r"no \"key\"", Trouble.AUTHENTICATION),
    ("err_1", "TypeError", "x is not a function", Trouble.CRASH),
    ("err_2", "ProviderModelNotFoundError", "Model not found: played/nosuch.", Trouble.CRASH),
]


@pytest.mark.parametrize(("ref", "name", "message", "kind"), NAMED)
def test_an_error_without_a_name_is_what_the_log_says_under_its_mark(
    ref: str, name: str, message: str, kind: Trouble
) -> None:
    told = LOG.format(ref=ref, name=name, message=message)

    failure = read_events([UNNAMED], replace(BAD, stderr=told)).failure

    assert failure is not None
    assert failure.kind is kind
    assert (failure.message == message) is (ref == "err_1")


ERRORS = [
    (an_error("ProviderAuthError", message="no key"), Trouble.AUTHENTICATION),
    (an_error("ProviderModelNotFoundError"), Trouble.MODEL_UNKNOWN),
    (an_error("MessageOutputLengthError"), Trouble.OUTPUT_CAP),
    (an_error("MessageAbortedError", message="aborted"), Trouble.INTERRUPTED),
    (an_error("ContentFilterError", message="no"), Trouble.REFUSAL),
    (an_error("APIError", message="x", statusCode=429), Trouble.RATE_LIMIT),
    (an_error("APIError", message="x", statusCode=502), Trouble.SERVER_ERROR),
    (an_error("APIError", message="x", statusCode=400), Trouble.CRASH),
    (an_error("APIError", message="Your credit balance is too low", statusCode=400), Trouble.QUOTA),
    (
        an_error("APIError", message="x", responseBody='{"error": {"code": "insufficient_quota"}}', statusCode=429),
        Trouble.QUOTA,
    ),
    (an_error("APIError", message="Connection reset"), Trouble.SERVER_ERROR),
    (an_error("NewError", message="x"), Trouble.CRASH),
]


@pytest.mark.parametrize(("error", "kind"), ERRORS)
def test_an_error_event_says_what_kind_of_failure_it_was(error: dict[str, Any], kind: Trouble) -> None:
    assert kind_of(read_events([error], BAD)) is kind


RETRY_AFTER = [
    ("2.5", datetime(2026, 11, 15, 18, 47, 0, 537000, tzinfo=UTC)),
    ("Sun, 15 Nov 2026 19:00:00 GMT", datetime(2026, 11, 15, 19, tzinfo=UTC)),
    ("Sun, 99 Nov 2026 19:00:00 GMT", None),
    ("soon", None),
    (7, None),
]


@pytest.mark.parametrize(("header", "resets_at"), RETRY_AFTER)
def test_a_header_says_when_to_come_back(header: object, resets_at: datetime | None) -> None:
    error = an_error("APIError", message="x", statusCode=429, responseHeaders={"retry-after": header})

    failure = read_events([error], BAD).failure

    assert failure is not None
    assert failure.resets_at == resets_at


def test_a_usage_limit_that_ends_days_later_is_the_weekly_one() -> None:
    later = int((NOW + timedelta(days=4)).timestamp())
    body = json.dumps({"error": {"type": "usage_limit_reached", "resets_at": later}})

    failure = read_events([an_error("APIError", message="x", statusCode=429, responseBody=body)], BAD).failure

    assert failure is not None
    assert (failure.kind, failure.resets_at) == (Trouble.WEEKLY_LIMIT, NOW + timedelta(days=4))


REASONS = [
    ("stop", None),
    ("length", Trouble.OUTPUT_CAP),
    ("content-filter", Trouble.REFUSAL),
    ("error", Trouble.SERVER_ERROR),
    ("tool-calls", Trouble.CUT_STREAM),
    ("unknown", Trouble.CUT_STREAM),
    (None, Trouble.CUT_STREAM),
    (17, Trouble.CUT_STREAM),
]


@pytest.mark.parametrize(("reason", "kind"), REASONS)
def test_the_reason_of_the_last_step_decides(reason: object, kind: Trouble | None) -> None:
    last = OK[-1] | {"part": OK[-1]["part"] | {"reason": reason}}

    assert kind_of(read_events([*OK[:-1], last], GOOD)) is kind


@pytest.mark.parametrize("kept", range(1, len(OK)))
def test_no_stream_cut_before_its_end_is_a_success(kept: int) -> None:
    assert kind_of(read_events(OK[:kept], GOOD)) is Trouble.CUT_STREAM


def test_an_error_that_a_good_step_followed_is_past() -> None:
    assert read_events([an_error("ContextOverflowError", message="x"), *OK], GOOD).failure is None


def test_an_error_stands_where_the_process_failed() -> None:
    assert kind_of(read_events([an_error("ContextOverflowError", message="x"), *OK], BAD)) is Trouble.CONTEXT_FULL


def test_a_denied_tool_after_which_the_agent_went_on_is_no_failure() -> None:
    answer = read_events([*DENIED, *OK], GOOD)

    assert (answer.failure, answer.denied) == (None, ("bash",))


def test_a_rule_against_a_tool_denies_it() -> None:
    rule = "The user has specified a rule which prevents you from using this specific tool call. Relevant rules: []"
    events = json.loads(json.dumps(DENIED).replace(DENIED[1]["part"]["state"]["error"], rule))

    assert (kind_of(read_events(events, GOOD)), read_events(events, GOOD).denied) == (Trouble.DENIED, ("bash",))


def test_a_tool_that_failed_is_not_denied() -> None:
    events = json.loads(
        json.dumps(DENIED).replace("The user rejected permission", "grep: The user rejected permission")
    )

    assert (kind_of(read_events(events, GOOD)), read_events(events, GOOD).denied) == (Trouble.CUT_STREAM, ())


def test_the_texts_of_the_last_step_each_begin_on_a_line() -> None:
    answer = read_events([*OK[:-2], OK[-2] | {"part": {"text": "First."}}, OK[-2], OK[-1]], GOOD)

    assert answer.text.startswith("First.\nCreated hello.txt.\n")


def test_a_step_whose_beginning_is_missing_is_a_step_of_its_own() -> None:
    without = [event for event in OK if event["type"] != "step_start"]

    assert read_events(without, GOOD).text == read_events(OK, GOOD).text


def test_a_question_is_kept() -> None:
    state = {"status": "completed", "input": {"questions": [{"question": "Which one?"}]}}
    asked = {"type": "tool_use", "sessionID": "s", "part": {"tool": "question", "state": state}}

    assert read_events([OK[0], asked, *OK[1:]], GOOD).questions == ("Which one?",)


def test_unknown_events_and_fields_change_nothing() -> None:
    more = [event | {"new": {"error": {}}} for event in OK]

    assert read_events([more[0], {"type": "file", "sessionID": "s"}, *more[1:]], GOOD) == read_events(OK, GOOD)


@given(damaged(OK) | damaged(DENIED) | damaged(LIMITED), st.sampled_from([0, 1, None]))
def test_damaged_events_never_raise(events: list[Any], exit_code: int | None) -> None:
    assert isinstance(read_events(events, replace(GOOD, exit_code=exit_code)), Answer)


def test_a_denied_tool_is_recognised_in_text_mode_where_nothing_was_said() -> None:
    stderr = recording("opencode", "denied.json").end.stderr

    answer = read_bytes(b"", replace(GOOD, stderr=stderr))

    assert (answer.agent, kind_of(answer), answer.denied) == ("opencode", Trouble.DENIED, ("external_directory",))


def test_what_was_said_after_a_denied_tool_is_an_answer() -> None:
    stderr = recording("opencode", "denied.json").end.stderr

    assert read_bytes(b"All the same, done.\n", replace(GOOD, stderr=stderr)).failure is None


def test_both_streams_in_one_file_are_read_too() -> None:
    recorded = recording("opencode", "rate_limit.text")

    answer = read_bytes(recorded.end.stderr.encode(), BAD)

    assert (answer.agent, kind_of(answer)) == ("opencode", Trouble.RATE_LIMIT)


@pytest.mark.parametrize(
    ("text", "kind"),
    [("Error: The usage limit has been reached\n", Trouble.USAGE_LIMIT), ("> Error: usage limit\n", Trouble.CRASH)],
)
def test_an_error_that_opencode_did_not_write_is_not_its_own(text: str, kind: Trouble) -> None:
    answer = read_bytes(text.encode(), BAD)

    assert (answer.agent, kind_of(answer)) == (None, kind)


@given(st.text(), st.text(), st.sampled_from([0, 1, None]))
def test_any_text_gets_an_answer(text: str, rest: str, exit_code: int | None) -> None:
    end = replace(GOOD, exit_code=exit_code, stderr="> build · m\nError: " + rest)

    assert isinstance(read_bytes(text.encode("utf-8", "replace"), end), Answer)


def test_compaction_that_is_repeated_without_a_tool_is_a_full_context() -> None:
    goes_on = {"type": "text", "sessionID": "s", "part": {"type": "text", "synthetic": True, "text": "Continue if"}}
    tool = {"type": "tool_use", "sessionID": "s", "part": {"tool": "bash", "state": {"status": "completed"}}}
    reader = FORMAT.reader()

    dead_ends = []
    for event in (goes_on, goes_on, tool, goes_on, goes_on, goes_on):
        reader.feed(event)
        dead_ends.append(reader.doing.dead_end)

    assert dead_ends[:-1] == [None] * 5
    assert dead_ends[-1] is not None
    assert dead_ends[-1].kind is Trouble.CONTEXT_FULL
