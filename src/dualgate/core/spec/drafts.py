"""Findings while a specification is read: criteria, tasks and commands that may still be questioned."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from dualgate.core.spec.markdown import Form, Node
from dualgate.core.spec.sections import own_text
from dualgate.core.spec.wording import Wording, plain, read_wording, without_box
from dualgate.core.values.problems import Problem
from dualgate.core.values.specification import Task, ValidationCommand


class Source(StrEnum):
    """Why something was taken for a criterion."""

    SECTION = "section"
    """Its heading says so."""
    LOOSE = "loose"
    """Its own form says so: an id, Given/When/Then, or 'shall'."""
    LAST = "last"
    """Any other list, if there is nothing else at all."""
    PERHAPS = "perhaps"
    """A list or table that may be meant as criteria if there are no others."""
    UNSURE = "unsure"
    """A list that looks like criteria below a heading that does not say so, or the other way round."""
    NORMATIVE = "normative"
    """A paragraph with MUST or SHALL below a heading that says nothing."""
    PROSE = "prose"
    """A paragraph below a heading for criteria."""
    EXPECTED = "expected"
    """The expected behaviour of a bug report."""
    CONSTRAINT = "constraint"
    """It forbids to change a path, wherever it stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A possible criterion; its lines go from `line` (from 0) to the one before `end`."""

    wording: Wording
    line: int
    end: int
    source: Source
    heading: str = ""
    story: str = ""
    holds: bool = False
    """Whether its heading says that it is true already."""


@dataclass(slots=True, kw_only=True)
class Findings:
    """Everything that was found, in the order of the document."""

    drafts: list[Draft] = field(default_factory=list)
    tasks: list[Task] = field(default_factory=list)
    plain_lists: list[tuple[str, int, list[Task]]] = field(default_factory=list)
    """Lists without tick boxes below a heading for tasks: heading, line from 0, and their items."""
    commands: list[ValidationCommand] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def of(self, *sources: Source) -> list[Draft]:
        return [draft for draft in self.drafts if draft.source in sources]


def item_wording(item: Node) -> Wording:
    """The first paragraph of an item taken apart, with all further text inside it on lines of its own."""
    first = read_wording(own_text(item))
    others = [plain(without_box(text)) for text in list(texts_in(item))[1:]]
    return Wording(
        text="\n".join(filter(None, (first.text, *others))), id=first.id, kind=first.kind, command=first.command
    )


def texts_in(node: Node) -> Iterator[str]:
    """Every paragraph inside a node, at any depth."""
    for child in node.children:
        if child.form is Form.PARAGRAPH:
            yield child.text
        yield from texts_in(child)


def paragraph_end(item: Node) -> int:
    """The line after an item's first paragraph."""
    return item.children[0].end if item.children else item.end
