"""Broken checks are findings: the reviewer is not asked, and the work returns to GREEN until they pass."""

from typing import Any

import pytest

from dualgate.core.evidence.checks import first_results
from dualgate.core.gates.judge import judge, measure
from dualgate.core.machine.check_findings import check_fix
from dualgate.core.machine.checking import held_back, with_results
from dualgate.core.machine.history import apply, begin
from dualgate.core.machine.moves import decide
from dualgate.core.machine.replay import replay, what_if
from dualgate.core.machine.reproving import why_still_proven
from dualgate.core.values.checks import Check, CheckEnded, CheckResult, CheckRun, ChecksFailed, CheckState, Purpose
from dualgate.core.values.claim import Review
from dualgate.core.values.events import BaselineTaken, Event, PhaseSkipped, SessionResumed, TurnEnded
from dualgate.core.values.fix_request import FixCategory, RouteTo
from dualgate.core.values.limits import Limits
from dualgate.core.values.replacing import replace
from dualgate.core.values.reviews import FindingState
from dualgate.core.values.state import LoopState, Proof
from dualgate.core.values.verdict import Breaker, Outcome
from dualgate.core.values.vocabulary import HaltCause, Phase, Status
from dualgate.testing import NOW, a_start, a_state, done, facts, passed

LINT = Check(name="lint", command="ruff check .", purpose=Purpose.LINT)
PASSED = CheckRun(command="ruff check .", exit_code=0, tree="t")
FAILED = replace(PASSED, exit_code=1, output="a.py:1: F401\nFound 1 error.", named=("tests/test_b.py", "a.py"))
ALL = (Phase.RED, Phase.GREEN, Phase.REFACTOR, Phase.DOCUMENT)
BROKEN = CheckResult(name="lint", command="ruff check .", state=CheckState.BROKEN, reason="exits with 1: x")


def in_qa(**values: Any) -> LoopState:
    proof = Proof(start_tree="s", checks=(PASSED,), proven=(passed("test_a"),), phases=ALL)
    known = {"phase": Phase.QA, "checks": (LINT,), "proof": proof, "phases_completed": ALL}
    return a_state(**{**known, **values})


def held(state: LoopState) -> ChecksFailed:
    event = held_back(state, [FAILED], NOW)
    assert event is not None
    return event


def test_a_broken_check_returns_the_work_to_green_with_a_finding_and_no_review() -> None:
    after = apply(in_qa(), held(in_qa()))

    (finding,) = after.reviews.findings
    assert (after.phase, after.status, after.qa_attempts) == (Phase.GREEN, Status.RUNNING, 1)
    assert (after.phases_completed, after.reviews.count, after.reviews.tree) == ((Phase.RED,), 0, "")
    assert (finding.request.id, finding.state, finding.by, finding.raised_at) == (
        "CHECK-lint",
        FindingState.OPEN,
        "lint",
        NOW,
    )
    assert "`ruff check .` passed before any work, and now exits with 1: a.py:1: F401" in finding.request.description
    assert (finding.request.file, finding.request.verification_command) == ("a.py", "ruff check .")
    assert after.memory.reasons == ()
    assert after.rejections[0].reason == finding.request.description


def test_a_check_that_passes_or_failed_before_holds_nothing_back() -> None:
    assert held_back(in_qa(), [PASSED], NOW) is None
    assert held_back(in_qa(proof=Proof(start_tree="s", checks=(FAILED,))), [FAILED], NOW) is None


def test_returns_for_checks_end_as_those_for_reviews_do() -> None:
    state = in_qa(qa_attempts=3)

    after = apply(state, held(state))

    assert (after.status, after.halted_by, after.phase) == (Status.HALTED, HaltCause.REJECTIONS, Phase.QA)
    assert "QA rejected 4 times: lint: `ruff check .`" in (after.halt_reason or "")
    assert after.reviews.open[0].id == "CHECK-lint"


def test_the_finding_is_closed_when_the_check_passes_again() -> None:
    state = apply(in_qa(), held(in_qa()))

    failing = apply(state, CheckEnded(at=NOW, check=FAILED))
    closed = apply(failing, CheckEnded(at=NOW, check=PASSED))

    assert failing.reviews.open != ()
    (finding,) = closed.reviews.findings
    assert (finding.state, finding.closed_at, finding.closed_by) == (FindingState.CLOSED, NOW, "lint")
    assert [each.state for each in closed.check_results] == [CheckState.PASSES]
    assert apply(closed, CheckEnded(at=NOW, check=PASSED)).reviews == closed.reviews


def test_runs_before_a_review_are_in_the_state_that_its_prompt_is_made_of() -> None:
    state = with_results(in_qa(), [FAILED, PASSED], NOW)

    assert [(each.name, each.state, each.tree) for each in state.check_results] == [("lint", CheckState.PASSES, "t")]


def test_a_check_that_breaks_again_has_one_finding() -> None:
    state = apply(apply(in_qa(), held(in_qa())), CheckEnded(at=NOW, check=PASSED))
    state = replace(state, phase=Phase.QA)

    after = apply(state, held(state))

    assert [finding.state for finding in after.reviews.findings] == [FindingState.OPEN]


def test_lint_is_fixed_in_refactor_and_green_stands_without_a_call() -> None:
    after = apply(in_qa(), held(in_qa()))

    assert why_still_proven(after) is not None
    assert why_still_proven(replace(after, phase=Phase.REFACTOR)) is None
    fixed = apply(after, CheckEnded(at=NOW, check=PASSED))
    assert why_still_proven(replace(fixed, phase=Phase.DOCUMENT)) is not None


ROUTES = [
    (Purpose.LINT, FixCategory.STYLE, RouteTo.REFACTORER),
    (Purpose.TYPES, FixCategory.TYPE_SAFETY, RouteTo.IMPLEMENTER),
    (Purpose.BUILD, FixCategory.INTEGRATION, RouteTo.IMPLEMENTER),
    (None, FixCategory.ERROR_HANDLING, RouteTo.IMPLEMENTER),
]


@pytest.mark.parametrize(("purpose", "category", "route"), ROUTES)
def test_the_purpose_decides_who_fixes_a_check(purpose: Purpose | None, category: FixCategory, route: RouteTo) -> None:
    request = check_fix(replace(BROKEN, purpose=purpose))

    assert (request.category, request.route_to, request.file) == (category, route, "none")


def test_the_baseline_keeps_the_results_before_any_work() -> None:
    state = a_state(checks=(LINT,))
    before = apply(state, CheckEnded(at=NOW, check=FAILED))

    after = apply(before, BaselineTaken(at=NOW, tree="t", results=(), checks=(FAILED,)))

    assert before.check_results == ()
    assert (after.proof.checks, after.check_results) == ((FAILED,), first_results((LINT,), [FAILED]))


def test_commands_of_criteria_are_no_results_of_checks() -> None:
    after = apply(in_qa(), CheckEnded(at=NOW, check=replace(PASSED, command="make docs")))

    assert after.check_results == ()


def test_a_resumed_session_may_have_more_checks() -> None:
    more = Check(name="types", command="mypy")
    state = in_qa(status=Status.PAUSED)

    after = apply(state, SessionResumed(at=NOW, by="me", limits=Limits(), checks=(LINT, more)))

    assert sorted(check.name for check in after.checks) == ["lint", "types"]


@pytest.mark.parametrize("phase", [Phase.REFACTOR, Phase.QA, Phase.BUILD, Phase.RED])
def test_a_broken_check_keeps_the_gate_shut(phase: Phase) -> None:
    claim = done(phase, review=Review.APPROVE if phase is Phase.QA else None)

    verdict = judge(facts(phase, claim, broken_checks=(BROKEN,)), Limits())

    assert judge(facts(phase, claim), Limits()).gate_1
    assert (verdict.gate_1, verdict.outcome) == (False, Outcome.REJECT if phase is Phase.QA else Outcome.STAY)
    assert any("`ruff check .` passed before any work, and now exits with 1" in reason for reason in verdict.blockers)


@pytest.mark.parametrize("phase", [Phase.GREEN, Phase.DOCUMENT])
def test_green_and_document_do_not_wait_for_checks(phase: Phase) -> None:
    assert judge(facts(phase, broken_checks=(BROKEN,)), Limits()).outcome is Outcome.PASS


def test_a_review_that_overlooks_a_broken_check_leaves_its_finding() -> None:
    turned = facts(Phase.QA, done(Phase.QA, review=Review.APPROVE), broken_checks=(BROKEN,))
    verdict = judge(turned, Limits())
    move = decide(in_qa(), turned, verdict, Breaker())

    after = apply(in_qa(), TurnEnded(at=NOW, facts=turned, verdict=verdict, breaker=Breaker(), move=move))

    assert (after.phase, [request.id for request in after.reviews.open]) == (Phase.GREEN, ["CHECK-lint"])
    assert measure(turned).checks == 1


def test_a_held_back_review_is_decided_again_on_replay() -> None:
    start, baseline = a_start(checks=(LINT,)), BaselineTaken(at=NOW, tree="t", results=(), checks=(PASSED,))
    skipped: list[Event] = [PhaseSkipped(at=NOW, by="me", phase=phase, goes_on=True) for phase in ALL]
    state = begin(start)
    for event in (baseline, *skipped):
        state = apply(state, event)

    events: tuple[Event, ...] = (start, baseline, *skipped, held(state))
    tape = list(enumerate(events, 1))

    assert (state.phase, replay(tape).is_same, replay(tape).decisions) == (Phase.QA, True, 1)
    found = what_if(tape, lambda limits: replace(limits, qa_returns=0))
    assert [each.recomputed.status for each in found.differences] == [Status.HALTED]
