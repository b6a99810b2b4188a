"""Specification -> what was read as what: a table for people, a record for programs."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from dualgate.core.gates.document import wanted_documents
from dualgate.core.money.estimate import Estimate, estimate_text
from dualgate.core.spec.readiness import place
from dualgate.core.values.limits import Limits
from dualgate.core.values.notation import counted
from dualgate.core.values.problems import Severity
from dualgate.core.values.specification import Context, Criterion, Kind, Specification
from dualgate.core.values.vocabulary import PHASES, Workflow
from dualgate.display.lines import Line, Tone, cut, fitted, padded, printable, width

TASKS_SHOWN = 5
INDENT = 2
LABEL = 12
LONGEST_ID = 16
UNDER_NONE = "(before the first heading)"
OWN_TESTS = "(the project's own tests)"
INFERRED = "* inferred; write [new], [keep], [check: COMMAND] or [review] to set it"
ATX = re.compile(r"\s{0,3}#{1,6}(\s|$)")
UNDERLINE_OR_FENCE = re.compile(r"\s{0,3}(=+|-+)\s*|\s*(```|~~~)\s*\S*\s*")
LINE_END = re.compile(r"\r\n|\r|\n")


def specification_record(
    spec: Specification, workflow: Workflow, validation: Mapping[str, str] = MappingProxyType({})
) -> dict[str, Any]:
    return {
        "title": spec.title,
        "goal": spec.goal,
        "workflow": workflow.value,
        "criteria": [_criterion_record(criterion) for criterion in spec.criteria],
        "tasks": [{"text": task.text, "line": task.line, "done": task.done} for task in spec.tasks],
        "validation": [
            {"level": v.level, "command": v.command, "line": v.line, "run": validation.get(v.command)}
            for v in spec.validation
        ],
        "context": [{"heading": each.heading, "line": each.line, "lines": each.lines} for each in spec.context],
        "questions": [
            {"key": each.key, "line": each.line, "text": each.text, "readings": list(each.readings)}
            for each in spec.questions
        ],
        "problems": _problem_records(spec, Severity.ERROR),
        "warnings": _problem_records(spec, Severity.WARNING),
        "calls": least_calls(workflow),
        "spec_id": spec.spec_id,
        "dependencies": list(spec.dependencies),
        "blocks": list(spec.blocks),
    }


def least_calls(workflow: Workflow) -> int:
    """The calls that a run makes at least: one for each phase."""
    return len(PHASES[workflow])


def specification_lines(
    spec: Specification,
    name: str,
    workflow: Workflow,
    columns: int = 80,
    validation: Mapping[str, str] = MappingProxyType({}),
) -> list[Line]:
    """The table: title, goal, criteria, tasks, validation commands and context, each with its line.

    `validation` says of a validation command what a run does with it.
    """
    parts = (
        _head(spec, name, workflow, columns),
        _criteria(spec.criteria, columns),
        _tasks(spec, columns),
        _validation(spec, columns, validation),
        _context(spec, columns),
    )
    return _fitted(separated(parts), columns)


def remark_lines(spec: Specification, name: str, unapproved: Sequence[str] = (), columns: int = 80) -> list[Line]:
    """The parts for a person to look at: commands to approve, questions, problems and warnings, each with its line."""
    parts = (_approvals(spec, unapproved, columns), _questions(spec, name), _problems(spec, name))
    return _fitted(separated(parts), columns)


def proposal_lines(proposed: Mapping[str, str], columns: int = 80) -> list[Line]:
    """Checks that the files of the project name, as the lines to add to its settings."""
    if not proposed:
        return []
    rows = [("[checks]",), *((f"{name} = {json.dumps(command)}",) for name, command in proposed.items())]
    told = "checks that this project names; to run them, add to dualgate.toml:"
    return _fitted([_labelled("Proposed", told), *_rows(rows, columns)], columns)


def cost_lines(workflow: Workflow, found: Estimate, columns: int = 80) -> list[Line]:
    """The least number of calls, and the estimate by earlier sessions."""
    calls = "5 calls of an agent, one for each phase" if workflow is Workflow.TDD else "1 call of an agent"
    return _fitted([_labelled("Cost", f"at least {calls}"), _labelled("", estimate_text(found))], columns)


def documents_line(workflow: Workflow, limits: Limits) -> list[Line]:
    """How many documents a run needs, and the settings that say so."""
    if workflow is not Workflow.TDD:
        return []
    return [_labelled("Docs", f"{wanted_documents(limits)} (settings documents, adr_required)")]


def next_lines(ways: Sequence[str], columns: int = 80) -> list[Line]:
    return _fitted([_labelled("" if number else "Next", way) for number, way in enumerate(ways)], columns)


def separated(parts: Iterable[list[Line]]) -> list[Line]:
    """The parts that are not empty, with an empty line between them."""
    there = [part for part in parts if part]
    return [line for number, part in enumerate(there) for line in ((Line(text=""), *part) if number else part)]


def _criterion_record(criterion: Criterion) -> dict[str, Any]:
    record = {
        "id": criterion.id,
        "kind": criterion.kind.value,
        "text": criterion.text,
        "line": criterion.line,
        "inferred": criterion.inferred,
    }
    return record | ({"command": criterion.command} if criterion.kind is Kind.CHECK else {})


def _problem_records(spec: Specification, severity: Severity) -> list[dict[str, Any]]:
    return [{"line": each.line, "message": each.message} for each in spec.problems if each.severity is severity]


def _head(spec: Specification, name: str, workflow: Workflow, columns: int) -> list[Line]:
    told = {"Title": spec.title if spec.title != name else "", "Goal": spec.goal}
    links = {"Id": spec.spec_id, "Depends on": ", ".join(spec.dependencies), "Blocks": ", ".join(spec.blocks)}
    return [
        *(Line(text=cut(_labelled(label, _flat(text)).text, columns)) for label, text in told.items() if text),
        _labelled("Read from", name),
        _labelled("Workflow", _why(spec, workflow)),
        *(_labelled(label, text) for label, text in links.items() if text),
    ]


def _why(spec: Specification, workflow: Workflow) -> str:
    if workflow is Workflow.TDD:
        return "tdd: RED, GREEN, REFACTOR, DOCUMENT, QA"
    return f"ralph: BUILD{'; criteria are not proven one by one' if spec.criteria else ''}"


def _criteria(criteria: Sequence[Criterion], columns: int) -> list[Line]:
    if not criteria:
        return []
    kinds = Counter(criterion.kind for criterion in criteria)
    told = ", ".join(f"{kinds[kind]} {kind}" for kind in Kind if kinds[kind])
    shown = [("ID", "KIND", "LINE", "TEXT"), *(_criterion_row(criterion) for criterion in criteria)]
    note = [_indented(INFERRED, INDENT, Tone.QUIET)]
    return [
        _labelled("Criteria", told),
        *_rows(shown, columns, right=2),
        *(note if any(criterion.inferred for criterion in criteria) else []),
    ]


def _criterion_row(criterion: Criterion) -> tuple[str, ...]:
    mark = " *" if criterion.inferred else ""
    text = _flat(criterion.text)
    if criterion.kind is Kind.CHECK:
        command = f"`{criterion.command}`" if criterion.command else OWN_TESTS
        text = text if criterion.command and criterion.command in text else f"{text} {command}"
    return cut(criterion.id, LONGEST_ID), f"{criterion.kind}{mark}", str(criterion.line), text


def _tasks(spec: Specification, columns: int) -> list[Line]:
    if not spec.tasks:
        return []
    done = sum(task.done for task in spec.tasks)
    still = [task for task in spec.tasks if not task.done] or list(spec.tasks)
    rows = [(str(task.line), f"[{'x' if task.done else ' '}]", _flat(task.text)) for task in still[:TASKS_SHOWN]]
    left = len(still) - len(rows)
    more = [Line(text=f"{'':{INDENT}}and {left} more", tone=Tone.QUIET)] if left else []
    return [_labelled("Tasks", f"{done} of {len(spec.tasks)} done"), *_rows(rows, columns, right=0), *more]


def _validation(spec: Specification, columns: int, states: Mapping[str, str]) -> list[Line]:
    if not spec.validation:
        return []
    levels = sorted(spec.validation, key=lambda each: (each.level is None, each.level or 0))
    rows = [
        (
            str(each.line),
            "" if each.level is None else f"level {each.level}",
            *([states[each.command]] if each.command in states else []),
            _flat(each.command),
        )
        for each in levels
    ]
    return [_labelled("Validation", counted(len(rows), "command", "commands")), *_rows(rows, columns, right=0)]


def _context(spec: Specification, columns: int) -> list[Line]:
    """Headings with their first line and number of lines; consecutive runs under one heading are one row."""
    source = LINE_END.split(spec.document or spec.text)
    rows: list[tuple[str, int, int]] = []
    for each in spec.context:
        if _is_bare(each, source):
            continue
        if rows and rows[-1][0] == each.heading:
            heading, line, lines = rows[-1]
            rows[-1] = (heading, line, lines + each.lines)
        else:
            rows.append((each.heading, each.line, each.lines))
    if not rows:
        return []
    total = sum(lines for _, _, lines in rows)
    shown = [
        (str(line), counted(lines, "line", "lines"), _flat(heading) or UNDER_NONE) for heading, line, lines in rows
    ]
    told = f"{counted(total, 'line', 'lines')}, given to every agent"
    return [_labelled("Context", told), *_rows(shown, columns, right=0)]


def _is_bare(context: Context, source: Sequence[str]) -> bool:
    """Whether a run holds nothing but its heading, blank lines and the fences around commands."""
    lines = [line for line in source[context.line - 1 : context.line - 1 + context.lines] if line.strip()]
    bare = [line for line in lines if _words(line) != _words(context.heading) and not ATX.match(line)]
    return not [line for line in bare if not UNDERLINE_OR_FENCE.fullmatch(line)]


def _words(text: str) -> str:
    """A heading without its decoration."""
    return text.strip().strip("#*_: ").lower()


def _approvals(spec: Specification, unapproved: Sequence[str], columns: int) -> list[Line]:
    if not unapproved:
        return []
    owners = {command: [each.id for each in spec.criteria if each.command == command] for command in unapproved}
    rows = [(f"`{command}`", ", ".join(ids)) for command, ids in owners.items()]
    return [_labelled("Approval", "a run asks before it runs these commands with the gates"), *_rows(rows, columns)]


def _questions(spec: Specification, name: str) -> list[Line]:
    lines = [_labelled("Questions", "open: a run asks; the first reading is shown here")] if spec.questions else []
    for question in spec.questions:
        lines.append(_indented(f"{place(name, question.line)}: {question.text}", INDENT))
        for number, reading in enumerate(question.readings, 1):
            lines.append(_indented(f"({number}) {reading}", 2 * INDENT))
    return lines


def _problems(spec: Specification, name: str) -> list[Line]:
    lines: list[Line] = []
    for label, severity, tone in (("Problems", Severity.ERROR, Tone.BAD), ("Warnings", Severity.WARNING, Tone.PLAIN)):
        found = [each for each in spec.problems if each.severity is severity]
        lines += [_labelled(label, str(len(found)))._replace(tone=tone)] if found else []
        for problem in found:
            lines.append(_indented(f"{place(name, problem.line)}: {problem.message}", INDENT, tone))
    return lines


def _labelled(label: str, text: str) -> Line:
    return Line(text=f"{label:<{LABEL}}{text}".rstrip(), hang=LABEL)


def _indented(text: str, indent: int, tone: Tone = Tone.PLAIN) -> Line:
    return Line(text=f"{'':{indent}}{text}", tone=tone, hang=indent + INDENT)


def _fitted(lines: Iterable[Line], columns: int) -> list[Line]:
    return [part for line in lines for part in fitted(line, columns)]


def _rows(rows: Sequence[Sequence[str]], columns: int, right: int = -1) -> list[Line]:
    """Rows of aligned columns, `right` aligned to the right; the last one is cut where the terminal ends."""
    widths = [max(width(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    made = []
    for row in rows:
        cells = [padded(cell, widths[i], to_right=i == right) for i, cell in enumerate(row[:-1])]
        made.append(Line(text=cut(f"{'':{INDENT}}{'  '.join((*cells, row[-1]))}".rstrip(), columns)))
    return made


def _flat(text: str) -> str:
    """A text on one line, without control characters."""
    return printable(" ".join(text.split()))
