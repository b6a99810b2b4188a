"""Answers of an agent -> what they claim, and whether a loop over them continues."""

from collections.abc import Sequence
from dataclasses import dataclass

from dualgate.core.gates.breaker import notice_of
from dualgate.core.gates.exits import ExitDecision, ExitEvidence, exit_after
from dualgate.core.said.response import LAST_WORDS, read_response
from dualgate.core.said.words import guessed_work_type, markers, says_complete
from dualgate.core.values.answer import LIMITS, Answer, Trouble
from dualgate.core.values.claim import Claim
from dualgate.core.values.team import FailuresInARow
from dualgate.core.values.vocabulary import Phase, WorkStatus, WorkType


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """One answer and what it claims."""

    answer: Answer
    claim: Claim
    error: str = ""
    """The error in the answer: a failure, or an error that a program printed."""
    work_type: WorkType | None = None
    markers: tuple[str, ...] = ()
    speaks_of_completion: bool = False
    changed_files: bool | None = None

    @property
    def notifies_breaker(self) -> bool:
        """Whether the circuit breaker is notified of this answer, by the rule that the loop follows."""
        return notice_of(self.claim) is not None

    @property
    def problems(self) -> tuple[str, ...]:
        if not self.claim.has_block:
            return (*self.answer.problems, "no RALPH_STATUS block: the wording was read instead, which decides nothing")
        return (*self.answer.problems, *self.claim.problems, *self.claim.warnings)


def analyze(answer: Answer, phase: Phase = Phase.BUILD, changed_files: bool | None = None) -> Analysis:
    claim = read_response(answer, phase)
    words = answer.text[-LAST_WORDS:]
    return Analysis(
        answer=answer,
        claim=claim,
        error=claim.error,
        work_type=claim.work_type or guessed_work_type(words),
        markers=markers(words),
        speaks_of_completion=not claim.has_block and says_complete(words),
        changed_files=changed_files,
    )


def should_exit(history: Sequence[Analysis], known: ExitEvidence) -> ExitDecision:
    """Decide after the last answer; `history` is oldest first."""
    return exit_after(history[-1].claim, _past(history[:-1]), known)


def _past(history: Sequence[Analysis]) -> FailuresInARow:
    worked = [analysis for analysis in history if analysis.answer.failure is None]
    statuses = [analysis.claim.status for analysis in reversed(worked)]
    blocked = next((place for place, status in enumerate(statuses) if status is not WorkStatus.BLOCKED), len(statuses))
    return FailuresInARow(
        failed_calls=_failed_in_a_row(history),
        empty_calls=_failed_in_a_row(history, Trouble.EMPTY),
        refused_calls=_failed_in_a_row(history, Trouble.REFUSAL),
        full_contexts=_failed_in_a_row(history, Trouble.CONTEXT_FULL),
        blocked=blocked,
        errors=tuple(analysis.error for analysis in worked),
    )


def _failed_in_a_row(history: Sequence[Analysis], kind: Trouble | None = None) -> int:
    """Count the last calls that failed without work; a call that met a limit is skipped and does not end the row."""
    count = 0
    for analysis in reversed(history):
        failure = analysis.answer.failure
        if failure is not None and failure.kind in LIMITS:
            continue
        if failure is None or analysis.changed_files or (kind is not None and failure.kind is not kind):
            break
        count += 1
    return count
