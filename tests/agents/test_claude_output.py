"""Claude Code: every recorded output, and what they do not show."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.agents.claude import FORMAT
from dualgate.agents.registry import FORMATS
from dualgate.core.values.answer import Answer, CallEnd, Failure, Trouble, Usage
from tests.agents.recordings import (
    ANY_JSON,
    Recording,
    as_lines,
    damaged,
    events,
    read_bytes,
    recordings,
)

RECORDED = [*recordings("claude"), *recordings("claude-oauth")]
STREAMS = [each for each in RECORDED if each.name.endswith(".stream-json")]
WHOLE_STREAMS = [each for each in STREAMS if not each.name.startswith(("hang", "long"))]
END = CallEnd(now=datetime(2026, 11, 15, 18, 42, tzinfo=UTC))
FAILED = replace(END, exit_code=1)
INIT = {"type": "system", "subtype": "init", "session_id": "s", "model": "m"}
OK = {"type": "result", "subtype": "success", "is_error": False, "result": "Done.", "session_id": "s"}


def a_message(*blocks: dict[str, Any], model: str = "m", **more: Any) -> dict[str, Any]:
    return {"type": "assistant", "message": {"model": model, "content": list(blocks)}, **more}


def a_text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def an_error(sentence: str, status: int | None, **more: Any) -> dict[str, Any]:
    return OK | {"is_error": True, "result": sentence, "api_error_status": status} | more


def read_events(*items: dict[str, Any], end: CallEnd = END) -> Answer:
    return read_bytes(as_lines(list(items)), end)


@pytest.mark.parametrize("recording", WHOLE_STREAMS, ids=str)
def test_a_stream_that_is_cut_before_its_result_is_no_success(recording: Recording) -> None:
    lines = recording.path.read_bytes().splitlines(keepends=True)

    kinds = {read_bytes(b"".join(lines[:count]), END).failure for count in range(1, len(lines))}

    assert {failure.kind if failure else None for failure in kinds} == {Trouble.CUT_STREAM}


@given(st.sampled_from([each for each in RECORDED if each.name.startswith("ok.") and "json" in each.name]), st.data())
def test_an_output_that_is_cut_at_any_byte_is_no_success(recording: Recording, data: st.DataObject) -> None:
    content = recording.path.read_bytes().rstrip()
    beyond_doubt = 40
    cut = data.draw(st.integers(beyond_doubt, len(content) - 1))

    failure = read_bytes(content[:cut], END).failure

    assert failure
    assert failure.kind is Trouble.CUT_STREAM


def a_limit(status: str, **more: Any) -> dict[str, Any]:
    return {"type": "rate_limit_event", "rate_limit_info": {"status": status, **more}}


@pytest.mark.parametrize(
    ("info", "used"),
    [
        # the form of a warning: utilization is a share of 1
        ({"resetsAt": 1893456000, "rateLimitType": "five_hour", "utilization": 0.91}, [("five_hour", 0.91)]),
        ({"resetsAt": 1893456000, "rateLimitType": "five_hour"}, []),
        ({"utilization": 0.5}, [("limit", 0.5)]),
        ({"utilization": True}, []),
        ({"utilization": -1}, []),
        ({"utilization": 1e9}, []),
        ({"utilization": "91%"}, []),
    ],
)
def test_the_used_share_of_a_limit_is_read_where_it_is_reported(info: dict[str, Any], used: list[object]) -> None:
    found = read_events(INIT, a_limit("allowed_warning", **info), OK).limit_use

    assert [(each.window, each.used) for each in found] == used
    assert all((each.resets_at is not None) is ("resetsAt" in info) for each in found)


def test_a_call_that_fails_after_its_limit_was_rejected_met_a_limit() -> None:
    known = read_events(INIT, a_limit("rejected", resetsAt=1893456000, rateLimitType="five_hour"), end=FAILED).failure
    unknown = read_events(INIT, a_limit("rejected"), end=FAILED).failure

    assert known
    assert (known.kind, known.resets_at) == (Trouble.USAGE_LIMIT, datetime(2030, 1, 1, tzinfo=UTC))
    assert unknown
    assert (unknown.kind, unknown.resets_at) == (Trouble.RATE_LIMIT, None)


@pytest.mark.parametrize(
    ("said", "end"),
    [
        ([a_limit("allowed")], FAILED),
        ([a_limit("rejected"), a_limit("allowed")], FAILED),
        ([a_limit("rejected", isUsingOverage=True)], FAILED),
        ([a_limit("rejected")], END),
    ],
)
def test_a_limit_that_does_not_stop_a_call_is_none(said: list[dict[str, Any]], end: CallEnd) -> None:
    failure = read_events(INIT, *said, end=end).failure

    assert failure
    assert failure.kind is Trouble.CUT_STREAM


def test_a_cut_stream_says_what_it_was_waiting_for() -> None:
    retry = {
        "type": "system",
        "subtype": "api_retry",
        "attempt": 1,
        "error_status": 401,
        "error": "authentication_failed",
    }

    answer = read_events(INIT, retry, retry, end=replace(END, exit_code=143))

    message = "the output ends without a result, while it tried again after authentication_failed"
    assert (answer.retries, answer.failure) == (2, Failure(kind=Trouble.CUT_STREAM, message=message))


MARKED = [
    ({"subtype": "error_max_budget_usd", "is_error": True, "errors": ["over"]}, Trouble.BUDGET),
    ({"subtype": "error_during_execution", "is_error": True, "terminal_reason": "aborted_tools"}, Trouble.INTERRUPTED),
    (
        {"subtype": "error_during_execution", "is_error": True, "terminal_reason": "aborted_streaming"},
        Trouble.INTERRUPTED,
    ),
    ({"subtype": "error_during_execution", "is_error": True}, Trouble.CRASH),
    ({"subtype": "error_of_next_year"}, Trouble.CRASH),
    ({"stop_reason": "refusal", "is_error": True}, Trouble.REFUSAL),
    ({"stop_reason": "max_tokens"}, Trouble.OUTPUT_CAP),
    ({"api_error_status": 500}, Trouble.SERVER_ERROR),
    ({"is_error": "true"}, Trouble.CRASH),
]


@pytest.mark.parametrize(("marks", "kind"), MARKED)
def test_a_result_with_any_mark_of_an_error_is_a_failure_even_with_exit_code_0(
    marks: dict[str, Any], kind: Trouble
) -> None:
    answer = read_events(INIT, a_message(a_text("half")), OK | marks)

    assert answer.failure
    assert (answer.failure.kind, answer.text) == (kind, "half")


MESSAGE_ERRORS = [
    ("billing_error", 400, Trouble.QUOTA),
    ("max_output_tokens", None, Trouble.OUTPUT_CAP),
    ("authentication_failed", None, Trouble.AUTHENTICATION),
    ("invalid_request", 400, Trouble.SERVER_ERROR),
    ("server_error", 529, Trouble.OVERLOADED),
    ("unknown", None, Trouble.CUT_STREAM),
]


@pytest.mark.parametrize(("error", "status", "kind"), MESSAGE_ERRORS)
def test_the_error_of_the_last_message_tells_the_kind_where_the_status_does_not(
    error: str, status: int | None, kind: Trouble
) -> None:
    sentence = "API Error: something"

    answer = read_events(
        INIT, a_message(a_text(sentence), model="<synthetic>", error=error), an_error(sentence, status), end=FAILED
    )

    assert (answer.failure, answer.text) == (Failure(kind=kind, message=sentence), "")


def test_an_error_of_the_last_message_counts_even_if_the_result_does_not_repeat_it() -> None:
    answer = read_events(INIT, a_message(model="<synthetic>", error="rate_limit"), OK)

    assert answer.failure == Failure(kind=Trouble.RATE_LIMIT, message="Done.")


def test_an_error_that_the_agent_got_over_is_none() -> None:
    answer = read_events(INIT, a_message(model="<synthetic>", error="rate_limit"), a_message(a_text("Done.")), OK)

    assert (answer.failure, answer.text) == (None, "Done.")


LIMITS = [
    ({"status": "rejected", "resetsAt": 1794773490, "rateLimitType": "five_hour"}, Trouble.USAGE_LIMIT, 1794773490),
    ({"status": "rejected", "resetsAt": 1795173490, "rateLimitType": "seven_day"}, Trouble.WEEKLY_LIMIT, 1795173490),
    (
        {"status": "rejected", "resetsAt": 1795173490, "rateLimitType": "seven_day_opus"},
        Trouble.WEEKLY_LIMIT,
        1795173490,
    ),
    ({"status": "rejected", "resetsAt": 1795173490000, "rateLimitType": "overage"}, Trouble.USAGE_LIMIT, 1795173490),
    ({"status": "rejected"}, Trouble.RATE_LIMIT, None),
    ({"status": "rejected", "resetsAt": "soon"}, Trouble.RATE_LIMIT, None),
    ({"status": "allowed_warning", "resetsAt": 1794773490}, Trouble.RATE_LIMIT, None),
]


@pytest.mark.parametrize(("info", "kind", "resets_at"), LIMITS)
def test_a_limit_of_the_plan_is_one_that_was_rejected_and_names_its_end(
    info: dict[str, Any], kind: Trouble, resets_at: int | None
) -> None:
    answer = read_events(INIT, {"type": "rate_limit_event", "rate_limit_info": info}, an_error("API Error: x", 429))

    when = datetime.fromtimestamp(resets_at, UTC) if resets_at else None
    assert answer.failure == Failure(kind=kind, message="API Error: x", resets_at=when)


def test_a_limit_event_does_not_turn_another_error_into_a_limit() -> None:
    info = {"status": "rejected", "resetsAt": 1794773490}

    answer = read_events(INIT, {"type": "rate_limit_event", "rate_limit_info": info}, an_error("API Error: x", 500))

    assert answer.failure == Failure(kind=Trouble.SERVER_ERROR, message="API Error: x")


AT_20_11 = datetime(2026, 11, 15, 20, 11, tzinfo=UTC)
SENTENCES = [
    ("You've hit your session limit · resets 8:11pm (UTC)", Trouble.USAGE_LIMIT, AT_20_11),
    (
        "You've hit your limit · resets 5pm (Europe/Vilnius)",
        Trouble.USAGE_LIMIT,
        datetime(2026, 11, 16, 15, tzinfo=UTC),
    ),
    (
        "You've hit your weekly limit · resets Nov 20, 2am (UTC)",
        Trouble.WEEKLY_LIMIT,
        datetime(2026, 11, 20, 2, tzinfo=UTC),
    ),
    ("You've hit your Opus limit · resets Nov 20 at 7pm", Trouble.WEEKLY_LIMIT, datetime(2026, 11, 20, 19, tzinfo=UTC)),
    ("You've hit your limit", Trouble.USAGE_LIMIT, None),
    ("5-hour limit reached ∙ resets 9pm", Trouble.USAGE_LIMIT, datetime(2026, 11, 15, 21, tzinfo=UTC)),
    ("Weekly limit reached ∙ resets Nov 20", Trouble.WEEKLY_LIMIT, datetime(2026, 11, 20, tzinfo=UTC)),
    ("Claude AI usage limit reached|1893456000", Trouble.USAGE_LIMIT, datetime(2030, 1, 1, tzinfo=UTC)),
    ("API Error: 429 rate_limit_error: this request would exceed your limit", Trouble.RATE_LIMIT, None),
    ("API Error: 400 bad tool use", Trouble.SERVER_ERROR, None),
    ("Credit balance is too low", Trouble.QUOTA, None),
    ("Error: Exceeded USD budget (0.5)", Trouble.BUDGET, None),
    ("API Error: Claude's response exceeded the 32000 output token maximum. Set …", Trouble.OUTPUT_CAP, None),
    ("API Error: Claude Code is unable to respond to this request, which appears to …", Trouble.REFUSAL, None),
]


@pytest.mark.parametrize(("sentence", "kind", "resets_at"), SENTENCES)
def test_the_clis_own_sentence_says_the_same_as_text_and_in_a_result_that_is_an_error(
    sentence: str, kind: Trouble, resets_at: datetime | None
) -> None:
    failure = Failure(kind=kind, message=sentence, resets_at=resets_at)

    assert read_bytes(f"{sentence}\n".encode(), FAILED).failure == failure
    assert read_events(an_error(sentence, None)).failure == failure


@pytest.mark.parametrize("sentence", [each[0] for each in SENTENCES])
def test_the_same_sentence_from_a_call_that_did_not_fail_is_prose(sentence: str) -> None:
    assert read_bytes(sentence.encode(), END).failure is None
    assert read_events(OK | {"result": sentence}).failure is None


PROSE = [
    "Wrote docs: at most 15 jobs; after 24 hours the limit is lifted.\nSegmentation fault\n",
    "You've hit your limit · resets 5pm (UTC)\nis the sentence that I now test for.\n",
    "The README says: You've hit your limit · resets 5pm (UTC)\n",
    "You've hit your limit of three attempts, so I stop here.\n",
]


@pytest.mark.parametrize("text", PROSE)
def test_prose_about_limits_in_a_call_that_failed_is_no_limit(text: str) -> None:
    answer = read_bytes(text.encode(), FAILED)

    assert answer.failure
    assert (answer.agent, answer.failure.kind, answer.text) == (None, Trouble.CRASH, text)


def test_the_limit_sentence_in_a_tool_result_is_no_limit() -> None:
    quoted = {"type": "user", "message": {"content": [{"type": "tool_result", "content": "You've hit your limit"}]}}

    answer = read_events(INIT, quoted, a_message(a_text("going on")), end=FAILED)

    assert answer.failure
    assert (answer.failure.kind, answer.text) == (Trouble.CUT_STREAM, "going on")


BARE = [
    [OK],
    [{"type": "result", "subtype": "success", "result": "Done."}],
    [{"type": "result", "is_error": False, "result": "Done."}],
    [{"type": "system", "subtype": "init"}, a_message(a_text("working")), {"type": "result", "result": "Done."}],
    [a_message(a_text("working")), OK],
    [{"type": "user", "message": {"content": []}}, OK],
    [{"type": "rate_limit_event", "rate_limit_info": {"status": "allowed"}}, OK],
]


@pytest.mark.parametrize("items", BARE)
def test_the_bare_form_without_a_sign_of_another_is_claudes(items: list[dict[str, Any]]) -> None:
    for content in (as_lines(items), json.dumps(items).encode(), json.dumps(items, indent=2).encode()):
        answer = read_bytes(content, END)

        assert (answer.agent, answer.text, answer.failure) == ("claude", "Done.", None)


def test_no_event_is_claimed_by_two() -> None:
    recorded = [
        event for name in ("claude", "claude-oauth", "qwen") for each in recordings(name) for event in events(each)
    ]

    claimed = [[each.name for each in FORMATS if each.claims(event)] for event in recorded]

    assert {len(names) for names in claimed} <= {0, 1}
    assert not any(FORMAT.claims(event) for each in recordings("qwen") for event in events(each))


QUESTION = {"questions": [{"question": "Which database?", "options": []}, {"question": "Which port?"}]}


def test_a_question_is_what_was_asked_through_the_tool_for_asking() -> None:
    asking = a_message(a_text("Why?"), {"type": "tool_use", "name": "AskUserQuestion", "input": QUESTION})

    answer = read_events(INIT, asking, asking, OK)

    assert answer.questions == ("Which database?", "Which port?")


def test_a_question_that_was_refused_is_a_question_and_no_denied_tool() -> None:
    denials = [
        {"tool_name": "AskUserQuestion", "tool_input": QUESTION},
        {"tool_name": "Bash", "tool_input": {"command": "rm x"}},
        {"tool_name": "Bash", "tool_input": {"command": "rm y"}},
    ]

    answer = read_events(OK | {"permission_denials": denials})

    assert (answer.questions, answer.denied) == (("Which database?", "Which port?"), ("Bash",))


def test_what_a_sub_agent_says_is_not_the_answer() -> None:
    inner = a_message(a_text("inner"), model="small", parent_tool_use_id="t", error="rate_limit")

    answer = read_events(INIT, a_message(a_text("outer")), inner, end=FAILED)

    assert (answer.text, answer.model) == ("outer", "m")


def test_a_message_behind_the_result_opens_a_turn_that_needs_a_result_of_its_own() -> None:
    again = a_message(a_text("One more thing."))
    last = OK | {"result": "Really done."}

    cut = read_events(INIT, OK, again)
    whole = read_events(INIT, OK, again, last)

    assert cut.failure
    assert cut.failure.kind is Trouble.CUT_STREAM
    assert (whole.failure, whole.text) == (None, "Really done.")


def test_tokens_are_summed_over_the_models_and_cached_ones_are_input() -> None:
    used = {
        "large": {"inputTokens": 10, "outputTokens": 1, "cacheReadInputTokens": 100, "cacheCreationInputTokens": 1000},
        "small": {"inputTokens": 20, "outputTokens": 2},
    }

    answer = read_events(OK | {"usage": {"input_tokens": 10}, "modelUsage": used, "total_cost_usd": 1})

    assert (answer.usage, answer.cost_usd, answer.model) == (Usage(input=1130, output=3, cached=100), 1.0, None)


def test_a_cost_that_is_not_told_is_not_guessed() -> None:
    answer = read_events(OK | {"usage": {"input_tokens": 10, "cache_read_input_tokens": 5, "output_tokens": 2}})

    assert (answer.usage, answer.cost_usd) == (Usage(input=15, output=2, cached=5), None)


def test_events_and_fields_that_are_not_known_do_not_matter() -> None:
    unknown = {"type": "of_next_year", "session_id": "s", "error": "rate_limit", "result": "?"}

    answer = read_events(
        INIT | {"more": [1]}, unknown, a_message(a_text("Done."), more={}), OK | {"more": None}, unknown
    )

    assert (answer.text, answer.failure) == ("Done.", None)


@given(st.sampled_from(STREAMS), st.data())
def test_any_value_in_any_field_gets_an_answer(recording: Recording, data: st.DataObject) -> None:
    items = data.draw(damaged(events(recording)))
    reader = FORMAT.reader()

    for item in items:
        FORMAT.claims(item)
        reader.feed(item)

    assert reader.finish(recording.end)
    assert read_bytes(as_lines(items), recording.end)


@given(st.dictionaries(st.sampled_from(["type", "subtype", "message", "result", "usage", "rate_limit_info"]), ANY_JSON))
def test_any_event_gets_an_answer(event: dict[str, Any]) -> None:
    reader = FORMAT.reader()

    for kind in ("system", "assistant", "result", "rate_limit_event"):
        reader.feed(event | {"type": kind})

    assert reader.finish(END)
    assert FORMAT.claims(event) in (True, False)


@given(st.text(), st.sampled_from([0, 1, None]))
def test_any_text_gets_an_answer_or_none(text: str, code: int | None) -> None:
    answer = FORMAT.read_text(text, replace(END, exit_code=code))

    assert answer is None or answer.failure is not None
