"""Whether a run can start from a specification, and with which workflow."""

from dataclasses import replace

import pytest

from dualgate.core.spec.readiness import (
    ONLY_TASKS,
    commands_of,
    decided_workflow,
    for_workflow,
    require_ready,
    require_sound,
)
from dualgate.core.values.problems import Severity, error, warning
from dualgate.core.values.specification import Criterion, Kind, Question, Specification, Task
from dualgate.core.values.vocabulary import Workflow
from dualgate.errors import SpecError

CRITERION = Criterion(id="AC-1", text="It doubles.", line=3)
TASK = Task(text="Do it.", line=4)
QUESTION = Question(key="plan", line=7, text="The list has no boxes.", readings=("tasks", "context"))
EMPTY = Specification(title="Doubling", goal="", criteria=(), text="Any words.")
WITH_CRITERIA = Specification(title="Doubling", goal="", criteria=(CRITERION,), text="x", tasks=(TASK,))
WITH_TASKS = Specification(title="Doubling", goal="", criteria=(), text="x", tasks=(TASK,))
NOTHING = error("nothing_to_prove", "There are no acceptance criteria.")
UNFILLED = error("placeholder", "'[NAME]' is not filled in", line=2)
WRONG = Specification(title="Doubling", goal="", criteria=(), text="x", problems=(NOTHING, UNFILLED))

FORBIDDING = Criterion(id="AC-1", text="no", line=1, kind=Kind.REVIEW, forbids=("a.py",))
DECIDED = [
    (WITH_CRITERIA, None, Workflow.TDD),
    (WITH_TASKS, None, Workflow.RALPH),
    (replace(WITH_TASKS, criteria=(FORBIDDING,)), None, Workflow.RALPH),
    (EMPTY, None, Workflow.RALPH),
    (WRONG, None, Workflow.TDD),
    (WITH_CRITERIA, Workflow.RALPH, Workflow.RALPH),
    (WITH_TASKS, Workflow.TDD, Workflow.TDD),
]


@pytest.mark.parametrize(("spec", "given", "expected"), DECIDED)
def test_the_document_decides_the_workflow_where_none_is_given(
    spec: Specification, given: Workflow | None, expected: Workflow
) -> None:
    assert decided_workflow(spec, given) is expected


def test_ralph_takes_any_text_so_that_nothing_of_it_stops_a_run() -> None:
    asking = Specification(
        title="", goal="", criteria=(), text="x", questions=(QUESTION,), problems=(NOTHING, UNFILLED)
    )

    taken = for_workflow(asking, Workflow.RALPH)

    assert (taken.is_ready, [(each.line, each.severity) for each in taken.problems]) == (True, [(2, Severity.WARNING)])
    assert for_workflow(asking, None) is asking


def test_an_empty_prompt_stops_ralph_too() -> None:
    blank = Specification(title="", goal="", criteria=(), text=" \n")

    assert [problem.message for problem in for_workflow(blank, Workflow.RALPH).problems] == ["The prompt is empty."]


def test_tdd_needs_criteria_and_says_what_works_without() -> None:
    (problem,) = for_workflow(WITH_TASKS, Workflow.TDD).problems

    assert (problem.message, for_workflow(WITH_CRITERIA, Workflow.TDD)) == (ONLY_TASKS, WITH_CRITERIA)
    assert for_workflow(WRONG, Workflow.TDD) is WRONG


def test_commands_are_those_of_checks_each_once() -> None:
    checks = [Criterion(id="c", text="", line=1, kind=Kind.CHECK, command=each) for each in ("a", "b", "a", "")]
    spec = Specification(title="", goal="", criteria=(*checks, CRITERION), text="")

    assert commands_of(spec) == ("a", "b")


def test_every_error_is_named_with_its_line_and_warnings_stop_nothing() -> None:
    warned = Specification(title="", goal="", criteria=(CRITERION,), text="", problems=(warning("vague", "vague"),))

    with pytest.raises(SpecError, match=r"a\.md: There are no .*\na\.md:2: '\[NAME\]' is not filled in") as raised:
        require_sound(WRONG, "a.md")

    assert [problem["line"] for problem in raised.value.details["problems"]] == [None, 2]
    assert "one bullet or tick box" in raised.value.next_step
    assert require_ready(warned, "a.md") is warned


def test_an_error_of_a_specification_with_criteria_leads_to_check() -> None:
    spec = Specification(title="", goal="", criteria=(CRITERION,), text="", problems=(UNFILLED,))

    with pytest.raises(SpecError) as raised:
        require_ready(spec, "a.md")

    assert raised.value.next_step == "'dualgate check' shows what was read as what."


def test_open_questions_and_commands_are_listed_together() -> None:
    spec = Specification(title="", goal="", criteria=(CRITERION,), text="", questions=(QUESTION,))

    with pytest.raises(SpecError) as raised:
        require_ready(spec, "a.md", ["make lint"])

    assert raised.value.message.splitlines() == [
        "The specification can be read in two ways:",
        "a.md:7: The list has no boxes. (1) tasks (2) context",
        "Commands of the specification are not approved:",
        "  make lint",
    ]
    assert (raised.value.details["questions"][0]["key"], raised.value.details["commands"]) == ("plan", ["make lint"])


def test_commands_alone_stop_a_run_too() -> None:
    with pytest.raises(SpecError) as raised:
        require_ready(WITH_CRITERIA, "a.md", ["make lint"])

    assert raised.value.message == "Commands of the specification are not approved:\n  make lint"
