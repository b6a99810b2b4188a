"""The text of a verification: a verdict and at most ten rows."""

import shlex
from typing import Any

import pytest

from dualgate.core.values.specification import CriterionStatus, Kind
from dualgate.core.values.suite import CaseOutcome
from dualgate.core.values.verification import (
    CaseChange,
    CaseState,
    CriterionProof,
    Finding,
    ProbeCounts,
    Rule,
    Side,
    Standing,
    Verification,
    Weight,
)
from dualgate.display.lines import Tone, fitted, width
from dualgate.display.verification.summary import verification_lines
from dualgate.testing import a_finding, a_verification

FAILED, PASSED = CaseOutcome.FAILED, CaseOutcome.PASSED


def rows(*findings: Finding, columns: int = 80, call: str = "dualgate verify", **values: Any) -> list[str]:
    lines = verification_lines(a_verification(*findings, **values), call, columns)
    return [part.text for line in lines for part in fitted(line, columns)]


def test_a_verified_change_is_a_verdict_and_the_counts_of_its_tests() -> None:
    assert rows() == ["verified: work tree against main (bbbbbbb) (4s)", "tests: 1 new, 1 fixed, 1 unchanged"]


def test_the_worst_findings_come_first_and_then_what_to_do() -> None:
    note = a_finding(Rule.PASSES_ON_BASE, Weight.NOTE, text="proves nothing about the change")
    unproven = a_finding(
        Rule.UNNOTICED, Weight.NOT_PROVEN, test="", file="src/fee.py", line=4, text="no test notices a broken fee"
    )

    assert rows(note, unproven, a_finding()) == [
        "refused: work tree against main (bbbbbbb), 2 findings (4s)",
        "  refused: tests/test_x.py::test_vat: passes on the base and fails on the head",
        "  not proven: src/fee.py:4: no test notices a broken fee",
        "  note: tests/test_x.py::test_vat: proves nothing about the change",
        "tests: 1 new, 1 fixed, 1 unchanged",
        "next: dualgate verify --explain tests/test_x.py::test_vat",
    ]


def test_old_failures_probes_criteria_and_accepted_findings_are_counted() -> None:
    cases = tuple(
        CaseChange(id=f"test_{n}", states=(CaseState.STILL_FAILING,), base=FAILED, head=FAILED) for n in range(2)
    )
    criteria = tuple(
        CriterionProof(id=f"AC-{n}", text="", kind=Kind.NEW, state=CriterionStatus.GREEN) for n in range(3)
    )

    told = rows(a_finding(accepted="known"), cases=cases, probes=ProbeCounts(killed=4, left_out=1), criteria=criteria)

    assert told[1:] == [
        "tests: 2 still failing (old)",
        "accepted: 1 finding; probes: 4 killed, 1 left out; criteria: 3 green",
    ]


LONG = "tests/integration/test_accounting.py::TestAccounting::test_" + "rounding_" * 30
CHANGES = [
    a_verification(),
    a_verification(*(a_finding(test=f"tests/test_x.py::test_{n}") for n in range(200))),
    a_verification(
        *(a_finding(test=f"{LONG}{n}", text="is weaker " * 40) for n in range(9)), probes=ProbeCounts(killed=1)
    ),
    a_verification(a_finding(Rule.SUITE, Weight.UNUSABLE, test="", text="x" * 900), cases=()),
    a_verification(*(a_finding(Rule.SETUP, Weight.NOTE, test="", subject=str(n)) for n in range(40))),
    a_verification(a_finding(test="tests/test_x.py::試験試験試験試験試験試験試験試験試験試験試験試験試験試験" * 3)),
]


@pytest.mark.parametrize("columns", [40, 80, 200])
@pytest.mark.parametrize("seen", CHANGES)
def test_there_are_at_most_ten_rows_and_none_is_too_wide(seen: Verification, columns: int) -> None:
    parts = [part.text for line in verification_lines(seen, columns=columns) for part in fitted(line, columns)]

    assert len(parts) <= 10
    assert max(map(width, parts)) <= columns
    assert any(each.startswith("  ") for each in parts) or not seen.findings


def test_how_many_findings_are_not_shown_is_said_with_the_command_that_shows_them() -> None:
    told = rows(*(a_finding(test=f"test_{n}") for n in range(30)), call="dualgate verify --base dev")

    assert (len(told), told[-3]) == (10, "  and 24 more: dualgate verify --base dev --md")


def test_the_next_command_can_be_pasted_into_a_shell() -> None:
    (line,) = (line for line in rows(a_finding(test="tests/test x.py::test_a['b']")) if line.startswith("next: "))

    assert shlex.split(line.removeprefix("next: ")) == [
        "dualgate",
        "verify",
        "--explain",
        "tests/test x.py::test_a['b']",
    ]


def test_the_id_of_a_finding_stands_for_a_test_that_is_too_long() -> None:
    finding = a_finding(test=LONG)

    assert rows(finding)[-1] == f"next: dualgate verify --explain {finding.id}"


def test_a_long_name_is_shortened_at_its_beginning_so_that_the_sentence_can_be_read() -> None:
    name = f"tests/{'deep/' * 20}test_x.py::test_vat"

    told = rows(a_finding(test=name, text=f"{name} fails on the head: assert 20 == 19"))

    assert " ".join(" ".join(told[1:3]).split()) == (f"refused: …{name[-39:]} fails on the head: assert 20 == 19")


def test_names_do_not_steer_the_terminal() -> None:
    assert "\x1b" not in "".join(
        rows(a_finding(test="test_\x1b[2J\n::x\ud800", text="a\u202eb"), head=Side(ref="\x1b[1mx"))
    )


@pytest.mark.parametrize("standing", Standing)
def test_only_a_verified_change_has_a_good_tone(standing: Standing) -> None:
    tone = verification_lines(a_verification(standing=standing))[0].tone

    assert (tone is Tone.GOOD) is (standing is Standing.VERIFIED)


def test_reused_results_and_a_ref_that_is_a_commit_are_not_told_twice() -> None:
    base = Side(ref="bbbbbbbb", commit="b" * 40, reused=True)

    assert rows(base=base, head=Side(ref="work tree", reused=True))[0] == (
        "verified: work tree against bbbbbbbb (trees unchanged, results reused)"
    )


def test_a_change_without_tests_says_so() -> None:
    assert rows(cases=())[1] == "tests: none"
