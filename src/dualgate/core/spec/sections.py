"""Nodes -> sections: a heading or a label, its role, its story, and the nodes below it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from dualgate.core.spec.markdown import Form, Node
from dualgate.core.spec.roles import (
    Certainty,
    Role,
    certainty_of,
    is_unnumbered_story,
    role_of,
    says_holding,
    scenario_name,
    story_of,
)
from dualgate.core.spec.wording import criterion_id, plain, split_id, step_word, without_box

_LABEL_LEVEL = 7
# '**Acceptance criteria:** text', with the colon on either side of the bold marks
_BOLD_LABEL = re.compile(
    r"[^\w*_\n]{0,4}(?P<mark>\*\*|__)(?P<label>[^*\n]{1,80}?)\s*:?\s*(?P=mark)[ \t]*:?(?P<rest>[ \t]*(?:\n.*|.*))$",
    re.DOTALL,
)
_PLAIN_LABEL = re.compile(
    r"(?P<label>[^\W\d_][^.!?\n:]{1,60}):\s*$|(?P<bare>(?:acceptance|success) criteria|definition of done)$",
    re.IGNORECASE,
)
# 'Expected: …' and 'Actual: …' on lines of one paragraph
_REPORTED = re.compile(
    r"^[*_]*(?P<label>expected|actual|steps|observed|got)(?: \w+){0,2}[*_]*\s*:[*_]*[ \t]", re.IGNORECASE
)
METADATA = re.compile(r"(?:\*\*|__)[^*\n]{1,60}(?:\*\*\s*:|:\s*\*\*|__\s*:|:\s*__)[ \t]*\S")
_MOST_WORDS = 6
# labels that stand for what follows them even if text stands on the same line
_OPENING = frozenset({Role.CRITERIA, Role.TASKS, Role.EXPECTED})
# roles that the headings below them take over
_INHERITED = frozenset(
    {Role.CRITERIA, Role.TASKS, Role.TASK, Role.VALIDATION, Role.CONTEXT, Role.EXCLUDED, Role.EXPECTED}
)


@dataclass(slots=True, kw_only=True)
class Section:
    """A heading or label with the nodes below it; the text before the first heading has an empty heading."""

    heading: str = ""
    line: int = 0
    level: int = 0
    role: Role = Role.PLAIN
    outer: Role = Role.PLAIN
    """The role of the section around it."""
    story: str = ""
    is_name: bool = False
    """Whether the heading only names what stands below it: its words have no role."""
    certainty: Certainty = Certainty.CERTAIN
    """How surely the heading that makes it a section of criteria means criteria."""
    holds: bool = False
    """Whether its heading says that its criteria are true already."""
    is_parent: bool = False
    """Whether sections of criteria or scenarios stand below it."""
    level_number: int | None = None
    """The number of a validation level, of this heading or one above it."""
    nodes: list[Node] = field(default_factory=list)

    @property
    def own_id(self) -> str:
        """The id of a heading that is a criterion, such as '### AC-1: …'."""
        return criterion_id(self.heading)

    @property
    def name(self) -> str:
        """The name of the scenario that this section is."""
        return split_id(self.heading)[1] if self.own_id else scenario_name(self.heading)


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    text: str
    rest: str = ""
    """Text after the label in the same paragraph."""
    is_inline: bool = False
    """Whether the rest begins on the label's own line."""


_VALIDATION_LEVEL = re.compile(r"^(?:validation )?level\s*(?P<number>\d+)\b", re.IGNORECASE)


def read_sections(nodes: Sequence[Node], words: Iterable[str] = (), around: Section | None = None) -> list[Section]:
    """The sections of a document, or of the nodes inside a list item that belongs to the section `around`."""
    more = tuple(words)
    nodes = list(_reports_apart(nodes))
    outline = _Outline(around or Section(), more)
    title = nodes[0] if _has_title(nodes) else None
    for node, following in zip(nodes, [*nodes, None][1:], strict=True):
        if node.form is Form.HEADING:
            outline.head(node, is_title=node is title)
            continue
        label = _label(node, following, more)
        if label:
            outline.open(label.text, node, _LABEL_LEVEL, role_of(label.text, more))
        elif _is_labelled(node):
            outline.end_label(node)
        outline.present.nodes.extend(_content(node, label))
    return outline.sections


class _Outline:
    """The sections found so far, and those that are open."""

    def __init__(self, first: Section, words: Sequence[str]) -> None:
        self.sections = [first]
        self._open = [first]
        self._words = words
        self._stories = 0

    @property
    def present(self) -> Section:
        return self._open[-1]

    def head(self, node: Node, is_title: bool) -> None:
        self.open(plain(node.text), node, node.level, Role.PLAIN if is_title else role_of(node.text, self._words))
        if is_title:
            self.present.story = ""
        if is_unnumbered_story(node.text):
            self._stories += 1
            self.present.story = f"US{self._stories}"

    def open(self, heading: str, node: Node, level: int, role: Role) -> None:
        _close(self._open, level)
        self._open.append(_opened(self.present, heading, node, level, role))
        self.sections.append(self.present)
        _make_stories(self._open, role)

    def end_label(self, node: Node) -> None:
        """'**Actual:** …' ends what '**Expected:** …' began: the section around both goes on."""
        _close(self._open, _LABEL_LEVEL)
        if self.sections[-1] is not self.present:
            self._open[-1] = replace(self.present, line=node.line, nodes=[])
            self.sections.append(self.present)


def _reports_apart(nodes: Sequence[Node]) -> Iterator[Node]:
    """The nodes, with a paragraph of 'Expected: …' and 'Actual: …' lines split into one for each."""
    for node in nodes:
        lines = node.text.split("\n") if node.form is Form.PARAGRAPH else []
        starts = [place for place, line in enumerate(lines) if _REPORTED.match(line)]
        if len(lines) < 2 or not starts:
            yield node
            continue
        for start, end in pairwise(sorted({0, *starts, len(lines)})):
            text = "\n".join(lines[start:end])
            yield replace(node, text=text, line=node.line + start, end=node.line + end)


def _make_stories(stack: Sequence[Section], own: Role) -> None:
    """A heading with an id is no criterion if criteria of their own stand below it: it is their story then."""
    if own is not Role.CRITERIA and stack[-1].role not in (Role.CRITERIA, Role.SCENARIO):
        return
    for section in stack[:-1]:
        section.is_parent = True
        if (
            section.role is Role.SCENARIO
            and section.own_id
            and (own is Role.CRITERIA or stack[-1].role is Role.SCENARIO)
        ):
            section.role = Role.CONTEXT


def _has_title(nodes: Sequence[Node]) -> bool:
    """Whether the first heading is a title: the document has other headings below it."""
    headings = [node for node in nodes if node.form is Form.HEADING]
    return len(headings) > 1 and nodes[0] is headings[0] and headings[0].level == 1


def _close(stack: list[Section], level: int) -> None:
    while len(stack) > 1 and stack[-1].level >= level:
        stack.pop()


def _opened(outer: Section, heading: str, node: Node, level: int, own: Role) -> Section:
    takes_over = outer.role if outer.role in _INHERITED else outer.outer
    is_inside = own is Role.EXPECTED and outer.role in (Role.TASK, Role.TASKS, Role.VALIDATION, Role.CRITERIA)
    role = takes_over if own is Role.PLAIN or is_inside or outer.role is Role.EXCLUDED else own
    own_id = criterion_id(heading)
    if own_id and role in (Role.CRITERIA, Role.PLAIN):
        role = Role.SCENARIO
    number = _VALIDATION_LEVEL.match(heading)
    return Section(
        heading=heading,
        line=node.line,
        level=level,
        role=role,
        outer=takes_over,
        story=story_of(heading) or own_id or outer.story,
        is_name=own is Role.PLAIN and level > 1 and not story_of(heading),
        certainty=certainty_of(heading) if own is Role.CRITERIA else outer.certainty,
        holds=says_holding(heading) if own is Role.CRITERIA else outer.holds,
        level_number=int(number["number"]) if number else outer.level_number,
    )


def _label(node: Node, following: Node | None, words: Sequence[str]) -> Label | None:
    """The label that a paragraph is or begins with; None if it is plain text."""
    if node.form is not Form.PARAGRAPH or criterion_id(node.text):
        return None
    found = _BOLD_LABEL.match(node.text)
    if found and not _is_metadata(node.text) and not step_word(found["label"] + " x"):
        return _bold_label(found["label"].strip(), found["rest"], words)
    return _plain_label(node, following, words) or _expected_label(node)


def _bold_label(text: str, rest: str, words: Sequence[str]) -> Label | None:
    """A bold label; text on its own line counts only after some labels, since bold words also begin sentences."""
    is_inline = bool(rest.strip()) and not rest.startswith("\n")
    is_plain = is_inline and role_of(text, words) not in _OPENING
    return None if is_plain else Label(text=text, rest=rest.strip(), is_inline=is_inline)


def _plain_label(node: Node, following: Node | None, words: Sequence[str]) -> Label | None:
    """A short line with a colon before a list, a table or a fence, if its words have a role."""
    found = _PLAIN_LABEL.fullmatch(node.text)
    if not found or following is None or following.form not in (Form.LIST, Form.TABLE, Form.FENCE):
        return None
    text = found["label"] or found["bare"]
    is_meant = len(text.split()) <= _MOST_WORDS and role_of(text, words) is not Role.PLAIN
    return Label(text=text) if is_meant else None


def _expected_label(node: Node) -> Label | None:
    found = _REPORTED.match(node.text)
    if not found or "expected" not in found["label"].lower():
        return None
    return Label(text="Expected", rest=node.text[found.end() :].strip(), is_inline=True)


def _is_labelled(node: Node) -> bool:
    if node.form is not Form.PARAGRAPH or criterion_id(node.text):
        return False
    return METADATA.match(node.text) is not None or _REPORTED.match(node.text) is not None


def _is_metadata(text: str) -> bool:
    """Whether every line is '**Key**: value', as below a title."""
    lines = text.splitlines()
    return len(lines) > 1 and all(METADATA.match(line.strip()) for line in lines)


def _content(node: Node, label: Label | None) -> Iterator[Node]:
    if label is None:
        yield node
    elif label.rest:
        first = node.line if label.is_inline else node.line + 1
        yield replace(node, text=label.rest, line=first)


def own_text(item: Node) -> str:
    """The first paragraph of a list item, without its tick box."""
    first = item.children[0] if item.children else None
    return without_box(first.text) if first and first.form is Form.PARAGRAPH else ""


def item_sections(item: Node, around: Section, words: Iterable[str] = ()) -> list[Section]:
    """The sections inside a list item with a label such as 'Acceptance criteria:'; empty if it has none."""
    more = tuple(words)
    nodes = list(_unfolded(item.children, more))
    inner = Section(
        heading=around.heading, line=item.line, role=Role.CONTEXT, story=story_of(own_text(item)) or around.story
    )
    found = read_sections(nodes, more, inner)
    is_labelled = any(section.role in _OPENING for section in found[1:])
    return found if is_labelled else []


def _unfolded(nodes: Sequence[Node], words: Sequence[str]) -> Iterator[Node]:
    """The nodes with list items that are labels for the list inside them turned into paragraphs before that list."""
    for node in nodes:
        are_labels = [node.form is Form.LIST and _is_label_item(item, words) for item in node.children]
        if not any(are_labels):
            yield node
            continue
        for item, is_label in zip(node.children, are_labels, strict=True):
            yield from item.children if is_label else [replace(node, children=[item], line=item.line, end=item.end)]


def _is_label_item(item: Node, words: Sequence[str]) -> bool:
    following = item.children[1] if len(item.children) > 1 else None
    label = _label(item.children[0], following, words) if item.children else None
    return label is not None and role_of(label.text, words) in _OPENING
