"""Findings, answers -> what counts. A part with two readings becomes a question; the first reading is taken."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from dualgate.core.spec.drafts import Draft, Findings, Source, item_wording
from dualgate.core.spec.markdown import Form, Node
from dualgate.core.spec.roles import LIKELY_CRITERIA, Certainty, Role, certainty_of
from dualgate.core.spec.sections import Section, own_text
from dualgate.core.spec.statements import are_statements
from dualgate.core.spec.wording import Wording, plain, read_wording
from dualgate.core.values.notation import counted
from dualgate.core.values.problems import Problem, error
from dualgate.core.values.specification import Question, Task

_CONTEXT = "context that every agent gets"
_MOST_PARAGRAPHS, _MOST_CHARACTERS = 6, 2000
"""A text without headings that is no longer than this may be one task by itself."""
_NOTHING = "There are no acceptance criteria and no tasks."


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The chosen criteria and tasks after the answers, and the questions that are still open."""

    drafts: tuple[Draft, ...] = ()
    tasks: tuple[Task, ...] = ()
    questions: tuple[Question, ...] = ()
    problems: tuple[Problem, ...] = ()
    is_prompt: bool = False


@dataclass(slots=True)
class _Questions:
    answers: Mapping[str, int]
    open: list[Question] = field(default_factory=list)

    def ask(self, question: Question) -> int:
        """The chosen reading: the answer, else the first, and the question stays open."""
        if question.key not in self.answers:
            self.open.append(question)
        return self.answers.get(question.key, 0)


def choose(findings: Findings, answers: Mapping[str, int]) -> Chosen:
    questions = _Questions(answers)
    criteria = [*findings.of(Source.SECTION), *_loose(findings, questions)]
    tasks = _tasks(findings, questions)
    expected = findings.of(Source.EXPECTED)
    if criteria:
        expected = _asked(questions, "expected", expected, "is beside acceptance criteria")
    is_alone = not (criteria or expected or tasks)
    doubtful = _doubtful(findings, questions, is_alone) if is_alone or criteria else []
    prose = _asked(questions, "prose", findings.of(Source.PROSE), "says in prose what may be meant as criteria")
    drafts = sorted((*criteria, *expected, *doubtful, *prose), key=lambda draft: draft.line)
    return Chosen(
        drafts=(*drafts, *findings.of(Source.CONSTRAINT)),
        tasks=tuple(sorted(tasks, key=lambda task: task.line)),
        questions=tuple(questions.open),
    )


def _loose(findings: Findings, questions: _Questions) -> list[Draft]:
    """Criteria by their form alone; beside a section for criteria they are asked about, and known ids refer to it."""
    main = findings.of(Source.SECTION)
    if not main:
        return findings.of(Source.LOOSE)
    known = {draft.wording.id.lower() for draft in main if draft.wording.id}
    others = [draft for draft in findings.of(Source.LOOSE) if draft.wording.id.lower() not in known]
    return _asked(questions, "loose", others, "looks like criteria, outside of a section for them")


def _doubtful(findings: Findings, questions: _Questions, is_alone: bool) -> list[Draft]:
    """The items that may be meant as criteria: more of them if the document has no others."""
    sources = [Source.UNSURE, Source.PERHAPS] if is_alone else [Source.UNSURE]
    perhaps = findings.of(*sources)
    if is_alone and not perhaps and not findings.of(Source.PROSE):
        perhaps = _stated(draft for draft in findings.of(Source.LAST) if draft.heading)
    asked = _asked(questions, "perhaps", perhaps, "may be meant as acceptance criteria")
    normative = findings.of(Source.NORMATIVE)
    return [*asked, *_asked(questions, "normative", normative, "says MUST or SHALL", is_likely=not is_alone)]


def _stated(drafts: Iterable[Draft]) -> list[Draft]:
    """The drafts of those sections whose items state something."""
    lists = (found for found in _by_heading(drafts).values() if are_statements([draft.wording.text for draft in found]))
    return [draft for found in lists for draft in found]


def _by_heading(drafts: Iterable[Draft]) -> dict[str, list[Draft]]:
    found: dict[str, list[Draft]] = {}
    for draft in drafts:
        found.setdefault(draft.heading, []).append(draft)
    return found


def _is_likely(heading: str) -> bool:
    return LIKELY_CRITERIA.search(heading) is not None and certainty_of(heading) is not Certainty.OPEN


def _asked(
    questions: _Questions, topic: str, drafts: Sequence[Draft], why: str, is_likely: bool | None = None
) -> list[Draft]:
    """The drafts of those sections that are to be read as criteria, one question for each section."""
    kept: list[Draft] = []
    for heading, found in _by_heading(drafts).items():
        readings = (f"{counted(len(found), 'criterion', 'criteria')} to prove", _CONTEXT)
        is_named = topic != "perhaps" or _is_likely(heading)
        is_first = is_named or are_statements([d.wording.text for d in found]) if is_likely is None else is_likely
        question = Question(
            key=f"{topic}:{heading}",
            line=found[0].line + 1,
            text=f"{_place(heading)} {why}.",
            readings=readings if is_first else (readings[1], readings[0]),
        )
        if question.readings[questions.ask(question)] == readings[0]:
            kept += found
    return kept


def _tasks(findings: Findings, questions: _Questions) -> list[Task]:
    tasks = list(findings.tasks)
    for heading, line, items in findings.plain_lists:
        question = Question(
            key=f"tasks:{heading}",
            line=line + 1,
            text=f"The list under '{heading}' has no tick boxes.",
            readings=(f"{counted(len(items), 'task', 'tasks')} to do", _CONTEXT),
        )
        if questions.ask(question) == 0:
            tasks += items
    return tasks


def _place(heading: str) -> str:
    return f"The part under '{heading}'" if heading else "The part before the first heading"


def nothing_to_prove(chosen: Chosen, text: str, sections: Sequence[Section], answers: Mapping[str, int]) -> Chosen:
    """A short text is criteria, tasks or a prompt, which is asked; a long one says nothing that could be proven."""
    if not text.strip():
        return replace(chosen, problems=(error("empty", "The specification is empty.", line=1),))
    nodes = [node for section in sections for node in section.nodes]
    if chosen.questions:
        return chosen  # a person may say that there are criteria
    if not _is_short(text, sections, nodes):
        headings = (section.line + 1 for section in sections if section.role is Role.CRITERIA)
        return replace(chosen, problems=(*chosen.problems, error("nothing_to_prove", _NOTHING, line=next(headings, 1))))
    questions = _Questions(answers)
    items = [item for node in nodes if node.form is Form.LIST for item in node.children if own_text(item)]
    found = _of_items(items, nodes[0].line, questions) if items else _of_prose(nodes, questions)
    return replace(found, drafts=(*found.drafts, *chosen.drafts), questions=(*chosen.questions, *questions.open))


def _is_short(text: str, sections: Sequence[Section], nodes: Sequence[Node]) -> bool:
    is_short = len(text) <= _MOST_CHARACTERS and 0 < len(nodes) <= _MOST_PARAGRAPHS
    forms = {node.form for node in nodes}
    return is_short and forms <= {Form.PARAGRAPH, Form.LIST} and sum(bool(each.heading) for each in sections) <= 1


def _of_items(items: Sequence[Node], line: int, questions: _Questions) -> Chosen:
    """A list alone: criteria if its items state something, else tasks."""
    wordings = [item_wording(item) for item in items]
    readings = (
        f"{counted(len(items), 'criterion', 'criteria')} to prove (tdd)",
        f"{counted(len(items), 'task', 'tasks')} to do (ralph)",
    )
    is_stated = are_statements([wording.text for wording in wordings])
    question = Question(
        key="list",
        line=line + 1,
        text="There is a list, and nothing says what it is.",
        readings=readings if is_stated else (readings[1], readings[0]),
    )
    if question.readings[questions.ask(question)] == readings[0]:
        places = zip(items, wordings, strict=True)
        return Chosen(drafts=tuple(_draft(wording, item.line, item.end) for item, wording in places))
    return Chosen(tasks=tuple(Task(text=plain(own_text(i)), line=i.line + 1, lines=i.end - i.line) for i in items))


def _of_prose(nodes: Sequence[Node], questions: _Questions) -> Chosen:
    question = Question(
        key="prompt",
        line=nodes[0].line + 1,
        text="There is no list of acceptance criteria or tasks.",
        readings=("one criterion, proven with tests (tdd)", "a prompt for the agent, with nothing to prove (ralph)"),
    )
    if questions.ask(question) == 1:
        return Chosen(is_prompt=True)
    words = "\n".join(plain(node.text) for node in nodes)
    return Chosen(drafts=(_draft(read_wording(words), nodes[0].line, nodes[-1].end),))


def _draft(wording: Wording, line: int, end: int) -> Draft:
    return Draft(wording=wording, line=line, end=end, source=Source.PERHAPS)
