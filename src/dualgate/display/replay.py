"""Replay -> lines for people, and the object that `--json` prints."""

from collections.abc import Iterator, Sequence
from typing import Any

from dualgate.core.machine.replay import Difference, Replay, Ruling
from dualgate.core.values.verdict import Breaker


def replay_lines(found: Replay, changed: Sequence[str] = ()) -> Iterator[str]:
    under = f" with {', '.join(changed)}" if changed else ""
    made = "1 decision was" if found.decisions == 1 else f"{found.decisions} decisions were"
    yield f"{made} made again{under}, over {found.events} events."
    if found.is_same:
        yield "The run would have gone the same way." if changed else "Every one came out as it is recorded."
    for difference in found.other_reasons:
        yield f"Event {difference.seq}, {_place(difference)}: it would have halted there for another reason."
        yield from _both(difference, bool(changed))
    for difference in found.differences:
        yield from _difference_lines(difference, bool(changed))
    if found.broken:
        yield f"Broken off: {found.broken}."
    elif found.not_compared:
        yield f"The {found.not_compared} events after it belong to the run as it was, and are not compared."


def replay_record(found: Replay, changed: Sequence[str] = ()) -> dict[str, Any]:
    return {
        "same": found.is_same,
        "what_if": list(changed),
        "events": found.events,
        "decisions": found.decisions,
        "differences": [_difference_record(difference) for difference in found.differences],
        "other_reasons": [_difference_record(difference) for difference in found.other_reasons],
        "not_compared": found.not_compared,
        "broken": found.broken or None,
    }


def _difference_lines(difference: Difference, is_supposed: bool) -> Iterator[str]:
    if is_supposed:
        yield f"Event {difference.seq}, {_place(difference)}: the run would have gone another way."
    else:
        yield f"Event {difference.seq}, {_place(difference)}: not the same are {', '.join(difference.what)}."
    yield from _both(difference, is_supposed)


def _place(difference: Difference) -> str:
    return f"{difference.phase} {difference.iteration}"


def _both(difference: Difference, is_supposed: bool) -> Iterator[str]:
    yield f"  recorded   {_ruling_text(difference.recorded)}"
    yield f"  {'would be ' if is_supposed else 'comes out'}  {_ruling_text(difference.recomputed)}"


def _ruling_text(ruling: Ruling) -> str:
    words = [f"{ruling.decision} → {ruling.phase}, {ruling.status}"]
    if ruling.agent is not None:
        words.append(f"{ruling.agent} is asked")
    if ruling.gate_1 is not None and ruling.gate_2 is not None:
        words.append(f"gate 1 {_gate(ruling.gate_1)}, gate 2 {_gate(ruling.gate_2)}")
    if ruling.breaker is not None:
        words.append(f"breaker {ruling.breaker.state}")
    return "; ".join([*words, *([ruling.halt_reason] if ruling.halt_reason else ruling.reasons)])


def _gate(is_open: bool) -> str:
    return "open" if is_open else "shut"


def _difference_record(difference: Difference) -> dict[str, Any]:
    return {
        "seq": difference.seq,
        "phase": difference.phase.value,
        "iteration": difference.iteration,
        "what": list(difference.what),
        "recorded": _ruling_record(difference.recorded),
        "recomputed": _ruling_record(difference.recomputed),
    }


def _ruling_record(ruling: Ruling) -> dict[str, Any]:
    return {
        "decision": ruling.decision.value,
        "phase": ruling.phase.value,
        "status": ruling.status.value,
        "halt_reason": ruling.halt_reason,
        "agent": ruling.agent,
        "gate_1": ruling.gate_1,
        "gate_2": ruling.gate_2,
        "reasons": list(ruling.reasons),
        "warnings": list(ruling.warnings),
        "breaker": _breaker_record(ruling.breaker),
    }


def _breaker_record(breaker: Breaker | None) -> dict[str, Any] | None:
    if breaker is None:
        return None
    return {"state": breaker.state.value, "no_progress": breaker.no_progress, "same_error": breaker.same_error}
