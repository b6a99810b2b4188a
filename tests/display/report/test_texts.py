"""Markdown, pull request and commit message, word for word; hostile text stays text in each of them."""

import re
from collections.abc import Callable
from dataclasses import replace
from html import unescape

import pytest
from markdown_it import MarkdownIt

from dualgate.core.report.values import Command, LeftOut, Report
from dualgate.display.report.commit import commit_message
from dualgate.display.report.formats import FORMATS
from dualgate.display.report.markdown import report_markdown
from dualgate.display.report.pull_request import LIMIT, pull_request_body
from tests.display.report.samples import (
    a_full_report,
    a_halted_report,
    a_hostile_report,
    a_proven_report,
    a_ralph_report,
    a_story,
)

TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?|\d\d:\d\d:\d\d")

PULL_REQUEST = """\
**Running**: REFACTOR, iteration 1; 1 of 1 criterion holds, 3 of 3 tests pass

Parking fees (specification `PRP.md`, session `a1b2c3d4`)

## Evidence

| criterion | kind | proven by | red | green | sensitivity |
|---|---|---|---|---|---|
| `AC-1` The first half hour is free. | new | green: `test_free` | [TIME] RED 1 | [TIME] GREEN 3 | not measured |

1 of 2 probes killed, 1 surviving: `fee.py:3` `3` → `4`

## Caught on the way

- GREEN 1: The agent said “done”, and the evidence said no: 1 failing: test_free; TESTS_STATUS was given as PASSING, \
measured FAILING
- GREEN 2: The agent changed a file that the phase does not allow

## Review

The run reached no review.

## Cost

at least $0.25; 1 call did not report it; tokens: at least 1,000 tokens; 1 call did not report it; 2 \
calls; worked for 10 s

## Verify it again

```sh
# the tests, as the project runs them
pytest
# the change against the commit before the run, without an agent
dualgate verify --base cccccccccccc --spec PRP.md
```
"""
COMMIT = """\
Parking fees

Proven: 1 of 1 criterion holds, 3 of 3 tests pass, and both gates opened
in every phase.

- The agent that wrote the code also reviewed it.

- AC-1 (new, green): The first half hour is free.

Tests: 3 passing, 0 failing, 0 skipped.
The run reached no review.

Dualgate-Verdict: proven
Dualgate-Session: a1b2c3d4-e5f6-4890-abcd-ef1234567890
"""


def timeless(text: str) -> str:
    return TIME.sub("[TIME]", text)


def test_a_pull_request_says_the_verdict_the_evidence_and_what_was_caught() -> None:
    assert timeless(pull_request_body(a_story().report())) == PULL_REQUEST


def test_a_pull_request_names_no_folder_of_this_machine() -> None:
    assert "/project" not in pull_request_body(a_full_report())


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("/home/ann/shop/.venv/bin/python -m pytest", ".venv/bin/python -m pytest"),
        ("/home/ann/.venvs/shop/bin/python -m pytest --rootdir=/home/ann/x", "python -m pytest --rootdir=x"),
        ("dualgate verify --test-command '/opt/env/bin/pytest -q'", "dualgate verify --test-command 'pytest -q'"),
        (
            "sh -c 'PATH=\"$PWD/node_modules/.bin:$PATH\" npm test'",
            "sh -c 'PATH=\"$PWD/node_modules/.bin:$PATH\" npm test'",
        ),
        ("pytest tests/unit", "pytest tests/unit"),
    ],
)
def test_commands_of_a_pull_request_work_on_other_machines(command: str, shown: str) -> None:
    commands = (Command(command=command, shows="the tests"),)

    body = pull_request_body(replace(a_full_report(), project="/home/ann/shop", commands=commands))

    assert f"\n{shown}\n```" in body


def test_a_commit_message_has_the_title_the_evidence_and_the_session() -> None:
    assert commit_message(replace(a_proven_report(), review_note="", reviewer="")) == COMMIT


def test_a_page_of_markdown_begins_with_the_verdict_and_has_every_section() -> None:
    page = report_markdown(a_full_report())

    assert page.startswith("# Running: REFACTOR, iteration 1")
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(page)
    opened = [number for number, token in enumerate(tokens) if (token.type, token.tag) == ("heading_open", "h2")]
    assert [tokens[number + 1].content for number in opened] == [
        "Criteria",
        "Tasks",
        "What was caught",
        "Timeline",
        "Tests over iterations",
        "Cost and tokens",
        "Review",
        "Documents",
        "Commits",
        "Changes by phase",
        "Specification",
        "Warnings",
        "Verify it again",
    ]


def test_a_halted_run_shows_the_ways_on_and_ralph_its_tasks() -> None:
    assert "## What you can do now\n\n- `dualgate resume --reset`" in report_markdown(a_halted_report())
    assert "- ✓ Add a fee\n- Cap it" in report_markdown(a_ralph_report())
    assert "PLAN.md: 1 done, 1 open" in pull_request_body(a_ralph_report())
    assert "The ralph workflow has no review." in commit_message(a_ralph_report())


def test_rows_that_are_left_out_are_named_with_the_command_that_shows_them() -> None:
    report = replace(a_story().report(), left_out=(LeftOut(section="timeline", count=7, command="dualgate log x"),))

    assert "7 more are not shown here: `dualgate log x`" in report_markdown(report)


def test_a_pull_request_is_never_too_long() -> None:
    report = a_full_report()
    many = replace(report, criteria=report.criteria * 2_000, catches=report.catches * 20)

    body = pull_request_body(many)

    assert len(body) <= LIMIT + 100
    assert body.endswith("Cut: `dualgate report` has everything.\n")


def test_more_catches_than_fit_are_counted() -> None:
    report = a_story().report()

    assert "- and 2 more" in pull_request_body(replace(report, catches=report.catches * 6))


MARKDOWN = [pull_request_body, report_markdown]


@pytest.mark.parametrize("write", MARKDOWN)
def test_hostile_text_is_no_markup_in_markdown(write: Callable[[Report], str]) -> None:
    page = write(a_hostile_report())
    parsed = MarkdownIt("gfm-like", {"linkify": False}).parse(page)
    plain = MarkdownIt("gfm-like", {"linkify": False}).parse(write(a_full_report()))
    inner = [child for token in parsed for child in token.children or ()]

    kinds = {token.type for token in (*parsed, *inner)}
    assert not kinds & {"link_open", "image", "html_block", "blockquote_open", "hr", "code_block"}
    assert {child.content for child in inner if child.type == "html_inline"} <= {"<code>", "</code>"}
    headings = [token.type for token in parsed].count("heading_open")
    assert headings == [token.type for token in plain].count("heading_open")


# inside of code nothing is a name, an issue or an address
CODE = re.compile(r"(?ms)^(`{3,})\w*$.*?^\1$|<code>.*?</code>|`[^`\n]+`")


@pytest.mark.parametrize("write", MARKDOWN)
def test_hostile_text_mentions_nobody_and_closes_no_issue(write: Callable[[Report], str]) -> None:
    page = write(a_hostile_report())

    outside = CODE.sub("", page)

    assert "octocat" in outside
    assert not re.search(r"@\w|(?<!&)#\d|GH-\d|://|www\.", outside)
    assert not re.search(r"@\w|#\d|GH-\d", unescape(outside))


def test_hostile_text_does_nothing_in_a_commit_message() -> None:
    message = commit_message(a_hostile_report())

    assert not re.search(r"@\w|#\w|GH-\d|://|\x1b|\x00|\u202e", message)
    lines = message.splitlines()
    assert [line for line in lines if re.match(r"[\w-]+: ", line)][-2:] == lines[-2:]
    assert not any(line.startswith(("Signed-off-by", "#")) for line in lines)
    assert max(map(len, lines[2:])) <= 90


def test_a_title_that_is_no_text_has_a_subject_all_the_same() -> None:
    assert commit_message(replace(a_proven_report(), title="### ")).startswith("Work of a dualgate session\n")


@pytest.mark.parametrize("report", [a_proven_report(), a_halted_report(), a_ralph_report(), a_hostile_report()])
def test_every_format_shows_every_session(report: Report) -> None:
    assert all(write(report) for write in FORMATS.values())
