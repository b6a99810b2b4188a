"""JUnit XML: every test of the head, and the findings as failures."""

from typing import Any
from xml.etree.ElementTree import Element, fromstring

import pytest

from dualgate.core.record.verification.junit import junit
from dualgate.core.values.suite import CaseOutcome
from dualgate.core.values.verification import CaseChange, CaseState, Finding, Rule, Weight
from dualgate.testing import a_finding, a_verification

FAILED, PASSED, SKIPPED = CaseOutcome.FAILED, CaseOutcome.PASSED, CaseOutcome.SKIPPED


def suite(*findings: Finding, **values: Any) -> Element:
    root = fromstring(junit(a_verification(*findings, **values)))
    (found,) = root
    return found


def told(case: Element) -> list[tuple[str, str | None]]:
    return [(child.tag, child.get("message")) for child in case]


CASES = [
    (CaseChange(id="test_a", head=PASSED), (), []),
    (CaseChange(id="test_a", head=SKIPPED), (), [("skipped", "skipped")]),
    (CaseChange(id="test_a", head=FAILED, message="assert 1"), (), [("failure", "fails on the head")]),
    (
        CaseChange(id="test_a", head=FAILED, states=(CaseState.STILL_FAILING,)),
        (),
        [("skipped", "fails on the base too")],
    ),
    (
        CaseChange(id="test_a", head=PASSED),
        (a_finding(test="test_a", text="it is weaker"),),
        [("failure", "it is weaker")],
    ),
    (
        CaseChange(id="test_a", head=FAILED),
        (a_finding(test="test_a", accepted="known"),),
        [("skipped", "accepted: known")],
    ),
    (CaseChange(id="test_a", head=PASSED), (a_finding(weight=Weight.NOTE, test="test_a"),), []),
    (CaseChange(id="test_a", base=PASSED), (a_finding(test="test_a", text="it is gone"),), [("failure", "it is gone")]),
]


@pytest.mark.parametrize(("case", "findings", "expected"), CASES)
def test_a_test_is_told_by_its_findings_and_else_by_its_outcome(
    case: CaseChange, findings: tuple[Finding, ...], expected: list[tuple[str, str]]
) -> None:
    (element,) = suite(*findings, cases=(case,))

    assert (element.get("name"), told(element)) == ("test_a", expected)


def test_a_test_of_the_base_alone_is_left_out_and_one_that_only_a_finding_names_is_there() -> None:
    gone = CaseChange(id="test_gone", base=PASSED)

    names = [case.get("name") for case in suite(a_finding(test="tests/test_x.py::test_lost"), cases=(gone,))]

    assert names == ["test_lost"]


def test_a_finding_without_a_test_is_a_test_case_of_its_own() -> None:
    worse, accepted = a_finding(Rule.CHECK, test="", subject="lint"), a_finding(Rule.CHECK, test="", accepted="known")
    unusable = a_finding(Rule.SUITE, Weight.UNUSABLE, test="")

    cases = suite(worse, accepted, unusable, a_finding(Rule.SETUP, Weight.NOTE, test=""), cases=())

    assert [case.get("name") for case in cases] == [worse.id, accepted.id, unusable.id]
    assert [child.tag for case in cases for child in case] == ["failure", "skipped", "error"]


def test_several_findings_are_one_failure_with_the_worst_first_and_all_details() -> None:
    unproven = a_finding(Rule.HOLLOW, Weight.NOT_PROVEN, test="test_a", text="it cannot fail")
    refused = a_finding(test="test_a", text="it is weaker", details=("on the head: failed",))

    (case,) = suite(unproven, refused, cases=(CaseChange(id="test_a", head=PASSED),))

    (failure,) = case
    assert (failure.get("message"), failure.get("type")) == ("it is weaker", "regressed-test")
    assert (failure.text or "").splitlines() == [
        f"it cannot fail [{unproven.id}]",
        f"it is weaker [{refused.id}]",
        "on the head: failed",
    ]


def test_the_counts_are_those_of_the_cases() -> None:
    cases = (CaseChange(id="a", head=FAILED), CaseChange(id="b", head=SKIPPED), CaseChange(id="c", head=PASSED))

    found = suite(a_finding(Rule.SUITE, Weight.UNUSABLE, test=""), cases=cases)

    assert [found.get(name) for name in ("tests", "failures", "errors", "skipped", "time")] == [
        "4",
        "1",
        "1",
        "1",
        "1.500",
    ]


def test_names_and_messages_with_control_characters_and_markup_are_legal_xml() -> None:
    case = CaseChange(
        id="tests/t.py::test_\x1b[2J\udcff<&>", file="tests/\x00t.py", line=3, head=FAILED, message="\ufffe]]>\x07ok"
    )

    (element,) = suite(cases=(case,))

    assert element.attrib == {
        "classname": "tests/t.py",
        "name": "test_\\x1b[2J<&>",
        "time": "0.000",
        "file": "tests/\\x00t.py",
        "line": "3",
    }
    assert element[0].text == "]]>\\x07ok"
