"""LoopState -> the fields that `status --json` adds to the state document; the schemas of status and of sessions."""

from typing import Any

from dualgate.core.record import loop_document
from dualgate.core.record.halting import HALT_SCHEMA, WAYS_SCHEMA
from dualgate.core.record.session_state import Doing, Standing, Step
from dualgate.core.values.phase_status import CaseCounts
from dualgate.core.values.shapes import (
    ANY_TEXT,
    MOMENT,
    NUMBER,
    SOME_TEXT,
    Schema,
    integer,
    list_of,
    or_null,
    record,
    words,
)
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import BreakerState, HaltCause, Phase, Status, Workflow

_FLAG: Schema = {"type": "boolean"}
_TEXTS = list_of(ANY_TEXT)
_OBJECT: Schema = {"type": "object"}


def counts_document(tests: CaseCounts) -> dict[str, int]:
    return {"passing": tests.passing, "failing": tests.failing, "skipped": tests.skipped, "total": tests.total}


def breaker_document(state: LoopState) -> dict[str, Any]:
    """The breaker with its counts, and the counts at which it opens in this phase."""
    breaker, limits = state.breaker, state.limits.of(state.phase)
    return {
        "state": breaker.state.value,
        "no_progress": breaker.no_progress,
        "no_progress_limit": limits.no_progress,
        "same_error": breaker.same_error,
        "same_error_limit": limits.same_error,
        "blocked": breaker.blocked or None,
    }


def doing_document(step: Doing | None) -> dict[str, Any] | None:
    if step is None:
        return None
    return {
        "step": step.step.value,
        "since": step.since.isoformat(),
        "agent": step.agent or None,
        "call": step.call or None,
        "until": step.until and step.until.isoformat(),
        "reason": step.reason or None,
    }


_TESTS = record({name: integer() for name in ("passing", "failing", "skipped", "total")})
_BREAKER = record(
    {
        "state": words(BreakerState),
        **dict.fromkeys(("no_progress", "no_progress_limit", "same_error", "same_error_limit"), integer()),
        "blocked": or_null(ANY_TEXT),
    }
)
_DOING = record(
    {
        "step": words(Step),
        "since": MOMENT,
        "agent": or_null(ANY_TEXT),
        "call": or_null(integer()),
        "until": or_null(MOMENT),
        "reason": or_null(ANY_TEXT),
    }
)
_ESCALATION = record(
    {
        "at": MOMENT,
        "phase": words(Phase),
        "iteration": integer(),
        **dict.fromkeys(("agent", "before", "reason"), ANY_TEXT),
    }
)
_WARNING = record({"phase": words(Phase), "iteration": integer(), "text": ANY_TEXT})


def status_schema() -> Schema:
    """The JSON Schema of `status --json`: the state document, and what is added to it."""
    state = loop_document.schema()
    added = {
        "standing": words(Standing),
        "iteration": integer(),
        "max_iterations": integer(),
        "phase_progress": integer(most=100),
        "tests": _TESTS,
        "breaker": _BREAKER,
        "doing": or_null(_DOING),
        "needed": _TEXTS,
        "halt": HALT_SCHEMA,
        "next": WAYS_SCHEMA,
        "workflow": words(Workflow),
        "proven": _FLAG,
        "self_reviewed": _FLAG,
        "unproven": _TEXTS,
        "documents": _OBJECT,
        "alive": _FLAG,
        "owner": or_null(_OBJECT),
        "agent": or_null(ANY_TEXT),
        "agents": {"type": "object", "additionalProperties": integer()},
        "escalations": list_of(_ESCALATION),
        "session": SOME_TEXT,
        "worktree_of": or_null(SOME_TEXT),
        "report": or_null(SOME_TEXT),
        "spec_changed": _FLAG,
        "spec_changes": _TEXTS,
        "review": _OBJECT,
        "warnings": list_of(_WARNING),
        "guidance": _TEXTS,
        "blocked": or_null(ANY_TEXT),
        "journal_problem": or_null(ANY_TEXT),
        "killed_step": or_null(_OBJECT),
        "commits": or_null(_OBJECT),
    }
    return state | {
        "properties": state["properties"] | added,
        "required": [*state["required"], *added],
    }


def sessions_schema() -> Schema:
    """The JSON Schema of `status --all --json` and `sessions --json`."""
    count, dollars = or_null(integer()), or_null(NUMBER)
    row = {
        "id": SOME_TEXT,
        "project": or_null(ANY_TEXT),
        "worktree_of": or_null(ANY_TEXT),
        "specification": or_null(ANY_TEXT),
        "standing": words(Standing),
        "status": or_null(words(Status)),
        "phase": or_null(words(Phase)),
        "proven": _FLAG,
        "started": or_null(MOMENT),
        "last_activity": or_null(MOMENT),
        "bytes": integer(),
        "alive": _FLAG,
        "archived": _FLAG,
        "folder": SOME_TEXT,
        "problem": or_null(ANY_TEXT),
        "iteration": count,
        "percent": count,
        "workflow": or_null(words(Workflow)),
        "self_reviewed": or_null(_FLAG),
        "halted_by": or_null(words(HaltCause)),
        "tests": or_null(_TESTS),
        "breaker": or_null(words(BreakerState)),
        "agent": or_null(ANY_TEXT),
        **dict.fromkeys(("calls", "iterations", "tokens"), count),
        "cost_usd": dollars,
        "calls_without_cost": count,
        "agent_seconds": dollars,
        "test_seconds": dollars,
    }
    totals = {
        **dict.fromkeys(
            ("sessions", "running", "proven", "calls", "iterations", "calls_without_cost", "bytes"), integer()
        ),
        "halted": {"type": "object", "additionalProperties": integer()},
        "tokens": dollars,
        "cost_usd": dollars,
        "agent_seconds": NUMBER,
        "test_seconds": NUMBER,
    }
    return record({"sessions": list_of(record(row)), "bytes": integer(), "totals": record(totals)})
