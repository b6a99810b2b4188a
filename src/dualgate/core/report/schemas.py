"""Tables of the documents -> JSON Schemas: of the `fields` that `dualgate parse` prints, and of `--json`."""

from collections.abc import Callable
from typing import Any

from dualgate.core.money.estimate import estimate_schema
from dualgate.core.queue.document import queue_schema
from dualgate.core.queue.notices import queue_notice_schema
from dualgate.core.record import loop_document
from dualgate.core.record.notices import notice_schema
from dualgate.core.record.status_document import sessions_schema, status_schema
from dualgate.core.record.verification.document import verification_schema
from dualgate.core.report.document import report_schema
from dualgate.core.said.blocks import phase_text, ralph_text
from dualgate.core.said.blocks.value_forms import LINE
from dualgate.core.said.packets.fields import schema_of
from dualgate.core.said.packets.grammar import REQUEST, TABLES
from dualgate.core.values.shapes import Schema, closed, list_of

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def ralph_status() -> Schema:
    complete = {"properties": {"STATUS": {"const": "COMPLETE"}}}
    signalled = {"properties": {"EXIT_SIGNAL": {"const": True}}, "required": ["EXIT_SIGNAL"]}
    forms = ralph_text.FORMS | ralph_text.EXTENSIONS
    fields = closed({name: dict(form.schema) for name, form in forms.items()}, [*ralph_text.FORMS])
    return fields | {"if": signalled, "then": complete}


def phase_status() -> Schema:
    """The schema with the table's dotted names as sections."""
    nested: dict[str, Any] = {}
    for name in phase_text.ORDER:
        section, _, key = name.rpartition(".")
        place = nested.setdefault(section, {}) if section else nested
        is_list = name == phase_text.BLOCKERS
        place[key] = list_of(dict(LINE.schema)) if is_list else dict(phase_text.FORMS[name].schema)
    sections = phase_text.SECTIONS - {phase_text.BLOCKERS}
    return closed({name: closed(value) if name in sections else value for name, value in nested.items()})


def phase_packet() -> Schema:
    """The schema that accepts exactly one of the packet forms."""
    forms = [(phase, schema_of(table)) for phase, table in TABLES]
    return {
        "oneOf": [form | {"properties": form["properties"] | {"Phase": {"const": str(phase)}}} for phase, form in forms]
    }


SCHEMAS: dict[str, Callable[[], Schema]] = {
    "ralph-status": ralph_status,
    "phase-status": phase_status,
    "phase-packet": phase_packet,
    "fix-request": lambda: REQUEST.schema,
    "loop-state": loop_document.schema,
    "verification": verification_schema,
    "report": report_schema,
    "status": status_schema,
    "sessions": sessions_schema,
    "notice": notice_schema,
    "estimate": estimate_schema,
    "queue": queue_schema,
    "queue-notice": queue_notice_schema,
}


def schema(name: str) -> Schema:
    return {"$schema": DIALECT, "title": name, **SCHEMAS[name]()}
