"""Specifications as people write them, each with what must be read in it; `tests/data/specifications/README.md`."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from dualgate.core.spec.markdown import lines_of
from dualgate.core.spec.reading import read_specification
from dualgate.core.values.problems import Problem, Severity
from dualgate.core.values.specification import Criterion, Question, Specification

FOLDER = Path(__file__).parents[2] / "data" / "specifications"
NAMES = sorted(path.name.removesuffix(".json") for path in FOLDER.glob("*.*.json"))


def read(name: str) -> Specification:
    return read_specification((FOLDER / name).read_bytes().decode(), name)


def wanted(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return found


def as_record(criterion: Criterion, expected: dict[str, Any]) -> dict[str, Any]:
    text = criterion.text[: len(expected["text"])] if expected.get("only_start") else criterion.text
    record = {"id": criterion.id, "kind": criterion.kind.value, "text": text, "line": criterion.line}
    return record | {"inferred": criterion.inferred} | {key: criterion.command for key in expected if key == "command"}


def on_lines(found: Iterable[Problem | Question], expected: list[dict[str, Any]], *, may_be_more: bool = False) -> bool:
    """Whether there is a message on each expected line, and on no other."""
    lines = [each.line for each in found]
    allowed = [{entry["line"], *entry.get("or", ())} for entry in expected]
    is_there = all(places & {*lines} for places in allowed)
    return is_there and (may_be_more or all(any(line in places for places in allowed) for line in lines))


def of(spec: Specification, severity: Severity) -> list[Problem]:
    return [problem for problem in spec.problems if problem.severity is severity]


def test_every_form_has_its_documents() -> None:
    assert len(NAMES) >= 130


@pytest.mark.parametrize("name", NAMES)
def test_a_document_is_read_as_a_person_means_it(name: str) -> None:
    spec, expected = read(name), wanted(name)
    marks = {"only_start", "note"}

    if "criteria" in expected:
        criteria = [{k: v for k, v in entry.items() if k not in marks} for entry in expected["criteria"]]
        assert [as_record(c, e) for c, e in zip(spec.criteria, expected["criteria"], strict=True)] == criteria
    if "tasks" in expected:
        assert [{"text": t.text, "line": t.line, "done": t.done} for t in spec.tasks] == expected["tasks"]
    if "validation" in expected:
        commands = [{"level": v.level, "command": v.command, "line": v.line} for v in spec.validation]
        assert commands == expected["validation"]
    assert expected.get("title") in (None, spec.title)
    assert expected.get("workflow") in (None, spec.workflow)
    assert {*expected.get("context_headings", ())} <= {context.heading for context in spec.context}


@pytest.mark.parametrize("name", NAMES)
def test_what_is_wrong_with_a_document_is_named_by_line(name: str) -> None:
    spec, expected = read(name), wanted(name)
    errors, warnings = of(spec, Severity.ERROR), of(spec, Severity.WARNING)

    assert "problems" not in expected or on_lines(
        errors, expected["problems"], may_be_more=bool(expected.get("more_problems"))
    ), errors
    assert "questions" not in expected or on_lines(spec.questions, expected["questions"]), spec.questions
    assert "warnings" not in expected or on_lines(warnings, expected["warnings"]), warnings


@pytest.mark.parametrize("name", NAMES)
def test_no_line_of_a_document_is_unaccounted_for(name: str) -> None:
    spec = read(name)
    taken = {
        number
        for parts in (spec.criteria, spec.tasks, spec.validation, spec.context)
        for each in parts
        for number in range(each.line, each.line + each.lines)
    }

    lines = enumerate(lines_of(spec.document or spec.text), start=1)

    assert [number for number, line in lines if line.strip() and number not in taken] == []
