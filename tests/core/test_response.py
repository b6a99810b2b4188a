import pytest

from dualgate.core.blocks import RalphStatus, SuiteStatus, WorkStatus, emit_ralph_status
from dualgate.core.response import CallFailure, Review, read_response
from dualgate.core.vocabulary import AgentReply, Ending, Phase


def a_block(status: WorkStatus = WorkStatus.COMPLETE, tests: SuiteStatus = SuiteStatus.PASSING) -> str:
    return emit_ralph_status(RalphStatus(status=status, tests_status=tests, exit_signal=True, recommendation="done"))


def test_a_complete_block_with_the_signal_is_honoured() -> None:
    claim = read_response(AgentReply(text=f"All well.\n{a_block()}\n"), Phase.GREEN)

    assert claim.exit_signal
    assert claim.problems == ()


NOT_HONOURED = [
    (a_block(status=WorkStatus.IN_PROGRESS), Phase.GREEN, "STATUS is IN_PROGRESS"),
    (a_block(tests=SuiteStatus.FAILING), Phase.GREEN, "GREEN ends with PASSING"),
    (a_block(tests=SuiteStatus.PASSING), Phase.RED, "RED ends with FAILING"),
    ("I am done, everything passes!", Phase.GREEN, "no complete RALPH_STATUS block"),
    (a_block().replace("EXIT_SIGNAL: true", "EXIT_SIGNAL: yes"), Phase.GREEN, "EXIT_SIGNAL"),
]


@pytest.mark.parametrize(("text", "phase", "why"), NOT_HONOURED)
def test_a_signal_that_does_not_fit_is_not_honoured(text: str, phase: Phase, why: str) -> None:
    claim = read_response(AgentReply(text=text), phase)

    assert not claim.exit_signal
    assert why in " ".join(str(problem) for problem in claim.problems)


def test_a_block_without_the_signal_has_no_problem() -> None:
    text = a_block(status=WorkStatus.IN_PROGRESS).replace("EXIT_SIGNAL: true", "EXIT_SIGNAL: false")

    claim = read_response(AgentReply(text=text), Phase.GREEN)

    assert (claim.exit_signal, claim.problems) == (False, ())


FAILURES = [
    (AgentReply(text=a_block(), exit_code=1), CallFailure.CRASHED),
    (AgentReply(text=a_block(), exit_code=None, ending=Ending.TIMED_OUT), CallFailure.TIMED_OUT),
    (AgentReply(text=a_block(), exit_code=None, ending=Ending.FLOODED), CallFailure.FLOODED),
    (AgentReply(text=" \n"), CallFailure.EMPTY),
]


@pytest.mark.parametrize(("reply", "failure"), FAILURES)
def test_a_failed_call_is_known_and_its_signal_not_honoured(reply: AgentReply, failure: CallFailure) -> None:
    claim = read_response(reply, Phase.GREEN)

    assert claim.failure is failure
    assert not claim.exit_signal


REVIEWS = [
    ("Verdict: APPROVE", Review.APPROVE),
    ("**Verdict:** APPROVE", Review.APPROVE),
    ("Verdict: APPROVE\nno, wait\nVerdict: REJECT", Review.REJECT),
    ("I would say APPROVE", None),
    ("Verdict: APPROVE | REJECT", None),
]


@pytest.mark.parametrize(("text", "review"), REVIEWS)
def test_the_last_verdict_line_is_the_review(text: str, review: Review | None) -> None:
    assert read_response(AgentReply(text=text), Phase.QA).review is review


def test_critical_and_major_findings_are_counted() -> None:
    text = "- severity: critical\n- **severity**: major\n- severity: minor\nno major problems"

    assert read_response(AgentReply(text=text), Phase.QA).blocking_findings == 2
