"""Analyses, what is known -> ExitDecision: whether a loop over answers goes on, and why.

Two things must agree for an end: completion indicators counted from facts, and the explicit signal. What is not known
is not counted; what is known to be otherwise is a veto, whatever the count.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from dualgate.core.answer import LIMITS, NEEDS_A_PERSON, Answer, Trouble
from dualgate.core.blocks import WorkStatus, WorkType
from dualgate.core.machine import EMPTY_CALLS_ALLOWED, FAILED_CALLS_ALLOWED
from dualgate.core.plan import Plan
from dualgate.core.response import LAST_WORDS, Claim, read_response
from dualgate.core.vocabulary import Decision, Phase
from dualgate.core.words import guessed_work_type, is_stuck, markers, says_complete, shown_error

INDICATORS_NEEDED = 2


class Indicator(StrEnum):
    ALL_TASKS_DONE = "all_tasks_done"
    TESTS_PASSING = "tests_passing"
    NO_PENDING_STORY = "no_pending_story"
    STATUS_COMPLETE = "status_complete"


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known beside the answers; None is what nobody looked at."""

    tests_pass: bool | None = None
    plan: Plan | None = None
    changed_files: bool | None = None
    """Whether the last call left work in the tree."""
    iterations_left: int | None = None
    phase: Phase = Phase.BUILD
    """RED alone ends with tests that fail."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """One answer and what it claims."""

    answer: Answer
    claim: Claim
    error: str = ""
    """The error that it shows, as a failure or as a program prints one."""
    work_type: WorkType | None = None
    markers: tuple[str, ...] = ()
    speaks_of_completion: bool = False
    changed_files: bool | None = None

    @property
    def notifies_breaker(self) -> bool:
        """STATUS BLOCKED is told to the circuit breaker."""
        return self.claim.status is WorkStatus.BLOCKED

    @property
    def problems(self) -> tuple[str, ...]:
        if not self.claim.has_block:
            return (*self.answer.problems, "no RALPH_STATUS block: read by its words, which decide nothing")
        return (*self.answer.problems, *self.claim.problems, *self.claim.warnings)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExitDecision:
    decision: Decision
    reasons: tuple[str, ...]
    indicators: tuple[Indicator, ...] = ()
    stuck: bool = False


def analyze(answer: Answer, phase: Phase = Phase.BUILD, changed_files: bool | None = None) -> Analysis:
    claim = read_response(answer, phase)
    words = answer.text[-LAST_WORDS:]
    shown = answer.failure.sentence if answer.failure else shown_error(words)
    return Analysis(
        answer=answer,
        claim=claim,
        error=shown,
        work_type=claim.work_type or guessed_work_type(words),
        markers=markers(words),
        speaks_of_completion=not claim.has_block and says_complete(words),
        changed_files=changed_files,
    )


def should_exit(history: Sequence[Analysis], known: Known) -> ExitDecision:
    """What follows from the last of these answers, oldest first."""
    last = history[-1]
    indicators = _indicators(last.claim, known)
    worked = [analysis for analysis in history if analysis.answer.failure is None]
    stuck = last.answer.failure is None and is_stuck([analysis.error for analysis in worked])
    decision, reasons = (
        _by_failure(history, known) or _by_block(worked, known) or _by_signal(last, indicators, known, stuck)
    )
    if decision is Decision.CONTINUE and known.iterations_left == 0:
        decision, reasons = Decision.MAX_ITERATIONS, ("no iterations are left", *reasons)
    return ExitDecision(decision=decision, reasons=reasons, indicators=indicators, stuck=stuck)


_Reasoned = tuple[Decision, tuple[str, ...]]


def _by_failure(history: Sequence[Analysis], known: Known) -> _Reasoned | None:
    failure = history[-1].answer.failure
    if failure is None:
        return None
    if failure.kind in LIMITS:
        until = f", until {failure.resets_at.isoformat()}" if failure.resets_at else ""
        return Decision.RATE_LIMITED, (f"{failure.sentence}{until}",)
    if failure.kind is Trouble.BUDGET:
        return Decision.BUDGET_EXHAUSTED, (failure.sentence,)
    if failure.kind in NEEDS_A_PERSON:
        return Decision.BLOCKED, (failure.sentence,)
    if known.changed_files:
        return Decision.CONTINUE, (f"the call failed ({failure.sentence}) after it had changed files",)
    failed, empty = _failed_in_a_row(history), _failed_in_a_row(history, Trouble.EMPTY)
    if empty >= EMPTY_CALLS_ALLOWED:
        return Decision.STUCK, (f"{empty} empty answers in a row",)
    if failed >= FAILED_CALLS_ALLOWED:
        return Decision.STUCK, (f"{failed} calls in a row failed, the last with: {failure.sentence}",)
    return Decision.RETRY, (f"the call failed: {failure.sentence}",)


def _failed_in_a_row(history: Sequence[Analysis], kind: Trouble | None = None) -> int:
    """Calls at the end that failed and left no work; a limit is neither one nor the end of a row."""
    count = 0
    for analysis in reversed(history):
        failure = analysis.answer.failure
        if failure is not None and failure.kind in LIMITS:
            continue
        if failure is None or analysis.changed_files or (kind is not None and failure.kind is not kind):
            break
        count += 1
    return count


def _by_block(history: Sequence[Analysis], known: Known) -> _Reasoned | None:
    """BLOCKED is quoted back once; the second in a row stops, and so does one after a denied tool with no work done."""
    last = history[-1]
    if last.claim.status is not WorkStatus.BLOCKED:
        return None
    why = last.claim.recommendation or "the agent says it is blocked"
    if last.claim.denied and not known.changed_files:
        return Decision.BLOCKED, (f"blocked after denied tools ({', '.join(last.claim.denied)}): {why}",)
    if len(history) > 1 and history[-2].claim.status is WorkStatus.BLOCKED:
        return Decision.BLOCKED, (why,)
    return Decision.CONTINUE, (f"blocked, to be quoted back once: {why}",)


def _by_signal(last: Analysis, indicators: tuple[Indicator, ...], known: Known, stuck: bool) -> _Reasoned:
    against = _vetoes(known)
    if last.claim.exit_signal and not against and len(indicators) >= INDICATORS_NEEDED:
        return Decision.PROJECT_COMPLETE, (f"EXIT_SIGNAL is true, and {', '.join(indicators)}",)
    if stuck:
        return Decision.STUCK, (f"the same error in the last answers: {last.error}",)
    if not last.claim.exit_signal:
        return Decision.CONTINUE, (*last.claim.problems, *(() if last.claim.problems else ("EXIT_SIGNAL is not true",)))
    few = f"{len(indicators)} of {INDICATORS_NEEDED} completion indicators: {', '.join(indicators) or 'none'}"
    return Decision.CONTINUE, against or (few,)


# what the tests say against an end, by whether it is the end of RED
_AGAINST = {False: "tests fail", True: "tests pass, and RED ends with tests that fail"}


def _vetoes(known: Known) -> tuple[str, ...]:
    open_tasks = known.plan.open if known.plan else ()
    return (
        *((f"{len(open_tasks)} tasks are open: {'; '.join(open_tasks[:3])}",) if open_tasks else ()),
        *((_AGAINST[known.phase is Phase.RED],) if known.tests_pass is (known.phase is Phase.RED) else ()),
    )


def _indicators(claim: Claim, known: Known) -> tuple[Indicator, ...]:
    done = known.plan if known.plan and known.plan.is_done else None
    counted = (
        (Indicator.ALL_TASKS_DONE, done and not done.stories),
        (Indicator.NO_PENDING_STORY, done and done.stories),
        (Indicator.TESTS_PASSING, known.tests_pass is True and known.phase is not Phase.RED),
        (Indicator.STATUS_COMPLETE, claim.status is WorkStatus.COMPLETE),
    )
    return tuple(indicator for indicator, applies in counted if applies)
