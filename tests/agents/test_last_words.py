"""The last sentence of an output, in the frames, stacks and structures that programs print around it."""

import json
import textwrap
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from dualgate.agents.last_words import last_words
from dualgate.core.values.answer import LIMITS, CallEnd, Failure, Trouble
from tests.agents.recordings import read_bytes

NOW = datetime(2026, 11, 15, 18, 42, tzinfo=UTC)
FAILED = CallEnd(now=NOW, exit_code=1)
SAID = "Rate limit reached for this model. Please try again in 20 minutes."
BOXED = "\n".join(f"│ {line.ljust(40)} │" for line in textwrap.wrap(SAID, 40))
LOOP = "node:internal/process/task_queues:95:5"
BUNDLE = "/$bunfs/root/src/cli.js"
BODY = {"error": {"type": "rate_limit", "message": SAID}}
CLI = "/usr/lib/node_modules/agent/cli.js"
SHAPES = {
    "after a time": f"2026-11-15T18:42:01.123Z ERROR agent: {SAID}",
    "after a mark": f"  ⎿  {SAID}",
    "in a box": f"╭{'─' * 42}╮\n{BOXED}\n╰{'─' * 42}╯",
    "wrapped": textwrap.fill(f"Error: {SAID}", 40),
    "wrapped and indented": textwrap.fill(f"Error: {SAID}", 50, subsequent_indent="  "),
    "wrapped before a time": "Rate limit reached. Try\nagain in 20 minutes, or\n  at 7:30 PM (UTC).",
    "above a stack": f"Error: {SAID}\n    at send ({CLI}:914:4542)\n    at run ({LOOP})",
    "above a long stack": f"Error: {SAID}" + "".join(f"\n    at f{n} ({CLI}:914:{n})" for n in range(9)),
    "above a stack of a bundle": f"Error: {SAID}\n    at generate ({BUNDLE}:11:519)\n    at run (native:7:39)",
    "thrown": f"{CLI}:914\n    throw it\n    ^\n\nError: {SAID}\n    at send ({CLI}:914:4542)\n\nNode.js v22.17.0",
    "raised": (
        'Traceback (most recent call last):\n  File "/usr/lib/python3/site-packages/agent/cli.py", line 12, in main\n'
        f"    main()\nopenai.RateLimitError: Error code: 429 - {{'error': {{'message': \"{SAID}\", 'type': 'tokens'}}}}"
    ),
    "as JSON": json.dumps(BODY),
    "as JSON on several lines": f"Error: {json.dumps(BODY, indent=2)}",
    "as escaped JSON": f"Last error: HTTP 429: {json.dumps(json.dumps(BODY, indent=2))[1:-1]}",
    "as a struct": f'Error {{ code: "Throttled", message: "{SAID}", request_id: "id-1" }}',
    "as a cause": f"Error: request failed\n\nCaused by:\n    0: provider error\n    1: {SAID}",
    "above a place": f"Error: {SAID}\n\nLocation:\n    src/main.rs:12:5",
    "above a hint on backtraces": f"Error: {SAID}\n\nBacktrace omitted. Run with RUST_BACKTRACE=1 to display it.",
    "above advice": f"{SAID}\nFor more information, see https://example.com/limits",
    "above an id": f"{SAID}\n  Request ID: req_1",
    "above a code": f"{SAID}\nexit status 1",
    "above a goodbye": f"{SAID}\nAgent powering down. Goodbye!",
    "above a session": f"{SAID}\nSession saved: id-1\nTokens used: 12,345",
    "among fields": (
        f"API Error: Request rejected (429) · Upstream says HTTP 429.\n  Category: rate\n  Message: {SAID}\n\n"
        '  Upstream error:\n  {"status":429,"title":"Too Many Requests"}\n\n  Request ID: req_1'
    ),
}
QUOTA = "Quota exceeded, try again in 5 minutes"
REPORTS = {
    "stack of the project": f"Error: {QUOTA}\n    at check (/home/ada/shop/src/limiter.js:10:5)\n    at run ({LOOP})",
    "stack of a test": f"  1) throttles\n       Error: {QUOTA}\n      at Context.<anonymous> (test/limit.spec.js:4:11)",
    "traceback of the project": (
        'Traceback (most recent call last):\n  File "/home/ada/shop/limits.py", line 3, in check\n'
        f"    raise QuotaExceeded()\nshop.errors.QuotaExceeded: {QUOTA}"
    ),
    "stack of a class": f"com.shop.QuotaException: {QUOTA}\n\tat com.shop.Limits.check(Limits.java:12)",
    "list": f"Changes:\n  - {QUOTA} is the new message\n  - the limit resets at 7pm",
    "panic": f"thread 'main' panicked at src/limit.rs:42:9:\n{QUOTA}\nnote: run with `RUST_BACKTRACE=1` to see more",
    "test": f"--- FAIL: TestQuota (0.00s)\n    quota_test.go:12: {QUOTA}\nFAIL\nexit status 1",
}


def failures(said: str) -> list[Failure | None]:
    told = f"Looking at the project.\n\n{said}\n"
    return [read_bytes(b"", replace(FAILED, stderr=told)).failure, read_bytes(told.encode(), FAILED).failure]


@pytest.mark.parametrize("said", SHAPES.values(), ids=SHAPES.keys())
def test_a_limit_is_read_in_the_shape_in_which_a_program_prints_its_error(said: str) -> None:
    for failure in failures(said):
        assert failure is not None
        assert (failure.kind in LIMITS, failure.resets_at) == (True, NOW + timedelta(minutes=20))


@pytest.mark.parametrize("said", REPORTS.values(), ids=REPORTS.keys())
def test_an_error_of_the_project_is_no_limit_whatever_stands_around_it(said: str) -> None:
    assert [failure and failure.kind for failure in failures(said)] == [Trouble.CRASH, Trouble.CRASH]


def test_an_empty_output_has_no_last_words() -> None:
    assert [last_words(text) for text in ("", "\n \n", "────\n", "│ │\n")] == [""] * 4
