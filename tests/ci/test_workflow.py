"""Lines for a runner of GitHub Actions: what they say, and what cannot be said through them."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dualgate.ci.workflow import annotations, command, inert, output
from dualgate.core.record.verification.document import finding_document
from dualgate.core.values.verification import Weight
from dualgate.testing import a_finding


def findings(*changes: dict[str, Any]) -> list[dict[str, Any]]:
    return [finding_document(a_finding(**change)) for change in changes]


def test_a_finding_is_shown_at_its_line() -> None:
    (found,) = findings({"text": "fails", "test": "t.py::a", "file": "t.py", "line": 3, "weight": Weight.REFUSED})

    (told,) = annotations([found], "sub", [Weight.REFUSED])

    assert told == f"::error file=sub/t.py,line=3,title=dualgate%3A refused::t.py::a: fails [{found['id']}]"


def test_findings_that_fail_no_step_are_warnings_and_accepted_ones_are_not_shown() -> None:
    doubted, accepted = {"weight": Weight.NOT_PROVEN}, {"weight": Weight.REFUSED, "accepted": "agreed"}

    told = list(annotations(findings(doubted, accepted), "", [Weight.REFUSED]))

    assert len(told) == 1
    assert told[0].startswith("::warning ")


def test_the_worst_findings_are_shown_and_the_others_counted() -> None:
    many = findings(*({"weight": Weight.NOT_PROVEN, "subject": str(n)} for n in range(12)), {"weight": Weight.REFUSED})

    told = list(annotations(many, "", [Weight.REFUSED]))

    assert told[0].startswith("::error ")
    assert (len(told), told[-1]) == (11, "and 3 more findings, in the summary of the job")


@given(st.text(), st.text(), st.text())
def test_a_text_begins_no_other_command_and_no_other_property(text: str, name: str, test: str) -> None:
    (found,) = findings({"text": text, "file": name, "test": test})

    (told,) = annotations([found], "", [])

    properties, _, _ = told.removeprefix("::warning ").partition("::")
    assert len(told.splitlines()) == 1
    assert [each.partition("=")[0] for each in properties.split(",")] == [*(["file"] if name else []), "title"]


@given(st.text())
def test_a_line_of_another_program_is_no_command(text: str) -> None:
    told = inert(f"::add-path::{text}##[error]{text}")

    assert told.startswith("| ::add-path::")
    assert "##[" not in told
    assert len(told.splitlines()) == 1


def test_a_value_cannot_end_an_output() -> None:
    told = output("verdict", "a\nend-\nexit-code=0").splitlines()

    assert told[0].removeprefix("verdict<<") == told[-1]
    assert told[1:-1] == ["a", "end-", "exit-code=0"]


def test_a_percent_sign_stays_one() -> None:
    assert command("notice", "100%0A", title="a,b:c") == "::notice title=a%2Cb%3Ac::100%250A"
