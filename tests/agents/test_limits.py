"""Limits by the words of those who set them: known ones, words that nobody knows yet, and words about limits."""

import json
import time
import tomllib
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.agents.limits import as_limit, limit_in
from dualgate.core.values.answer import LIMITS, Answer, CallEnd, Ending, Failure, Trouble
from tests.agents.recordings import read_bytes

NOW = datetime(2026, 11, 15, 18, 42, tzinfo=UTC)
FAILED = CallEnd(now=NOW, exit_code=1)
DATA = Path(__file__).parents[1] / "data" / "limits"
KNOWN: list[dict[str, Any]] = tomllib.loads((DATA / "wordings.toml").read_text(encoding="utf-8"))["wording"]
UNLISTED: dict[str, list[dict[str, Any]]] = tomllib.loads((DATA / "unlisted.toml").read_text(encoding="utf-8"))
THREADS: dict[str, list[dict[str, Any]]] = tomllib.loads((DATA / "threads.toml").read_text(encoding="utf-8"))


def by_claude(said: str, status: int | None) -> tuple[str, CallEnd]:
    result = {"type": "result", "subtype": "success", "is_error": True, "result": said, "session_id": "s"}
    return json.dumps(result | {"api_error_status": status, "total_cost_usd": 0.0}), FAILED


def by_codex(said: str, status: int | None) -> tuple[str, CallEnd]:
    del status
    return _lines({"type": "turn.started"}, {"type": "turn.failed", "error": {"message": said}}), FAILED


def by_gemini(said: str, status: int | None) -> tuple[str, CallEnd]:
    init = {"type": "init", "session_id": "s", "model": "m", "timestamp": NOW.isoformat()}
    error = {"message": said} | ({"code": status} if status else {})
    return _lines(init, {"type": "result", "status": "error", "timestamp": NOW.isoformat(), "error": error}), FAILED


def by_qwen(said: str, status: int | None) -> tuple[str, CallEnd]:
    """It says that it went well, and adds advice to the error."""
    del status
    advice = "\nPossible quota limitations in place or slow response times detected. Please wait and try again later."
    result = {"type": "result", "uuid": "u", "usage": {"input_tokens": 0, "output_tokens": 0}, "is_error": False}
    init = {"type": "system", "subtype": "init", "qwen_code_version": "0.15.10"}
    return _lines(init, result | {"result": f"[API Error: {said}]{advice}"}), CallEnd(now=NOW)


def by_opencode(said: str, status: int | None) -> tuple[str, CallEnd]:
    data = {"message": said} | ({"statusCode": status} if status else {})
    error = {"name": "APIError", "data": data}
    return _lines({"type": "error", "timestamp": NOW.timestamp() * 1000, "sessionID": "s", "error": error}), FAILED


def _lines(*events: dict[str, Any]) -> str:
    return "".join(json.dumps(event) + "\n" for event in events)


Form = Callable[[str, int | None], tuple[str, CallEnd]]
FORMS: dict[str, Form] = {
    "claude": by_claude,
    "codex": by_codex,
    "gemini": by_gemini,
    "qwen": by_qwen,
    "opencode": by_opencode,
}


@pytest.mark.parametrize("wording", KNOWN, ids=[f"{each['agent']}: {each['said'][:60]}" for each in KNOWN])
def test_a_known_wording_is_read_with_the_time_that_it_names(wording: dict[str, Any]) -> None:
    output, end = FORMS[wording["agent"]](wording["said"], wording.get("status"))

    failure = read_bytes(output.encode(), end).failure

    assert failure is not None
    assert (failure.kind, failure.resets_at) == (wording["kind"], wording.get("resets_at"))


OF_ANY = [each for each in KNOWN if each["kind"].endswith("_limit")]


@pytest.mark.parametrize("wording", OF_ANY, ids=[each["said"][:60] for each in OF_ANY])
def test_a_known_wording_is_a_limit_of_a_program_that_nobody_knows_too(wording: dict[str, Any]) -> None:
    said = f"Looking at the project.\n\n{wording['said']}\n"

    failures = [read_bytes(b"", replace(FAILED, stderr=said)).failure, read_bytes(said.encode(), FAILED).failure]

    for failure in failures:
        assert failure is not None
        assert failure.kind in LIMITS
        assert failure.resets_at == wording.get("resets_at")


def test_every_known_wording_has_its_source() -> None:
    assert [each["said"] for each in KNOWN if not each.get("source")] == []
    assert {each["agent"] for each in KNOWN} == FORMS.keys()


@pytest.mark.parametrize("wording", UNLISTED["limit"], ids=[each["said"][:60] for each in UNLISTED["limit"]])
def test_a_wording_of_no_table_is_a_limit_with_its_end_in_the_output_of_every_program(wording: dict[str, Any]) -> None:
    failures = failures_by_all(wording["said"])

    assert {failure and failure.kind for failure in failures} <= {*LIMITS, Trouble.QUOTA}
    if "resets_at" in wording:
        assert {failure and failure.resets_at for failure in failures} == {wording["resets_at"]}


@pytest.mark.parametrize("said", [each["said"] for each in UNLISTED["other"]])
def test_a_failure_that_only_speaks_like_a_limit_is_not_waited_for(said: str) -> None:
    outputs = [("", replace(FAILED, stderr=f"{said}\n")), (f"Done.\n{said}\n", FAILED)]

    failures = [read_bytes(output.encode(), end).failure for output, end in outputs]

    assert [failure and failure.kind for failure in failures if failure is None or failure.kind in LIMITS] == []
    assert Trouble.QUOTA not in [failure.kind for failure in failures if failure]


# A plan that is used up may be a limit or need money, and a busy provider is as well retried.
MAY_BE = {
    "limit": LIMITS,
    "quota": {Trouble.QUOTA},
    "either": {*LIMITS, Trouble.QUOTA},
    "busy": {*LIMITS, Trouble.OVERLOADED, Trouble.SERVER_ERROR},
}


@pytest.mark.parametrize("wording", THREADS["limit"], ids=[each["said"][:60] for each in THREADS["limit"]])
def test_a_limit_from_a_public_thread_is_read_in_the_output_of_every_program(wording: dict[str, Any]) -> None:
    failures = failures_by_all(wording["said"])

    assert wording["source"]
    assert {failure and failure.kind for failure in failures} <= MAY_BE[wording["kind"]]
    assert {failure and failure.resets_at for failure in failures} == {wording.get("resets_at")}


@pytest.mark.parametrize("wording", THREADS["other"], ids=[each["said"][:60] for each in THREADS["other"]])
def test_another_failure_from_a_public_thread_is_not_waited_for(wording: dict[str, Any]) -> None:
    failures = failures_by_all(wording["said"], of_cli=wording["by_cli"])

    assert wording["source"]
    assert not {failure and failure.kind for failure in failures} & {*LIMITS, Trouble.QUOTA, None}


def failures_by_all(said: str, of_cli: bool = True) -> list[Failure | None]:
    """The failure of a call that ends with these words, by every program; a report of work is in no error of a CLI."""
    outputs = [form(said, None) for form in FORMS.values()] if of_cli else []
    outputs += [("", replace(FAILED, stderr=f"Looking.\n\n{said}\n")), (f"Looking.\n\n{said}\n", FAILED)]
    return [read_bytes(output.encode(), end).failure for output, end in outputs]


ENDS = [
    ("resets 7pm (UTC)", datetime(2026, 11, 15, 19, tzinfo=UTC)),
    ("will reset at 7:30pm (Europe/Berlin)", datetime(2026, 11, 16, 18, 30, tzinfo=UTC)),
    ("available again in 3h 20m", NOW + timedelta(hours=3, minutes=20)),
    ("resets in 5 days 2 hours", NOW + timedelta(days=5, hours=2)),
    ("resets in 5 days, 2 hours and 1 minute", NOW + timedelta(days=5, hours=2, minutes=1)),
    ("resets Nov 20, 7pm", datetime(2026, 11, 20, 19, tzinfo=UTC)),
    ("resets on 20 Nov 2026 19:00 UTC", datetime(2026, 11, 20, 19, tzinfo=UTC)),
    ("back at 2026-11-20T07:00:00Z", datetime(2026, 11, 20, 7, tzinfo=UTC)),
    ("back at 2026-11-20T07:00:00.250+02:00", datetime(2026, 11, 20, 5, tzinfo=UTC)),
    ('"resets_at": 1794776400', datetime(2026, 11, 15, 21, tzinfo=UTC)),
    ("resetsAt=1794776400000", datetime(2026, 11, 15, 21, tzinfo=UTC)),
    ('"resets_in_seconds": 300', NOW + timedelta(minutes=5)),
    ("try again tomorrow at 9 AM", datetime(2026, 11, 16, 9, tzinfo=UTC)),
    ("resets Monday 9:00", datetime(2026, 11, 16, 9, tzinfo=UTC)),
    ("resets Sunday at 6am", datetime(2026, 11, 22, 6, tzinfo=UTC)),
    ("resets Jan 10 at 1pm", datetime(2027, 1, 10, 13, tzinfo=UTC)),
    ("retryDelay: 34.07s", NOW + timedelta(seconds=34.07)),
    ("Please retry in 17.5s", NOW + timedelta(seconds=17.5)),
    ("try again at 9:05 PM", datetime(2026, 11, 15, 21, 5, tzinfo=UTC)),
    ("resets at midnight Pacific time", datetime(2026, 11, 16, 8, tzinfo=UTC)),
    ("resets at 23:15 UTC+1", datetime(2026, 11, 15, 22, 15, tzinfo=UTC)),
    ("Retry-After: 120", NOW + timedelta(minutes=2)),
    ("Retry-After: Fri, 20 Nov 2026 07:00:00 GMT", datetime(2026, 11, 20, 7, tzinfo=UTC)),
    ("try again in less than a minute", NOW + timedelta(minutes=1)),
    ("try again in an hour", NOW + timedelta(hours=1)),
    ("resets in 108h48m29s", NOW + timedelta(hours=108, minutes=48, seconds=29)),
    ("please wait another 45 minutes", NOW + timedelta(minutes=45)),
    ("wait up to 3 hours", NOW + timedelta(hours=3)),
    ("available again in forty-five more minutes", NOW + timedelta(minutes=45)),
    ("retry in 5,400 seconds", NOW + timedelta(seconds=5400)),
    ("3h 12m left", NOW + timedelta(hours=3, minutes=12)),
    ("blocked for the next 3 hours", NOW + timedelta(hours=3)),
    ("reset scheduled for 7pm", datetime(2026, 11, 15, 19, tzinfo=UTC)),
    ("it expires Dec 1", datetime(2026, 12, 1, tzinfo=UTC)),
    ("try again at 10 de dez. de 2026, 11:52", datetime(2026, 12, 10, 11, 52, tzinfo=UTC)),
    ("try again at 10 déc. 2026 à 11:52", datetime(2026, 12, 10, 11, 52, tzinfo=UTC)),
    ("try again at 10. Dez. 2026, 11:52", datetime(2026, 12, 10, 11, 52, tzinfo=UTC)),
    ("resets 2026年11月16日 07:00", datetime(2026, 11, 16, 7, tzinfo=UTC)),
    ("重置时间：明天 08:00", datetime(2026, 11, 16, 8, tzinfo=UTC)),
]


@pytest.mark.parametrize(("end", "resets_at"), ENDS)
def test_a_limit_that_nobody_has_heard_of_ends_when_it_says(end: str, resets_at: datetime) -> None:
    named = limit_in(f"Your allotment of thinking is gone; {end}.", NOW)

    assert named is not None
    assert named.resets_at == resets_at


UNKNOWN = [
    "You have used up your allowance of thinking units.",
    "No more units are left in this plan",
    "Thinking budget exhausted, sorry!",
    "fatal: the cap on agent hours was hit",
]


@pytest.mark.parametrize("said", UNKNOWN)
def test_a_failed_call_that_ends_with_a_limit_in_unknown_words_has_met_one(said: str) -> None:
    failure = read_bytes(f"Working.\n{said}\n".encode(), FAILED).failure

    assert failure is not None
    assert (failure.kind, failure.message) == (Trouble.LIMIT, said)


OTHER_ENDS = [
    "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
    "Error: ENOSPC: System limit for number of file watchers reached, watch /project",
    "OSError: [Errno 122] Disk quota exceeded",
    "RecursionError: maximum recursion depth exceeded",
    "Error: Reached max turns (30)",
    "Error: connect ECONNREFUSED, connection reset at 19:30",
    "2026-11-15T19:10:36Z ERROR cannot open the file",
    "usage: agent [-h] [--limit N]",
    "Segmentation fault",
    "npm error code E404",
]


@pytest.mark.parametrize("said", OTHER_ENDS)
def test_what_else_is_reached_or_exceeded_is_no_limit_of_an_account(said: str) -> None:
    assert limit_in(said, NOW) is None


PROSE = [
    "I added the limiter: after 100 calls the limit resets at 7pm.",
    "We return 429 until the limit resets at 7pm.",
    "FAILED tests/test_quota.py::test_resets - AssertionError: usage limit reached, resets at 7pm",
    "E       assert 'usage limit reached, resets at 7pm' == ''",
    "The message now says 'usage limit reached, resets at 7pm'",
    'raise Limited("usage limit reached, try again at 7pm")',
    "- usage limit reached, resets at 7pm",
    "Added a rate limit of five calls per minute",
    "The endpoint answers 429 if the usage limit is reached, and resets at 7pm",
    "Requests are counted per minute; the rate limit is 60",
]


@pytest.mark.parametrize("said", PROSE)
def test_a_failed_call_that_reports_on_limits_has_met_none(said: str) -> None:
    failure = read_bytes(f"Done.\n{said}\n".encode(), FAILED).failure

    assert failure is not None
    assert failure.kind is Trouble.CRASH


def test_a_call_that_worked_may_say_anything_about_limits() -> None:
    for said in (*(each["said"] for each in KNOWN), *UNKNOWN):
        assert read_bytes(said.encode(), CallEnd(now=NOW)).failure is None


def test_a_cli_that_ends_well_and_writes_its_limit_to_standard_error_has_met_it() -> None:
    failure = read_bytes(b"", CallEnd(now=NOW, stderr="Plan limit reached, resets at 7pm\n")).failure

    assert failure is not None
    assert (failure.kind, failure.resets_at) == (Trouble.USAGE_LIMIT, datetime(2026, 11, 15, 19, tzinfo=UTC))


def test_a_cli_that_was_ended_while_it_tried_again_has_met_the_limit() -> None:
    tried = (
        "Attempt 5 failed: You have exhausted your capacity on this model. Your quota will reset after 9m.. Retrying"
    )
    end = CallEnd(now=NOW, exit_code=None, ending=Ending.IDLE, stderr=tried)

    failure = read_bytes(b"", end).failure

    assert failure is not None
    assert (failure.kind, failure.resets_at) == (Trouble.USAGE_LIMIT, NOW + timedelta(minutes=9))


def test_the_last_words_of_a_process_that_was_killed_are_not_its_reason() -> None:
    end = replace(FAILED, exit_code=-9, stderr="usage limit reached, resets at 7pm")

    failure = read_bytes(b"", end).failure

    assert failure is not None
    assert failure.kind is Trouble.CRASH


NOWHERE = ["UTC", "Europe/Warsaw", "America/New_York", "Asia/Shanghai"]


@pytest.mark.parametrize("zone", NOWHERE)
def test_a_time_without_a_zone_that_is_beyond_its_window_is_in_the_zone_of_the_servers(zone: str) -> None:
    now = datetime(2026, 9, 11, 14, 45, tzinfo=UTC).astimezone(ZoneInfo(zone))

    named = limit_in("Usage limit reached for 5 hour. Your limit will reset at 2026-09-12 00:35:41", now)

    assert named is not None
    assert named.resets_at == datetime(2026, 9, 11, 16, 35, 41, tzinfo=UTC)


def test_a_time_within_its_window_is_in_the_zone_of_now() -> None:
    named = limit_in("Usage limit reached for 5 hour. Your limit will reset at 2026-11-15 23:01:25", NOW)

    assert named is not None
    assert named.resets_at == datetime(2026, 11, 15, 23, 1, 25, tzinfo=UTC)


def test_a_time_that_is_over_says_nothing() -> None:
    named = limit_in("usage limit reached, resets 2026-11-01 10:00:00 UTC", NOW)

    assert named is not None
    assert (named.kind, named.resets_at) == (Trouble.USAGE_LIMIT, None)


def test_the_time_of_a_line_in_a_log_is_not_the_end_of_a_limit() -> None:
    named = limit_in("2026-11-15T18:41:58.123Z ERROR rate limit exceeded for this model", NOW)

    assert named is not None
    assert (named.kind, named.resets_at) == (Trouble.RATE_LIMIT, None)


def test_a_refusal_of_access_that_names_a_limit_is_one_and_that_of_a_login_is_not() -> None:
    said = {
        "userRateLimitExceeded: rate limit exceeded": Trouble.RATE_LIMIT,
        "Key limit exceeded (total limit). Manage it in your settings": Trouble.QUOTA,
        "Invalid API key; too many requests without a login": Trouble.AUTHENTICATION,
    }

    for words, kind in said.items():
        output, end = by_opencode(words, 403)
        failure = read_bytes(output.encode(), end).failure
        assert (words, failure and failure.kind) == (words, kind)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
@pytest.mark.parametrize(
    "said",
    [
        "Quota exceeded: your free daily quota has been reached",
        "Quota exceeded for quota metric 'Requests' and limit 'Requests per day per user' of service 'models'",
        "hour allocated quota exceeded",
    ],
)
def test_a_quota_that_names_its_period_is_waited_for(form: Form, said: str) -> None:
    output, end = form(said, None)

    failure = read_bytes(output.encode(), end).failure

    assert failure is not None
    assert failure.kind in LIMITS


@pytest.mark.parametrize("kind", [Trouble.CONTEXT_FULL, Trouble.TURN_LIMIT, Trouble.BUDGET, Trouble.REFUSAL])
def test_a_kind_that_is_certain_stays(kind: Trouble) -> None:
    answer = Answer(agent="claude", failure=Failure(kind=kind, message="usage limit reached, resets at 7pm"))

    assert as_limit(answer, FAILED) == answer


@pytest.mark.parametrize(
    "piece", ["1", "1h ", "in 1", "your ", "limit ", "a b ", "The a ", "customer ", "if ", "1,000,", "until "]
)
def test_the_time_to_read_a_limit_grows_no_faster_than_its_words(piece: str) -> None:
    def seconds(size: int) -> float:
        words = ("retry in " + piece * size)[:size]
        start = time.process_time()
        limit_in(words, NOW)
        read_bytes(f"Done.\n{words}\n".encode(), FAILED)
        return time.process_time() - start

    small, large = (min(seconds(size) for _ in range(5)) for size in (900, 3600))

    # four times the words: linear is 4, quadratic is 16
    assert large < small * 9


@given(st.text() | st.from_regex(r"(resets|try again|wait) (in|at|on|until) [\w:+()/,. -]{0,40}", fullmatch=True))
def test_any_words_are_read_without_an_error(words: str) -> None:
    named = limit_in(words, NOW)

    assert named is None or named.resets_at is None or named.resets_at.tzinfo is not None
