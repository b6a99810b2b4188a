"""Texts that others wrote stay texts in Markdown."""

import re
from html import unescape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from dualgate.display.markdown_text import code, prose

PARSER = MarkdownIt("commonmark").enable("table").enable("strikethrough")
HOSTILE = [
    "a | b",
    "a \\| b",
    "a\\",
    "`x`",
    "``",
    "<img src=x onerror=alert(1)>",
    "</details>",
    "[x](https://evil.example)",
    "![x](y)",
    "*x* **y** ~~z~~ _w_ __v__",
    "&lt;b&gt;",
    "<!-- dualgate verify -->",
    "line\n\n# heading",
    "\x1b[2J\u202ereversed",
    "https://evil.example <https://evil.example>",
    ":smile: @someone #12",
    "| --- |",
]


def cells(first: str, second: str) -> list[list[Token]]:
    tokens = PARSER.parse(f"| a | b |\n| --- | --- |\n| {first} | {second} |\n\nafter\n")
    assert [token.content for token in tokens if token.type == "inline"][-1] == "after"
    assert sum(token.type == "td_open" for token in tokens) == 2
    return [token.children or [] for token in tokens if token.type == "inline"][2:4]


@given(st.text(), st.text())
@example("a\\", "|")
@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_row_keeps_its_cells_and_no_text_becomes_markup(hostile: str, one: str, other: str) -> None:
    for text in (hostile, one + hostile + other):
        named, said = cells(code(text), prose(text))

        assert {token.type for token in said} <= {"text", "code_inline", "html_inline"}
        assert {token.content for token in said if token.type == "html_inline"} <= {"<code>", "</code>"}
        assert {token.content for token in named if token.type == "html_inline"} <= {"<code>", "</code>"}
        assert {token.type for token in named} <= {"text", "code_inline", "html_inline"}


@pytest.mark.parametrize(
    "text", ["a | b", "`x` <b>", "a\\b", "tests/test_x.py::test_fee[1-a]", "été *x*", "one ` alone"]
)
def test_a_reader_sees_the_text_as_it_was(text: str) -> None:
    named, said = cells(code(text), prose(text))

    assert "".join(token.content for token in said) == (text if text.count("`") < 2 else text.replace("`", ""))
    assert unescape(re.sub("</?code>", "", "".join(token.content for token in named))) == text


def test_nobody_is_notified_and_no_issue_is_linked() -> None:
    assert "@someone" not in unescape(prose("thanks @someone, see #12"))
    assert "#12" not in unescape(prose("thanks @someone, see #12"))


def test_ordinary_sentences_stay_readable() -> None:
    text = "passes on the base, and fails on the head: round_half(2.5) is 3"

    assert prose(text) == text
    assert prose("no test runs `fee.py:9` discount") == "no test runs `fee.py:9` discount"
    assert code("tests/test_x.py::test_fee") == "`tests/test_x.py::test_fee`"


def test_a_long_text_is_cut_and_nothing_is_no_code() -> None:
    assert prose("x" * 500, most=5) == "xxxxx…"
    assert code(" \n ") == ""
