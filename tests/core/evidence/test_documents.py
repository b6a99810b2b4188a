"""Documents as people and agents write them: which count, and what is said of the others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.core.evidence.changed_names import ChangedNames, changed_names
from dualgate.core.evidence.documents import EMPTY, NAMES_NOTHING, NO_TEXT, NOT_TEXT, Draft, Topic, count_documents
from dualgate.core.values.changes import DocumentCount, Uncounted

OPS_BEFORE = '''\
"""Sums of money."""

ROUNDING = "half-up"


def add(left, right):
    return left + right


def total(lines):
    amount = 0
    for line in lines:
        amount = add(amount, line.price)
    return amount
'''
OPS_AFTER = '''\
"""Sums of money."""

ROUNDING = "half-up"
MAX_DIGITS = 12


class Ledger:
    """Lines of an invoice."""

    currency: str = "EUR"

    def as_csv(self, separator=","):
        return "\\n".join(separator.join(line.fields) for line in self.lines)


def add(left, right):
    return left + right


def div(left, right):
    if right == 0:
        raise ZeroDivisionError("nothing can be shared among nobody")
    return left / right


def total(lines):
    amount = 0
    for line in lines:
        amount = add(amount, line.price)
    return round(amount, 2)


def parser():
    options.add_argument("--precision", type=int)
'''
TOPIC = Topic(
    paths=("src/invoices/ops.py", "tests/test_ops.py", "data/rates.json"),
    names=changed_names(OPS_BEFORE, OPS_AFTER),
    criteria=(
        ("AC-1", "Dividing by zero raises `ZeroDivisionError`"),
        ("AC-2", "Invoices are exported as CSV with a header row"),
        ("AC-3", "Totals are rounded to two digits"),
    ),
    title="Export of invoices",
)
README = "# Invoices\n\nA small library for invoices.\n\n## Usage\n\nCall `add(1, 2)`.\n"
CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n## [1.0.0]\n\n- First release.\n"
RECORD = """\
# 2. Refuse to divide by zero

## Status

Accepted

## Context

Sharing an amount among no people has no answer.

## Decision

We raise an error.

## Consequences

Callers have to catch it.
"""
MADR = """\
---
status: accepted
date: 2026-01-16
---
# Use the csv format

## Context and Problem Statement

How do other programs read our invoices?

## Decision Drivers

* no new dependency

## Considered Options

* CSV
* Excel

## Decision Outcome

Chosen option: "CSV", because the standard library writes it.

### Positive Consequences

* Spreadsheets open it.

### Negative Consequences

* There are no types.
"""

HONEST = {
    "a sentence in the README": ("README.md", README, README + "\nDivide with `div(4, 2)`.\n"),
    "a bare call in the README": ("README.md", README, README + "\nShare an amount: div(4, 2) gives 2.\n"),
    "an example in a fence": ("README.md", README, README + "\n```python\nfrom invoices import div\ndiv(4, 2)\n```\n"),
    "a new README": ("README.md", None, "# Invoices\n\nExports invoices as CSV.\n"),
    "one line of a changelog with code": (
        "CHANGELOG.md",
        CHANGELOG,
        CHANGELOG.replace("[Unreleased]\n", "[Unreleased]\n\n### Added\n\n- `div`\n"),
    ),
    "one line of a changelog in words": (
        "CHANGELOG.md",
        CHANGELOG,
        CHANGELOG.replace("[Unreleased]\n", "[Unreleased]\n\n- Totals are now rounded to cents.\n"),
    ),
    "one line of a changelog about the export": (
        "CHANGELOG.md",
        CHANGELOG,
        CHANGELOG.replace("[Unreleased]\n", "[Unreleased]\n\n- Export invoices to CSV.\n"),
    ),
    "a changelog that says what no longer happens": (
        "HISTORY.rst",
        "History\n=======\n",
        "History\n=======\n\n1.1\n---\n\n* Division by zero no longer returns infinity.\n",
    ),
    "a changelog by name of the class": ("NEWS.adoc", None, "= News\n\n== 1.1\n\n* Ledger: new.\n"),
    "a page of an API": (
        "docs/api.md",
        None,
        "# API\n\n## `Ledger`\n\n| method | returns |\n|---|---|\n| `as_csv` | text |\n",
    ),
    "a page that Sphinx fills": (
        "docs/api.rst",
        None,
        "API\n===\n\n.. autoclass:: invoices.ops.Ledger\n   :members:\n",
    ),
    "a table of options": (
        "docs/options.md",
        "# Options\n",
        "# Options\n\n| option | meaning |\n| --- | --- |\n| --precision | digits after the point |\n",
    ),
    "a constant": ("docs/limits.md", None, "# Limits\n\nAmounts have at most MAX_DIGITS digits.\n"),
    "a parameter": ("docs/usage.md", "# Usage\n", "# Usage\n\nWith `separator` you choose another sign.\n"),
    "a field": ("docs/usage.md", "# Usage\n", "# Usage\n\nEach one has its own `currency`.\n"),
    "a path": ("docs/layout.md", "# Layout\n", "# Layout\n\nArithmetic is in src/invoices/ops.py.\n"),
    "a file": ("docs/rates.md", None, "# Rates\n\nThe rates are read from rates.json once a day.\n"),
    "a module": ("docs/layout.rst", None, "Layout\n======\n\nArithmetic: invoices.ops\n"),
    "a criterion by id": ("docs/trace.md", None, "# Where it is proven\n\n- AC-1: in the unit tests\n"),
    "reStructuredText with roles": (
        "docs/usage.rst",
        "Usage\n=====\n",
        "Usage\n=====\n\nDividing\n--------\n\nSee :func:`div`, which refuses zero.\n",
    ),
    "AsciiDoc": ("docs/usage.adoc", None, "= Usage\n:toc:\n\n== Sharing\n\nUse +div+ to share an amount.\n"),
    "German": ("docs/de/nutzung.md", None, "# Nutzung\n\nMit `div` teilt man einen Betrag.\n"),
    "Japanese": ("docs/ja/usage.md", None, "# 使い方\n\n金額を分けるには `div` を使います。\n"),
    "a wrapped sentence": ("docs/a.md", None, "# How\n\nWhen the run ends, all invoices\nare exported.\n"),
    "a migration guide": (
        "docs/upgrading.md",
        None,
        "# Upgrading to 1.1\n\n1. Catch ZeroDivisionError where you share amounts.\n2. TODO\n",
    ),
    "a notebook": (
        "docs/tour.ipynb",
        None,
        '{"cells": [{"cell_type": "code",\n "source": ["from invoices.ops import div\\n",\n  "div(4, 2)"]}]}',
    ),
    "a page in HTML": ("docs/index.html", None, "<h1>Use</h1>\n<p>Call <code>div</code> to share an amount.</p>\n"),
    "a section moved and extended": (
        "docs/usage.md",
        None,
        "## Usage\n\nCall `add(1, 2)`.\n\nCall `div(1, 2)` to share.\n",
    ),
    "notes for contributors": (
        "CONTRIBUTING.md",
        "# Contributing\n",
        "# Contributing\n\nChanges of the rounding belong into `total`, nowhere else.\n",
    ),
    "a record as Nygard writes it": ("docs/adr/0002-zero.md", None, RECORD),
    "a record after MADR": ("docs/decisions/0003-csv.md", None, MADR),
    "a record with bold labels": (
        "docs/adr/0004-x.md",
        None,
        "# Round late\n\n**Context:** Cents were lost.\n\n**Decision:** Round the sum.\n"
        "\n**Consequences:** One place rounds.\n",
    ),
    "a record with labels and lists": (
        "adr/0005.md",
        None,
        "# Round late\n\nContext\n: x\n\n**Context**\n\n- Cents were lost.\n\n**Decision**\n\n- Round the sum.\n\n"
        "**Consequences**\n\n- One place rounds.\n- Neutral: none\n",
    ),
    "a record in reStructuredText": (
        "docs/adr/0006-x.rst",
        None,
        "Round late\n==========\n\nContext\n-------\n\nCents were lost.\n\nDecision\n--------\n\nRound the sum.\n\n"
        "Consequences\n------------\n\nOne place rounds.\n",
    ),
    "a record in AsciiDoc": (
        "docs/adr/0007-x.adoc",
        None,
        "= Round late\n\n== Background\n\nCents were lost.\n\n== Decision\n\n"
        "Round the sum.\n\n== Trade-offs\n\nOne place.\n",
    ),
    "a record in one sentence": (
        "docs/adr/0008-x.md",
        None,
        "# Round late\n\nIn the context of sums, facing lost cents, we decided to round the sum,\n"
        "to achieve exact totals, accepting one more pass.\n",
    ),
    "a record elsewhere": ("docs/architecture/zero.md", None, RECORD),
    "a record with numbered sections": (
        "docs/adr/0009-x.md",
        None,
        "# Round the sum of all lines late\n\n## 1. Problem\n\nCents were lost.\n\n## 2. Solution\n\n"
        "Round the sum.\n\n## 3. Impact\n\nOne place.\n",
    ),
    "an old record that gets a paragraph": (
        "docs/adr/0001-money.md",
        RECORD,
        RECORD.replace("Callers have", "`div` is the only place.\n\nCallers have"),
    ),
    "the index of records": ("docs/adr/README.md", "# Records\n", "# Records\n\n- 2: dividing by zero, raises\n"),
}

HOLLOW = {
    "nothing": ("README.md", None, ""),
    "blanks": ("README.md", None, "\n   \n"),
    "a title": ("README.md", None, "# Doubling\n"),
    "headings": ("docs/usage.md", None, "# `div`\n\n## Usage\n\n## Examples of div\n\n### See also\n"),
    "headings in reStructuredText": ("docs/usage.rst", None, "div\n===\n\nUsage\n-----\n\nExport\n------\n"),
    "TBD": ("docs/usage.md", None, "# `div`\n\nTBD\n"),
    "TBD behind labels": (
        "docs/usage.md",
        None,
        "# div\n\n**Usage:** TBD\n\nExamples: to be written\n\n- Limits: n/a\n",
    ),
    "a promise": ("docs/usage.md", None, "# Usage\n\nTODO: document `div` and Ledger here.\n"),
    "none": ("docs/usage.md", None, "# div\n\n## Limits\n\nNone.\n\n## Errors\n\nN/A\n\n## Notes\n\n- none yet\n"),
    "lorem ipsum": (
        "docs/usage.md",
        None,
        "# div\n\nLorem ipsum dolor sit amet, consectetur adipiscing elit,\n"
        "sed do eiusmod tempor incididunt ut labore.\n",
    ),
    "a template": (
        "docs/usage.md",
        None,
        "# div\n\n<describe the feature>\n\n[Insert an example here]\n\n{{ usage }}\n",
    ),
    "instructions": ("docs/usage.md", None, "# div\n\nDescribe the function here.\n\nYour text goes here.\n"),
    "coming soon": ("docs/usage.md", None, "# div\n\nComing soon!\n\n...\n\nWork in progress\n"),
    "comments": ("docs/usage.md", None, "# Usage\n\n<!-- div shares amounts among\npeople -->\n"),
    "front matter": ("docs/usage.md", None, "---\ntitle: div\ndescription: divides amounts\n---\n\n# Usage\n"),
    "filler": (
        "docs/usage.md",
        None,
        "# Documentation\n\n"
        "This document describes the changes of this release. Various improvements\nwere implemented to "
        "ensure a better and more robust user experience.\n",
    ),
    "filler in the README": (
        "README.md",
        README,
        README + "\n## New features\n\nThis release adds new features and fixes bugs. See the code for details.\n",
    ),
    "filler in the changelog": (
        "CHANGELOG.md",
        CHANGELOG,
        CHANGELOG.replace("[Unreleased]\n", "[Unreleased]\n\n- Updated documentation.\n- Various fixes and cleanups\n"),
    ),
    "praise": ("docs/a.md", None, "# Overview\n\nA modern, scalable and maintainable solution for every team.\n"),
    "how to run the tests": ("docs/a.md", None, "# Testing\n\nRun `pytest -q` to run all tests.\n"),
    "another subject": ("docs/a.md", None, "# Weather\n\nIt rains in Bergen on most days of the year.\n"),
    "a license": (
        "docs/license.md",
        None,
        "# License\n\nPermission is hereby granted, free of charge, to any person.\n",
    ),
    "a moved section": ("docs/usage.md", None, "# Use\n\nCall `add(1, 2)`.\n\nA small library for invoices.\n"),
    "another order": ("README.md", README, "# Invoices\n\nCall `add(1, 2)`.\n\nA small library for invoices.\n"),
    "spelling": ("README.md", README, README.replace("A small library", "A tiny library")),
    "a longer rule": ("README.md", README, README + "\n-----\n\n***\n"),
    "a table of nothing": ("docs/a.md", None, "# div\n\n| name | meaning |\n|---|---|\n| - | TBD |\n"),
    "a record without sections": ("docs/adr/0001-x.md", None, "# Plus\n\nWe use plus in `div`.\n"),
    "a record without consequences": ("docs/adr/0001-x.md", None, RECORD.partition("## Consequences")[0]),
    "a record whose consequences are none": (
        "docs/adr/0001-x.md",
        None,
        RECORD.replace("Callers have to catch it.", "None."),
    ),
    "a record of titles": ("docs/adr/0001-x.md", None, "# Plus\n\n## Context\n\n## Decision\n\n## Consequences\n"),
    "a record to be done": (
        "docs/adr/0001-x.md",
        None,
        "# Plus\n\n## Context\n\nTBD\n\n## Decision\n\nTBD\n\n## Consequences\n\nTo be determined\n",
    ),
    "Nygard's template": (
        "docs/adr/0001-x.md",
        None,
        "# Title\n\n## Status\n\nWhat is the status?\n\n## Context\n\n"
        "What is the issue that we're seeing that is motivating "
        "this decision or change?\n\n## Decision\n\nWhat is the change that we're proposing and/or doing?\n\n"
        "## Consequences\n\nWhat becomes easier or more difficult to do because of this change?\n",
    ),
    "MADR's template": (
        "docs/adr/0001-x.md",
        None,
        "# {short title}\n\n## Context and Problem Statement\n\n{Describe the context and problem statement}\n\n"
        '## Decision Outcome\n\nChosen option: "{title of option 1}", because {justification of it}\n\n'
        "### Consequences\n\n* Good, because {positive consequence}\n* Bad, because {negative consequence}\n",
    ),
    "a record whose status changed": (
        "docs/adr/0001-x.md",
        RECORD,
        RECORD.replace("Accepted", "Superseded by another record"),
    ),
    "the template of records": ("docs/adr/template.md", None, "# Title\n\n## Context\n\n{the context and more}\n"),
}


def judged(*drafts: tuple[str, str | None, str], topic: Topic = TOPIC) -> DocumentCount:
    return count_documents([Draft(path=path, before=was, after=now) for path, was, now in drafts], [README], topic)


@pytest.mark.parametrize("case", HONEST)
def test_an_honest_document_counts(case: str) -> None:
    path, before, after = HONEST[case]

    count = judged((path, before, after))

    assert (count.counting, count.others) == ((path,), ())
    assert count.records == ((path,) if "record" in case and "index" not in case else ())


@pytest.mark.parametrize("case", HOLLOW)
def test_a_hollow_document_does_not_count(case: str) -> None:
    path, before, after = HOLLOW[case]

    count = judged((path, before, after))

    assert (count.counting, [each.path for each in count.others]) == ((), [path])


REASONS = [
    (HOLLOW["nothing"], EMPTY),
    (HOLLOW["TBD"], NO_TEXT),
    (HOLLOW["praise"], NAMES_NOTHING),
    (HOLLOW["a record whose consequences are none"], "a decision record without text under consequences"),
    (HOLLOW["a record of titles"], NO_TEXT),
    (HOLLOW["a record without sections"], "a decision record without text under context, decision, consequences"),
]


@pytest.mark.parametrize(("document", "reason"), REASONS)
def test_the_reason_is_given(document: tuple[str, str | None, str], reason: str) -> None:
    assert judged(document).others == (Uncounted(path=document[0], reason=reason),)


def test_what_is_not_text_does_not_count() -> None:
    count = count_documents([Draft(path="docs/a.rst")], [], TOPIC)

    assert count.others == (Uncounted(path="docs/a.rst", reason=NOT_TEXT),)


def test_one_text_in_two_files_counts_once() -> None:
    text = "# Use\n\nCall `div`.\n"

    count = judged(("docs/a.md", None, text), ("docs/b.md", None, f"# Title\n{text}"))

    assert count.counting == ("docs/a.md",)
    assert count.others == (Uncounted(path="docs/b.md", reason="it says the same as docs/a.md"),)


def test_text_that_moved_from_one_document_to_another_is_not_new() -> None:
    text = "Call `total` to add up an invoice.\n"

    count = judged(("README.md", f"# Use\n\n{text}", "# Use\n\nSee docs.\n"), ("docs/use.md", None, f"# Use\n\n{text}"))

    assert count.counting == ()


NOTHING_NAMED = [
    Topic(paths=("data/rates.json",), title="Rates of 2027"),
    Topic(paths=("data/rates.json",), criteria=(("AC-1", "The rates of 2027 are used"),)),
]


@pytest.mark.parametrize("topic", NOTHING_NAMED)
def test_where_no_name_changed_a_word_of_the_work_is_enough(topic: Topic) -> None:
    document = ("CHANGELOG.md", CHANGELOG, f"{CHANGELOG}- The rates are those of next year.\n")

    assert judged(document, topic=topic).counting == ("CHANGELOG.md",)


def test_without_anything_to_name_no_document_counts() -> None:
    assert judged(HONEST["a path"], topic=Topic()).counting == ()


CODE = [
    ("def double(x):\n    return x\n", "def double(x):\n    return 2 * x\n", {"double"}),
    ("class Basket:\n    size = 1\n", "class Basket:\n    size = 2\n", {"Basket", "size"}),
    ("", "export const toSlug = (text) => text\n", {"toSlug"}),
    ("", "func (s *Server) Close() error {\n\treturn nil\n}\n", {"Close"}),
    ("", "pub fn parse(text: &str) -> u8 {\n    1\n}\n", {"parse"}),
    ("", "public int countAll(int a) {\n    return a;\n}\n", {"countAll"}),
    ("", "if (ready) {\n    go();\n}\n", set()),
    ("", "[server]\nport = 1\n", {"server", "port"}),
    ("", '{\n  "retries": 3\n}\n', {"retries"}),
    ("", "def run():\n    found = os.environ['MY_LIMIT']\n", {"run", "MY_LIMIT"}),
    ("def gone():\n    pass\n", "", {"gone"}),
    ("X = 1\n", "X = 1\n\n", set()),
]


@pytest.mark.parametrize(("before", "after", "names"), CODE)
def test_names_of_changed_code(before: str, after: str, names: set[str]) -> None:
    assert changed_names(before, after).defined == names


def test_names_of_several_files_are_joined() -> None:
    joined = changed_names("", "a1 = 1\n") | changed_names("", "b1 = 1\n")

    assert joined == ChangedNames(defined=frozenset({"a1", "b1"}), used=frozenset({"a1", "b1"}))


@given(st.text(), st.text())
def test_any_text_can_be_judged(before: str, after: str) -> None:
    count = judged(("docs/adr/0001-x.md", before, after), ("README.md", None, after))

    assert len(count.counting) + len(count.others) == 2
