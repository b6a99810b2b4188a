"""A person's specification, the readings they chose, and the work that it makes."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dualgate.core.values.specification import Criterion, Kind, Question, Specification, Task
from dualgate.core.values.vocabulary import Workflow
from dualgate.errors import SpecError
from dualgate.session.document import COMMAND_LINE, Document, find_prompt, first_readings, read_document
from dualgate.session.work import Work, read_work, work_of
from dualgate.settings import Settings
from dualgate.settings.declaration import Spec, TaskListUse

LINT = Criterion(id="AC-1", text="clean", line=1, kind=Kind.CHECK, command="make lint")
TYPES = Criterion(id="AC-2", text="typed", line=2, kind=Kind.CHECK, command="mypy")


@dataclass(frozen=True, kw_only=True)
class Read(Document):
    """A document that was read as this, whatever its text is."""

    criteria: tuple[Criterion, ...] = ()
    tasks: tuple[Task, ...] = ()
    asks: tuple[str, ...] = ()
    """Keys of its questions, each asked when the one before it was answered."""

    def read(self, settings: Settings) -> Specification:
        key = next((each for each in self.asks if each not in self.answers), None)
        questions = (Question(key=key, line=1, text="?", readings=("one", "two")),) if key else ()
        return Specification(
            title="", goal="", text=self.text, criteria=self.criteria, tasks=self.tasks, questions=questions
        )


def work(document: Document | Path, project: Path, **settings: Any) -> Work:
    return read_work(document, project, Settings(test_command="true", **settings), {})


def tasks(document: Document, project: Path, **settings: Any) -> tuple[str | None, tuple[str, ...]]:
    made = work(document, project, **settings)
    plan = made.tasks.read() if made.tasks else None
    return plan.file if plan else None, made.unused


def test_the_first_reading_is_taken_until_no_question_is_open() -> None:
    document = Read(name="a.md", text="", asks=("a", "b"), answers={"z": 1})

    assert first_readings(document, Settings()).answers == {"z": 1, "a": 0, "b": 0}


def test_commands_are_approved_by_settings_or_by_a_person_and_by_nothing_else() -> None:
    document = Read(name="a.md", text="", criteria=(LINT, TYPES), approved=("mypy", "rm -rf /"))
    read = document.read(Settings())

    assert document.approved_commands(read, Settings()) == ("mypy",)
    assert document.unapproved_commands(read, Settings()) == ("make lint",)
    assert document.unapproved_commands(read, Settings(checks={"lint": "make lint"})) == ()
    assert document.unapproved_commands(read, Settings(workflow=Workflow.RALPH)) == ()


def test_the_work_holds_the_answers_and_the_approved_commands(project: Path) -> None:
    document = Read(name="a.md", text="", criteria=(LINT, TYPES), answers={"a": 1}, asks=("a",))

    made = work(document, project, checks={"types": "mypy", "other": "unrelated"})

    assert (made.workflow, made.answers, made.approved) == (Workflow.TDD, {"a": 1}, ("mypy",))


TWO_WAYS = "# D\n\n## Acceptance Criteria\n\n- AC-1: a is 1\n\n## Expected behavior\n\nb is 2.\n"


@pytest.mark.parametrize(("reading", "ids"), [(0, ["AC-1", "AC-2"]), (1, ["AC-1"])])
def test_a_resumed_session_reads_by_the_answers_that_it_was_started_with(
    project: Path, reading: int, ids: list[str]
) -> None:
    (question,) = Document(name="a.md", text=TWO_WAYS).read(Settings()).questions
    answers = {question.key: reading}

    begun = work(Document(name="a.md", text=TWO_WAYS, answers=answers), project)
    document = Document(name="a.md", text=TWO_WAYS, answers=begun.answers)
    resumed = work_of(document, project, Settings(workflow=Workflow.TDD), ())

    assert [criterion.id for criterion in begun.prp.criteria] == ids
    assert resumed.prp.criteria == begun.prp.criteria


def test_headings_of_the_settings_mean_criteria() -> None:
    document = Document(name="a.md", text="# D\n\n## Kriterieliste\n\n- a is 1\n- b is 2\n")

    read = document.read(Settings(spec=Spec(criteria_headings=("kriterieliste",))))

    assert [criterion.text for criterion in read.criteria] == ["a is 1", "b is 2"]


@pytest.mark.parametrize(("workflow", "criteria"), [(Workflow.TDD, 1), (Workflow.RALPH, 0)])
def test_a_given_workflow_answers_what_a_short_text_is(workflow: Workflow, criteria: int) -> None:
    document = Document(name=COMMAND_LINE, text="Make fee(45) return 200.")

    asked, given = document.read(Settings()), document.read(Settings(workflow=workflow))

    assert (len(asked.questions), given.questions, len(given.criteria)) == (1, (), criteria)


def test_open_questions_stop_the_work(project: Path) -> None:
    with pytest.raises(SpecError, match="can be read in two ways"):
        work(Read(name="a.md", text="", criteria=(LINT,), asks=("a",)), project)


ONE = (Task(text="one", line=1),)


def test_a_document_with_only_tasks_is_worked_on_by_ralph_and_is_its_own_list(project: Path) -> None:
    (project / "tasks.md").write_text("- [ ] one\n")
    document = Read(name="tasks.md", text="- [ ] one\n", tasks=ONE)

    assert work(document, project).workflow is Workflow.RALPH
    assert tasks(document, project) == ("tasks.md", ())


def test_a_list_of_a_usual_name_or_a_given_one_comes_before_the_document(project: Path) -> None:
    for name in ("tasks.md", "fix_plan.md", "mine.md"):
        (project / name).write_text("- [ ] one\n")
    document = Read(name="tasks.md", text="- [ ] one\n", tasks=ONE)

    assert tasks(document, project) == (
        "fix_plan.md",
        ("the task list tasks.md: fix_plan.md is there too, and comes first",),
    )
    assert tasks(document, project, plan=TaskListUse(file="mine.md")) == ("mine.md", ())


def test_a_list_that_is_named_comes_before_others_of_usual_names(project: Path) -> None:
    for name in ("IMPLEMENTATION_PLAN.md", "fix_plan.md"):
        (project / name).write_text("- [ ] one\n")

    assert tasks(Read(name="fix_plan.md", text="- [ ] one\n", tasks=ONE), project) == (
        "fix_plan.md",
        ("the task list IMPLEMENTATION_PLAN.md: fix_plan.md is there too, and comes first",),
    )


def test_a_text_without_a_file_has_no_list_of_its_own(project: Path) -> None:
    assert tasks(Read(name=COMMAND_LINE, text="- [ ] one\n", tasks=ONE), project) == (None, ())


def test_the_given_workflow_wins_over_the_document(project: Path) -> None:
    document = Read(name="a.md", text="x", criteria=(LINT,))

    made = work(document, project, workflow=Workflow.RALPH)

    assert (made.workflow, made.prp.criteria, made.approved) == (Workflow.RALPH, (), ())


def test_other_prompts_are_named_where_one_was_found(project: Path) -> None:
    (project / ".ralph").mkdir()
    for name in ("PROMPT.md", ".ralph/PROMPT.md"):
        (project / name).write_text("Do it.\n")

    found = find_prompt(project, Settings(workflow=Workflow.RALPH))

    assert (found.name, found.beside) == ("PROMPT.md", (".ralph/PROMPT.md",))


def test_only_ralph_looks_for_a_prompt(project: Path) -> None:
    with pytest.raises(SpecError, match="No specification is given"):
        find_prompt(project, Settings())


def test_a_file_that_begins_with_a_mark_is_read_without_it(project: Path) -> None:
    (project / "bom.md").write_bytes(b"\xef\xbb\xbf# x")

    assert read_document(project, Path("bom.md")).text == "# x"
