"""Verification -> the object that `dualgate verify --json` prints, and its JSON Schema."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from dualgate.core.record.verification.codes import EXIT_CODES, FORMAT
from dualgate.core.values.shapes import ANY_TEXT, NUMBER, SOME_TEXT, Schema, integer, list_of, or_null, record, words
from dualgate.core.values.verification import (
    CaseState,
    Finding,
    ProbeCounts,
    Rule,
    Side,
    Standing,
    Verification,
    Weight,
)
from dualgate.core.values.vocabulary import CaseOutcome, Counts, CriterionStatus, Kind


def verification_document(seen: Verification) -> dict[str, Any]:
    """The object of `--json`. `notes` are findings that never decide; one that is accepted stays with the others."""
    notes = [finding for finding in seen.findings if finding.weight is Weight.NOTE]
    weighty = [finding for finding in seen.findings if finding.weight is not Weight.NOTE]
    return {
        "format": FORMAT,
        "verdict": seen.standing.value,
        "exit_code": int(EXIT_CODES[seen.standing]),
        "base": _side(seen.base),
        "head": _side(seen.head),
        "changed": plain(seen.changed),
        "tests": plain(seen.cases),
        "findings": [finding_document(finding) for finding in weighty],
        "notes": [finding_document(finding) for finding in notes],
        "probes": plain(seen.probes),
        "criteria": plain(seen.criteria),
        "seconds": seen.seconds,
    }


def finding_document(finding: Finding) -> dict[str, Any]:
    return {"id": finding.id, **plain(finding)}


def verification_schema() -> Schema:
    """The JSON Schema of `--json`."""
    outcome, line = or_null(words(CaseOutcome)), or_null(integer())
    case = {
        "id": SOME_TEXT,
        "file": ANY_TEXT,
        "line": line,
        "states": list_of(words(CaseState)),
        **dict.fromkeys(("base", "head", "on_base", "old_on_head"), outcome),
        "renamed_from": ANY_TEXT,
        "message": ANY_TEXT,
        "seconds": NUMBER,
    }
    finding = {
        "id": SOME_TEXT,
        "rule": words(Rule),
        "weight": words(Weight),
        "text": ANY_TEXT,
        "test": ANY_TEXT,
        "file": ANY_TEXT,
        "line": line,
        "subject": ANY_TEXT,
        "details": list_of(ANY_TEXT),
        "accepted": ANY_TEXT,
    }
    proof = {
        "id": SOME_TEXT,
        "text": ANY_TEXT,
        "kind": words(Kind),
        "state": words(CriterionStatus),
        "tests": list_of(ANY_TEXT),
    }
    return record(
        {
            "format": integer(1, FORMAT),
            "verdict": words(Standing),
            "exit_code": integer(),
            "base": _side_schema(),
            "head": _side_schema(),
            "changed": list_of(ANY_TEXT),
            "tests": list_of(record(case)),
            "findings": list_of(record(finding)),
            "notes": list_of(record(finding)),
            "probes": or_null(record({field.name: integer() for field in fields(ProbeCounts)})),
            "criteria": list_of(record(proof)),
            "seconds": NUMBER,
        }
    )


def _side(side: Side) -> dict[str, Any]:
    written: dict[str, Any] = plain(side)
    return written | {"counts": {**written["counts"], "total": side.counts.total}}


def _side_schema() -> Schema:
    counts = {**{field.name: integer() for field in fields(Counts)}, "total": integer()}
    return record(
        {
            **dict.fromkeys(("ref", "commit", "tree", "runner", "environment"), ANY_TEXT),
            **dict.fromkeys(("command", "tools", "problems"), list_of(ANY_TEXT)),
            "counts": record(counts),
            "seconds": NUMBER,
            "reused": {"type": "boolean"},
        }
    )


def plain(value: Any) -> Any:
    """A value of core as JSON has it: objects, lists and words. Bytes of a name that are no text are escaped."""
    if isinstance(value, tuple | list):
        return [plain(each) for each in value]
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value
