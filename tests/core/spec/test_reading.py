import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.core.spec.markdown import lines_of
from dualgate.core.spec.readiness import require_ready
from dualgate.core.spec.reading import read_prompt, read_specification
from dualgate.core.values.specification import Specification
from dualgate.core.values.vocabulary import Workflow
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


def test_a_criterion_may_begin_with_the_name_of_a_tag() -> None:
    prp = read_specification(a_spec("- <option> gets its parameters\n- <!-- a note -->\n- <hr>\n- <form> has a label"))

    assert [criterion.text for criterion in prp.criteria] == ["<option> gets its parameters", "<form> has a label"]


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


def test_a_long_text_without_criteria_and_tasks_is_refused_with_what_to_add() -> None:
    spec = read_specification("# Fees\n\n## Why\n\nMoney.\n\n## How\n\nBy the hour.\n")

    with pytest.raises(
        SpecError, match=r"fees\.md:1: There are no acceptance criteria and no tasks\.\nUnder a heading"
    ):
        require_ready(spec, "fees.md")


def test_open_questions_stop_a_run_and_name_both_readings() -> None:
    spec = read_specification("Add a flag --verbose that prints each file.")

    with pytest.raises(SpecError, match=r"a\.md:1: .*\(1\) one criterion.*\(2\) a prompt") as stopped:
        require_ready(spec, "a.md")

    assert "--yes" in stopped.value.next_step


ANSWERED = [
    ("Add a flag.", {"prompt": 0}, ["AC-1"], 0, Workflow.TDD),
    ("Add a flag.", {"prompt": 1}, [], 0, Workflow.RALPH),
    ("## Tasks\n\n- one\n- two\n", {"tasks:Tasks": 0}, [], 2, Workflow.RALPH),
    ("## Criteria\n\n- AC-1: a\n\n## Tasks\n\n- one\n", {"tasks:Tasks": 1}, ["AC-1"], 0, Workflow.TDD),
    ("## Criteria\n\n- AC-1: a\n\n## More\n\n- AC-2: b\n", {"loose:More": 1}, ["AC-1"], 0, Workflow.TDD),
    ("## Criteria\n\n- AC-1: a\n\n## Expected\n\nb\n", {"expected:Expected": 0}, ["AC-1", "AC-2"], 0, Workflow.TDD),
]


@pytest.mark.parametrize(("text", "answers", "criteria", "tasks", "workflow"), ANSWERED)
def test_an_answer_chooses_a_reading(
    text: str, answers: dict[str, int], criteria: list[str], tasks: int, workflow: Workflow
) -> None:
    spec = read_specification(text, answers=answers)

    assert [criterion.id for criterion in spec.criteria] == criteria
    assert (len(spec.tasks), spec.workflow, spec.questions) == (tasks, workflow, ())


FORMS = [
    ("- **US-1** Login\n  - Acceptance criteria:\n    - a works\n    - b works\n", ["US-1-AC1", "US-1-AC2"]),
    ("Scenario: one\nGiven a\nWhen b\nThen c\n\nScenario: two\nGiven d\nWhen e\nThen f\n", ["AC-1", "AC-2"]),
    ("### FR-1: Login\n\n- FR-1.1: a works\n- FR-1.2: b works\n", ["FR-1.1", "FR-1.2"]),
    ("### FR-1: Login\n\nAs a user.\n\n**Acceptance criteria**\n\n- a works\n", ["FR-1-AC1"]),
    ("### AC-1: Login\n\nThe user gets in.\n\n### AC-2: Logout\n", ["AC-1", "AC-2"]),
    ("### Scenario: x\n\n- Given a\n- When b\n- Then c\n\n- Given d\n- When e\n- Then f\n", ["AC-1", "AC-2"]),
    ("### Scenario\n", []),
    ("| | |\n|-|-|\n| | |\n", []),
    ("The user can log in.\n", ["AC-1"]),
    ("- [ ]\n- one works\n", ["AC-1"]),
    ("> - quoted works\n", ["AC-1"]),
    ("- > only a quote\n- one works\n", ["AC-1"]),
    ("1. **Given** a, **When** b, **Then** c\n2. **Given** d, **When** e, **Then** f\n", ["AC-1", "AC-2"]),
]


@pytest.mark.parametrize(("written", "ids"), FORMS)
def test_criteria_are_found_in_every_form(written: str, ids: list[str]) -> None:
    assert [criterion.id for criterion in read_specification(a_spec(written)).criteria] == ids


OUTSIDE = [
    ("## Login\n\n| AC-1 | It works. |\n|---|---|\n| AC-2 | It stops. |\n", ["AC-2"]),
    ("## Login\n\n- AC-1: a works\n- a remark\n", ["AC-1"]),
    ("## Login\n\n- It must work\n- It must stop\n", ["AC-1", "AC-2"]),
    ("## Input validation\n\n- The name must not be empty\n- The age must be a number\n", ["AC-1", "AC-2"]),
    ("## Rules\n\n- one thing\n- another thing\n", []),
    ("# Emission requirements\n\n- at midnight\n- on demand\n", []),
    ("## Emission requirements\n\n| ID | Criterion |\n|--|--|\n| R1 | a |\n", ["R1"]),
    ("## Emission requirements\n\n- AC-1: at midnight\n", ["AC-1"]),
    ("## Kriterien der Abnahme\n\n- Es geht.\n", ["AC-1"]),
    ("## Notes\n\n### Scenario: x\n\nGiven a\nWhen b\nThen c\n", []),
]


@pytest.mark.parametrize(("written", "ids"), OUTSIDE)
def test_outside_of_a_section_for_criteria_the_form_decides(written: str, ids: list[str]) -> None:
    spec = read_specification(written, words=("Kriterien der Abnahme", " "))

    assert [criterion.id for criterion in spec.criteria] == ids


def test_a_task_heading_is_a_task_unless_boxes_stand_below_it() -> None:
    spec = read_specification("# P\n\n### Task 1: a\n\n- [ ] box\n\n### Task 2: b\n\n- detail\n\n| a |\n|-|\n| b |\n")

    assert [(task.text, task.line) for task in spec.tasks] == [("box", 5), ("Task 2: b", 7)]


def test_commands_stand_in_fences_lists_and_paragraphs() -> None:
    text = "## Validation\n\n`make a`\n\n- `make b`\n- nothing\n\n| x |\n|-|\n| y |\n\n    make c\n    # no\n"

    assert [(v.command, v.line) for v in read_specification(text).validation] == [
        ("make a", 3),
        ("make b", 5),
        ("make c", 12),
    ]


GHERKIN = [
    ("Feature: x\n", 1, "no acceptance criteria"),
    ("# language: zz\nFeature: x\n  Scenario: y\n    Given z\n", 1, "Language not supported"),
    ("Feature: x\n  Scenario: y\n    Given z\n    Wen z\n", 4, "'Wen z' is not valid Gherkin here"),
]


@pytest.mark.parametrize(("text", "line", "message"), GHERKIN)
def test_gherkin_that_cannot_be_read_is_a_problem_with_its_line(text: str, line: int, message: str) -> None:
    (problem,) = read_specification(text, "a.feature").problems

    assert problem.line == line
    assert message in problem.message


def test_an_empty_gherkin_text_is_an_empty_specification() -> None:
    assert [problem.code for problem in read_specification(" \n", "a.feature").problems] == ["empty"]
    assert read_specification("```gherkin\n```\n", "a.md").criteria == ()


def test_examples_without_a_table_are_read() -> None:
    text = "Feature: x\n  Scenario Outline: y\n    Given z\n    Examples:\n"

    assert [criterion.text for criterion in read_specification(text).criteria] == ["y\nGiven z"]


STORIES = [
    ('[{"id": "S1", "acceptanceCriteria": [{"id": "X-1", "text": "a"}, {"text": "b"}, {}, 7, ""]}]', ["X-1", "S1-AC1"]),
    ('[{"title": "a", "dependsOn": "b"}, {"title": "b", "priority": true}]', ["b", "a"]),
    ('{"stories": [{"id": "\\u0053-1"}, {"id": "S-2", "passes": true}]}', ["S-1", "S-2"]),
    ('{"userStories": [{"id": "A1", "title": "x\ty"}]}', []),
]


@pytest.mark.parametrize(("text", "ids"), STORIES)
def test_stories_are_read_in_every_shape(text: str, ids: list[str]) -> None:
    assert [criterion.id for criterion in read_specification(text, "prd.json").criteria] == ids


def test_a_story_that_is_given_twice_is_a_problem() -> None:
    spec = read_specification('[{"id": "A", "title": "x"},\n {"id": "A", "title": "y"}]')

    assert {problem.code for problem in spec.problems} >= {"duplicate_id"}


def test_json_that_is_no_specification_is_read_as_text() -> None:
    assert read_specification("[a link](x) and more").questions[0].key == "prompt"
    assert read_specification('{"a": 1}').criteria[0].text == '{"a": 1}'
    assert read_specification("[1, 2]").criteria != ()


def test_an_issue_without_a_title_is_called_by_its_name() -> None:
    assert read_specification('{"body": "## Criteria\\n\\n- a works"}', "issue.json").title == "issue.json"


LINES = """\
# T
## Acceptance Criteria
## Tasks
## Validation
### Scenario: x
### FR-1: y
### Task 2: g
**Expected:** y
**Acceptance criteria:**
Scenario: z
- [ ] a
- AC-1: b
  - c
\t- d
1. Given a
2. When b
3. Then c
| a | b |
|---|---|
| AC-2 | d |
```
```gherkin
> q
    code
`make`
Do not touch `a.py`.
The tool shall stop.
Task 1: f
---
name: x
<!-- e
-->
\x0b
\u2028

"""
PIECES = st.lists(st.sampled_from(LINES.split("\n")), max_size=25)


def unaccounted(spec: Specification) -> list[int]:
    taken = {
        number
        for parts in (spec.criteria, spec.tasks, spec.validation, spec.context)
        for each in parts
        for number in range(each.line, each.line + each.lines)
    }
    return [number for number, line in enumerate(lines_of(spec.text), 1) if line.strip() and number not in taken]


@given(PIECES.map("\n".join) | st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_no_line_of_any_text_is_unaccounted_for(text: str) -> None:
    assert unaccounted(read_specification(text, "a.md")) == []


def test_five_megabytes_are_read_whole() -> None:
    part = a_spec("- [ ] The first hour is free.\n") + "\n" + "Some words about it, and more of them.\n" * 1000
    spec = read_specification(part * (5_000_000 // len(part)))

    assert len(spec.criteria) == 5_000_000 // len(part)
    assert unaccounted(spec) == []


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


FILLED = [
    "`fees([100, 200])` is [2, 4]",
    "`f()` is [2]",
    "`f()` is [2.5, -4]",
    "`names()` is ['a', \"b c\"]",
    '`pairs()` is [("a", 1), ("b", 2)]',
    '`rows()` is [{"a": 1}]',
    "`order()` is [first, second, third]",
    "`order()` is [A, B, C]",
    "`f([describe it])` is 2",
    "[1, 2] gives 3",
]
UNFILLED = [
    "`f()` is [TODO]",
    "[TODO]",
    "`f()` is [describe the result]",
    "[describe the input, then the result]",
    "`f()` is [true|false]",
    "`f()` is [number]",
    "`f()` is [name: text]",
    "[Given a user, e.g. an admin]",
    "`f()` is [FEATURE NAME]",
    "`f()` is [30 to 60 words about it]",
]


@pytest.mark.parametrize("written", FILLED)
def test_a_list_of_values_is_filled_in(written: str) -> None:
    assert [each.code for each in read_specification(a_spec(f"- AC-3: {written}")).problems] == []


@pytest.mark.parametrize("written", UNFILLED)
def test_words_in_brackets_are_to_be_filled_in(written: str) -> None:
    assert "placeholder" in [each.code for each in read_specification(a_spec(f"- AC-3: {written}")).problems]
