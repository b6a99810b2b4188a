"""What is kept of the turns for those who review, and for those who mend."""

from dataclasses import replace
from typing import Any

import pytest

from dualgate.core.gates.breaker import breaker_after
from dualgate.core.gates.judge import judge, measure
from dualgate.core.machine.history import apply
from dualgate.core.machine.moves import decide
from dualgate.core.machine.reviewing import KEPT, SAME_AGENT, is_self_reviewed, review_note
from dualgate.core.said.findings import weigh
from dualgate.core.said.review import route
from dualgate.core.values.answer import Answer, Ending
from dualgate.core.values.changes import Changes, Edits, Rewritten, Violation
from dualgate.core.values.claim import Claim, Review, WorkReport
from dualgate.core.values.events import CallEnded, PersonEdited, TurnEnded
from dualgate.core.values.ralph_status import CheckedClaim
from dualgate.core.values.reviews import Again, FindingState, Reviews, Route
from dualgate.core.values.specification import CriterionResult, CriterionStatus, Kind
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Phase, Status, Workflow
from dualgate.testing import NOW, a_fix, a_state, done, facts, failed, not_done


def turned(
    state: LoopState, claim: Claim | None = None, checked: tuple[CheckedClaim, ...] = (), **seen: Any
) -> LoopState:
    found = facts(state.phase, claim, **seen)
    since = found.observed.changes.since_review
    weighed = replace(weigh(found.claimed.report.findings, state.reviews, since), asked=state.reviews.asked)
    found = replace(found, iteration=state.iteration + 1, checked=checked, weighed=weighed)
    verdict = judge(found, state.limits)
    breaker = breaker_after(state.breaker, state.phase, measure(found), state.limits)
    move = decide(state, found, verdict, breaker)
    return apply(state, TurnEnded(at=NOW, facts=found, verdict=verdict, breaker=breaker, move=move))


def review(verdict: Review, *requests: Any, **values: Any) -> Claim:
    return done(Phase.QA, review=verdict, report=WorkReport(findings=requests), **values)


def in_qa(**values: Any) -> LoopState:
    completed = (Phase.RED, Phase.GREEN, Phase.REFACTOR, Phase.DOCUMENT)
    return a_state(**{"phase": Phase.QA, "phases_completed": completed, **values})


def test_a_rejection_leaves_its_fixes_open_for_the_green_that_follows() -> None:
    state = turned(in_qa(), review(Review.REJECT, a_fix(1), a_fix(2, location="line 3")))

    assert (state.phase, state.qa_attempts, state.reviews.tree) == (Phase.GREEN, 1, "t")
    assert [request.id for request in state.reviews.open] == ["FR-1", "FR-2"]


def test_a_run_whose_review_never_answers_for_a_removed_test_is_completed_and_not_proven() -> None:
    missing = "T-1: the review does not answer whether removing test_old is justified"
    silent = facts(Phase.QA, review(Review.APPROVE))
    state = in_qa()
    for _ in range(2):
        weighed = replace(silent.weighed, unanswered=(missing,), asked=state.reviews.asked)
        found = replace(silent, iteration=state.iteration + 1, weighed=weighed)
        verdict = judge(found, state.limits)
        breaker = breaker_after(state.breaker, state.phase, measure(found), state.limits)
        move = decide(state, found, verdict, breaker)
        state = apply(state, TurnEnded(at=NOW, facts=found, verdict=verdict, breaker=breaker, move=move))

    assert (state.status, state.unproven, state.proven) == (Status.COMPLETED, (missing,), False)


def test_a_rejection_without_fixes_leaves_its_reason_as_one() -> None:
    bare = turned(in_qa(), review(Review.REJECT, recommendation="no bounds"))
    silent = turned(in_qa(), done(Phase.QA))

    assert [request.description for request in bare.reviews.open] == ["no bounds"]
    assert len(silent.reviews.open) == 1


def test_after_a_rejection_that_named_nothing_the_next_review_may_find_anything() -> None:
    bare = turned(in_qa(), done(Phase.QA))

    named = turned(replace(bare, phase=Phase.QA), review(Review.REJECT, a_fix(1, location="line 99")))

    assert (bare.reviews.tree, named.reviews.tree) == ("", "t")
    assert (named.qa_attempts, [request.file for request in named.reviews.open]) == (2, ["src/a.py"])


def test_tests_that_fail_reject_whatever_the_review_says_and_ask_for_nothing_else() -> None:
    state = turned(in_qa(), review(Review.APPROVE), failing=(failed("test_a"),))

    assert (state.phase, state.reviews.count, state.reviews.open) == (Phase.GREEN, 1, ())


def test_an_approval_closes_what_was_open() -> None:
    rejected = turned(in_qa(), review(Review.REJECT, a_fix()))

    state = turned(replace(rejected, phase=Phase.QA), review(Review.APPROVE))

    assert (state.status, state.reviews.open, state.reviews.findings[0].state) == (
        Status.COMPLETED,
        (),
        FindingState.CLOSED,
    )


def test_a_later_rejection_that_finds_only_new_matters_in_old_lines_rejects_nothing() -> None:
    rejected = turned(in_qa(), review(Review.REJECT, a_fix()))
    again = replace(rejected, phase=Phase.QA)

    state = turned(again, review(Review.REJECT, a_fix(2, location="line 99")))

    assert (state.phase, state.qa_attempts, state.status) == (Phase.QA, 1, Status.RUNNING)
    assert "kept as advice: FR-2 (src/a.py)" in state.memory.reasons[-1]
    assert [finding.state for finding in state.reviews.findings] == ["open", "advice"]


def test_a_later_rejection_with_no_fixes_at_all_is_asked_for_again() -> None:
    rejected = turned(in_qa(), review(Review.REJECT, a_fix()))

    state = turned(replace(rejected, phase=Phase.QA), review(Review.REJECT, blocking_findings=1))

    assert (state.phase, state.qa_attempts) == (Phase.QA, 1)
    assert state.memory.reasons[-1].endswith("or cite a line that changed")


def test_a_later_rejection_that_cites_a_changed_line_counts() -> None:
    rejected = turned(in_qa(), review(Review.REJECT, a_fix()))
    changes = Changes(tree="t2", since_review=(Rewritten(path="src/a.py", lines=((98, 99),)),))

    state = turned(
        replace(rejected, phase=Phase.QA), review(Review.REJECT, a_fix(2, location="line 99")), changes=changes
    )

    assert (state.phase, state.qa_attempts) == (Phase.GREEN, 2)


def test_advice_does_not_keep_an_approval_from_counting() -> None:
    rejected = turned(in_qa(), review(Review.REJECT, a_fix()))

    late = review(Review.APPROVE, a_fix(2, location="line 99"), blocking_findings=1)

    assert turned(replace(rejected, phase=Phase.QA), late).status is Status.COMPLETED


def test_fixes_that_cannot_be_followed_are_named_to_the_reviewer_once() -> None:
    report = WorkReport(errors=("these FixRequests wait for each other: FR-1 -> FR-1",))
    claim = done(Phase.QA, review=Review.REJECT, report=report)

    first = turned(in_qa(), claim)
    second = turned(first, claim)

    assert first.phase is Phase.QA
    assert "cannot be followed: these FixRequests wait for each other" in first.memory.reasons[-1]
    assert (second.phase, second.qa_attempts) == (Phase.GREEN, 1)


def test_what_changed_since_a_review_is_kept_whoever_changed_it() -> None:
    before = turned(a_state(phase=Phase.GREEN), not_done(), changes=Changes(tree="t", modified=("a.py",)))
    after = turned(
        a_state(phase=Phase.GREEN, reviews=Reviews(count=1)), not_done(), changes=Changes(tree="t", modified=("a.py",))
    )
    edited = apply(after, PersonEdited(at=NOW, edits=Edits(created=("b.py",))))

    assert (before.reviews.touched, edited.reviews.touched) == ((), ("a.py", "b.py"))


def test_the_course_of_a_run_is_told_to_its_reviewer() -> None:
    changes = Changes(
        tree="t", added=("new.py",), rewritten=("old.py",), violations=(Violation(path="conftest.py", rule="frozen"),)
    )
    lie = CheckedClaim(claim="FILES_MODIFIED", claimed="3", measured="1")

    course = turned(a_state(phase=Phase.GREEN), not_done(), checked=(lie,), changes=changes).review_context

    assert (course.added, course.rewritten) == (("new.py",), ("old.py",))
    assert course.violations == ("GREEN: conftest.py: frozen",)
    assert course.false_claims == ("GREEN: FILES_MODIFIED was given as 3, measured 1",)


def test_of_a_long_course_the_last_is_kept() -> None:
    many = tuple(Violation(path=f"{n}.py", rule="frozen") for n in range(KEPT + 5))

    course = turned(a_state(), not_done(), changes=Changes(tree="t", violations=many)).review_context

    assert (len(course.violations), course.violations[0]) == (KEPT, "RED: 5.py: frozen")


def call_ended(model: str | None) -> CallEnded:
    return CallEnded(at=NOW, number=1, exit_code=0, ending=Ending.EXITED, seconds=1.0, answer=Answer(model=model))


def test_the_model_that_wrote_the_code_and_the_one_that_reviews_are_known() -> None:
    green = apply(apply(a_state(phase=Phase.GREEN), call_ended("big")), call_ended(None))
    qa = apply(replace(green, phase=Phase.QA, reviewer="other"), call_ended("small"))

    assert (qa.green_model, qa.qa_model, review_note(qa)) == ("big", "small", "")
    assert apply(a_state(), call_ended("big")).green_model is None
    assert review_note(replace(qa, qa_model="big")) == "the review is made by big, the model that wrote the code"
    assert review_note(replace(qa, reviewer=None)) == SAME_AGENT
    assert review_note(replace(qa, reviewer=None, workflow=Workflow.RALPH)) == ""


def test_a_reviewer_that_is_asked_about_a_test_has_not_written_the_code() -> None:
    asked = apply(a_state(phase=Phase.GREEN, green_model="big"), replace(call_ended("small"), phase=Phase.QA))

    assert (asked.green_model, asked.qa_model) == ("big", "small")


def test_that_the_cause_is_not_known_is_remembered() -> None:
    assert turned(a_state(), not_done(report=WorkReport(needs_diagnosis=True))).memory.needs_diagnosis


def test_a_criterion_that_is_not_met_is_work_for_those_who_implement() -> None:
    unmet = CriterionResult(
        id="AC-5",
        kind=Kind.REVIEW,
        state=CriterionStatus.NOT_MET,
        proof=("tests/test_a.py:3",),
        missing="AC-5 is not met: no entry",
    )

    state = turned(in_qa(), review(Review.APPROVE), criteria=(unmet,))

    (request,) = state.reviews.open
    assert (request.id, request.location, request.description) == (
        "AC-5",
        "tests/test_a.py:3",
        "AC-5 is not met: no entry",
    )
    assert (state.phase, route(request)) == (Phase.GREEN, Route.IMPLEMENTER)
    # met in the next review, it is closed
    assert turned(replace(state, phase=Phase.QA), review(Review.APPROVE)).reviews.open == ()


CONTRADICTED = ("Critical: AC-2 is not implemented", "Major: no lock")


def test_a_second_contradiction_rejects_with_the_quotes_as_fixes() -> None:
    claim = review(Review.APPROVE, contradictions=CONTRADICTED)

    asked = turned(in_qa(qa_agent="codex"), claim)
    state = turned(asked, claim)

    assert (asked.phase, asked.reviews.asked, asked.qa_attempts) == (Phase.QA, (Again.CONTRADICTION,), 0)
    assert "'Critical: AC-2 is not implemented'; 'Major: no lock'" in asked.memory.reasons[-1]
    assert (state.phase, state.reviews.asked, state.reviews.tree) == (Phase.GREEN, (), "")
    assert [request.description for request in state.reviews.open] == [*CONTRADICTED]
    assert {finding.by for finding in state.reviews.findings} == {"codex"}


def test_a_bare_review_costs_one_call_more_and_no_rejection() -> None:
    bare = done(Phase.QA, review=Review.APPROVE, report=WorkReport(has_packets=False))

    asked = turned(in_qa(), bare)
    state = turned(asked, bare)

    assert (asked.phase, asked.reviews.asked, asked.rejections) == (Phase.QA, (Again.PACKETS,), ())
    assert state.status is Status.COMPLETED


def bare_review(verdict: Review | None, **values: Any) -> Claim:
    return done(Phase.QA, review=verdict, report=WorkReport(has_packets=False), **values)


def told(state: LoopState) -> list[tuple[str, str]]:
    return [(finding.request.description, finding.state) for finding in state.reviews.findings]


def test_a_rejection_that_is_asked_for_again_leaves_its_reason_as_advice() -> None:
    asked = turned(in_qa(), bare_review(Review.REJECT, recommendation="no bounds"))
    approved = turned(asked, review(Review.APPROVE))

    assert (asked.phase, approved.status) == (Phase.QA, Status.COMPLETED)
    assert told(asked) == told(approved) == [("no bounds", "advice")]
    assert told(turned(asked, bare_review(Review.REJECT, recommendation="no bounds"))) == [("no bounds", "open")]


def test_a_contradicted_approval_that_is_decided_leaves_the_quotes_as_advice() -> None:
    asked = turned(in_qa(), review(Review.APPROVE, contradictions=CONTRADICTED))

    assert told(turned(asked, review(Review.APPROVE))) == [(quote, "advice") for quote in CONTRADICTED]


def test_a_review_that_is_asked_for_again_leaves_open_findings_open() -> None:
    rejected = turned(in_qa(), review(Review.REJECT, recommendation="no bounds"))
    again = replace(rejected, phase=Phase.QA)

    assert told(turned(again, bare_review(Review.REJECT, recommendation="no tests"))) == [("no bounds", "open")]
    assert told(turned(again, bare_review(None))) == [("no bounds", "open")]


def test_minor_issues_are_kept_as_advice_with_their_place() -> None:
    report = WorkReport(findings=(a_fix(),), minor=("src/a.py:12 a long name",))

    state = turned(in_qa(), done(Phase.QA, review=Review.REJECT, report=report))

    assert [(f.request.id, f.state, f.request.location) for f in state.reviews.findings] == [
        ("FR-1", "open", "line 10"),
        ("FR-2", "advice", "line 12"),
    ]


def test_a_test_that_is_not_justified_is_work_for_those_who_implement() -> None:
    restored = a_fix(id="T-1", file="none", description="removing test_old is not justified")
    found = facts(Phase.QA, review(Review.APPROVE))
    found = replace(found, weighed=replace(found.weighed, unjustified=(restored,)))
    verdict = judge(found, in_qa().limits)
    move = decide(in_qa(), found, verdict, in_qa().breaker)

    state = apply(in_qa(), TurnEnded(at=NOW, facts=found, verdict=verdict, breaker=in_qa().breaker, move=move))

    assert (state.phase, [request.id for request in state.reviews.open]) == (Phase.GREEN, ["T-1"])


def test_the_halt_for_too_many_rejections_names_the_open_findings() -> None:
    requests = [a_fix(number, location=f"line {number}") for number in range(1, 8)]

    state = turned(in_qa(qa_attempts=3), review(Review.REJECT, *requests, recommendation="see below"))

    assert state.halt_reason is not None
    assert state.halt_reason.startswith("QA: QA rejected 4 times: the review says REJECT: see below; the review has 7")
    assert "; open: FR-1 src/a.py, line 1: an error is lost; FR-2 src/a.py, line 2: an error" in state.halt_reason
    assert state.halt_reason.endswith("; and 2 more")


def test_false_claims_are_for_the_role_that_made_them() -> None:
    lie = CheckedClaim(claim="FILES_MODIFIED", claimed="3", measured="1")

    stays = turned(a_state(phase=Phase.GREEN), not_done(questions=("which?",)), checked=(lie,))
    moves = turned(a_state(phase=Phase.GREEN), checked=(lie,))
    rejected = turned(in_qa(), review(Review.REJECT, a_fix()), checked=(lie,))

    assert (len(stays.memory.false_claims), stays.memory.questions) == (1, ("which?",))
    assert (moves.phase, moves.memory.false_claims) == (Phase.REFACTOR, ())
    assert (rejected.phase, rejected.memory.false_claims) == (Phase.GREEN, ())


SELF_REVIEWED = [
    (a_state(phases_completed=(Phase.QA,)), True),
    (a_state(phases_completed=(Phase.DOCUMENT,)), False),
    (a_state(phases_completed=(Phase.QA,), reviewer="codex"), False),
    (a_state(phases_completed=(Phase.BUILD,), workflow=Workflow.RALPH), False),
]


@pytest.mark.parametrize(("state", "expected"), SELF_REVIEWED)
def test_a_run_is_self_reviewed_where_its_author_passed_it(state: LoopState, expected: bool) -> None:
    assert is_self_reviewed(state) is expected
