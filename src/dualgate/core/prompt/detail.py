"""LoopState, Detail -> the content of a prompt, cut to size: the least important first, goal and answer form never."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from dualgate.core.machine.criteria import criteria_rows
from dualgate.core.prompt.size import tokens_of
from dualgate.core.team.fallover import in_charge
from dualgate.core.values.case_names import names
from dualgate.core.values.changes import Violation
from dualgate.core.values.fix_request import FixRequest
from dualgate.core.values.specification import CriterionState, Specification, starting_states
from dualgate.core.values.state import LoopState, Memory
from dualgate.core.values.suite import CaseResult, short_id
from dualgate.core.values.vocabulary import ROLES, BreakerState, Phase, Role

T = TypeVar("T")


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
# lengths to which the texts of the criteria are cut, one after the other, until they fit
_CRITERION_LENGTHS = (600, 240, 80)
_GUIDANCE_LENGTH = 8_000
_COMPARED = 4_000_000
"""Characters of criteria that tests are compared with for one prompt, all tests together."""
_SENTENCE = 4
"""A reason or a description may have this many times the length of an excerpt's line: it says what to do."""


@dataclass(slots=True)
class Cutter:
    """Cuts lists and texts to a detail, and keeps count of what was left out."""

    detail: Detail
    _left: dict[str, str] = field(default_factory=dict)

    @property
    def left_out(self) -> tuple[str, ...]:
        return tuple(self._left.values())

    def items(self, what: str, items: Sequence[T], most: int | None = None) -> tuple[T, ...]:
        most = self.detail.listed if most is None else most
        if len(items) > most:
            self._left[what] = f"{len(items) - most:,} of {len(items):,} {what}"
        return tuple(items[:most])

    def text(self, what: str, text: str, length: int | None = None) -> str:
        length = _SENTENCE * self.detail.line_length if length is None else length
        if len(text) <= length:
            return text
        self._left.setdefault(what, f"the ends of long {what}")
        return f"{text[:length]} […]"

    def texts(self, what: str, texts: Sequence[str]) -> tuple[str, ...]:
        return tuple(self.text(what, text) for text in self.items(what, texts))

    def excerpt(self, what: str, lines: Sequence[str], most: int, *, from_end: bool = False) -> str:
        """Some lines of an output or a diff, indented, without control characters."""
        if len(lines) > most:
            self._left.setdefault(what, f"lines of {what}")
        kept = (lines[-most:] if from_end else lines[:most]) if most else ()
        more = ("[cut]",) if kept and not from_end and len(lines) > most else ()
        return "\n".join(f"    {_cut(_plain(line), self.detail.line_length)}" for line in (*kept, *more))


def _plain(line: str) -> str:
    return "".join(sign if sign.isprintable() or sign == "\t" else " " for sign in line)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length]} […]"


def _shows_attempts(state: LoopState) -> bool:
    """Whether the prompt lists earlier attempts and asks for another approach."""
    is_stuck = _is_repeated(state) or state.breaker.state is not BreakerState.CLOSED
    return bool(state.attempts) and (is_stuck or bool(in_charge(state)))


def _is_repeated(state: LoopState) -> bool:
    """Whether the same error repeated often enough for a nudge, which comes before the phase halts for it."""
    last_chance = max(2, state.limits.of(state.phase).same_error - 1)
    return state.breaker.same_error >= min(state.limits.same_error_nudge, last_chance)


def situation(state: LoopState, unproven: Sequence[str], cutter: Cutter) -> dict[str, Any]:
    """The results of the last iterations that the next one needs."""
    memory, suites = state.memory, state.proof.suites
    failing = cutter.items("failing tests", memory.failing, cutter.detail.failing)
    before = sorted(short_id(result.id, suites) for result in state.proof.baseline if result.failed)
    tried = state.attempts[::-1] if _shows_attempts(state) else ()
    return {
        "memory": _short_memory(memory, cutter),
        "rolled_back": cutter.items("files that were rolled back", memory.rolled_back.paths)
        if memory.rolled_back
        else (),
        "failing": [(short_id(result.id, suites), _excerpt(result, cutter)) for result in failing],
        "failing_before": cutter.items("tests that failed before you began", before, min(cutter.detail.listed, 20)),
        "unproven": cutter.items("criteria that are still unproven", unproven),
        "attempts": cutter.items("earlier attempts", tried, cutter.detail.attempts)[::-1],
        "same_error": state.breaker.same_error if _is_repeated(state) else 0,
        "guidance": tuple(cutter.text("guidance", text, _GUIDANCE_LENGTH) for text in state.guidance),
        "refused": state.failures.refused_calls,
        "commit_hook": _commit_hook(state, cutter),
        "took_over": tuple(each for each in state.escalations if each.phase is state.phase),
    }


def _commit_hook(state: LoopState, cutter: Cutter) -> tuple[str, str] | None:
    """The reason why a commit hook refuses the work, and its output; None if none does, or nobody can fix it now."""
    refusal = state.commits.refusal
    if refusal is None or not refusal.hook or ROLES[state.phase] is Role.REVIEWER:
        return None
    lines = refusal.output.splitlines()
    return refusal.reason, cutter.excerpt("the output of a hook", lines, cutter.detail.excerpt_lines, from_end=True)


def _excerpt(result: CaseResult, cutter: Cutter) -> str:
    return cutter.excerpt("failure messages", result.message.splitlines(), cutter.detail.excerpt_lines, from_end=True)


def criteria_list(prp: Specification, state: LoopState) -> list[CriterionState]:
    """The table of the criteria with their texts as written; before any work if the session has no table."""
    known = {row.id: row for row in criteria_rows(state)}
    return [replace(known.get(row.id, row), text=row.text) for row in starting_states(prp.criteria)]


def criteria_within(rows: Sequence[CriterionState], tokens: int, cutter: Cutter) -> tuple[CriterionState, ...]:
    """The criteria whole if they fit; else with the ends of their texts cut, and as many as fit."""
    fitting = tuple(rows)
    for length in _CRITERION_LENGTHS:
        if _size(fitting) <= tokens:
            return fitting
        fitting = tuple(replace(row, text=cutter.text("criteria", row.text, length)) for row in rows)
    return cutter.items("criteria", fitting, max(1, tokens * len(fitting) // max(1, _size(fitting))))


def _size(rows: Sequence[CriterionState]) -> int:
    return sum(tokens_of(row.text) + 8 for row in rows)


def short_fix(item: FixRequest, cutter: Cutter) -> FixRequest:
    about = "what the review asks for"
    return replace(
        item,
        description=cutter.text(about, item.description),
        proposed_fix=cutter.text(about, item.proposed_fix),
        verification_command=cutter.text(about, item.verification_command),
    )


def _short_memory(memory: Memory, cutter: Cutter) -> Memory:
    violations = cutter.items("changes that are not allowed", memory.violations)
    return replace(
        memory,
        reasons=cutter.texts("reasons why the gate is shut", memory.reasons),
        false_claims=cutter.texts("wrong claims", memory.false_claims),
        questions=cutter.texts("questions", memory.questions),
        violations=tuple(_short_violation(violation, cutter) for violation in violations),
    )


def _short_violation(violation: Violation, cutter: Cutter) -> Violation:
    diff = cutter.excerpt("diffs of what is not allowed", violation.diff.splitlines(), cutter.detail.diff_lines)
    return replace(violation, diff=diff, rule=cutter.text("rules", violation.rule))


def compared(results: Sequence[CaseResult], prp: Specification) -> Sequence[CaseResult]:
    """The tests that are compared with the criteria: all of them, unless there is very much of both."""
    return results[: _COMPARED // max(1, sum(100 + len(criterion.text) for criterion in prp.criteria))]


def unproven_criteria(prp: Specification, state: LoopState) -> list[str]:
    """Criteria that are not proven: in RED, those without a failing test; later, those with a failing test.

    Of very many failing tests only the first are compared with the criteria.
    """
    if state.phase is Phase.RED:
        return [criterion.id for criterion in prp.criteria if criterion.id in state.memory.uncovered]
    failing = compared(state.memory.failing, prp)
    return [c.id for c in prp.criteria if any(names(result, c) for result in failing)]
