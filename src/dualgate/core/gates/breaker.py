"""Breaker, Marks, BlockedNotice -> Breaker: closed, half-open, open.

Progress is measured and never claimed. BLOCKED is the one claim that reaches the breaker: it makes it half-open, and
opens it if the run halts for it. It adds nothing to the count of iterations without progress.
"""

from collections.abc import Callable

from dualgate.core.values.claim import Claim
from dualgate.core.values.limits import Limits
from dualgate.core.values.replacing import replace
from dualgate.core.values.verdict import BlockedNotice, Breaker, Marks, Outcome, Verdict
from dualgate.core.values.vocabulary import BreakerState, Phase, WorkStatus

SEEN_KEPT = 50


def notice_of(claim: Claim, verdict: Verdict | None = None) -> BlockedNotice | None:
    """Return the notice to the breaker; None if the answer does not say BLOCKED or the call failed."""
    if claim.status is not WorkStatus.BLOCKED or claim.failure is not None:
        return None
    halts = verdict is not None and verdict.outcome is Outcome.BLOCK
    return BlockedNotice(reason=claim.recommendation or "the agent gives no reason", halts=halts)


def breaker_after(
    before: Breaker, phase: Phase, marks: Marks, limits: Limits, notice: BlockedNotice | None = None
) -> Breaker:
    """Return the breaker after one measured iteration, and after the notice that its agent is blocked."""
    moved = PROGRESS[phase](before.best, marks) or (phase is Phase.GREEN and _is_new_failure(before, marks))
    moved = moved and not (
        marks.judged_before and phase is not Phase.QA
    )  # a review may not change files in the work tree
    no_progress = 0 if moved else before.no_progress + 1
    repeated = bool(marks.error) and before.last_error == marks.error
    same_error = before.same_error + 1 if repeated else int(bool(marks.error))
    return replace(
        before,
        state=_notified(_state(phase, limits, no_progress, same_error), notice),
        no_progress=no_progress,
        same_error=same_error,
        best=_better(before.best, marks),
        last_error=marks.error,
        seen_places=(*before.seen_places, marks.place)[-SEEN_KEPT:] if marks.place else before.seen_places,
        on_trial=before.on_trial and not moved,
        blocked=notice.reason if notice else "",
    )


def _notified(state: BreakerState, notice: BlockedNotice | None) -> BreakerState:
    if notice is None or state is BreakerState.OPEN:
        return state
    return BreakerState.OPEN if notice.halts else BreakerState.HALF_OPEN


def unblocked(breaker: Breaker, phase: Phase, limits: Limits) -> Breaker:
    """Return the breaker after a person went on with a blocked agent: its state by the counts alone."""
    if not breaker.blocked:
        return breaker
    return replace(breaker, state=_state(phase, limits, breaker.no_progress, breaker.same_error), blocked="")


def _is_new_failure(before: Breaker, marks: Marks) -> bool:
    """A failure of a new kind or in a new place counts as progress, even if the count is the same."""
    return bool(marks.place) and marks.place not in before.seen_places


def entering(marks: Marks) -> Breaker:
    """Return a closed breaker for a phase that starts from these marks."""
    return Breaker(best=marks, last_error=marks.error, seen_places=(marks.place,) if marks.place else ())


PROGRESS: dict[Phase, Callable[[Marks, Marks], bool]] = {
    Phase.RED: lambda best, now: now.red > best.red or now.covered > best.covered,
    Phase.GREEN: lambda best, now: _rose(best.passing, now.passing) or _rose(now.failing, best.failing),
    Phase.REFACTOR: lambda best, now: now.verified and now.changed > 0 and _fixes_checks(best, now),
    Phase.DOCUMENT: lambda best, now: now.documents > best.documents,
    Phase.QA: lambda best, now: now.findings < best.findings,
    Phase.BUILD: lambda best, now: now.changed > 0 or now.ticked > best.ticked or _rose(best.passing, now.passing),
}


def _state(phase: Phase, limits: Limits, no_progress: int, same_error: int) -> BreakerState:
    thresholds = limits.of(phase)
    if no_progress >= thresholds.no_progress or same_error >= thresholds.same_error:
        return BreakerState.OPEN
    return BreakerState.HALF_OPEN if no_progress >= limits.half_open_after else BreakerState.CLOSED


def _rose(before: int | None, after: int | None) -> bool:
    return before is not None and after is not None and after > before


def _fixes_checks(best: Marks, now: Marks) -> bool:
    return now.checks == 0 or now.checks < best.checks


def _known(*counts: int | None) -> list[int]:
    return [count for count in counts if count is not None]


def _better(best: Marks, now: Marks) -> Marks:
    """Keep the best marks so far, so that going back and forth is not progress."""
    return Marks(
        red=max(best.red, now.red),
        covered=max(best.covered, now.covered),
        passing=max(_known(best.passing, now.passing), default=None),
        failing=min(_known(best.failing, now.failing), default=None),
        documents=max(best.documents, now.documents),
        ticked=max(best.ticked, now.ticked),
        findings=min(best.findings, now.findings),
        checks=min(best.checks, now.checks),
        changed=now.changed,
        verified=now.verified,
        error=now.error,
        place=now.place,
        judged_before=now.judged_before,
    )
