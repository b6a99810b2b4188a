import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.core.spec.readiness import require_ready
from dualgate.core.spec.reading import read_prompt, read_specification
from dualgate.errors import SpecError

WAYS_TO_WRITE_A_CRITERION = [
    ("- AC-1: It works.", "AC-1", "It works."),
    ("* AC1: It works.", "AC1", "It works."),
    ("1. S03-AC1 - It works.", "S03-AC1", "It works."),
    ("- [ ] AC-1: It works.", "AC-1", "It works."),
    ("- [x] US-001 It works.", "US-001", "It works."),
    ("- **AC-1**: It works.", "AC-1", "It works."),
    ("- **AC-1:** It works.", "AC-1", "It works."),
    ("- `AC-1` It works.", "AC-1", "It works."),
    ("- (AC-7) It works.", "AC-7", "It works."),
    ("- It works.", "AC-1", "It works."),
    ("- [ ] It works.", "AC-1", "It works."),
    ("- Python3 is supported.", "AC-1", "Python3 is supported."),
]


def a_spec(criteria: str) -> str:
    return f"# Fees\n\n## Goal\n\nTell the fee.\n\n## Acceptance Criteria\n\n{criteria}\n"


@pytest.mark.parametrize(("written", "wanted_id", "wanted_text"), WAYS_TO_WRITE_A_CRITERION)
def test_a_criterion_is_read_in_every_common_form(written: str, wanted_id: str, wanted_text: str) -> None:
    (criterion,) = read_specification(a_spec(written)).criteria

    assert (criterion.id, criterion.text) == (wanted_id, wanted_text)


def test_title_goal_and_lines_are_read() -> None:
    prp = read_specification(a_spec("- one\n- two"))

    assert (prp.title, prp.goal) == ("Fees", "Tell the fee.")
    assert [criterion.line for criterion in prp.criteria] == [9, 10]


def test_without_a_goal_heading_the_first_paragraph_is_the_goal() -> None:
    prp = read_specification("# Fees\n\nTell the fee.\n\n## Success Criteria\n\n- one\n")

    assert prp.goal == "Tell the fee."


def test_a_specification_of_criteria_alone_has_an_empty_goal_and_the_name_as_title() -> None:
    prp = read_specification("## Success Criteria\n\n- one\n", "fees.md")

    assert (prp.title, prp.goal) == ("fees.md", "")


def test_nested_bullets_belong_to_the_criterion_above_them() -> None:
    prp = read_specification(a_spec("- AC-1: It works.\n  - even at night\n- AC-2: It stops."))

    assert [criterion.text for criterion in prp.criteria] == ["It works.\neven at night", "It stops."]


def test_criteria_under_deeper_headings_belong_to_the_criteria() -> None:
    prp = read_specification(a_spec("- AC-1: one\n\n### Edge cases\n\n- AC-2: two\n\n## Notes\n\n- a note"))

    assert [criterion.id for criterion in prp.criteria] == ["AC-1", "AC-2"]


def test_given_ids_are_left_out_when_ids_are_handed_out() -> None:
    prp = read_specification(a_spec("- without an id\n- AC-1: with one\n- without again"))

    assert [criterion.id for criterion in prp.criteria] == ["AC-2", "AC-1", "AC-3"]


def test_bullets_under_other_headings_and_empty_ones_are_no_criteria() -> None:
    prp = read_specification("# Fees\n\n## Notes\n\n- a note\n\n## Criteria\n\n-\n- one\n\n## Later\n\n- more\n")

    assert [criterion.text for criterion in prp.criteria] == ["one"]


def test_an_id_given_twice_is_refused_with_both_lines() -> None:
    spec = read_specification(a_spec("- AC-1: one\n- ac-1: two"), "spec.md")

    with pytest.raises(SpecError, match=r"spec\.md:10: criterion id ac-1 was given on line 9 already"):
        require_ready(spec, "spec.md")


def test_a_specification_without_criteria_is_refused_with_what_to_add() -> None:
    with pytest.raises(SpecError, match=r"fees\.md: There are no acceptance criteria\.\nUnder a heading"):
        require_ready(read_specification("# Fees\n\nJust do it.\n"), "fees.md")


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    spec = read_specification(text)

    assert spec.text == text
    assert spec.criteria or not spec.is_ready


def test_a_prompt_needs_no_criteria_but_some_words() -> None:
    prompt = read_prompt("# Build it\n\nAny words.\n", "PROMPT.md")

    assert (prompt.title, prompt.criteria, prompt.text) == ("Build it", (), "# Build it\n\nAny words.\n")
    with pytest.raises(SpecError, match=r"PROMPT\.md is empty"):
        read_prompt(" \n", "PROMPT.md")
