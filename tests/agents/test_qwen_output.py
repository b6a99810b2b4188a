"""Qwen Code: every recorded output, and what they do not show."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.agents.qwen import FORMAT
from dualgate.core.values.answer import Answer, CallEnd, Failure, Trouble
from tests.agents.recordings import (
    Recording,
    as_lines,
    damaged,
    events,
    read_bytes,
    recordings,
)

RECORDED = list(recordings("qwen"))
WITH_EVENTS = [each for each in RECORDED if events(each)]
WITH_RESULT = [each for each in WITH_EVENTS if events(each)[-1]["type"] == "result"]
END = CallEnd(now=datetime(2026, 11, 15, 18, 42, tzinfo=UTC))
FAILED = replace(END, exit_code=1)
INIT = {"type": "system", "subtype": "init", "session_id": "s", "model": "m", "qwen_code_version": "0.15.10"}
NOTHING = {"input_tokens": 0, "output_tokens": 0}
SOMETHING = {"input_tokens": 1200, "output_tokens": 5}


def a_message(text: str, usage: dict[str, int]) -> dict[str, Any]:
    return {"type": "assistant", "message": {"model": "m", "content": [{"type": "text", "text": text}], "usage": usage}}


def a_result(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "result", "subtype": "success", "uuid": "u", "is_error": False, "result": text, "usage": {}} | more


def read_events(*items: dict[str, Any], end: CallEnd = END) -> Answer:
    return read_bytes(as_lines(list(items)), end)


@pytest.mark.parametrize("recording", WITH_RESULT, ids=str)
def test_a_stream_that_is_cut_before_its_result_is_no_success(recording: Recording) -> None:
    items = events(recording)

    kinds = [read_events(*items[:count]).failure for count in range(1, len(items))]

    assert {failure.kind if failure else None for failure in kinds} == {Trouble.CUT_STREAM}


@given(st.sampled_from([each for each in RECORDED if each.name.startswith("ok.") and "json" in each.name]), st.data())
def test_an_output_that_is_cut_at_any_byte_is_no_success(recording: Recording, data: st.DataObject) -> None:
    content = recording.path.read_bytes().rstrip().rstrip(b"]")
    beyond_doubt = 50
    cut = data.draw(st.integers(beyond_doubt, len(content) - 1))

    answer = read_bytes(content[:cut], END)

    assert answer.failure
    assert (answer.agent, answer.failure.kind) == ("qwen", Trouble.CUT_STREAM)


SENTENCE = "I now print [API Error: 429 Too many requests]"


def test_the_words_of_an_error_in_an_answer_that_cost_tokens_are_prose() -> None:
    answer = read_events(INIT, a_message(SENTENCE, SOMETHING), a_result(SENTENCE))

    assert (answer.text, answer.failure) == (SENTENCE, None)


def test_the_words_of_an_error_are_prose_where_all_calls_are_known_to_have_gone_well() -> None:
    stats = {"models": {"m": {"api": {"totalRequests": 1, "totalErrors": 0}}}}

    answer = read_events(INIT, a_message(SENTENCE, NOTHING), a_result(SENTENCE, stats=stats))

    assert (answer.text, answer.failure) == (SENTENCE, None)


def test_the_words_of_an_error_in_the_middle_of_an_answer_are_prose() -> None:
    text = f"{SENTENCE}\nand go on."

    assert read_events(INIT, a_message(text, NOTHING), a_result(text)).failure is None


SENTENCES = [
    ("429 Rate limit reached", Trouble.RATE_LIMIT),
    ("429 You exceeded your current quota, please check your plan", Trouble.QUOTA),
    ("503 The server is currently overloaded", Trouble.OVERLOADED),
    ("500 Internal error", Trouble.SERVER_ERROR),
    ("400 Bad tool", Trouble.SERVER_ERROR),
    ("402 Insufficient balance", Trouble.QUOTA),
    ("Connection error.", Trouble.CUT_STREAM),
]


@pytest.mark.parametrize(("sentence", "kind"), SENTENCES)
def test_an_error_at_a_later_turn_keeps_what_the_model_said_and_tells_the_kind(sentence: str, kind: Trouble) -> None:
    text = f"Half of it.[API Error: {sentence}]"

    answer = read_events(
        INIT, a_message("First.", SOMETHING), a_message(text, NOTHING), a_result(text, usage=SOMETHING)
    )

    assert (answer.text, answer.failure) == ("Half of it.", Failure(kind=kind, message=sentence))


@pytest.mark.parametrize(("sentence", "kind"), SENTENCES)
def test_in_text_mode_the_error_stands_on_standard_error(sentence: str, kind: Trouble) -> None:
    stderr = f"(node:1) Warning: noise\n[API Error: {sentence}]\n"

    answer = read_bytes(b"Half of it.\n", replace(FAILED, stderr=stderr))

    assert (answer.agent, answer.text) == ("qwen", "Half of it.\n")
    assert answer.failure == Failure(kind=kind, message=sentence)


def test_text_is_good_whatever_stands_on_standard_error_if_the_call_did_not_fail() -> None:
    assert read_bytes(b"Done.\n", replace(END, stderr="[API Error: 429 once]\n")).failure is None


def test_the_turn_limit_has_an_exit_code_of_its_own() -> None:
    said = "Reached max session turns for this session. Increase the number of turns."
    end = replace(END, exit_code=53, stderr=f"{said}\n")

    failure = Failure(kind=Trouble.TURN_LIMIT, message=said)
    assert read_events(INIT, end=end).failure == failure
    assert read_bytes(b"Half of it.\n", end).failure == failure


ERRORS = [
    ({"subtype": "error_max_turns", "is_error": True}, Trouble.TURN_LIMIT),
    ({"is_error": True, "error": {"message": "[API Error: 401 no key]"}}, Trouble.AUTHENTICATION),
    ({"subtype": "error_during_execution", "error": {"message": "boom"}}, Trouble.CRASH),
    ({"is_error": "yes", "error": []}, Trouble.CRASH),
]


@pytest.mark.parametrize(("marks", "kind"), ERRORS)
def test_a_result_that_is_marked_as_an_error_is_one(marks: dict[str, Any], kind: Trouble) -> None:
    answer = read_events(INIT, a_message("Half of it.", SOMETHING), a_result("", **marks))

    assert answer.failure
    assert (answer.failure.kind, answer.text) == (kind, "Half of it.")


@pytest.mark.parametrize("recording", WITH_RESULT, ids=str)
def test_a_stream_whose_beginning_was_lost_is_still_qwens(recording: Recording) -> None:
    items = events(recording)

    agents = {read_events(*items[lost:]).agent for lost in range(len(items))}

    assert agents == {"qwen"}


def test_a_question_and_a_denied_tool_are_told() -> None:
    asked = {"type": "tool_use", "name": "ask_user_question", "input": {"questions": [{"question": "Which?"}]}}
    asking = {"type": "assistant", "message": {"content": [asked]}}
    denials = [{"tool_name": "run_shell_command", "tool_input": {}}]

    answer = read_events(INIT, asking, a_result("Done.", permission_denials=denials))

    assert (answer.questions, answer.denied) == (("Which?",), ("run_shell_command",))


@given(st.sampled_from(WITH_EVENTS), st.data())
def test_any_value_in_any_field_gets_an_answer(recording: Recording, data: st.DataObject) -> None:
    items = data.draw(damaged(events(recording)))
    reader = FORMAT.reader()

    for item in items:
        FORMAT.claims(item)
        reader.feed(item)

    assert reader.finish(recording.end)
    assert read_bytes(as_lines(items), recording.end)


@given(st.text(), st.text(), st.sampled_from([0, 1, 53, None]))
def test_any_text_gets_an_answer_or_none(text: str, stderr: str, code: int | None) -> None:
    answer = FORMAT.read_text(text, replace(END, exit_code=code, stderr=stderr))

    assert answer is None or answer.failure is not None
