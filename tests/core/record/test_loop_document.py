import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.core.money.usage import usage_document
from dualgate.core.record.loop_document import LONGEST, criteria_document, findings_document, read_loop_state, schema
from dualgate.core.values.problems import Severity
from dualgate.core.values.reviews import Finding, FindingState, Reviews
from dualgate.core.values.specification import starting_states
from dualgate.testing import NOW, a_fix, a_spec, a_state

PRINTED = """{
  "session_id": "a1b2c3d4-e5f6-7890-abcd-ef1234567890",
  "prp_file": "docs/PRPs/2026-01-16-feature-name.md",
  "started_at": "2026-01-16T10:00:00-03:00",
  "current_phase": "GREEN",
  "current_iteration": 5,
  "last_activity": "2026-01-16T10:45:00-03:00",
  "status": "running",
  "halt_reason": null,
  "phases_completed": ["RED"],
  "phase_history": {
    "RED": {
      "started_at": "2026-01-16T10:00:00-03:00",
      "completed_at": "2026-01-16T10:15:00-03:00",
      "iterations": 2,
      "exit_reason": "Dual-Gate satisfied"
    },
    "GREEN": {
      "started_at": "2026-01-16T10:15:00-03:00",
      "completed_at": null,
      "iterations": 5
    }
  },
  "error_history": [
    {
      "timestamp": "2026-01-16T10:30:00-03:00",
      "phase": "GREEN",
      "iteration": 3,
      "error": "TypeError: Cannot read property 'x' of undefined",
      "hash": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    }
  ],
  "total_agent_calls": 12
}
"""


def changed(**fields: Any) -> str:
    return json.dumps(json.loads(PRINTED) | fields, indent=2)


def errors(text: str | bytes, **limits: int) -> list[str]:
    problems = read_loop_state(text, **limits).problems
    return [str(problem) for problem in problems if problem.severity is Severity.ERROR]


def test_the_printed_example_loads() -> None:
    document = read_loop_state(PRINTED)

    assert (document.problems, document.is_legal) == ((), True)
    assert document.fields["current_iteration"] == 5


def test_what_this_loop_adds_is_optional_and_loads() -> None:
    added = {
        "green_model": "sonnet",
        "pause_reason": "rate_limit",
        "paused_at": "2026-01-16T10:45:00Z",
        "qa_attempts": 1,
        "rejections": [{"timestamp": "2026-01-16T10:45:00Z", "reason": "no bounds"}],
        "format": 1,
        "seq": 40,
        "usage": usage_document(a_state()),
        "criteria": criteria_document(a_state(criteria_states=starting_states(a_spec().criteria))),
    }

    assert errors(changed(**added)) == []


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"usage": {**usage_document(a_state()), "cost_usd": -1}}, "usage.cost_usd must be a number, 0 or more: -1"),
    ({"usage": {**usage_document(a_state()), "cost_usd": True}}, "usage.cost_usd must be a number, 0 or more"),
    ({"session_id": "not-a-uuid"}, "session_id must be a UUID: not-a-uuid"),
    ({"session_id": 7}, "session_id must be a UUID: 7"),
    ({"session_id": "a1b2c3d4-e5f6-7890-0bcd-ef1234567890"}, "session_id must be a UUID"),
    ({"prp_file": " "}, "prp_file must be a text that is not empty"),
    ({"started_at": "2026-01-16T10:00:00"}, "started_at must be an ISO-8601 time with its zone"),
    ({"last_activity": "yesterday"}, "last_activity must be an ISO-8601 time with its zone"),
    ({"last_activity": 5}, "last_activity must be an ISO-8601 time with its zone"),
    ({"current_phase": "BLUE"}, "current_phase must be one of RED, GREEN, REFACTOR, DOCUMENT, QA, BUILD: BLUE"),
    ({"current_phase": ["RED"]}, "current_phase must be one of"),
    ({"current_iteration": -1}, "current_iteration must be a whole number, from 0 to 100: -1"),
    ({"current_iteration": 101}, "current_iteration must be a whole number, from 0 to 100: 101"),
    ({"current_iteration": True}, "current_iteration must be a whole number"),
    ({"current_iteration": 5.0}, "current_iteration must be a whole number"),
    ({"status": "sleeping"}, "status must be one of running, paused, completed, halted: sleeping"),
    ({"halt_reason": 3}, "halt_reason must be a text: 3"),
    ({"phases_completed": "RED"}, "phases_completed must be a list: RED"),
    ({"phases_completed": ["RED", "BLUE"]}, "phases_completed[1] must be one of"),
    ({"phase_history": []}, "phase_history must be an object: []"),
    ({"phase_history": {"BLUE": {}}}, "phase_history.BLUE must be one of"),
    ({"phase_history": {"RED": 5}}, "phase_history.RED must be an object: 5"),
    ({"phase_history": {"RED": {"started_at": "2026-01-16T10:00:00Z"}}}, "phase_history.RED.completed_at is missing"),
    ({"error_history": [{}]}, "error_history[0].hash is missing"),
    ({"error_history": [{}] * 51}, "error_history holds 51 entries; 50 are kept"),
    ({"total_agent_calls": "12"}, "total_agent_calls must be a whole number, 0 or more: 12"),
    ({"pause_reason": "tired"}, "pause_reason must be one of user_interrupt, rate_limit, manual, approval: tired"),
    ({"format": 2}, "format 2 was written by a newer dualgate"),
]


@pytest.mark.parametrize(("fields", "message"), WRONG)
def test_the_wrong_field_is_named(fields: dict[str, Any], message: str) -> None:
    assert any(found.startswith(message) for found in errors(changed(**fields)))


@pytest.mark.parametrize("name", list(json.loads(PRINTED)))
def test_every_documented_field_is_required(name: str) -> None:
    document = json.loads(PRINTED)
    del document[name]

    assert errors(json.dumps(document)) == [f"{name} is missing"]


def test_the_line_of_the_wrong_field_is_told() -> None:
    (problem,) = read_loop_state(PRINTED.replace('"running"', '"sleeping"')).problems

    assert (problem.field, problem.line) == ("status", 8)


def test_a_field_nobody_knows_is_reported_and_breaks_nothing() -> None:
    document = read_loop_state(changed(mood="good"))

    assert document.is_legal
    assert [problem.code for problem in document.problems] == ["unknown_field"]


def test_the_configured_limit_bounds_the_iterations() -> None:
    assert errors(changed(current_iteration=200), max_iterations=500) == []


NO_DOCUMENT: list[tuple[str | bytes, str]] = [
    ("", "it is not JSON"),
    ("[1, 2]", "the document must be an object"),
    ('{"status": "running"', "it is not JSON: Expecting ',' delimiter in line 1"),
    ('{"status": NaN}', "NaN is not a number"),
    ('{"status": 1, "status": 2}', "status is given twice"),
    ("[" * 100_000, "it is not JSON"),
    (b"\xff\xfe", "it is not JSON"),
    (" " * (LONGEST + 1), "a state document has at most"),
]


@pytest.mark.parametrize(("text", "message"), NO_DOCUMENT, ids=range(len(NO_DOCUMENT)))
def test_what_is_no_document_is_said(text: str | bytes, message: str) -> None:
    (found,) = errors(text)

    assert message in found


@given(st.one_of(st.text(), st.binary()))
def test_any_text_gets_an_answer(text: str | bytes) -> None:
    assert not read_loop_state(text).is_legal


values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=5,
)


@given(st.sampled_from(sorted(json.loads(PRINTED))), values)
def test_any_value_of_any_field_gets_an_answer_that_names_it(name: str, value: Any) -> None:
    problems = read_loop_state(changed(**{name: value})).problems

    assert all((problem.field or "").startswith(name) for problem in problems)


def test_the_schema_says_what_the_checks_check() -> None:
    said = schema()

    assert set(said["required"]) == set(json.loads(PRINTED))
    assert said["properties"]["status"] == {"enum": ["running", "paused", "completed", "halted"]}
    assert said["properties"]["current_iteration"] == {"type": "integer", "minimum": 0, "maximum": 100}
    assert said["properties"]["error_history"]["maxItems"] == 50
    assert said["properties"]["halt_reason"] == {"anyOf": [{"type": "string"}, {"type": "null"}]}
    assert said["properties"]["phase_history"]["propertyNames"]["enum"][0] == "RED"


def test_findings_are_told_with_their_place_and_who_raised_and_closed_them() -> None:
    finding = Finding(
        request=a_fix(),
        state=FindingState.CLOSED,
        review=2,
        by="codex",
        raised_at=NOW,
        closed_at=NOW,
        closed_by="gemini",
    )
    bare = Finding(request=a_fix(2), state=FindingState.OPEN, review=1)

    full, other = findings_document(a_state(reviews=Reviews(findings=(finding, bare))))

    assert full == {
        "id": "FR-1",
        "state": "closed",
        "severity": "major",
        "category": "error-handling",
        "file": "src/a.py",
        "location": "line 10",
        "description": "an error is lost",
        "proposed_fix": "raise it",
        "review": 2,
        "by": "codex",
        "raised_at": "2026-01-16T10:00:00+00:00",
        "closed_by": "gemini",
        "closed_at": "2026-01-16T10:00:00+00:00",
    }
    assert (other["by"], other["raised_at"], other["closed_by"], other["closed_at"]) == (None, None, None, None)
