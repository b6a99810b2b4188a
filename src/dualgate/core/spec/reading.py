"""text -> Specification. Every line becomes a criterion, a task, a validation command or context; nothing is lost."""

import re
from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from dualgate.core.spec.accounting import read_context
from dualgate.core.spec.choosing import Chosen, choose, nothing_to_prove
from dualgate.core.spec.complaints import (
    placeholders,
    repeated_criteria,
    unfilled_criteria,
    vague_criteria,
    weigh_lines,
)
from dualgate.core.spec.drafts import Draft, Findings, Source
from dualgate.core.spec.kinds import is_done_by_people, read_kind
from dualgate.core.spec.markdown import Form, Node, front_matter, lines_of, read_nodes, too_deep
from dualgate.core.spec.numbering import give_ids
from dualgate.core.spec.outline import read_goal, read_title
from dualgate.core.spec.parts import Reader
from dualgate.core.spec.plan import stories_of
from dualgate.core.spec.relations import relations_in
from dualgate.core.spec.roles import Certainty, Role
from dualgate.core.spec.scenarios import is_feature, read_feature
from dualgate.core.spec.sections import Section, read_sections
from dualgate.core.spec.stories import are_issues, issue_of, load, read_stories
from dualgate.core.spec.wording import Wording
from dualgate.core.values.problems import Problem, error, in_order, warning
from dualgate.core.values.specification import Criterion, Specification, Task
from dualgate.errors import SpecError

BY_PEOPLE = "'{}' is left to you: it happens after the work, and no run can prove it"
_LOWEST_LEVEL = 7
_TASK_HEADING = re.compile(r"\W*task\b", re.IGNORECASE)
_NO_ANSWERS: Mapping[str, int] = MappingProxyType({})


def read_specification(
    text: str,
    name: str = "the specification",
    answers: Mapping[str, int] = _NO_ANSWERS,
    words: Sequence[str] = (),
) -> Specification:
    """Read any text. `answers` chooses a reading, from 0, by the key of its question; `words` are further headings."""
    found, broken = load(text, name)
    if issue := issue_of(found):
        title, body = issue
        spec = _read_markdown(body, name, answers, words)
        return replace(spec, title=title or spec.title, text=text, document=body)
    if are_issues(found):
        broken = error(
            "several_issues", "these are several issues; give one: gh issue view N --json title,body", line=1
        )
    elif stories := stories_of(found):
        return _read_stories(text, name, found, stories)
    if is_feature(text, name):
        return _read_feature(text, name)
    if broken:
        context = read_context(lines_of(text), (), [Section()])
        return Specification(title=name, goal="", criteria=(), text=text, context=context, problems=(broken,))
    return _read_markdown(text, name, answers, words)


def read_prompt(text: str, name: str = "the prompt") -> Specification:
    """Read a prompt for BUILD: any text, passed to the agent whole; it needs no criteria."""
    if not text.strip():
        raise SpecError(
            f"{name} is empty.", "Write down what the agent has to do; 'dualgate prompts show ralph' helps."
        )
    spec = _read_markdown(text, name, _NO_ANSWERS, ())
    forbidding = tuple(criterion for criterion in spec.criteria if criterion.forbids)
    return Specification(title=spec.title, goal="", criteria=forbidding, text=text)


def _read_markdown(text: str, name: str, answers: Mapping[str, int], words: Sequence[str]) -> Specification:
    nodes = read_nodes(text)
    sections = read_sections(nodes, words)
    reader = Reader(findings=Findings(), words=words)
    for section in sections:
        reader.read(section)
    _add_heading_tasks(reader.findings, sections)
    chosen = choose(reader.findings, answers)
    if not chosen.tasks and all(draft.source is Source.CONSTRAINT for draft in chosen.drafts):
        chosen = nothing_to_prove(chosen, text, sections, answers)
    chosen = _without_parts(chosen)
    lines = lines_of(text)
    code = _code_lines(nodes, len(lines), front_matter(text).count("\n"))
    weigh_lines(code, sections)
    wrong = (*reader.findings.problems, *chosen.problems, *_unread(nodes), *_empty(sections, chosen))
    spec = _specification(text, chosen, (*wrong, *placeholders(lines, code)))
    relations = relations_in(text, nodes)
    return replace(
        spec,
        title=read_title(text, sections, name),
        goal=read_goal(sections),
        validation=tuple(reader.findings.commands),
        context=read_context(lines, [*spec.criteria, *spec.tasks, *reader.findings.commands], sections),
        questions=chosen.questions,
        is_prompt=chosen.is_prompt,
        spec_id=relations.spec_id,
        dependencies=tuple(name.replace("`", "") for name in relations.needs),
        blocks=tuple(name.replace("`", "") for name in relations.blocks),
    )


def _without_parts(chosen: Chosen) -> Chosen:
    """Drop a constraint that is part of a criterion: that one forbids the path too."""
    taken = {
        n for draft in chosen.drafts if draft.source is not Source.CONSTRAINT for n in range(draft.line, draft.end)
    }
    kept = (d for d in chosen.drafts if d.source is not Source.CONSTRAINT or d.line not in taken)
    return replace(chosen, drafts=tuple(kept))


def _unread(nodes: Sequence[Node]) -> list[Problem]:
    line = too_deep(nodes)
    message = "lists are nested too deeply here; what follows is not read"
    return [] if line is None else [error("too_deep", message, line=line + 1)]


def _empty(sections: Sequence[Section], chosen: Chosen) -> list[Problem]:
    """A section for criteria without any, in a document that has none elsewhere."""
    if chosen.problems or any(draft.source is not Source.CONSTRAINT for draft in chosen.drafts):
        return []
    named = (each for each in sections if each.role is Role.CRITERIA and each.certainty is Certainty.CERTAIN)
    empty = next((section for section in named if not section.is_name), None)
    message = "there are no criteria under '{}'; write them there, or remove the heading"
    return [error("no_criteria", message.format(empty.heading), line=empty.line + 1)] if empty else []


def _read_feature(text: str, name: str) -> Specification:
    feature = read_feature(text)
    drafts = [
        Draft(
            wording=Wording(text=each.text, id=each.id, kind=each.kind),
            line=each.line,
            end=each.end,
            source=Source.SECTION,
        )
        for each in feature.scenarios
    ]
    chosen = Chosen(drafts=tuple(drafts))
    if not drafts and not feature.problems:
        chosen = nothing_to_prove(chosen, text, (), _NO_ANSWERS)
    spec = _specification(text, chosen, (*feature.problems, *chosen.problems))
    lines = lines_of(text)
    return replace(
        spec,
        title=feature.name or name,
        goal=feature.description,
        context=read_context(lines, spec.criteria, [Section(heading=feature.name)]),
    )


def _read_stories(text: str, name: str, document: object, found: Sequence[Mapping[str, object]]) -> Specification:
    stories = read_stories(text, document, found)
    chosen = Chosen(drafts=tuple(stories.drafts), tasks=tuple(stories.tasks))
    spec = _specification(text, chosen, stories.problems)
    title = stories.title or name
    return replace(
        spec,
        title=title,
        goal=stories.goal,
        context=read_context(lines_of(text), [*spec.criteria, *spec.tasks], [Section(heading=title)]),
    )


def _specification(text: str, chosen: Chosen, problems: Iterable[Problem]) -> Specification:
    """The criteria with ids and kinds; what people do with finished work is left to them, with a warning."""
    later = [draft for draft in chosen.drafts if _is_later(draft)]
    drafts = [draft for draft in chosen.drafts if not _is_later(draft)]
    ids, twice = give_ids(drafts)
    criteria = tuple(_criterion(draft, own_id) for draft, own_id in zip(drafts, ids, strict=True))
    left = (warning("by_people", BY_PEOPLE.format(d.wording.text.split("\n")[0]), line=d.line + 1) for d in later)
    found = (
        *problems,
        *twice,
        *left,
        *unfilled_criteria(criteria),
        *vague_criteria(criteria),
        *repeated_criteria(criteria),
    )
    return Specification(
        title="", goal="", criteria=criteria, text=text, tasks=chosen.tasks, problems=_once_a_line(found)
    )


def _is_later(draft: Draft) -> bool:
    return draft.wording.kind is None and is_done_by_people(draft.wording.text)


def _once_a_line(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems in the order of lines, each kind once a line."""
    return in_order(
        {(problem.code, problem.line, problem.line or problem.message): problem for problem in problems}.values()
    )


def _criterion(draft: Draft, own_id: str) -> Criterion:
    proof = read_kind(draft.wording, is_constraint=draft.source is Source.CONSTRAINT, holds=draft.holds)
    return Criterion(
        id=own_id,
        text=draft.wording.text,
        line=draft.line + 1,
        lines=max(1, draft.end - draft.line),
        named=bool(draft.wording.id),
        kind=proof.kind,
        inferred=proof.inferred,
        command=proof.command,
        exit_code=proof.exit_code,
        prints=proof.prints,
        forbids=proof.forbids,
    )


def _add_heading_tasks(findings: Findings, sections: Sequence[Section]) -> None:
    """A heading 'Task 1: …' is a task if nothing below it is one."""
    lines = sorted(task.line - 1 for task in findings.tasks)
    ends = [1 << 62] * (_LOWEST_LEVEL + 1)
    for section in reversed(sections):
        if section.role is Role.TASK and _TASK_HEADING.match(section.heading):
            following = bisect(lines, section.line)
            if following == len(lines) or lines[following] >= min(ends[: section.level + 1]):
                findings.tasks.append(Task(text=section.heading, line=section.line + 1))
        ends[section.level] = section.line


def _code_lines(nodes: Sequence[Node], count: int, head: int) -> bytearray:
    """Which lines are code or front matter."""
    marked = bytearray(count)
    marked[:head] = b"\1" * head
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        waiting += node.children
        if node.form in (Form.FENCE, Form.HTML):
            marked[node.line : node.end] = b"\1" * (node.end - node.line)
    return marked
