"""Breaker, Marks -> Breaker: closed, half-open, open. It sees measured marks and never a claim."""

from collections.abc import Callable

from dualgate.core.values.limits import Limits
from dualgate.core.values.replacing import replace
from dualgate.core.values.verdict import Breaker, Marks
from dualgate.core.values.vocabulary import BreakerState, Phase

SEEN_KEPT = 50


def breaker_after(before: Breaker, phase: Phase, marks: Marks, limits: Limits) -> Breaker:
    """Return the breaker after one measured iteration."""
    moved = PROGRESS[phase](before.best, marks) or (phase is Phase.GREEN and _is_new_failure(before, marks))
    no_progress = 0 if moved else before.no_progress + 1
    repeated = bool(marks.error) and before.last_error == marks.error
    same_error = before.same_error + 1 if repeated else int(bool(marks.error))
    return replace(
        before,
        state=_state(phase, limits, no_progress, same_error),
        no_progress=no_progress,
        same_error=same_error,
        best=_better(before.best, marks),
        last_error=marks.error,
        seen_places=(*before.seen_places, marks.place)[-SEEN_KEPT:] if marks.place else before.seen_places,
        on_trial=before.on_trial and not moved,
    )


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
    )
