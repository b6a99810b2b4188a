"""The JSON Schemas of the answers, made from those of the documents that they hold."""

from typing import Any

from dualgate.core.record.metrics import Row
from dualgate.core.record.session_state import Standing
from dualgate.core.record.status_document import sessions_schema, status_schema
from dualgate.core.report.document import report_schema, schema_of_type
from dualgate.core.values.events import KINDS
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
from dualgate.core.values.vocabulary import BreakerState, Phase
from dualgate.display.lines import Tone
from dualgate.web.sessions import NOT_HERE

FLAG: Schema = {"type": "boolean"}
OBJECT: Schema = {"type": "object"}
COUNTS: Schema = {"type": "object", "additionalProperties": integer()}
DOLLARS = or_null(NUMBER)
MARKS = ("done", "now", "ahead", "skipped")


def named(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def components() -> dict[str, Schema]:
    return {
        "Error": record({"error": record({"message": SOME_TEXT, "next_step": ANY_TEXT})}),
        "Row": _row(),
        "Totals": _totals(),
        "Overview": _overview(),
        "Days": _days(),
        "Health": record({"ok": FLAG, "version": SOME_TEXT}),
        "Status": status_schema(),
        "Report": _report(),
        "Action": _action(),
        "Session": _session(),
        "IterationRow": _iteration_row(),
        "Iterations": record({"iterations": list_of(named("IterationRow")), "last": integer()}),
        "Iteration": _iteration(),
        "Piece": record({"text": ANY_TEXT, "offset": integer(), "size": integer(), "next": or_null(integer())}),
        "EventRow": _event_row(),
        "Events": record({"events": list_of(named("EventRow")), "last": integer(), "more": FLAG}),
        "Event": _event(),
        "Wish": record({"action": SOME_TEXT}, {"text": ANY_TEXT, "value": ANY_TEXT}),
        "Done": record({"done": FLAG, "message": ANY_TEXT, "state": ANY_TEXT}),
        "LoggedIn": record({"done": FLAG}),
    }


def _row() -> Schema:
    listed: Schema = sessions_schema()["properties"]["sessions"]["items"]
    phase = record({"phase": words(Phase), "mark": words(MARKS)})
    added = {
        "seq": integer(),
        "project_name": or_null(ANY_TEXT),
        "phases": list_of(phase),
        "max_iterations": or_null(integer()),
        "halt_reason": or_null(ANY_TEXT),
        "pause_reason": or_null(ANY_TEXT),
        "waits": or_null(record({"until": or_null(MOMENT), "reason": ANY_TEXT})),
        "criteria": or_null(record({"proven": integer(), "total": integer()})),
        "worktree_of": or_null(ANY_TEXT),
    }
    return record(listed["properties"] | added)


def _totals() -> Schema:
    known: Schema = sessions_schema()["properties"]["totals"]
    added = {
        "standing": {"type": "object", "propertyNames": words(Standing), "additionalProperties": integer()},
        "proven_criteria": integer(),
        "cost_per_proven_criterion": DOLLARS,
    }
    return record(known["properties"] | added)


def _overview() -> Schema:
    return record(
        {
            "cursor": SOME_TEXT,
            "now": MOMENT,
            "version": SOME_TEXT,
            "loading": FLAG,
            "sessions": list_of(named("Row")),
            "totals": named("Totals"),
            "control": record({"allowed": FLAG, "needs_token": FLAG}),
            "read_only_reason": or_null(ANY_TEXT),
            "places": list_of(SOME_TEXT),
        }
    )


def _days() -> Schema:
    day = record(
        {
            "date": {"type": "string", "format": "date"},
            **dict.fromkeys(("started", "proven", "not_proven", "proven_criteria"), integer()),
            "halted": COUNTS,
            "cost_usd": DOLLARS,
            "cost_per_proven_criterion": DOLLARS,
        }
    )
    return record({"days": list_of(day), "totals": named("Totals"), "by_cause": COUNTS})


def _report() -> Schema:
    whole = report_schema()
    return whole | {
        "properties": {name: schema for name, schema in whole["properties"].items() if name not in NOT_HERE},
        "required": [name for name in whole["required"] if name not in NOT_HERE],
    }


def _action() -> Schema:
    return record(
        {
            "name": SOME_TEXT,
            "label": SOME_TEXT,
            "needs_text": FLAG,
            "text_label": ANY_TEXT,
            "confirm": ANY_TEXT,
            "danger": FLAG,
            "values": list_of(ANY_TEXT),
        }
    )


def _session() -> Schema:
    change = record(
        {
            "at": MOMENT,
            "phase": words(Phase),
            "iteration": integer(),
            "before": words(BreakerState),
            "after": words(BreakerState),
            "reason": ANY_TEXT,
        }
    )
    return record(
        {
            "row": named("Row"),
            "status": named("Status"),
            "report": named("Report"),
            "breaker_history": list_of(change),
            "specification": ANY_TEXT,
            "actions": list_of(named("Action")),
        }
    )


def _iteration_row() -> Schema:
    row: dict[str, Any] = schema_of_type(Row)
    added = {"number": integer(1), "gate_1": FLAG, "gate_2": FLAG, "violations": integer(), "seconds": NUMBER}
    return record(row["properties"] | added)


def _iteration() -> Schema:
    text = record({"call": integer(), "size": integer(), "text": ANY_TEXT, "truncated": FLAG})
    diff = record({"path": ANY_TEXT, "diff": ANY_TEXT, "truncated": FLAG})
    return record(
        {
            "number": integer(1),
            "phase": words(Phase),
            "iteration": integer(),
            "agent": or_null(ANY_TEXT),
            "decision": SOME_TEXT,
            "gate_1": FLAG,
            "gate_2": FLAG,
            "reasons": list_of(ANY_TEXT),
            "warnings": list_of(ANY_TEXT),
            "started": MOMENT,
            "ended": MOMENT,
            "seconds": NUMBER,
            "calls": list_of(integer()),
            "prompts": list_of(text),
            "answers": list_of(text),
            "diffs": or_null(list_of(diff)),
            "left_out": integer(),
            "no_diff": or_null(ANY_TEXT),
            "test_changes": OBJECT,
            "changes": OBJECT,
            "violations": list_of(OBJECT),
            "criteria": list_of(OBJECT),
            "checks": list_of(OBJECT),
            "claims": list_of(OBJECT),
            "halt_reason": or_null(ANY_TEXT),
        }
    )


def _event_row() -> Schema:
    return record(
        {
            "seq": integer(1),
            "at": MOMENT,
            "kind": words(KINDS),
            "phase": words(Phase),
            "iteration": integer(),
            "number": integer(1),
            "text": list_of(ANY_TEXT),
            "tone": words(Tone),
        }
    )


def _event() -> Schema:
    return record(
        {
            "seq": integer(1),
            "size": integer(1),
            "truncated": FLAG,
            "event": or_null(OBJECT),
            "text": or_null(ANY_TEXT),
        }
    )
