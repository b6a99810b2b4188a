"""Everything that is known about one test."""

import pytest

from dualgate.core.values.suite import CaseOutcome
from dualgate.core.values.verification import CaseChange, CaseState, Rule, Verification, Weight
from dualgate.display.verification.explaining import explain
from dualgate.testing import a_finding, a_verification

FAILED, PASSED = CaseOutcome.FAILED, CaseOutcome.PASSED
VAT = CaseChange(
    id="tests/test_x.py::test_vat",
    file="tests/test_x.py",
    line=7,
    states=(CaseState.REGRESSED, CaseState.CHANGED),
    base=PASSED,
    head=FAILED,
    on_base=FAILED,
    old_on_head=FAILED,
    renamed_from="tests/test_x.py::test_tax",
    message="assert 20 == 19\n" + "more\n" * 20,
)
FEE = CaseChange(id="tests/test_x.py::test_fee", base=PASSED, head=PASSED)
WEAKENED = a_finding(Rule.WEAKENED, text="was weakened", details=(VAT.message, "on the head:\nfailed"))
NOTE = a_finding(Rule.FLAKY, Weight.NOTE, text="differs between runs")
LONE = a_finding(
    Rule.UNNOTICED, Weight.NOT_PROVEN, test="", file="src/fee.py", line=3, subject="fee", text="is unnoticed"
)
SEEN = a_verification(WEAKENED, NOTE, LONE, cases=(VAT, FEE))


def told(wanted: str, seen: Verification = SEEN) -> list[str]:
    return [line.text for line in explain(seen, wanted).lines]


def test_both_sides_states_trials_message_and_findings_of_a_test() -> None:
    lines = told("tests/test_x.py::test_vat")

    assert lines[:6] == [
        "tests/test_x.py::test_vat (tests/test_x.py:7)",
        "    regressed, changed",
        "    on the base: passed; on the head: failed",
        "    renamed from tests/test_x.py::test_tax",
        "    its version on the head, run on the code of the base: failed",
        "    its version on the base, run on the code of the head: failed",
    ]
    assert lines[6:20] == ["    assert 20 == 19", *["    more"] * 11, "    and 9 more lines", lines[19]]
    assert lines[19:] == [
        f"refused: was weakened [{WEAKENED.id}]",
        "    on the head:",
        "    failed",
        "    A test was removed, skipped or changed, and its version on the base fails on the head.",
        "    Restore the test. If the requirement changed, replace it by a test that fails on the base's code.",
        f"    to accept it: dualgate verify --allow {WEAKENED.id} --reason TEXT",
        f"note: differs between runs [{NOTE.id}]",
    ]


@pytest.mark.parametrize("wanted", ["tests/test_x.py::test_vat", "test_vat", "_vat"])
def test_a_test_is_found_by_its_id_its_function_or_a_part_of_it(wanted: str) -> None:
    assert told(wanted)[0].startswith("tests/test_x.py::test_vat")


def test_a_test_without_findings_says_so() -> None:
    assert told("test_fee") == [
        "tests/test_x.py::test_fee",
        "    on the base: passed; on the head: passed",
        "no finding is about this test",
    ]


def test_a_finding_without_a_test_is_explained_by_its_id() -> None:
    assert told(LONE.id)[0] == f"not proven: src/fee.py:3: is unnoticed [{LONE.id}]"


def test_what_is_accepted_is_told_with_the_reason_and_not_offered_again() -> None:
    accepted = a_finding(test="test_gone", accepted="agreed")

    lines = told("test_gone", a_verification(accepted, cases=()))

    assert "    accepted: agreed" in lines
    assert not any("--allow" in line for line in lines)


UNKNOWN = [
    ("test_vta", ("tests/test_x.py::test_vat",)),
    ("tests/test_y.py::test_fees", ("tests/test_x.py::test_fee",)),
    ("tests/test_x.py", ("tests/test_x.py::test_vat", "tests/test_x.py::test_fee")),
    ("", ()),
    ("something else", ()),
]


@pytest.mark.parametrize(("wanted", "meant"), UNKNOWN)
def test_an_unknown_name_is_answered_with_those_that_were_probably_meant(wanted: str, meant: tuple[str, ...]) -> None:
    found = explain(SEEN, wanted)

    assert found.lines == ()
    assert set(meant) <= set(found.meant)


def test_names_and_messages_do_not_steer_the_terminal() -> None:
    case = CaseChange(id="test_\x1b[2J", head=FAILED, message="\x1b]0;x\x07")

    assert "\x1b" not in "".join(told("test_", a_verification(cases=(case,))))
