"""What was read as what, for people and for programs."""

import pytest

from dualgate.core.money.estimate import Estimate
from dualgate.core.values.problems import error, warning
from dualgate.core.values.specification import (
    Context,
    Criterion,
    Kind,
    Question,
    Specification,
    Task,
    ValidationCommand,
)
from dualgate.core.values.vocabulary import Workflow
from dualgate.display.lines import Line, width
from dualgate.display.specification import (
    cost_lines,
    next_lines,
    remark_lines,
    separated,
    specification_lines,
    specification_record,
)

TEXT = """\
# Fees

## Goal

Tell the fee.

## Background

Some words.

## Acceptance Criteria

- …

### Level 1

```bash
ruff check .
```

Odds
----
"""
SPEC = Specification(
    title="Fees",
    goal="Tell\nthe fee.",
    criteria=(
        Criterion(id="AC-1", text="The first half hour is free.", line=13),
        Criterion(id="AC-10", text="Old tickets\nstill work.", line=14, kind=Kind.KEEP),
        Criterion(id="AC-3", text="料金" * 40, line=15, kind=Kind.CHECK, inferred=False, command="make lint"),
        Criterion(id="AC-4", text="All tests pass.", line=16, kind=Kind.CHECK),
        Criterion(id="AC-5", text="`mypy` is clean.", line=117, kind=Kind.CHECK, command="mypy"),
    ),
    text=TEXT,
    tasks=(Task(text="one", line=20, done=True), *(Task(text=f"task {n}", line=20 + n) for n in range(1, 8))),
    validation=(
        ValidationCommand(command="pytest", line=31),
        ValidationCommand(command="mypy .", line=30, level=2),
        ValidationCommand(command="ruff check .", line=18, level=1),
    ),
    context=(
        Context(heading="Fees", line=1, lines=2),
        Context(heading="Goal", line=3, lines=4),
        Context(heading="Background", line=7, lines=1),
        Context(heading="Background", line=9, lines=2),
        Context(heading="Acceptance Criteria", line=11, lines=2),
        Context(heading="Level 1", line=15, lines=3),
        Context(heading="Odds", line=21, lines=2),
    ),
    questions=(Question(key="plan", line=40, text="The list has no boxes.", readings=("tasks", "context")),),
    problems=(error("x", "'[NAME]' is not filled in", line=5), warning("y", "AC-1 is vague")),
    spec_id="S03",
    dependencies=("S01", "S02"),
)


def text(lines: list[Line]) -> str:
    return "\n".join(line.text for line in lines)


def test_the_table_shows_each_part_with_its_line() -> None:
    assert text(specification_lines(SPEC, "fees.md", Workflow.TDD, 60)) == (
        """\
Title       Fees
Goal        Tell the fee.
Read from   fees.md
Workflow    tdd: RED, GREEN, REFACTOR, DOCUMENT, QA
Id          S03
Depends on  S01, S02

Criteria    1 new, 1 keep, 3 check
  ID     KIND     LINE  TEXT
  AC-1   new *      13  The first half hour is free.
  AC-10  keep *     14  Old tickets still work.
  AC-3   check      15  料金料金料金料金料金料金料金料金料…
  AC-4   check *    16  All tests pass. (the project's own …
  AC-5   check *   117  `mypy` is clean.
  * inferred; write [new], [keep], [check: COMMAND] or
    [review] to set it

Tasks       1 of 8 done
  21  [ ]  task 1
  22  [ ]  task 2
  23  [ ]  task 3
  24  [ ]  task 4
  25  [ ]  task 5
  and 2 more

Validation  3 commands
  18  level 1  ruff check .
  30  level 2  mypy .
  31           pytest

Context     6 lines, given to every agent
  3  4 lines  Goal
  9  2 lines  Background"""
    )


def test_what_a_person_has_to_look_at_has_its_file_and_line() -> None:
    assert text(remark_lines(SPEC, "fees.md", ["make lint"])) == (
        """\
Approval    a run asks before it runs these commands with the gates
  `make lint`  AC-3

Questions   open: a run asks; the first reading is shown here
  fees.md:40: The list has no boxes.
    (1) tasks
    (2) context

Problems    1
  fees.md:5: '[NAME]' is not filled in
Warnings    1
  fees.md: AC-1 is vague"""
    )


def test_a_short_document_has_a_short_table() -> None:
    spec = Specification(title="do.md", goal="", criteria=(), text="x", tasks=(Task(text="a", line=1, done=True),))

    assert text(specification_lines(spec, "do.md", Workflow.RALPH)) == (
        "Read from   do.md\nWorkflow    ralph: BUILD\n\nTasks       1 of 1 done\n  1  [x]  a"
    )
    assert remark_lines(spec, "do.md") == []


def test_ralph_says_that_it_does_not_prove_each_criterion() -> None:
    table = text(specification_lines(SPEC, "fees.md", Workflow.RALPH))

    assert "Workflow    ralph: BUILD; criteria are not proven one by one" in table


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_no_line_is_wider_than_the_terminal(columns: int) -> None:
    name = "a-long-folder/with-a-long-name/料金.md"
    parts = (
        specification_lines(SPEC, name, Workflow.TDD, columns),
        remark_lines(SPEC, name, ["make lint"], columns),
        next_lines([f"dualgate run {name} --agent NAME"], columns),
    )

    assert [line for line in separated(parts) if width(line.text) > columns] == []


def test_control_characters_of_a_document_steer_no_terminal() -> None:
    spec = Specification(
        title="\x1b[31mred",
        goal="\x07",
        criteria=(Criterion(id="AC-1", text="a\x1b[2Jb", line=1),),
        text="",
        questions=(Question(key="k", line=1, text="\x1b[2J", readings=("\x07", "b")),),
    )

    lines = [*specification_lines(spec, "a.md", Workflow.TDD), *remark_lines(spec, "a.md")]

    assert all(line.text.isprintable() for line in lines)


def test_the_record_has_the_documented_keys() -> None:
    record = specification_record(SPEC, Workflow.TDD)

    parts = [
        "title",
        "goal",
        "workflow",
        "criteria",
        "tasks",
        "validation",
        "context",
        "questions",
        "problems",
        "warnings",
    ]
    assert list(record) == [*parts, "calls", "spec_id", "dependencies", "blocks"]
    assert record["criteria"][0] == {
        "id": "AC-1",
        "kind": "new",
        "text": "The first half hour is free.",
        "line": 13,
        "inferred": True,
    }
    assert [criterion.get("command") for criterion in record["criteria"]] == [None, None, "make lint", "", "mypy"]
    assert record["questions"] == [
        {"key": "plan", "line": 40, "text": "The list has no boxes.", "readings": ["tasks", "context"]}
    ]
    assert (record["problems"], record["warnings"]) == (
        [{"line": 5, "message": "'[NAME]' is not filled in"}],
        [{"line": None, "message": "AC-1 is vague"}],
    )
    assert (record["calls"], specification_record(SPEC, Workflow.RALPH)["calls"]) == (5, 1)


def test_the_cost_is_told_in_calls_and_by_earlier_sessions() -> None:
    nothing = Estimate(ground="no earlier session of this project: no estimate")

    told = [line.text for workflow in Workflow for line in cost_lines(workflow, nothing)]

    assert told == [
        "Cost        at least 5 calls of an agent, one for each phase",
        "            no earlier session of this project: no estimate",
        "Cost        at least 1 call of an agent",
        "            no earlier session of this project: no estimate",
    ]
