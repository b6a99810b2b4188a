"""markdown -> Specification: the title, the goal and the acceptance criteria of a specification."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING

from dualgate.core.values.problems import Problem, error
from dualgate.core.values.specification import Criterion, Specification
from dualgate.errors import SpecError

if TYPE_CHECKING:
    from markdown_it.token import Token

CRITERIA_HEADING = re.compile(r"\b(acceptance|success)\s+criteri(a|on)\b|^criteria\b", re.IGNORECASE)
GOAL_HEADING = re.compile(r"^(feature\s+)?(goal|objective|purpose|summary)s?\b", re.IGNORECASE)
TICK_BOX = re.compile(r"^\[[ xX~-]\]\s+")
# AC-1, AC1, S03-AC1, US-001.2: a letter first, a digit last, optionally decorated or followed by a mark
LEADING_ID = re.compile(
    r"^(?P<open>[*_`\[(]*)(?P<id>[A-Za-z][A-Za-z0-9]*(?:[-_.][A-Za-z0-9]+)*(?<=\d))(?P<close>[*_`\])]*)"
    r"(?P<mark>\s*[:.)]|\s+[-–—])?[*_]*\s+(?P<text>\S.*)",
    re.DOTALL,
)
# without decoration or mark, only these are ids: "Python3 is supported" has no id
KNOWN_ID = re.compile(r"^(?:[A-Z]+\d+-)?(?:AC|FR|NFR|REQ|SC|US)[-_.]?\d", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Section:
    level: int
    heading: str
    line: int
    tokens: "Sequence[Token]"


def read_specification(
    text: str, name: str = "the specification", answers: Mapping[str, int] = MappingProxyType({})
) -> Specification:
    """Read any text; what is wrong with it is in `problems`. `answers` chooses a reading, from 0, by question key."""
    del answers
    sections = list(_sections(text))
    criteria, problems = _named_once([item for section in _criteria_sections(sections) for item in _criteria(section)])
    if not criteria:
        headings = [section for section in sections if CRITERIA_HEADING.search(section.heading)]
        found = f" under its heading on line {headings[0].line}" if headings else ""
        problems = (*problems, error("no_criteria", f"There are no acceptance criteria{found}."))
    return Specification(
        title=_title(sections, name), goal=_goal(sections), criteria=criteria, text=text, problems=problems
    )


def read_prompt(text: str, name: str = "the prompt") -> Specification:
    """Read a prompt for BUILD: any text, passed to the agent whole; it needs no criteria."""
    if not text.strip():
        raise SpecError(
            f"{name} is empty.", "Write down what the agent has to do; 'dualgate prompts show ralph' helps."
        )
    return Specification(title=_title(list(_sections(text)), name), goal="", criteria=(), text=text)


def _sections(text: str) -> "Iterator[_Section]":
    """The document split at its headings; text before the first heading has level 0."""
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark").parse(text)
    openings = [i for i, token in enumerate(tokens) if token.type == "heading_open" and token.level == 0]
    ends = [*openings, len(tokens)]
    yield _Section(level=0, heading="", line=1, tokens=tokens[: ends[0]])
    for start, end in pairwise(ends):
        yield _Section(
            level=int(tokens[start].tag[1:]),
            heading=tokens[start + 1].content.strip(),
            line=_line(tokens[start]),
            tokens=tokens[start + 3 : end],
        )


def _title(sections: Sequence[_Section], name: str) -> str:
    headings = (section.heading for section in sections if section.level == 1 and section.heading)
    return next(headings, name)


def _goal(sections: Sequence[_Section]) -> str:
    """The text under a heading 'Goal', else the first section with text outside the criteria."""
    named = [section for section in sections if GOAL_HEADING.search(section.heading)]
    others = [section for section in sections if not CRITERIA_HEADING.search(section.heading)]
    texts = (prose for section in (*named, *others) if (prose := _prose(section.tokens)))
    return next(texts, "")


def _prose(tokens: "Sequence[Token]") -> str:
    return "\n".join(token.content for token in tokens if token.type == "inline" and token.level == 1).strip()


def _criteria_sections(sections: Sequence[_Section]) -> Iterator[_Section]:
    """The sections with a criteria heading, and their subsections."""
    level = 0
    for section in sections:
        if CRITERIA_HEADING.search(section.heading):
            level = section.level
        elif section.level <= level:
            level = 0
        if level:
            yield section


def _criteria(section: _Section) -> Iterator[tuple[str | None, Criterion]]:
    """Each outermost list item as a criterion, with its own id or None."""
    for opening, content in _items(section.tokens):
        own_id, text = _split_id(TICK_BOX.sub("", content))
        yield own_id, Criterion(id=own_id or "", text=text, line=_line(opening))


def _split_id(text: str) -> tuple[str | None, str]:
    match = LEADING_ID.match(text)
    if match and (match["mark"] or (match["open"] and match["close"]) or KNOWN_ID.match(match["id"])):
        return match["id"], match["text"]
    return None, text


def _items(tokens: "Sequence[Token]") -> "Iterator[tuple[Token, str]]":
    """The items of the outermost lists, each with all its text, including nested items."""
    opening: Token | None = None
    lines: list[str] = []
    for token in tokens:
        if token.type == "list_item_open" and token.level == 1:
            opening, lines = token, []
        elif token.type == "inline" and opening is not None:
            lines.append(token.content.strip())
        elif token.type == "list_item_close" and token.level == 1 and opening is not None and any(lines):
            yield opening, "\n".join(lines)


def _named_once(found: Sequence[tuple[str | None, Criterion]]) -> tuple[tuple[Criterion, ...], tuple[Problem, ...]]:
    """Give an id to each criterion without one, and report duplicate ids."""
    taken: dict[str, int] = {}
    problems: list[Problem] = []
    for own_id, criterion in found:
        if own_id is None:
            continue
        if first := taken.get(own_id.lower()):
            message = f"criterion id {own_id} was given on line {first} already"
            problems.append(error("duplicate_id", message, line=criterion.line))
        taken.setdefault(own_id.lower(), criterion.line)
    free = (f"AC-{number}" for number in range(1, len(found) * 2 + 1) if f"ac-{number}" not in taken)
    criteria = tuple(
        replace(criterion, named=True) if own_id else replace(criterion, id=next(free)) for own_id, criterion in found
    )
    return criteria, tuple(problems)


def _line(token: "Token") -> int:
    return token.map[0] + 1 if token.map else 1
