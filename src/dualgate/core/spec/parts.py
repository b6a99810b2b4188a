"""Section -> criteria, tasks and commands, by the role of its heading and the form of its text."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from dualgate.core.spec.commands import fence_commands, fence_tasks, item_command
from dualgate.core.spec.constraints import forbidden_paths
from dualgate.core.spec.drafts import Draft, Findings, Source, item_wording, paragraph_end
from dualgate.core.spec.likeness import (
    MODAL,
    has_ids,
    is_among_boxes,
    is_aside,
    is_criterion_line,
    is_loose,
    perhaps_criteria,
    weighed,
)
from dualgate.core.spec.markdown import Form, Node
from dualgate.core.spec.roles import Role, bare
from dualgate.core.spec.scenarios import (
    EARS,
    FENCES,
    Scenario,
    Step,
    are_steps,
    group_steps,
    is_complete,
    is_gherkin,
    read_feature,
)
from dualgate.core.spec.sections import Section, item_sections, own_text
from dualgate.core.spec.tables import read_rows
from dualgate.core.spec.walking import (
    NUMBERED,
    SCENARIO_LINE,
    all_texts,
    as_one_line,
    flat,
    has_steps,
    is_table_of_ids,
    items_in,
    lines_in,
    numbered_lines,
    step_runs,
)
from dualgate.core.spec.wording import (
    Wording,
    is_ticked,
    plain,
    read_wording,
    step_word,
    without_box,
)
from dualgate.core.values.specification import Task, ValidationCommand

_DOUBTFUL = frozenset({Source.PERHAPS, Source.UNSURE, Source.PROSE, Source.LAST, Source.NORMATIVE})
_GOES_ON = re.compile(r"(?:in addition|additionally|also|furthermore|moreover|besides)\b", re.IGNORECASE)
_NORMATIVE = re.compile(r"\b(?:MUST|SHALL)\b")
_SENTENCE = re.compile(r"[^.;!?\n]+(?:[.;!?](?!\s|$)[^.;!?\n]*)*[.;!?]?")
_STRUCK = re.compile(r"(?:\[[ xX]\]\s*)?~~.+~~(?:\s*\(?\w[\w ]{0,30}\)?)?", re.DOTALL)
_COURTESY = re.compile(
    r"I (?:agree|have|searched|read|would|am|accept|understand)\b|I['’](?:ve|m|d)\b|(?:Yes|No)\b[^a-z]*$", re.IGNORECASE
)
_ORDERS = re.compile(r"^(?:do not|don['’]ts?|never|must not)$", re.IGNORECASE)
_NO_ANSWER = re.compile(r"_*no response_*\.?|n/?a|none\.?|-", re.IGNORECASE)


@dataclass(slots=True, kw_only=True)
class Reader:
    """Reads one section after the other into its findings."""

    findings: Findings
    words: Sequence[str] = ()
    certain: set[int] = field(default_factory=set)
    """The first lines of what is a criterion whatever the answers are."""

    def read(self, section: Section) -> None:
        _HANDLERS[section.role](self, section)

    def criteria_and_constraints(self, section: Section) -> None:
        before = len(self.findings.drafts)
        self.criteria(section)
        self._prose(section, has_items=len(self.findings.drafts) > before)
        self.context(section)

    def _prose(self, section: Section, has_items: bool) -> None:
        """Paragraphs that may be meant as criteria: those that say must or shall, or all if there is nothing else."""
        if section.is_parent:
            return
        for node in section.nodes:
            if node.form is not Form.PARAGRAPH or is_aside(node.text) or node.line in self.certain:
                continue
            is_meant = not has_items or MODAL.search(node.text) or _GOES_ON.match(node.text)
            if is_meant and not forbidden_paths(plain(node.text)):
                self._add(section, read_wording(plain(node.text)), node.line, node.end, Source.PROSE)

    def criteria(self, section: Section, source: Source = Source.SECTION) -> None:
        for node in flat(section.nodes):
            match node.form:
                case Form.LIST:
                    self._criteria_list(section, node, weighed(section, node, source))
                case Form.TABLE:
                    self._criteria_table(section, node, weighed(section, node, source))
                case Form.FENCE if node.info in FENCES or (not node.info and is_gherkin(node.text)):
                    self._feature(section, node)
        self._paragraphs(section, source)

    def _criteria_list(self, section: Section, node: Node, source: Source) -> None:
        items = [item for item in node.children if own_text(item) or item.children]
        for run in step_runs(items):
            if are_steps([own_text(item) for item in run]):
                steps = [(own_text(item), item.line, paragraph_end(item)) for item in run]
                self._add_scenarios(section, steps, section.name, source)
                continue
            for item in run:
                self._criteria_item(section, item, source)

    def _criteria_item(self, section: Section, item: Node, source: Source) -> None:
        inner = item_sections(item, section, self.words)
        for each in inner:
            self.read(each)
        if inner or _STRUCK.fullmatch(own_text(item).strip()):
            return
        numbered = numbered_lines(item)
        for text, line, end in numbered:
            self._add(section, read_wording(text), line, end, source)
        if not numbered:
            self._add(section, item_wording(item), item.line, item.end, source)

    def _criteria_table(self, section: Section, node: Node, source: Source) -> None:
        for entry in read_rows(node, "text"):
            found = read_wording(entry.text)
            kind, command = entry.kind or found.kind, entry.command or found.command
            wording = Wording(text=found.text, id=entry.id or found.id, kind=kind, command=command)
            self._add(section, wording, entry.line, entry.line + 1, source)

    def _feature(self, section: Section, node: Node) -> None:
        steps = [
            (line.strip(), node.text_line + n, node.text_line + n + 1) for n, line in enumerate(node.text.splitlines())
        ]
        filled = [step for step in steps if step[0]]
        if are_steps([step[0] for step in filled]):
            self._add_scenarios(section, filled, section.name, Source.SECTION)
            return
        feature = read_feature(node.text, node.text_line)
        self.findings.problems += feature.problems
        self._add_all(section, feature.scenarios, Source.SECTION)

    def _paragraphs(self, section: Section, source: Source) -> None:
        """Lines of paragraphs that begin with an id, and paragraphs of Given/When/Then steps."""
        steps: list[tuple[str, int, int]] = []
        name = section.name
        for text, line, end in lines_in(section.nodes):
            if found := SCENARIO_LINE.match(text):
                self._add_scenarios(section, steps, name, source)
                steps, name = [], found["name"]
            elif step_word(text) and is_complete(text) and not EARS.match(text):
                self._add_scenarios(section, steps, name, source)
                steps, name = [(text, line, end)], ""
            elif step_word(text) and not EARS.match(text) and (steps or step_word(text) in ("given", "when")):
                steps.append((text, line, end))
            elif is_criterion_line(section, text, source):
                self._add(section, read_wording(NUMBERED.sub("", text)), line, end, source)
        self._add_scenarios(section, steps, name, source)

    def scenario(self, section: Section) -> None:
        """One criterion: the name of the scenario and its steps, or all its text if it has no steps."""
        if section.outer in (Role.CONTEXT, Role.EXCLUDED, Role.VALIDATION):
            return
        if has_ids(section):
            self.criteria(section)
            return
        source = Source.SECTION if section.outer is Role.CRITERIA else Source.LOOSE
        before = len(self.findings.drafts)
        self.criteria(section, source)
        found = self.findings.drafts[before:]
        is_scenario = found and all(is_complete(draft.wording.text) for draft in found)
        if is_scenario and len(found) > 1:
            return
        del self.findings.drafts[before:]
        texts = [section.name, *(text for node in section.nodes for text in all_texts(node))]
        text = found[0].wording.text if is_scenario else "\n".join(filter(None, map(plain, texts)))
        end = max((node.end for node in section.nodes), default=section.line + 1)
        own = read_wording(section.heading) if section.own_id else Wording(text="")
        kind = own.kind or (found[0].wording.kind if is_scenario else None)
        text = text if text.startswith(own.text) else f"{own.text}\n{text}"
        if text.strip():
            wording = Wording(text=text.strip(), id=own.id, kind=kind, command=own.command)
            self._add(section, wording, section.line, end, source)

    def forbidden(self, section: Section) -> None:
        """Each item below a heading such as 'Do not touch' is a path, or a sentence that the heading begins."""
        words = bare(section.heading)
        for node in flat(section.nodes):
            for item in items_in(node):
                text = plain(item.text if item.form is Form.PARAGRAPH else own_text(item))
                readings = (text, f"{words} {text}", f"Do not touch {text}")
                if meant := next((reading for reading in readings if forbidden_paths(reading)), None):
                    self._add(section, Wording(text=meant), item.line, item.end, Source.CONSTRAINT)
                elif text and _ORDERS.match(words):
                    self._add(section, Wording(text=f"{words} {text}"), item.line, item.end, Source.UNSURE)

    def wanted(self, section: Section) -> None:
        self.expected(section, Source.PERHAPS)

    def expected(self, section: Section, source: Source = Source.EXPECTED) -> None:
        """The expected behaviour: one criterion for each item, or one for all paragraphs."""
        before = len(self.findings.drafts)
        self._paragraphs(section, source)
        if len(self.findings.drafts) > before:
            return
        lists = [node for node in section.nodes if node.form is Form.LIST]
        if lists:
            for node in lists:
                self._criteria_list(section, node, source)
            return
        texts = [text for node in section.nodes for text in all_texts(node) if not _NO_ANSWER.fullmatch(text.strip())]
        if texts:
            wording = read_wording("\n".join(map(plain, texts)))
            first, last = section.nodes[0], section.nodes[-1]
            self._add(section, wording, first.line, last.end, source)

    def tasks_and_constraints(self, section: Section) -> None:
        self.tasks(section)
        self.context(section)

    def tasks(self, section: Section) -> None:
        for node in flat(section.nodes):
            if node.form is Form.LIST and not self._boxes(node):
                items = [Task(text=plain(own_text(i)), line=i.line + 1, lines=i.end - i.line) for i in node.children]
                named = [task for task in items if task.text]
                if section.role is Role.TASKS and named:
                    self.findings.plain_lists.append((section.heading, node.line, named))
            elif node.form is Form.TABLE and section.role is Role.TASKS:
                rows = read_rows(node, "task")
                self.findings.tasks += [Task(text=_row_text(r.id, r.text), line=r.line + 1, done=r.done) for r in rows]
            elif node.form is Form.FENCE:
                self._fence(section, node)

    def _boxes(self, node: Node) -> int:
        """Add every tick box inside a node, at any depth, and return their number."""
        found = 0
        for child in node.children:
            first = child.children[0] if child.form is Form.ITEM and child.children else None
            if first is not None and first.form is Form.PARAGRAPH:
                ticked = is_ticked(first.text)
                found += ticked is not None
                text, lines = plain(without_box(first.text)), paragraph_end(child) - child.line
                is_task = text and not _COURTESY.match(text) if ticked is not None else is_among_boxes(node)
                if is_task:
                    self.findings.tasks.append(Task(text=text, line=child.line + 1, lines=lines, done=bool(ticked)))
            found += self._boxes(child)
        return found

    def _fence(self, section: Section, node: Node) -> None:
        if node.info in FENCES:
            self._feature(section, node)
        else:
            self.findings.tasks += fence_tasks(node)

    def validation(self, section: Section) -> None:
        """Commands; a section about the validation of input, which has none, is read as any other."""
        found = [command for node in flat(section.nodes) for command in self._commands(section, node)]
        self.findings.commands += found
        if not found and "validation" in section.heading.lower() and section.outer is not Role.VALIDATION:
            self.plain(section)

    def _commands(self, section: Section, node: Node) -> Iterator[ValidationCommand]:
        if node.form is Form.FENCE:
            yield from fence_commands(node, section.level_number)
        elif node.form in (Form.LIST, Form.ITEM, Form.PARAGRAPH):
            for item in items_in(node):
                yield from item_command(item, section.level_number)

    def plain(self, section: Section) -> None:
        for node in flat(section.nodes):
            match node.form:
                case Form.LIST:
                    self._plain_list(section, node)
                case Form.TABLE if is_table_of_ids(node):
                    self._criteria_table(section, node, Source.LOOSE)
                case Form.FENCE:
                    self._fence(section, node)
        self._paragraphs(section, Source.LOOSE)
        self.context(section)
        for node in flat(section.nodes):
            is_open = node.form is Form.PARAGRAPH and node.line not in self.certain
            if is_open and _NORMATIVE.search(node.text) and not is_aside(node.text):
                self._add(section, read_wording(plain(node.text)), node.line, node.end, Source.NORMATIVE)

    def _plain_list(self, section: Section, node: Node) -> None:
        items = [item for item in node.children if own_text(item)]
        loose = [item for item in items if is_loose(own_text(item))]
        inner = [each for item in items for each in item_sections(item, section, self.words)]
        if inner:
            for each in inner:
                self.read(each)
        elif has_steps(items) or (loose and len(loose) == len(items)):
            self._criteria_list(section, node, Source.LOOSE)
        elif not self._boxes(node):
            self._doubtful_list(section, node, loose)

    def _doubtful_list(self, section: Section, node: Node, loose: Sequence[Node]) -> None:
        """A list without boxes: its items that look like criteria, or all if its heading or words may mean criteria."""
        for item in loose:
            self._add(section, item_wording(item), item.line, item.end, Source.LOOSE)
        if not loose:
            self._criteria_list(section, node, perhaps_criteria(section, [own_text(item) for item in node.children]))

    def context(self, section: Section) -> None:
        """Nothing but the items and sentences that forbid to change a path."""
        for node in flat(section.nodes):
            for item in items_in(node):
                text = item.text if item.form is Form.PARAGRAPH else as_one_line(item)
                if item.line in self.certain or not forbidden_paths(plain(text)):
                    continue
                if item.form is Form.ITEM:
                    self._add(section, item_wording(item), item.line, item.end, Source.CONSTRAINT)
                else:
                    self._sentence(section, item)

    def _sentence(self, section: Section, node: Node) -> None:
        for found in _SENTENCE.finditer(node.text.replace("\n", " ")):
            if forbidden_paths(found[0].strip()):
                line = node.line + node.text[: found.start()].count("\n")
                last = node.line + node.text[: found.end()].count("\n")
                self._add(section, read_wording(found[0].strip()), line, last + 1, Source.CONSTRAINT)

    def _add(self, section: Section, wording: Wording, line: int, end: int, source: Source) -> None:
        if wording.text.strip():
            if source not in _DOUBTFUL:
                self.certain.add(line)
            self.findings.drafts.append(
                Draft(
                    wording=wording,
                    line=line,
                    end=end,
                    source=source,
                    heading=section.heading,
                    story=section.story,
                    holds=section.holds,
                )
            )

    def _add_scenarios(self, section: Section, steps: Sequence[Step], name: str, source: Source) -> None:
        """Scenarios of steps; a heading that says nothing else is the name of the only scenario below it."""
        found = [each for each in group_steps(steps, name) if is_complete(each.text)]
        if len(found) == 1 and not name and section.is_name:
            found = [replace(found[0], text=f"{section.heading}\n{found[0].text}", line=section.line)]
        self._add_all(section, found, source)

    def _add_all(self, section: Section, scenarios: "Iterator[Scenario] | Sequence[Scenario]", source: Source) -> None:
        for each in scenarios:
            found = read_wording(each.text.split("\n", 1)[0])
            rest = each.text.split("\n", 1)[1:]
            text = "\n".join((found.text, *rest))
            wording = Wording(text=text, id=each.id or found.id, kind=each.kind or found.kind, command=found.command)
            self._add(section, wording, each.line, each.end, source)


_HANDLERS: Mapping[Role, Callable[[Reader, Section], None]] = {
    Role.CRITERIA: Reader.criteria_and_constraints,
    Role.SCENARIO: Reader.scenario,
    Role.EXPECTED: Reader.expected,
    Role.WANTED: Reader.wanted,
    Role.TASKS: Reader.tasks_and_constraints,
    Role.TASK: Reader.tasks_and_constraints,
    Role.VALIDATION: Reader.validation,
    Role.CONTEXT: Reader.context,
    Role.EXCLUDED: Reader.context,
    Role.FORBIDDEN: Reader.forbidden,
    Role.PLAIN: Reader.plain,
}


def _row_text(own_id: str, text: str) -> str:
    return f"{own_id} {plain(text)}".strip()
