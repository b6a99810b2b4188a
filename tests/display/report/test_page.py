"""The page as a text: what it may hold, what it shows, and that hostile text stays text."""

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser

import pytest

from dualgate.core.report.values import LeftOut, Report, SessionEnd
from dualgate.display.report.html import report_html
from tests.display.report.samples import (
    a_full_report,
    a_halted_report,
    a_hostile_report,
    a_proven_report,
    a_ralph_report,
)

REPORTS = {
    "full": a_full_report(),
    "halted": a_halted_report(),
    "hostile": a_hostile_report(),
    "proven": a_proven_report(),
    "ralph": a_ralph_report(),
}


class Page(HTMLParser):
    """The elements of a page with their attributes, and its texts."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def tags(self) -> set[str]:
        return {tag for tag, _ in self.elements}

    @property
    def attributes(self) -> set[str]:
        return {name for _, attributes in self.elements for name in attributes}


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_a_page_has_no_script_no_address_and_no_style_but_its_own(report: Report) -> None:
    page = Page(report_html(report))

    assert not page.tags & {"script", "img", "iframe", "object", "embed", "link", "base", "form", "input", "video"}
    assert not any(name.startswith("on") or name in ("src", "style", "srcset") for name in page.attributes)
    assert {attributes["href"] for _, attributes in page.elements if "href" in attributes} <= {
        f"#{attributes['id']}" for _, attributes in page.elements if "id" in attributes
    }


def test_hostile_text_brings_no_element_that_a_plain_report_does_not_have() -> None:
    hostile, plain = Page(report_html(REPORTS["hostile"])), Page(report_html(REPORTS["full"]))

    assert hostile.tags <= plain.tags
    assert hostile.attributes <= plain.attributes
    assert "<script>alert(1)</script>" in "".join(hostile.texts)


def test_no_character_of_a_page_steers_a_reader() -> None:
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", report_html(REPORTS["hostile"]))


def test_the_policy_allows_the_style_by_its_hash_and_nothing_else() -> None:
    page = report_html(a_proven_report())

    style = page.partition("<style>")[2].partition("</style>")[0]
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = next(
        attributes["content"] for tag, attributes in Page(page).elements if tag == "meta" and "http-equiv" in attributes
    )
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def test_a_page_begins_with_its_verdict() -> None:
    page = report_html(a_proven_report())

    assert page.startswith("<!doctype html>")
    assert "<title>Proven: Parking fees</title>" in page
    body = Page(page.partition("<body>")[2])
    assert next(text for text in body.texts if text.strip()) == "Proven"


@pytest.mark.parametrize("end", SessionEnd)
def test_every_end_has_a_colour(end: SessionEnd) -> None:
    report = a_proven_report()

    assert "<h1>" in report_html(replace(report, conclusion=replace(report.conclusion, end=end, sentence="One word")))


def test_every_section_shows_its_facts() -> None:
    text = " ".join("".join(Page(report_html(a_full_report())).texts).split())

    for fact in (
        "The agent said “done”, and the evidence said no",
        "STATUS COMPLETE, tests PASSING, EXIT_SIGNAL true: All tests pass",
        "fee.py changed +1 −2",
        "logo.png new, lines not shown",
        "The lines of 3 files are not shown here",
        "dualgate snapshot diff a b --patch",
        "FR-1 an error is lost",
        "Reviewed by codex.",
        "approved by codex",
        "lint: ruff passed before any work, and now exits with 1",
        "docs/adr/1.md decision record",
        "docs/x.md does not count: it is empty",
        "A person also changed: notes.txt.",
        "Use a table.",
        "1 probe killed, 1 surviving",
        "Not measured: b.c: not Python",
        "$0.25",
        "1.0k",
        "dualgate replay",
    ):
        assert fact in text, fact


def test_rows_that_are_left_out_are_named_with_their_command() -> None:
    left_out = tuple(
        LeftOut(section=name, count=7, command=f"dualgate show {name}")
        for name in ("timeline", "iterations", "catches", "findings")
    )

    page = report_html(replace(a_full_report(), left_out=left_out))

    assert [each.command in page for each in left_out] == [True] * 4


def test_snapshots_that_are_gone_are_named() -> None:
    assert "are gone" in report_html(replace(a_proven_report(), diff_note="The snapshots are gone."))
