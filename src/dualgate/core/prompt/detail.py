"""LoopState, Detail -> prompt content, cut to size: the least important first, goal and answer form never."""

from dataclasses import dataclass, replace
from typing import Any

from dualgate.core.machine.criteria import criteria_rows
from dualgate.core.values.case_names import names
from dualgate.core.values.changes import Violation
from dualgate.core.values.specification import Criterion, CriterionState, Specification, starting_states
from dualgate.core.values.state import LoopState, Memory
from dualgate.core.values.suite import short_id
from dualgate.core.values.vocabulary import BreakerState, Phase


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    failing: int
    """Number of failing tests shown with an excerpt."""
    excerpt_lines: int
    line_length: int
    diff_lines: int
    attempts: int
    listed: int
    """Number of items in every other list."""


DETAILS = (
    Detail(failing=20, excerpt_lines=12, line_length=500, diff_lines=40, attempts=5, listed=200),
    Detail(failing=20, excerpt_lines=6, line_length=240, diff_lines=16, attempts=5, listed=40),
    Detail(failing=10, excerpt_lines=4, line_length=160, diff_lines=6, attempts=3, listed=15),
    Detail(failing=5, excerpt_lines=2, line_length=120, diff_lines=0, attempts=2, listed=5),
    Detail(failing=1, excerpt_lines=1, line_length=80, diff_lines=0, attempts=1, listed=1),
)


def _shows_attempts(state: LoopState) -> bool:
    """Whether the prompt lists earlier attempts and asks for another approach."""
    return bool(state.attempts) and (_is_repeated(state) or state.breaker.state is not BreakerState.CLOSED)


def _is_repeated(state: LoopState) -> bool:
    """Whether the same error repeated often enough for a nudge, which comes before the phase halts for it."""
    last_chance = max(2, state.limits.of(state.phase).same_error - 1)
    return state.breaker.same_error >= min(state.limits.same_error_nudge, last_chance)


def situation(prp: Specification, state: LoopState, detail: Detail) -> dict[str, Any]:
    """The results of the last iterations that the next one needs, shortened to a detail."""
    memory, suites = state.memory, state.proof.suites
    return {
        "memory": _short_memory(memory, detail),
        "failing": [
            (short_id(result.id, suites), _excerpt(result.message, detail))
            for result in memory.failing[: detail.failing]
        ],
        "failing_left_out": max(0, len(memory.failing) - detail.failing),
        "failing_before": sorted(short_id(result.id, suites) for result in state.proof.baseline if result.failed),
        "unproven": _unproven(prp, state)[: detail.listed],
        "attempts": state.attempts[-detail.attempts :] if _shows_attempts(state) else (),
        "same_error": state.breaker.same_error if _is_repeated(state) else 0,
        "guidance": state.guidance,
        "refused": state.failures.refused_calls,
        "shortened": detail is not DETAILS[0],
    }


def criteria_list(prp: Specification, state: LoopState) -> list[CriterionState]:
    """The table of the criteria with their texts as written; before any work if the session has no table."""
    known = {row.id: row for row in criteria_rows(state)}
    return [replace(known.get(row.id, row), text=row.text) for row in starting_states(prp.criteria)]


def _short_memory(memory: Memory, detail: Detail) -> Memory:
    return replace(
        memory,
        reasons=_lines(memory.reasons, detail),
        false_claims=_lines(memory.false_claims, detail),
        questions=_lines(memory.questions, detail),
        violations=tuple(_short_violation(violation, detail) for violation in memory.violations[: detail.listed]),
    )


def _short_violation(violation: Violation, detail: Detail) -> Violation:
    lines = violation.diff.splitlines()
    kept = [_cut(line, detail.line_length) for line in lines[: detail.diff_lines]]
    more = ["[cut]"] if kept and len(lines) > len(kept) else []
    return replace(violation, diff="\n".join(f"    {line}" for line in (*kept, *more)))


def _unproven(prp: Specification, state: LoopState) -> list[Criterion]:
    """Criteria that are not proven: in RED, those without a failing test; later, those with a failing test."""
    if state.phase is Phase.RED:
        return [criterion for criterion in prp.criteria if criterion.id in state.memory.uncovered]
    return [c for c in prp.criteria if any(names(result, c) for result in state.memory.failing)]


def _excerpt(message: str, detail: Detail) -> str:
    lines = message.splitlines()[-detail.excerpt_lines :]
    return "\n".join(f"    {_cut(line, detail.line_length)}" for line in lines)


def _lines(texts: tuple[str, ...], detail: Detail) -> tuple[str, ...]:
    """Cut texts to four times the length of an excerpt's line, because a reason says what to do."""
    return tuple(_cut(text, 4 * detail.line_length) for text in texts[: detail.listed])


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length]} […]"
