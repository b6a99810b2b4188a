"""Event, LoopState -> one line for people, with its tone. Plain words: what was said, what was seen, what follows."""

from collections.abc import Callable
from typing import Any

from dualgate.core import history
from dualgate.core.history import Event
from dualgate.core.machine import TurnEnded
from dualgate.core.state import LoopState
from dualgate.core.suite import Counts
from dualgate.core.vocabulary import Decision
from dualgate.display.lines import Line, Tone


def lines(event: Event, state: LoopState) -> list[Line]:
    """What a person is told of an event; `state` is the one after it."""
    return WRITERS[type(event)](event, state)


def counted(counts: Counts) -> str:
    """3 passed, 1 failed; a kind of which there is none is left out."""
    kinds = ("passed", "failed", "error", "skipped", "xfailed", "xpassed")
    return ", ".join(f"{getattr(counts, kind)} {kind}" for kind in kinds if getattr(counts, kind)) or "no tests"


def _started(event: history.SessionStarted, state: LoopState) -> list[Line]:
    return [
        Line(text=f"session {state.session_id[:8]}: {event.prp_file} with agent {event.agent}"),
        Line(text=f"tests are run with: {' '.join(event.test_command)}", tone=Tone.QUIET),
    ]


def _baseline(event: history.BaselineTaken, _: LoopState) -> list[Line]:
    passed = sum(not result.failed for result in event.results)
    flaky = f", {len(event.unstable)} of them flaky" if event.unstable else ""
    failed = len(event.results) - passed
    own = f"; {failed} fail already and are blamed on nobody" if failed else ""
    return [Line(text=f"baseline: {len(event.results)} tests before any work{flaky}{own}")]


def _call_started(event: history.CallStarted, _: LoopState) -> list[Line]:
    return [
        Line(text=f"{_place(event.phase, event.iteration)} the agent is asked (call {event.number})", tone=Tone.QUIET)
    ]


def _call_ended(event: history.CallEnded, state: LoopState) -> list[Line]:
    failure = event.answer.failure
    if failure is None:
        return []
    return [Line(text=f"{_here(state)} the call failed: {failure.sentence.replace('_', ' ', 1)}", tone=Tone.BAD)]


def _suite_ended(event: history.SuiteEnded, state: LoopState) -> list[Line]:
    report = event.report
    if not state.proof.start_tree:
        return []
    said = "; ".join(report.problems) if report.problems else counted(report.counts)
    return [Line(text=f"{_here(state)} tests: {said} ({report.seconds:.1f} s)", tone=Tone.QUIET)]


def _turned(event: TurnEnded, _: LoopState) -> list[Line]:
    place = _place(event.facts.phase, event.facts.iteration)
    seen = event.facts.observed.changes
    undone = [Line(text=f"{place} undone: {v.path} ({v.rule})", tone=Tone.BAD) for v in seen.violations]
    return [*undone, *(Line(text=f"{place} {line.text}", tone=line.tone) for line in _outcome(event))]


def _outcome(event: TurnEnded) -> list[Line]:
    verdict, move = event.verdict, event.move
    match move.decision:
        case Decision.NEXT_PHASE:
            return [Line(text=f"both gates open: evidence and word agree, on to {move.phase}", tone=Tone.GOOD)]
        case Decision.PROJECT_COMPLETE:
            return [Line(text="both gates open: the work is complete", tone=Tone.GOOD)]
        case Decision.REJECTED:
            return [Line(text=f"the review rejects, back to {move.phase}: {_why(verdict.reasons)}", tone=Tone.BAD)]
        case Decision.CONTINUE | Decision.RETRY:
            return [_not_yet(event)]
        case Decision.RATE_LIMITED:
            return [Line(text=_waiting(event), tone=Tone.BAD)]
        case _:
            return [_not_yet(event), Line(text=f"halted: {move.halt_reason}", tone=Tone.BAD)]


def _waiting(event: TurnEnded) -> str:
    failure = event.facts.claimed.failure
    until = failure.resets_at if failure else None
    return (
        f"a limit was met; waiting until {until:%Y-%m-%d %H:%M %Z}"
        if until
        else "a limit was met; waiting for it to end"
    )


def _not_yet(event: TurnEnded) -> Line:
    verdict = event.verdict
    if verdict.gate_2 and not verdict.gate_1:
        return Line(text=f'the agent says "done"; the evidence says no: {_why(verdict.reasons)}', tone=Tone.BAD)
    return Line(text=f"not yet: {_why(verdict.reasons)}")


def _paused(event: history.SessionPaused, _: LoopState) -> list[Line]:
    return [Line(text=f"paused ({event.reason}); the agent was stopped and its edits are kept", tone=Tone.BAD)]


def _failed(event: history.SessionFailed, _: LoopState) -> list[Line]:
    return [Line(text=f"halted: {event.reason}", tone=Tone.BAD)]


def _nothing(event: Event, state: LoopState) -> list[Line]:
    del event, state
    return []


def _why(reasons: tuple[str, ...]) -> str:
    return "; ".join(reasons)


def _place(phase: str, iteration: int) -> str:
    return f"{phase:<8} {iteration:>2} "


def _here(state: LoopState) -> str:
    return _place(state.phase, state.iteration + 1)


WRITERS: dict[type, Callable[[Any, LoopState], list[Line]]] = {
    history.SessionStarted: _started,
    history.BaselineTaken: _baseline,
    history.CallStarted: _call_started,
    history.CallEnded: _call_ended,
    history.TreeSettled: _nothing,
    history.SuiteStarted: _nothing,
    history.SuiteEnded: _suite_ended,
    TurnEnded: _turned,
    history.SessionPaused: _paused,
    history.SessionFailed: _failed,
}
