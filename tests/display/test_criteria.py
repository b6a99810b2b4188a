from dualgate.core.values.specification import CriterionState, CriterionStatus, Kind
from dualgate.display.criteria import criteria_lines
from dualgate.display.lines import width

ROWS = [
    CriterionState(
        id="AC-1",
        text="double(2) is 4",
        kind=Kind.NEW,
        state=CriterionStatus.GREEN,
        proof=("tests/test_double.py::test_ac1_numbers", "tests/test_double.py::test_ac1_more"),
    ),
    CriterionState(id="AC-2", text="lint\npasses", kind=Kind.CHECK, state=CriterionStatus.FAILS, proof=("make lint",)),
    CriterionState(id="US-001-AC-10-long", text="exported " * 9, kind=Kind.REVIEW, state=CriterionStatus.NOT_REVIEWED),
]


def test_the_table_has_one_line_for_each_criterion_within_eighty_columns() -> None:
    table = criteria_lines(ROWS)

    assert table == [
        "Criterion       Kind    State         Text                  Proven by",
        "AC-1            new     green         double(2) is 4        test_ac1_numbers +1",
        "AC-2            check   fails         lint passes           make lint",
        "US-001-AC-10-…  review  not reviewed  exported exported e…",
    ]
    assert all(width(line) <= 80 for line in criteria_lines([*ROWS, *ROWS]))


def test_a_session_without_criteria_has_no_table() -> None:
    assert criteria_lines([]) == []
