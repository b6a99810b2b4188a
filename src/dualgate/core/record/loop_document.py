"""text <-> loop-state.json, the state as the documents describe it. Loading names every wrong field."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dualgate.core.money.allowances import Measure
from dualgate.core.money.spending import ITERATIONS_KEPT
from dualgate.core.record.shapes import (
    ANY_TEXT,
    SHA256,
    SOME_TEXT,
    ByWord,
    Identity,
    Integer,
    ListOf,
    Moment,
    Number,
    OrNull,
    Record,
    Shape,
    Word,
)
from dualgate.core.said.blocks.complaints import in_order
from dualgate.core.said.blocks.scan import decode
from dualgate.core.values.problems import Problem, error, has_errors
from dualgate.core.values.state import ERRORS_KEPT
from dualgate.core.values.vocabulary import PauseReason, Phase, Status

FORMAT = 1
LONGEST = 16 << 20
DEFAULT_ITERATIONS = 100


_COUNT, _DOLLARS = OrNull(shape=Integer()), OrNull(shape=Number())
_USED: dict[str, Shape] = {
    "calls": Integer(),
    "tokens": _COUNT,
    "input_tokens": _COUNT,
    "output_tokens": _COUNT,
    "cached_tokens": _COUNT,
    "cost_usd": _DOLLARS,
    "computed_usd": _DOLLARS,
    "calls_without_tokens": Integer(),
    "calls_without_cost": Integer(),
}
_SHARE = OrNull(shape=Record(required={"count": Integer(least=1), "tokens": _COUNT, "cost_usd": _DOLLARS}))
_BUDGET = Record(
    required={
        "setting": SOME_TEXT,
        "measure": Word(words=Measure),
        "most": Number(),
        "used": Number(),
        "calls_untold": Integer(),
    }
)
USAGE = Record(
    required={
        **_USED,
        "per_iteration": _SHARE,
        "per_proven_criterion": _SHARE,
        "phases": ByWord(words=Phase, item=Record(required=_USED)),
        "iterations": ListOf(
            item=Record(required={"phase": Word(words=Phase), "iteration": Integer(least=1), **_USED}),
            most=ITERATIONS_KEPT,
        ),
        "budgets": ListOf(item=_BUDGET),
    }
)
"""The shape of `usage` in the document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopDocument:
    """A state document: `fields` by the document's own names, and what is wrong with them."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()

    @property
    def is_legal(self) -> bool:
        return not has_errors(self.problems)


def shape(max_iterations: int = DEFAULT_ITERATIONS) -> Record:
    """What the document may hold; iterations are bounded by the configured limit."""
    iterations = Integer(most=max_iterations)
    visit = Record(
        required={"started_at": Moment(), "completed_at": OrNull(shape=Moment()), "iterations": Integer()},
        optional={"exit_reason": OrNull(shape=ANY_TEXT)},
    )
    entry = Record(
        required={
            "timestamp": Moment(),
            "phase": Word(words=Phase),
            "iteration": Integer(),
            "error": ANY_TEXT,
            "hash": SHA256,
        }
    )
    return Record(
        required={
            "session_id": Identity(),
            "prp_file": SOME_TEXT,
            "started_at": Moment(),
            "current_phase": Word(words=Phase),
            "current_iteration": iterations,
            "last_activity": Moment(),
            "status": Word(words=Status),
            "halt_reason": OrNull(shape=ANY_TEXT),
            "phases_completed": ListOf(item=Word(words=Phase)),
            "phase_history": ByWord(words=Phase, item=visit),
            "error_history": ListOf(item=entry, most=ERRORS_KEPT),
            "total_agent_calls": Integer(),
        },
        optional={
            "green_model": OrNull(shape=ANY_TEXT),
            "pause_reason": OrNull(shape=Word(words=PauseReason)),
            "paused_at": OrNull(shape=Moment()),
            "qa_attempts": Integer(),
            "rejections": ListOf(item=Record(required={"timestamp": Moment(), "reason": ANY_TEXT})),
            "format": Integer(least=1, most=FORMAT),
            "seq": Integer(),
            "progress": Integer(most=100),
            "phases_forced": ListOf(item=Word(words=Phase)),
            "usage": USAGE,
        },
    )


def read_loop_state(text: str | bytes, max_iterations: int = DEFAULT_ITERATIONS) -> LoopDocument:
    words = decode(text)
    document, problems = _loaded(words)
    if problems:
        return LoopDocument(problems=problems)
    found = [*shape(max_iterations).check(document, ""), *_newer(document)]
    lines = {problem.field: _line(words, problem.field or "") for problem in found}
    placed = [replace(problem, line=lines[problem.field]) for problem in found]
    fields = document if isinstance(document, dict) else {}
    return LoopDocument(fields=fields, problems=in_order(placed))


def schema() -> dict[str, Any]:
    return shape().schema()


def _loaded(text: str) -> tuple[Any, tuple[Problem, ...]]:
    import json

    if len(text) > LONGEST:
        return None, (error("too_long", f"a state document has at most {LONGEST} characters", "the document"),)
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_refused), ()
    except json.JSONDecodeError as why:
        message = f"it is not JSON: {why.msg} in line {why.lineno}, column {why.colno}"
        return None, (error("not_json", message, line=why.lineno),)
    except (ValueError, RecursionError) as why:
        return None, (error("not_json", f"it is not JSON: {why}"),)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice[:60]} is given twice")
    return found


def _refused(constant: str) -> Any:
    raise ValueError(f"{constant} is no number")


def _newer(document: Any) -> Iterator[Problem]:
    written = document.get("format") if isinstance(document, dict) else None
    if isinstance(written, int) and written > FORMAT:
        yield error("newer_format", f"format {written} was written by a newer dualgate; use that one", "format")


def _line(text: str, path: str) -> int | None:
    """Where the outermost field of a path stands, if that can be said."""
    name = re.split(r"[.\[]", path, maxsplit=1)[0]
    found = list(re.finditer(rf'^\s*"{re.escape(name)}"\s*:', text, re.MULTILINE))
    return text.count("\n", 0, found[0].end()) + 1 if len(found) == 1 else None
