"""dualgate new: a specification to fill in."""

import re
from pathlib import Path

import pytest

from dualgate.core.spec.reading import read_specification
from dualgate.core.values.naming import slug
from dualgate.core.values.specification import Kind
from tests.support import Dualgate

NAMES = [
    ("Parking fees", "parking-fees"),
    ("  Größere Gebühren: 料金 (v2)! ", "größere-gebühren-料金-v2"),
    ("../../etc/passwd", "etc-passwd"),
    ("!!!", "specification"),
    ("x" * 300, "x" * 60),
]


@pytest.mark.parametrize(("title", "name"), NAMES)
def test_a_title_makes_the_name_of_a_file(title: str, name: str) -> None:
    assert slug(title) == name


def test_a_specification_is_written_with_the_next_command(dualgate: Dualgate, project: Path) -> None:
    ended = dualgate("new", "Parking  fees\n{{ x }}", "--output", "fees.md")

    text = (project / "fees.md").read_text()
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == "wrote fees.md\nFill in the places in [CAPITALS], then: dualgate check fees.md\n"
    assert text.startswith("# Parking fees {{ x }}\n")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == [
        "Goal",
        "Context",
        "Acceptance Criteria",
        "Constraints",
        "Validation",
    ]
    assert [path.name for path in project.iterdir() if path.name.startswith(".fees")] == []


def test_each_kind_is_shown_and_only_places_to_fill_in_are_criteria(dualgate: Dualgate, project: Path) -> None:
    dualgate("new", "Parking fees")

    text = (project / "parking-fees.md").read_text()
    comment = text.partition("<!--")[2].partition("-->")[0]
    assert all(f"[{kind}" in comment for kind in Kind)
    assert [each.text for each in read_specification(text).criteria] == ["[WHAT GOES IN AND WHAT COMES OUT]"]
    assert len(re.findall(r"\[[A-Z]+(?: [A-Z]+)+\]", text)) == 4


def test_check_refuses_it_until_every_place_is_filled_in(dualgate: Dualgate, project: Path) -> None:
    dualgate("new", "Fees")
    file = project / "fees.md"

    (unfilled,) = dualgate("check", "fees.md", "--json").lines
    file.write_text(re.sub(r"\[[A-Z]+(?: [A-Z]+)+\]", "`fee(45)` is 200.", file.read_text()))
    filled = dualgate("check", "fees.md", "--json")

    assert [problem["line"] for problem in unfilled["problems"]] == [5, 9, 25, 31]
    assert (filled.code, filled.lines[0]["warnings"], filled.lines[0]["tasks"]) == (0, [], [])
    assert [criterion["kind"] for criterion in filled.lines[0]["criteria"]] == ["new"]


def test_nothing_is_overwritten(dualgate: Dualgate, project: Path) -> None:
    before = (project / "SPEC.md").read_text()

    ended = dualgate("new", "x", "--output", "SPEC.md")

    assert (ended.code, (project / "SPEC.md").read_text()) == (1, before)
    assert "SPEC.md already exists." in ended.err
    assert "dualgate check SPEC.md" in ended.err


def test_a_place_that_cannot_be_written_and_an_empty_title_are_named(dualgate: Dualgate) -> None:
    nowhere, empty = dualgate("new", "x", "--output", "no/folder.md"), dualgate("new", "  ")

    assert (nowhere.code, "cannot be written: No such file or directory." in nowhere.err) == (1, True)
    assert (empty.code, "TITLE is empty." in empty.err) == (2, True)
