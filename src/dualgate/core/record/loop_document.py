"""text -> LoopDocument: loop-state.json, the state as the documents describe it. Every wrong field is reported."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dualgate.core.machine.criteria import criteria_rows
from dualgate.core.money.allowances import Measure
from dualgate.core.money.spending import ITERATIONS_KEPT
from dualgate.core.said.blocks.scan import decode
from dualgate.core.values import shapes
from dualgate.core.values.fix_request import FixCategory, FixSeverity
from dualgate.core.values.problems import Problem, error, has_errors, in_order
from dualgate.core.values.reviews import FindingState
from dualgate.core.values.shapes import (
    ANY_TEXT,
    IDENTITY,
    MOMENT,
    NUMBER,
    SHA256,
    SOME_TEXT,
    Schema,
    by_word,
    integer,
    list_of,
    or_null,
    record,
    words,
)
from dualgate.core.values.specification import CriterionStatus, Kind
from dualgate.core.values.state import ERRORS_KEPT, LoopState
from dualgate.core.values.vocabulary import PauseReason, Phase, Status

FORMAT = 1
LONGEST = 16 << 20
DEFAULT_ITERATIONS = 100
_COUNT, _DOLLARS = or_null(integer()), or_null(NUMBER)
_USED: dict[str, Schema] = {
    "calls": integer(),
    "tokens": _COUNT,
    "input_tokens": _COUNT,
    "output_tokens": _COUNT,
    "cached_tokens": _COUNT,
    "cost_usd": _DOLLARS,
    "computed_usd": _DOLLARS,
    "calls_without_tokens": integer(),
    "calls_without_cost": integer(),
}
_SHARE = or_null(record({"count": integer(1), "tokens": _COUNT, "cost_usd": _DOLLARS}))
_ITERATION = record({"phase": words(Phase), "iteration": integer(1), **_USED})
_BUDGET = {"setting": SOME_TEXT, "measure": words(Measure), "most": NUMBER, "used": NUMBER, "calls_untold": integer()}
_CRITERION: dict[str, Schema] = {
    "id": SOME_TEXT,
    "kind": words(Kind),
    "text": ANY_TEXT,
    "state": words(CriterionStatus),
    "proof": list_of(ANY_TEXT),
}
_FINDING: dict[str, Schema] = {
    "id": SOME_TEXT,
    "state": words(FindingState),
    "severity": words(FixSeverity),
    "category": words(FixCategory),
    "file": ANY_TEXT,
    "location": ANY_TEXT,
    "description": ANY_TEXT,
    "proposed_fix": ANY_TEXT,
    "review": integer(),
    "by": or_null(ANY_TEXT),
    "raised_at": or_null(MOMENT),
    "closed_by": or_null(ANY_TEXT),
    "closed_at": or_null(MOMENT),
}
USAGE = record(
    {
        **_USED,
        "per_iteration": _SHARE,
        "per_proven_criterion": _SHARE,
        "phases": by_word(Phase, record(_USED)),
        "iterations": list_of(_ITERATION, most=ITERATIONS_KEPT),
        "budgets": list_of(record(_BUDGET)),
    },
    {"escalated": record(_USED)},
)
"""The schema of the field `usage`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopDocument:
    """A state document: `fields` by the document's own names, and their problems."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()

    @property
    def is_legal(self) -> bool:
        return not has_errors(self.problems)


def schema(max_iterations: int = DEFAULT_ITERATIONS) -> Schema:
    """The JSON Schema of the document; `max_iterations` bounds the iterations."""
    visit = record(
        {"started_at": MOMENT, "completed_at": or_null(MOMENT), "iterations": integer()},
        {"exit_reason": or_null(ANY_TEXT)},
    )
    entry = {"timestamp": MOMENT, "phase": words(Phase), "iteration": integer(), "error": ANY_TEXT, "hash": SHA256}
    required = {
        "session_id": IDENTITY,
        "prp_file": SOME_TEXT,
        "started_at": MOMENT,
        "current_phase": words(Phase),
        "current_iteration": integer(most=max_iterations),
        "last_activity": MOMENT,
        "status": words(Status),
        "halt_reason": or_null(ANY_TEXT),
        "phases_completed": list_of(words(Phase)),
        "phase_history": by_word(Phase, visit),
        "error_history": list_of(record(entry), most=ERRORS_KEPT),
        "total_agent_calls": integer(),
    }
    optional = {
        "green_model": or_null(ANY_TEXT),
        "pause_reason": or_null(words(PauseReason)),
        "paused_at": or_null(MOMENT),
        "qa_attempts": integer(),
        "rejections": list_of(record({"timestamp": MOMENT, "reason": ANY_TEXT})),
        "format": integer(1, FORMAT),
        "seq": integer(),
        "progress": integer(most=100),
        "phases_forced": list_of(words(Phase)),
        "usage": USAGE,
        "criteria": list_of(record(_CRITERION)),
        "findings": list_of(record(_FINDING)),
    }
    return record(required, optional)


def criteria_document(state: LoopState) -> list[dict[str, Any]]:
    """The field `criteria`: what proves each criterion, and how far that is."""
    return [
        {
            "id": row.id,
            "kind": row.kind.value,
            "text": row.text,
            "state": row.state.value,
            "proof": list(row.proof),
        }
        for row in criteria_rows(state)
    ]


def findings_document(state: LoopState) -> list[dict[str, Any]]:
    """The field `findings`: what the reviews found, each with its state, who raised and closed it, and when."""
    return [
        {
            "id": finding.request.id,
            "state": finding.state.value,
            "severity": finding.request.severity.value,
            "category": finding.request.category.value,
            "file": finding.request.file,
            "location": finding.request.location,
            "description": finding.request.description,
            "proposed_fix": finding.request.proposed_fix,
            "review": finding.review,
            "by": finding.by or None,
            "raised_at": finding.raised_at and finding.raised_at.isoformat(),
            "closed_by": finding.closed_by or None,
            "closed_at": finding.closed_at and finding.closed_at.isoformat(),
        }
        for finding in state.reviews.findings
    ]


def read_loop_state(text: str | bytes, max_iterations: int = DEFAULT_ITERATIONS) -> LoopDocument:
    content = decode(text)
    document, problems = _loaded(content)
    if problems:
        return LoopDocument(problems=problems)
    found = [*shapes.check(schema(max_iterations), document), *_newer(document)]
    lines = {problem.field: _line(content, problem.field or "") for problem in found}
    placed = [replace(problem, line=lines[problem.field]) for problem in found]
    fields = document if isinstance(document, dict) else {}
    return LoopDocument(fields=fields, problems=in_order(placed))


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
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"{name[:60]} is given twice")
        found[name] = value
    return found


def _refused(constant: str) -> Any:
    raise ValueError(f"{constant} is not a number")


def _newer(document: Any) -> Iterator[Problem]:
    written = document.get("format") if isinstance(document, dict) else None
    if isinstance(written, int) and written > FORMAT:
        yield error("newer_format", f"format {written} was written by a newer dualgate; use that one", "format")


def _line(text: str, path: str) -> int | None:
    """The line of a path's outermost field; None if its name is not found exactly once."""
    name = re.split(r"[.\[]", path, maxsplit=1)[0]
    found = list(re.finditer(rf'^\s*"{re.escape(name)}"\s*:', text, re.MULTILINE))
    return text.count("\n", 0, found[0].end()) + 1 if len(found) == 1 else None
