"""What a report tells as caught: one story for each turn, and nothing for honest work."""

from typing import Any

import pytest

from dualgate.core.report.values import Catch, CatchKind
from dualgate.core.values.amendments import Amendment, AmendmentDecided, AmendmentOutcome, AmendmentRequest
from dualgate.core.values.changes import Changes, RolledBack, Violation
from dualgate.core.values.checks import CheckResult, ChecksFailed, CheckState
from dualgate.core.values.events import SuiteEnded
from dualgate.core.values.probes import WeakCriterion
from dualgate.core.values.ralph_status import CheckedClaim
from dualgate.core.values.verdict import Move, Outcome, Verdict
from dualgate.core.values.vocabulary import Decision, Phase, Status, WorkStatus
from dualgate.testing import a_report, done, not_done
from tests.core.report.session import Session, in_green, proven

LIE = CheckedClaim(claim="TESTS_STATUS", claimed="PASSING", measured="FAILING")
TRUE = CheckedClaim(claim="FILES_MODIFIED", claimed="1", measured="1")
EDITED = Violation(path="tests/test_fee.py", rule="proven tests are frozen", diff="-a\n+b\n")
ASKED = Violation(path="request: abort", rule="requests come from people")


def caught(session: Session) -> Catch:
    (only,) = session.report().catches
    return only


def test_honest_work_has_no_catch() -> None:
    assert proven().report().catches == ()


def test_a_false_done_is_told_with_the_claim_the_evidence_and_what_followed() -> None:
    claim = done(Phase.GREEN, recommendation="All tests pass")
    session = in_green().turn(claim=claim, gates=(False, True), reasons=("1 failing: test_free",), checked=(LIE, TRUE))

    found = caught(session)

    assert (found.kind, found.point.phase, found.point.iteration) == (CatchKind.FALSE_DONE, Phase.GREEN, 1)
    assert found.said == "STATUS COMPLETE, tests PASSING, EXIT_SIGNAL true: All tests pass"
    assert found.found == ("1 failing: test_free", "TESTS_STATUS was given as PASSING, measured FAILING")
    assert found.followed == "Gate 1 stayed shut. The agent had to continue."
    assert found.passed is None


def test_a_false_claim_without_a_signal_is_told_too() -> None:
    found = caught(in_green().turn(claim=not_done(status=None, tests_status=None), checked=(LIE,)))

    assert (found.kind, found.said) == (CatchKind.FALSE_CLAIM, "")


def test_a_catch_says_when_its_phase_passed() -> None:
    session = in_green().turn(gates=(False, True)).turn(Decision.NEXT_PHASE, Phase.REFACTOR)

    point = caught(session).passed

    assert point is not None
    assert (point.phase, point.iteration) == (Phase.GREEN, 2)


@pytest.mark.parametrize(
    ("violations", "kind", "followed"),
    [
        ((EDITED,), CatchKind.VIOLATION, "dualgate reverted the change."),
        ((EDITED, ASKED), CatchKind.VIOLATION, "dualgate reverted the change."),
        ((ASKED,), CatchKind.FORGED_REQUEST, "dualgate refused the request."),
        (
            (Violation(path="a.py", rule="frozen", reverted=False),),
            CatchKind.VIOLATION,
            "dualgate could not revert every change.",
        ),
    ],
)
def test_a_violation_is_graver_than_a_false_done(
    violations: tuple[Violation, ...], kind: CatchKind, followed: str
) -> None:
    found = caught(in_green().turn(gates=(False, True), changes=Changes(tree="t", violations=violations)))

    assert (found.kind, found.violations) == (kind, violations)
    assert found.followed.startswith(followed)


def test_a_halt_is_what_followed() -> None:
    session = in_green().turn(Decision.STUCK, gates=(False, True), status=Status.HALTED, halt="no progress")

    assert caught(session).followed == "The run halted: no progress"


def test_a_change_that_broke_tests_is_told_as_rolled_back() -> None:
    session = in_green().turn(event={"rolled_back": RolledBack(tree="green", paths=("a.py",))})

    assert caught(session).kind is CatchKind.BROKEN_CODE


def test_tests_that_miss_broken_code_are_told_with_the_criterion() -> None:
    weak = (WeakCriterion(id="AC-1", reason="test_free also passes when fee() returns 1"),)

    found = caught(in_green().turn(Decision.REWRITE_TESTS, Phase.RED, weak=weak))

    assert (found.kind, found.found) == (
        CatchKind.WEAK_TESTS,
        ("AC-1: test_free also passes when fee() returns 1",),
    )
    assert found.followed.startswith("The work returned to RED")


def test_a_rejection_is_told_without_the_reviewers_status() -> None:
    session = in_green()
    for after in (Phase.REFACTOR, Phase.DOCUMENT, Phase.QA):
        session.turn(Decision.NEXT_PHASE, after)

    found = caught(session.turn(Decision.REJECTED, Phase.GREEN, reasons=("the review says REJECT",)))

    assert (found.kind, found.said, found.found) == (CatchKind.REJECTION, "", ("the review says REJECT",))


def test_a_failed_call_is_no_false_claim() -> None:
    assert in_green().turn(Decision.RETRY, gates=(False, True), checked=(LIE,)).report().catches == ()


def test_the_same_catch_in_a_row_is_counted_once() -> None:
    session = in_green()
    for _ in range(3):
        session.turn(gates=(False, True), reasons=("1 failing",))

    found = caught(session)

    assert (found.times, found.point.iteration) == (3, 1)


def test_another_reason_is_another_catch() -> None:
    session = (
        in_green().turn(gates=(False, True), reasons=("1 failing",)).turn(gates=(False, True), reasons=("2 failing",))
    )

    assert [each.times for each in session.report().catches] == [1, 1]


@pytest.mark.parametrize(
    ("values", "kinds"), [({}, [CatchKind.UNTRUSTED_RUN]), ({"known": True}, []), ({"trial": "x"}, [])]
)
def test_a_run_that_is_not_trusted_is_caught_once(values: dict[str, Any], kinds: list[CatchKind]) -> None:
    session = in_green()
    run = SuiteEnded(at=session.now, report=a_report(problems=("the report was forged",)), **values)

    assert [each.kind for each in session.add(run).report().catches] == kinds


def test_broken_checks_hold_the_review_back() -> None:
    session = in_green()
    for after in (Phase.REFACTOR, Phase.DOCUMENT, Phase.QA):
        session.turn(Decision.NEXT_PHASE, after)
    results = (CheckResult(name="lint", command="ruff", state=CheckState.BROKEN, reason="exits with 1"),)
    verdict = Verdict(outcome=Outcome.REJECT, gate_1=False, gate_2=False, reasons=("lint",))
    failed = ChecksFailed(
        at=session.now, results=results, verdict=verdict, move=Move(decision=Decision.REJECTED, phase=Phase.GREEN)
    )

    found = caught(session.add(failed))

    assert found.found == ("lint: `ruff` passed before any work, and now exits with 1",)
    assert found.followed == "The review was held back. The work returned to GREEN."


@pytest.mark.parametrize(("outcome", "count"), [(AmendmentOutcome.REFUSED, 1), (AmendmentOutcome.WAITING, 0)])
def test_a_refused_amendment_is_caught(outcome: AmendmentOutcome, count: int) -> None:
    session = in_green()
    request = AmendmentRequest(test_id="test_free", reason="it is wrong")
    decided = AmendmentDecided(at=session.now, amendment=Amendment(outcome=outcome, request=request, reasons=("no",)))

    assert [each.said for each in session.add(decided).report().catches] == ["test_free: it is wrong"] * count


def test_a_blocked_agent_says_so() -> None:
    claim = not_done(status=WorkStatus.BLOCKED, tests_status=None, recommendation="I need a key")

    assert caught(in_green().turn(claim=claim, checked=(LIE,))).said == "STATUS BLOCKED: I need a key"
