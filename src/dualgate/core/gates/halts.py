"""HaltCause -> Halt: the decision and what a person can do. A run halts for these causes only."""

from collections.abc import Mapping
from dataclasses import dataclass

from dualgate.core.values.vocabulary import Decision, HaltCause, WayOn

LEAVE = (WayOn.SKIP, WayOn.ABORT)
AGAIN = (WayOn.RESET, WayOn.GUIDE, *LEAVE)
FIXED = (WayOn.RESUME, *AGAIN)
"""Ways to continue once a person has fixed the cause."""
RAISED = (WayOn.RAISE, *LEAVE)
DECIDED = (WayOn.APPROVE, WayOn.REJECT)
"""Ways to decide what waits for a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Halt:
    decision: Decision | None
    """None if the run could not continue at all."""
    ways: tuple[WayOn, ...]
    when: str

    @property
    def resumes(self) -> bool:
        """Whether `dualgate resume` continues without a reset; a spent budget is raised with the same command."""
        return WayOn.RESUME in self.ways or self.decision is Decision.BUDGET_EXHAUSTED


def _row(decision: Decision | None, ways: tuple[WayOn, ...], when: str) -> Halt:
    return Halt(decision=decision, ways=ways, when=when)


_BLOCKED, _STUCK, _SPENT = Decision.BLOCKED, Decision.STUCK, Decision.BUDGET_EXHAUSTED
HALTS: Mapping[HaltCause, Halt] = {
    HaltCause.BLOCKED: _row(_BLOCKED, FIXED, "the agent says BLOCKED twice, or once after a denied tool and no work"),
    HaltCause.QUESTION: _row(_BLOCKED, (WayOn.ANSWER, *FIXED), "the agent asks, and a question halts the run"),
    HaltCause.AMENDMENT: _row(_BLOCKED, (*DECIDED, *FIXED), "a person must approve the change of a frozen test"),
    HaltCause.AGENT_UNUSABLE: _row(_BLOCKED, FIXED, "the agent's login, account, model or permission is missing"),
    HaltCause.AGENT_BUDGET: _row(_SPENT, FIXED, "the agent's own budget is spent"),
    HaltCause.REFUSED: _row(_BLOCKED, FIXED, "the agent refuses twice in a row"),
    HaltCause.CONTEXT_FULL: _row(_BLOCKED, FIXED, "the context is full even with the shortest prompt"),
    HaltCause.EMPTY_ANSWERS: _row(_STUCK, AGAIN, "too many empty answers in a row"),
    HaltCause.FAILED_CALLS: _row(_STUCK, AGAIN, "too many failed calls in a row"),
    HaltCause.RATE_LIMIT: _row(Decision.RATE_LIMITED, FIXED, "a limit is met too often in a row, or waiting is off"),
    HaltCause.NO_PROGRESS: _row(_STUCK, AGAIN, "the breaker opens: no measured progress"),
    HaltCause.SAME_ERROR: _row(_STUCK, AGAIN, "the breaker opens: the same error"),
    HaltCause.SAME_ANSWER: _row(_STUCK, AGAIN, "in BUILD, the last answers show the same error"),
    HaltCause.ITERATIONS: _row(Decision.MAX_ITERATIONS, AGAIN, "the phase has no iterations left"),
    HaltCause.REJECTIONS: _row(_STUCK, AGAIN, "QA rejects more often than it may"),
    HaltCause.BUDGET: _row(_SPENT, RAISED, "a budget of the run or the phase is spent"),
    HaltCause.FULL_HOUR: _row(_SPENT, RAISED, "the hourly limit of calls or tokens is reached, and waiting is off"),
    HaltCause.TIME: _row(_SPENT, AGAIN, "the time limit of the run is reached"),
    HaltCause.ENVIRONMENT: _row(None, FIXED, "a program, usable tests or disk space is missing"),
    HaltCause.RESET: _row(
        None, (WayOn.RESUME, *LEAVE), "a person reset or answered a halted session, and it is not resumed yet"
    ),
    HaltCause.ABORTED: _row(Decision.ABORTED, (WayOn.START, WayOn.RESET), "a person aborts the session"),
}


def decision_of(cause: HaltCause) -> Decision:
    """The decision that ends a run for this cause; BLOCKED if the run could not continue at all."""
    return HALTS[cause].decision or Decision.BLOCKED
