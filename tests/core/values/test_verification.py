"""The standing of a verification, and the ids of its findings."""

import pytest

from dualgate.core.values.verification import (
    CaseChange,
    CaseState,
    Finding,
    Rule,
    Side,
    Standing,
    Verification,
    Weight,
    standing_of,
)


def finding(weight: Weight, **other: str) -> Finding:
    return Finding(rule=Rule.WEAKENED, weight=weight, text="it is weaker", **other)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("weights", "standing"),
    [
        ((), Standing.VERIFIED),
        ((Weight.NOTE,), Standing.VERIFIED),
        ((Weight.NOTE, Weight.NOT_PROVEN), Standing.NOT_PROVEN),
        ((Weight.NOT_PROVEN, Weight.UNUSABLE), Standing.UNUSABLE),
        ((Weight.UNUSABLE, Weight.REFUSED, Weight.NOT_PROVEN), Standing.REFUSED),
    ],
)
def test_the_worst_finding_decides_and_notes_do_not(weights: tuple[Weight, ...], standing: Standing) -> None:
    assert standing_of(map(finding, weights)) is standing


def test_what_a_person_accepts_decides_nothing() -> None:
    accepted = finding(Weight.REFUSED, accepted="the requirement is gone")

    assert standing_of([accepted]) is Standing.VERIFIED


def test_an_id_stays_when_lines_move_and_differs_by_test() -> None:
    first = Finding(rule=Rule.UNNOTICED, weight=Weight.NOT_PROVEN, text="a", file="fee.py", line=3, subject="fee")
    moved = Finding(rule=Rule.UNNOTICED, weight=Weight.NOT_PROVEN, text="b", file="fee.py", line=9, subject="fee")
    other = Finding(rule=Rule.UNNOTICED, weight=Weight.NOT_PROVEN, text="a", file="fee.py", line=3, subject="tax")

    assert first.id == moved.id != other.id
    assert first.id.startswith("unnoticed-code-")


def test_a_verification_parts_what_decides_from_notes_and_finds_tests_by_state() -> None:
    refused, note = finding(Weight.REFUSED), finding(Weight.NOTE)
    fixed = CaseChange(id="test_a", states=(CaseState.FIXED, CaseState.CHANGED))
    seen = Verification(
        standing=Standing.REFUSED,
        base=Side(ref="main"),
        head=Side(ref="work tree"),
        cases=(fixed, CaseChange(id="test_b")),
        findings=(refused, note),
    )

    assert (seen.deciding, seen.notes) == ((refused,), (note,))
    assert seen.with_state(CaseState.CHANGED) == (fixed,)
