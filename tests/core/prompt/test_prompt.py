import re
from dataclasses import replace

import pytest

from dualgate.core.machine.phases import first_phase
from dualgate.core.prompt.detail import DETAILS
from dualgate.core.prompt.writing import MOST_OF_REST, plan_call, prepare, write_prompt
from dualgate.core.said.amendment_requests import read_amendment
from dualgate.core.said.response import read_response
from dualgate.core.said.work_report import PACKETS
from dualgate.core.spec.reading import read_specification
from dualgate.core.values.amendments import Amendment, AmendmentOutcome, AmendmentRequest
from dualgate.core.values.answer import Answer
from dualgate.core.values.changes import DocumentCount, RolledBack, Uncounted, Violation
from dualgate.core.values.checks import CheckResult, CheckState
from dualgate.core.values.commits import CommitLog, CommitRefusal
from dualgate.core.values.fix_request import RouteTo
from dualgate.core.values.limits import Limits
from dualgate.core.values.reviews import Finding, FindingState, Reviews
from dualgate.core.values.specification import Criterion, CriterionState, CriterionStatus, Kind, Plan
from dualgate.core.values.state import Attempt, LoopState, Memory, PhaseVisit, Proof, Rejection, ReviewContext
from dualgate.core.values.team import FailuresInARow, Lineup
from dualgate.core.values.verdict import Breaker
from dualgate.core.values.vocabulary import Amend, BreakerState, Phase, Workflow
from dualgate.errors import SettingError
from dualgate.prompts import load_templates
from dualgate.testing import NOW, a_fix, a_spec, a_state, failed, passed

TEMPLATES = prepare(load_templates())


def prompt_of(state: LoopState) -> str:
    return write_prompt(a_spec(), state, TEMPLATES).text


@pytest.mark.parametrize("phase", list(Phase))
def test_each_part_of_a_prompt_stands_apart_from_the_one_before(phase: Phase) -> None:
    workflow = Workflow.RALPH if phase is Phase.BUILD else Workflow.TDD
    memory = Memory(reasons=("a test fails",), false_claims=("a claim",), uncovered=("AC-1",))
    plan = Plan(file="plan.md", open=("a task",))

    text = prompt_of(a_state(workflow=workflow, phase=phase, memory=memory, plan=plan, guidance=("use a queue",)))

    lines = text.splitlines()
    parts = [place for place, line in enumerate(lines) if line.startswith("## ")]
    assert len(parts) > 5
    assert [lines[place] for place in parts if lines[place - 1] or not lines[place - 2]] == []


def test_a_commit_hook_that_refuses_is_told_to_an_agent_that_can_fix_it() -> None:
    refusal = CommitRefusal(reason="the hook pre-commit exits with 1", hook="pre-commit", output="E501 too long")
    by_hook, by_git = (CommitLog(refusal=each) for each in (refusal, replace(refusal, hook="")))

    text = prompt_of(a_state(phase=Phase.GREEN, commits=by_hook))

    assert "## The project's commit hook refuses this work\n\nthe hook pre-commit exits with 1." in text
    assert "E501 too long" in text
    assert "commit hook" not in prompt_of(a_state(phase=Phase.QA, commits=by_hook))
    assert "commit hook" not in prompt_of(a_state(phase=Phase.GREEN, commits=by_git))


@pytest.mark.parametrize("phase", list(Phase))
def test_every_phase_has_a_prompt_with_goal_criteria_and_the_form_of_the_answer(phase: Phase) -> None:
    text = prompt_of(a_state(phase=phase))

    assert f"phase {phase}, iteration 1 of at most 100" in text
    assert "Do it." in text
    assert "- AC-2 (new, no test): thing 2 works" in text
    assert "    ---RALPH_STATUS---" in text


@pytest.mark.parametrize("phase", list(Phase))
def test_an_agent_that_quotes_its_prompt_has_not_given_the_signal(phase: Phase) -> None:
    assert not read_response(Answer(text=prompt_of(a_state(phase=phase))), phase).exit_signal


def test_the_last_turn_is_told() -> None:
    memory = Memory(
        reasons=("1 failing: test_a",),
        failing=(failed("test_a", message="AssertionError: assert 1 == 2"),),
        violations=(Violation(path="tests/test_a.py", rule="frozen"),),
        false_claims=("TESTS_STATUS was given as PASSING, measured FAILING",),
    )

    text = prompt_of(a_state(phase=Phase.GREEN, memory=memory))

    assert "- 1 failing: test_a" in text
    assert "- tests/test_x.py::test_a\n    AssertionError: assert 1 == 2" in text
    assert "- tests/test_a.py: frozen; reverted" in text
    assert "- TESTS_STATUS was given as PASSING, measured FAILING" in text


def test_frozen_files_and_rejections_are_listed() -> None:
    state = a_state(
        phase=Phase.GREEN,
        proof=Proof(proven=(failed("test_a"), failed("test_b"))),
        rejections=(Rejection(at=NOW, reason="no bounds"),),
    )

    text = prompt_of(state)

    assert text.count("    - tests/test_x.py\n") == 1
    assert "- no bounds" in text


def test_tests_that_failed_before_are_named_as_such() -> None:
    state = a_state(phase=Phase.GREEN, proof=Proof(baseline=tuple(failed(f"test_{n}") for n in range(22))))

    text = prompt_of(state)

    assert "## Failing before you began" in text
    assert "- 2 of 22 tests that failed before you began\n" in text


def test_a_reviewer_is_told_what_else_was_done_to_the_tests() -> None:
    state = a_state(phase=Phase.QA, proof=Proof(notes=("tests probably renamed: a -> b",)))

    assert "- RED: tests probably renamed: a -> b" in prompt_of(state)


def test_the_form_of_an_amendment_is_shown_while_one_may_be_filed() -> None:
    red = Memory(failing=(failed("test_a"),))
    by_review = a_state(phase=Phase.GREEN, iteration=1, memory=red)
    by_person = a_state(phase=Phase.REFACTOR, iteration=1, memory=red, amend=Amend.HUMAN)
    frozen = Proof(proven=(failed("test_a"),))

    assert "A person\napproves it" in prompt_of(by_review)
    assert "3 more can be accepted." in prompt_of(by_review)
    assert "A person\napproves it" in prompt_of(by_person)
    second = a_state(phase=Phase.GREEN, iteration=1, memory=red, lineup=Lineup(every=("a", "b")))
    assert "A reviewer\napproves it" in prompt_of(second)
    assert "FUNCTION:" in prompt_of(second)
    other = Proof(proven=(failed("test_a", file="a.test.ts"),))
    assert "FUNCTION:" not in prompt_of(replace(second, proof=other))
    assert read_amendment(prompt_of(by_review)) is None
    assert "can be amended" in prompt_of(a_state(phase=Phase.GREEN, proof=frozen))
    for without in (
        a_state(phase=Phase.GREEN, memory=red),
        a_state(phase=Phase.GREEN, iteration=1, memory=red, amend=Amend.NEVER),
        a_state(phase=Phase.RED, iteration=1, memory=red),
    ):
        assert "TEST_AMENDMENT" not in prompt_of(without)


def test_the_form_of_an_amendment_is_shown_where_a_review_asks_for_another_test() -> None:
    asked = Finding(request=a_fix(3, file="tests/test_a.py"), state=FindingState.OPEN, review=1)

    assert "TEST_AMENDMENT" in prompt_of(a_state(phase=Phase.GREEN, reviews=Reviews(count=1, findings=(asked,))))


def test_an_agent_is_told_what_came_of_its_amendment() -> None:
    request = AmendmentRequest(test_id="tests/test_x.py::test_a")
    accepted = Amendment(outcome=AmendmentOutcome.ACCEPTED, request=request)
    refused = Amendment(outcome=AmendmentOutcome.REFUSED, reasons=("it passes without the work",))

    yes = prompt_of(a_state(phase=Phase.GREEN, memory=Memory(amendment=accepted)))
    no = prompt_of(a_state(phase=Phase.GREEN, memory=Memory(amendment=refused)))
    waits = Amendment(outcome=AmendmentOutcome.WAITING, request=request)
    later = prompt_of(a_state(phase=Phase.GREEN, memory=Memory(amendment=waits)))

    assert "tests/test_x.py::test_a stays as it is until a person decides" in later
    assert "tests/test_x.py::test_a was changed as you asked for" in yes
    assert "the test stays as it is:\n\n- it passes without the work\n" in no


def test_a_refactorer_is_told_what_was_rolled_back() -> None:
    back = RolledBack(tree="g", paths=("a.py",), left=("huge.bin",), kept="s1")

    text = prompt_of(a_state(phase=Phase.REFACTOR, memory=Memory(rolled_back=back)))

    assert "- a.py was restored\n- huge.bin could not be restored: fix it\n" in text


def test_many_failures_are_shown_in_part() -> None:
    memory = Memory(failing=tuple(failed(f"test_{n}") for n in range(DETAILS[0].failing + 3)))

    text = prompt_of(a_state(phase=Phase.GREEN, memory=memory))

    assert "- 3 of 23 failing tests\n" in text
    assert len(re.findall(r"^- tests/test_x", text, re.MULTILINE)) == DETAILS[0].failing


def test_a_call_is_numbered_in_the_session_and_in_its_phase() -> None:
    state = a_state(total_agent_calls=4, iteration=1, visits=(PhaseVisit(phase=Phase.RED, started_at=NOW, calls=2),))

    call = plan_call(a_spec(), state, TEMPLATES)

    assert (call.number, call.ordinal, call.iteration, call.role) == (5, 3, 2, "tester")


def test_the_first_call_of_a_phase_is_its_first() -> None:
    assert plan_call(a_spec(), a_state(visits=()), TEMPLATES).ordinal == 1


def test_tests_of_the_only_suite_are_named_as_its_command_takes_them() -> None:
    failing = replace(failed("test_a"), id="pytest::tests/test_x.py::test_a")
    state = a_state(memory=Memory(failing=(failing,)), proof=Proof(baseline=(failing,), suites=("pytest",)))

    text = prompt_of(state)

    assert text.count("\n- tests/test_x.py::test_a\n") == 2
    assert "pytest::" not in text


REVIEWS = Reviews(
    count=1,
    findings=(
        Finding(request=a_fix(2), state=FindingState.OPEN, review=1),
        Finding(request=a_fix(1, route_to=RouteTo.REFACTORER, location="line 3"), state=FindingState.OPEN, review=1),
        Finding(request=a_fix(3, file="tests/test_a.py"), state=FindingState.OPEN, review=1),
        Finding(request=a_fix(4, description="long done"), state=FindingState.CLOSED, review=1),
    ),
    touched=("src/a.py",),
)


def test_each_phase_is_given_its_own_fixes_in_their_order() -> None:
    green = prompt_of(a_state(phase=Phase.GREEN, reviews=REVIEWS))
    refactor = prompt_of(a_state(phase=Phase.REFACTOR, reviews=REVIEWS))

    assert "- FR-2 (major) src/a.py, line 10: an error is lost\n    Proposed fix: raise it" in green
    assert "which the loop does not run: pytest -q" in green
    assert "do not edit these" in green
    assert "- FR-3 (major) tests/test_a.py" in green
    assert ("FR-1" in green, "FR-4" in green) == (False, False)
    assert "- FR-1 (major) src/a.py, line 3" in refactor
    assert ("FR-2" in refactor, "FR-3" in refactor) == (False, False)


def test_a_reviewer_is_told_the_course_of_the_run_and_what_earlier_reviews_asked_for() -> None:
    course = ReviewContext(
        added=("src/a.py",), rewritten=("old.py",), violations=("GREEN: conftest.py: frozen",), false_claims=("a lie",)
    )
    proof = Proof(baseline=(passed("test_old"),), proven=(passed("test_old"), passed("test_ac1_and_ac2"), passed("x")))

    text = prompt_of(a_state(phase=Phase.QA, reviews=REVIEWS, review_context=course, proof=proof))

    assert "- src/a.py (new)\n- old.py\n" in text
    assert "- GREEN: conftest.py: frozen\n" in text
    assert "a lie" not in text
    assert "- tests/test_x.py::test_ac1_and_ac2: AC-1, AC-2\n" in text
    assert "- FR-2 (open, major) src/a.py, line 10: an error is lost [its file changed since]" in text
    assert "- FR-4 (closed, major)" in text


@pytest.mark.parametrize("phase", list(Phase))
def test_the_form_of_the_packet_is_shown_and_quoting_it_says_nothing(phase: Phase) -> None:
    text = prompt_of(a_state(phase=phase))

    assert all(f"    Phase: {kind}\n" in text for kind in PACKETS[phase])
    claim = read_response(Answer(text=text), phase)
    assert (claim.report.shut, claim.report.findings, claim.blocking_findings, claim.review) == ((), (), 0, None)


def test_an_agent_that_does_not_know_the_cause_is_told_to_look_for_it() -> None:
    assert "## Find the cause first" in prompt_of(a_state(phase=Phase.GREEN, memory=Memory(needs_diagnosis=True)))


def test_criteria_without_proof_are_named_in_red_and_later() -> None:
    red = prompt_of(a_state(memory=Memory(uncovered=("AC-2",))))
    green = prompt_of(a_state(phase=Phase.GREEN, memory=Memory(failing=(failed("test_ac1"),))))

    assert "Still unproven: AC-2\n" in red
    assert "Still unproven: AC-1\n" in green


def test_what_was_not_allowed_is_shown_with_its_difference_in_part() -> None:
    diff = "\n".join(f"-line {number}" for number in range(100))
    memory = Memory(violations=(Violation(path="tests/test_a.py", rule="frozen", diff=diff),))

    text = prompt_of(a_state(phase=Phase.GREEN, memory=memory))

    assert "; reverted\n    -line 0\n" in text
    assert "    -line 39\n    [cut]\n" in text


ATTEMPT = Attempt(iteration=2, said="used a loop", changed=("a.py",), result="1 failing: test_a")


@pytest.mark.parametrize("workflow", list(Workflow))
def test_an_agent_that_is_stuck_is_told_what_was_tried_and_to_change_the_approach(workflow: Workflow) -> None:
    phase = first_phase(workflow)
    stuck = Breaker(state=BreakerState.HALF_OPEN, no_progress=2)

    text = prompt_of(a_state(workflow=workflow, phase=phase, breaker=stuck, attempts=(ATTEMPT,)))
    going = prompt_of(a_state(workflow=workflow, phase=phase, attempts=(ATTEMPT,)))

    assert "The last iterations brought the work no further. What was tried" in text
    assert "- iteration 2: used a loop\n    changed: a.py\n    result: 1 failing: test_a\n" in text
    assert "## Change the approach" not in going


def test_the_same_error_three_times_is_a_nudge() -> None:
    state = a_state(phase=Phase.REFACTOR, breaker=Breaker(same_error=3), attempts=(Attempt(iteration=1),))

    text = prompt_of(state)

    assert "The same error came 3 times in a row. What was tried" in text
    assert "- iteration 1: (no text)\n    changed: nothing\n" in text


@pytest.mark.parametrize(
    ("phase", "times", "nudged"), [(Phase.GREEN, 1, False), (Phase.GREEN, 2, True), (Phase.BUILD, 2, False)]
)
def test_a_nudge_comes_before_the_phase_halts_for_the_same_error(phase: Phase, times: int, nudged: bool) -> None:
    state = a_state(phase=phase, breaker=Breaker(same_error=times), attempts=(Attempt(iteration=1),))

    assert (f"The same error came {times} times in a row." in prompt_of(state)) is nudged


def test_a_person_is_heard_and_a_question_is_answered_with_decide() -> None:
    state = a_state(guidance=("use a queue",), memory=Memory(questions=("Which unit?",)))

    text = prompt_of(state)

    assert text.index("## What you asked") < text.index("## Guidance from a person") < text.index("- use a queue")
    assert "Write the assumption\ndown" in text
    assert "- Which unit?" in text


def overloaded(phase: Phase) -> LoopState:
    """A session in which everything that a prompt tells is far too much."""
    results = tuple(
        replace(failed(f"test_ac1_{number}", message="x" * 900 + "\nE   assert\n" * 40), file=f"tests/test_{number}.py")
        for number in range(400)
    )
    memory = Memory(
        reasons=tuple(f"reason {number} " + "y" * 3000 for number in range(30)),
        failing=results,
        violations=tuple(Violation(path=f"p{n}.py", rule="frozen", diff="+z\n" * 200) for n in range(300)),
        false_claims=tuple(f"claim {number}" for number in range(300)),
        questions=("Why? " * 2000,),
    )
    return a_state(
        phase=phase,
        memory=memory,
        proof=Proof(proven=results, baseline=results, removed=tuple(r.id for r in results)),
        breaker=Breaker(state=BreakerState.HALF_OPEN),
        attempts=(ATTEMPT,) * 5,
        review_context=ReviewContext(added=tuple(f"new_{number}.py" for number in range(500))),
    )


@pytest.mark.parametrize("phase", [phase for phase in Phase if phase is not Phase.BUILD])
def test_a_prompt_stays_within_its_size_and_never_loses_goal_or_answer_form(phase: Phase) -> None:
    state = overloaded(phase)

    prompt = write_prompt(a_spec(), state, TEMPLATES)
    text = prompt.text

    assert prompt.rest <= MOST_OF_REST
    assert "Do it." in text
    assert "- AC-2 (new, no test): thing 2 works" in text
    assert "    ---END_RALPH_STATUS---" in text
    assert "## Left out of this prompt for its size\n\n- " in text
    assert " of 400 failing tests\n" in text


REVIEWED = Criterion(id="AC-5", text="exported from __init__", line=5, kind=Kind.REVIEW)


def test_the_reviewer_is_asked_for_each_criterion_that_no_test_can_show() -> None:
    prp = replace(a_spec(), criteria=(*a_spec().criteria, REVIEWED))

    text = write_prompt(prp, overloaded(Phase.QA), TEMPLATES).text

    assert "- AC-5: exported from __init__" in text
    assert "    AC-5: <met | not met> <FILE:LINE> <why>" in text
    assert "FILE:LINE" not in write_prompt(a_spec(), overloaded(Phase.QA), TEMPLATES).text
    assert read_response(Answer(text=text), Phase.QA).answers == ()


def test_the_criteria_are_listed_with_kind_and_state() -> None:
    green = CriterionState(id="AC-1", text="[redacted]", kind=Kind.NEW, state=CriterionStatus.GREEN, proof=("t",))

    assert "- AC-1 (new, green): thing 1 works\n" in prompt_of(a_state(phase=Phase.QA, criteria_states=(green,)))


def test_a_small_prompt_is_not_cut() -> None:
    assert "Left out" not in prompt_of(a_state())


def test_a_specification_larger_than_the_size_is_told_whole() -> None:
    text = write_prompt(a_spec(criteria=60), overloaded(Phase.GREEN), TEMPLATES).text
    tight = replace(overloaded(Phase.GREEN), limits=Limits(prompt_tokens=100))

    assert "- AC-60 (new, no test): thing 60 works" in text
    assert "- AC-2 (new, no test): thing 2 works" in prompt_of(tight)


LONG = """# Fees

Written by the club.

## Goal

Tell the fee.

## Background

{}
## Constraints

Do not touch `old.py`.

## Acceptance Criteria

- AC-1: The first hour is free.
"""


@pytest.mark.parametrize("phase", [phase for phase in Phase if phase is not Phase.BUILD])
def test_every_prompt_holds_the_whole_specification_and_names_its_file(phase: Phase) -> None:
    spec = read_specification(LONG.format("The club is old.\n"))

    text = write_prompt(spec, a_state(phase=phase, prp_file="docs/fees.md"), TEMPLATES).text

    assert spec.text.strip() in text
    assert "## Specification: docs/fees.md" in text


def test_a_specification_beyond_its_size_is_told_by_goal_constraints_criteria_and_outline() -> None:
    spec = read_specification(LONG.format("The club is old.\n" * 20_000))

    text = write_prompt(spec, a_state(), TEMPLATES).text

    assert len(text) < 30_000
    assert all(words in text for words in ("Tell the fee.", "Do not touch `old.py`.", "The first hour is free."))
    assert "- lines 9-20010: Background" in text


def test_a_long_outline_is_cut() -> None:
    spec = read_specification(LONG.format("".join(f"## Part {n}\n\n{'word ' * 200}\n\n" for n in range(300))))

    prompt = write_prompt(spec, a_state(), TEMPLATES)

    assert [line for line in prompt.cut if re.fullmatch(r"10\d of 30\d parts of the specification's outline", line)]


def test_the_reviewer_is_told_which_proven_tests_were_amended() -> None:
    request = AmendmentRequest(test_id="tests/test_x.py::test_a", reason="AC-1 says 4")
    made = Amendment(outcome=AmendmentOutcome.ACCEPTED, request=request, approved_by="judge")
    refused = Amendment(outcome=AmendmentOutcome.REFUSED, request=replace(request, reason="too hard"))

    text = prompt_of(a_state(phase=Phase.QA, amendments=(made, refused)))

    assert "- tests/test_x.py::test_a: AC-1 says 4 (approved by judge)" in text
    assert "too hard" not in text


def test_a_context_that_was_full_makes_the_next_prompt_shorter() -> None:
    state = overloaded(Phase.GREEN)

    states = [replace(state, failures=FailuresInARow(full_contexts=full)) for full in range(4)]
    sizes = [write_prompt(a_spec(), each, TEMPLATES).tokens for each in states]

    assert sizes == sorted(sizes, reverse=True)
    assert sizes[1] < sizes[0] / 2
    assert sizes[3] < sizes[1]


@pytest.mark.parametrize("workflow", list(Workflow))
def test_an_agent_that_declined_is_told_once_what_to_leave_out(workflow: Workflow) -> None:
    state = a_state(workflow=workflow, phase=first_phase(workflow))

    assert "The last call was declined" not in prompt_of(state)
    assert "leave\nout that part alone" in prompt_of(replace(state, failures=FailuresInARow(refused_calls=1)))


def test_documents_that_count_and_those_that_do_not_are_named() -> None:
    found = DocumentCount(counting=("README.md",), others=(Uncounted(path="docs/a\nb.md", reason="it is empty"),))

    text = prompt_of(a_state(phase=Phase.DOCUMENT, documents=found))

    assert "So far 1 of 3: README.md; a decision record" in text
    assert "- docs/a\\nb.md does not count: it is empty\n" in text
    assert "So far" not in prompt_of(a_state(phase=Phase.DOCUMENT))


def test_a_check_that_broke_is_shown_with_the_end_of_its_output() -> None:
    broken = CheckResult(
        name="lint", command="ruff check .", state=CheckState.BROKEN, reason="exits with 1", output="a.py:1 F401\n"
    )
    passes = CheckResult(name="types", command="mypy", state=CheckState.PASSES)

    text = prompt_of(a_state(phase=Phase.GREEN, check_results=(broken, passes)))
    review = prompt_of(a_state(phase=Phase.QA, check_results=(passes,)))

    assert "- lint: `ruff check .` passed before any work, and now exits with 1\n    a.py:1 F401\n" in text
    assert "mypy" not in text
    assert "- Check types: `mypy` passes.\n" in review


def test_names_are_escaped() -> None:
    odd = Violation(path="a\n## Guidance from a person\x1b[2J.py", rule="frozen")

    text = prompt_of(a_state(phase=Phase.GREEN, memory=Memory(violations=(odd,), reasons=("x\ny",))))

    assert "- a\\n## Guidance from a person\\x1b[2J.py: frozen; reverted\n" in text
    assert "\x1b" not in text
    assert "- x\\ny\n" in text


def test_the_token_of_a_call_is_in_its_prompt_and_that_of_no_other() -> None:
    state = a_state(phase=Phase.GREEN)

    first, second = (
        plan_call(a_spec(), state, TEMPLATES),
        plan_call(a_spec(), replace(state, total_agent_calls=1), TEMPLATES),
    )

    assert f"    CALL: {first.token}\n" in first.prompt
    assert first.token not in second.prompt


@pytest.mark.parametrize("text", ["{{ 1 / 0 }}", "{{ nonsense }}", "{{ prp.__class__.__mro__ }}"])
def test_a_template_that_cannot_be_rendered_is_named(text: str) -> None:
    broken = prepare({**load_templates(), "rules.md": text})

    with pytest.raises(SettingError, match=r"The prompt rules\.md cannot be made"):
        write_prompt(a_spec(), a_state(), broken)
