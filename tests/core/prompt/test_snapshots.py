"""Every prompt of a run in three situations, word for word, and the size of its parts.

The prompts are kept in tests/data/prompts. After a change of a template, write them again with
`UPDATE_PROMPTS=1 pytest tests/core/prompt/test_snapshots.py`, and read the difference.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

import pytest

from dualgate.core.prompt.parts import Prompt
from dualgate.core.prompt.writing import prepare, write_prompt
from dualgate.core.spec.reading import read_specification
from dualgate.core.values.answer import Recalled
from dualgate.core.values.brief import Brief
from dualgate.core.values.changes import FileChange, FileDiff, Violation
from dualgate.core.values.claim import NoteKind, PhaseNote
from dualgate.core.values.fix_request import FixSeverity, RouteTo
from dualgate.core.values.reviews import Finding, FindingState, Reviews
from dualgate.core.values.specification import CriterionState, CriterionStatus, Kind, Plan
from dualgate.core.values.state import Attempt, LoopState, Memory, Proof, Rejection, ReviewContext
from dualgate.core.values.suite import Suite
from dualgate.core.values.verdict import Breaker
from dualgate.core.values.vocabulary import PHASES, BreakerState, EntryKind, Phase, Workflow
from dualgate.prompts import load_templates
from dualgate.testing import NOW, a_fix, a_state, failed, passed

FOLDER = Path(__file__).parents[2] / "data" / "prompts"
TEMPLATES = prepare(load_templates())
SPEC = read_specification((FOLDER / "SPEC.md").read_text(), "SPEC.md")


class Situation(StrEnum):
    FIRST = "first"
    FAILURE = "after-failure"
    REJECTION = "after-rejection"


CASES = [
    *((phase, situation) for phase in PHASES[Workflow.TDD] for situation in Situation),
    (Phase.BUILD, Situation.FIRST),
    (Phase.BUILD, Situation.FAILURE),
]
CASES.remove((Phase.RED, Situation.REJECTION))  # a rejection does not lead back to RED
TESTS = "tests/test_fee.py"
OLD = passed("test_table", file="tests/test_table.py", id="tests/test_table.py::test_table")
RED_TESTS = tuple(
    failed(f"test_ac{n}", file=TESTS, id=f"{TESTS}::test_ac{n}", message=f"E   NameError: fee\n{TESTS}:{9 + n}")
    for n in (1, 2, 3)
)
GREEN_TESTS = tuple(replace(each, outcome=OLD.outcome, message="") for each in RED_TESTS)
DIFF = (
    "--- a/tests/test_fee.py\n+++ b/tests/test_fee.py\n@@ -9 +9 @@\n-    assert fee(501) == 490\n+    assert fee(501)"
)
FINDINGS = (
    Finding(
        request=a_fix(1, file="shop/fees.py", location="line 12", description="fee(0) is not refused"),
        state=FindingState.OPEN,
        review=1,
        by="codex",
        raised_at=NOW,
    ),
    Finding(
        request=a_fix(2, file="shop/fees.py", location="line 3", description="two tables", route_to=RouteTo.REFACTORER),
        state=FindingState.OPEN,
        review=1,
        by="codex",
        raised_at=NOW,
    ),
    Finding(
        request=a_fix(3, file="shop/fees.py", location="line 20", severity=FixSeverity.MINOR, description="long name"),
        state=FindingState.ADVICE,
        review=1,
        by="codex",
        raised_at=NOW,
    ),
)
BRIEF = Brief(
    suites=(Suite(name="pytest", command=(".venv/bin/python", "-m", "pytest"), runner="pytest"),),
    checks=("ruff check .",),
    instructions=("AGENTS.md",),
)
CODE = (
    "from shop.tables import LIMITS",
    "",
    "",
    "def fee(grams: int) -> int:",
    '    """The fee of a parcel in cents."""',
    "    for limit, cents in LIMITS:",
    "        if 0 < grams <= limit:",
    "            return cents",
    '    raise ValueError(f"no parcel has {grams} g")',
)
TEST_CODE = (
    "def test_ac1():",
    "    assert fee(500) == 290",
    "",
    "",
    "def test_ac2():",
    "    assert fee(501) == fee(2000) == 490",
)
DIFFS = (
    FileDiff(
        path="shop/fees.py",
        change=FileChange.NEW,
        diff="--- /dev/null\n+++ b/shop/fees.py\n@@ -0,0 +1,9 @@\n+" + "\n+".join(CODE),
        added=len(CODE),
    ),
    FileDiff(
        path=TESTS,
        change=FileChange.NEW,
        diff="--- /dev/null\n+++ b/tests/test_fee.py\n@@ -0,0 +1,6 @@\n+" + "\n+".join(TEST_CODE),
        added=len(TEST_CODE),
    ),
)
RECALLED = Recalled(
    id=1,
    kind=EntryKind.ERROR,
    text="KeyError in shop/tables.py",
    cure="changed shop/tables.py",
    source="session 1a2b3c4d, GREEN 3, 2026-01-10",
)
NOTES = (
    PhaseNote(phase=Phase.RED, iteration=1, kind=NoteKind.INTENT, text="Contract surface: fee(grams: int) -> int"),
    PhaseNote(phase=Phase.RED, iteration=1, kind=NoteKind.NOTE, text="The tables are read from shop/tables.py."),
    PhaseNote(phase=Phase.GREEN, iteration=1, kind=NoteKind.DECISION, text="Limits are inclusive."),
)


def test_each_prompt_is_as_it_was_read_last(prompt: tuple[str, Prompt]) -> None:
    name, written = prompt

    assert written.text == kept(f"{name}.md", written.text)


def test_the_size_of_each_part_is_known() -> None:
    told = "".join(f"{line}\n" for line in sizes())

    assert told == kept("sizes.txt", told)


def test_the_form_of_the_answer_is_less_than_a_fifth(prompt: tuple[str, Prompt]) -> None:
    assert prompt[1].form_share < 0.2


def test_a_constraint_from_the_background_is_in_every_prompt(prompt: tuple[str, Prompt]) -> None:
    assert "Weights come from a scale that shows whole grams." in prompt[1].text


def test_no_prompt_speaks_of_another_program(prompt: tuple[str, Prompt]) -> None:
    assert "ubtask" not in prompt[1].text
    assert "Task-Master" not in prompt[1].text


@pytest.fixture(params=CASES, ids=lambda case: "-".join(case))
def prompt(request: pytest.FixtureRequest) -> tuple[str, Prompt]:
    phase, situation = request.param
    return f"{phase}-{situation}", written(phase, situation)


def written(phase: Phase, situation: Situation) -> Prompt:
    brief = replace(BRIEF, recalled=(RECALLED,)) if phase in (Phase.GREEN, Phase.QA) else BRIEF
    brief = replace(brief, diffs=DIFFS) if phase is Phase.QA else brief
    return write_prompt(SPEC, a_situation(phase, situation), TEMPLATES, brief)


def sizes() -> Iterator[str]:
    for phase, situation in CASES:
        made = written(phase, situation)
        parts = ", ".join(f"{part.name} {part.tokens}" for part in made.parts)
        yield f"{phase} {situation}: {made.tokens} tokens, {made.form_share:.0%} form; {parts}"


def kept(name: str, now: str) -> str:
    if os.environ.get("UPDATE_PROMPTS"):
        (FOLDER / name).write_text(now)
    return (FOLDER / name).read_text()


def a_situation(phase: Phase, situation: Situation) -> LoopState:
    state = SITUATIONS[situation](at_start(phase))
    return replace(state, workflow=Workflow.RALPH, plan=PLAN, notes=()) if phase is Phase.BUILD else state


PLAN = Plan(file="fix_plan.md", open=("say the fee in the shop",), done=("fee of a parcel",))


def at_start(phase: Phase) -> LoopState:
    """A phase as it begins, after those before it were proven."""
    begun = a_state(phase=phase, prp_file="SPEC.md", proof=Proof(baseline=(OLD,), suites=("pytest",), start_tree="t0"))
    if phase in (Phase.RED, Phase.BUILD):
        return begun
    is_green = phase is not Phase.GREEN
    results = (OLD, *(GREEN_TESTS if is_green else RED_TESTS))
    rows = tuple(
        CriterionState(
            id=each.id,
            text=each.text,
            kind=each.kind,
            state=CriterionStatus.NOT_REVIEWED
            if each.kind is Kind.REVIEW
            else CriterionStatus.GREEN
            if is_green
            else CriterionStatus.RED,
            proof=(f"{TESTS}::test_ac{number}",) if each.kind is Kind.NEW else (),
        )
        for number, each in enumerate(SPEC.criteria, start=1)
    )
    return replace(
        begun,
        proof=replace(begun.proof, red=(OLD, *RED_TESTS), proven=results, red_tree="t1", proven_tree="t1"),
        memory=Memory() if is_green else Memory(failing=RED_TESTS),
        notes=NOTES,
        criteria_states=rows,
        review_context=ReviewContext(added=(TESTS, *(("shop/fees.py",) if is_green else ()))),
        phases_completed=PHASES[Workflow.TDD][: PHASES[Workflow.TDD].index(phase)],
    )


def after_failure(state: LoopState) -> LoopState:
    failing = RED_TESTS[1:2]
    memory = Memory(
        reasons=("1 failing: tests/test_fee.py::test_ac2", "the agent does not say EXIT_SIGNAL: true"),
        failing=failing,
        violations=(
            Violation(path=TESTS, rule=("proven tests and their configuration are frozen after RED"), diff=DIFF),
        ),
        false_claims=("TESTS_STATUS was given as PASSING, measured FAILING",),
        uncovered=("AC-2",) if state.phase is Phase.RED else (),
    )
    attempt = Attempt(iteration=1, said="used a table", changed=("shop/fees.py",), result="1 failing: test_ac2")
    breaker = Breaker(state=BreakerState.HALF_OPEN, no_progress=2)
    return replace(state, iteration=1, memory=memory, attempts=(attempt,), breaker=breaker, guidance=("use a table",))


def after_rejection(state: LoopState) -> LoopState:
    return replace(
        state,
        reviews=Reviews(count=1, tree="t2", findings=FINDINGS, touched=("shop/fees.py",)),
        rejections=(Rejection(at=NOW, reason="the review says REJECT: fee(0) is not refused"),),
        qa_attempts=1,
    )


SITUATIONS: dict[Situation, Callable[[LoopState], LoopState]] = {
    Situation.FIRST: lambda state: state,
    Situation.FAILURE: after_failure,
    Situation.REJECTION: after_rejection,
}
