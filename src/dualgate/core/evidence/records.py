"""Lines of a document -> which sections of a decision record they fill: context, decision and consequences.

The usual spellings count: Nygard's, MADR's, bold labels, labels before a colon, and the Y-statement.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

from dualgate.core.evidence.document_text import TextLine, has_words, heading_of, is_boilerplate


class Part(StrEnum):
    CONTEXT = "context"
    DECISION = "decision"
    CONSEQUENCES = "consequences"


# the first part that a heading names counts: "Decision Outcome" is the decision
_NAMES: dict[Part, re.Pattern[str]] = {
    Part.CONSEQUENCES: re.compile(
        r"\b(consequences?|implications?|trade-?offs?|resulting context|impacts?|drawbacks?|effects?|pros and cons)\b",
        re.IGNORECASE,
    ),
    Part.DECISION: re.compile(
        r"\b(decision(?! drivers?| makers?| criteria| records?| log)|decided|resolution|chosen option|solution)\b",
        re.IGNORECASE,
    ),
    Part.CONTEXT: re.compile(
        r"\b(context|background|problem|motivation|situation|issue|forces|rationale)\b", re.IGNORECASE
    ),
}
_LONGEST_NAME = 6
_LABEL = re.compile(r"^(?:[-*+|] ?)?\W{0,4}(?P<name>[^\W\d_][\w &/-]{3,40}?)\W{0,3}\s*[:|]\W{0,3}(?=\s)(?P<rest>.*)$")
_LEVEL_OF_LABEL = 9
_ABOUT = re.compile(r"\W*(?:status|date|deciders?|authors?|supersedes|superseded by|tags?)\b\W*(?::|\|)", re.IGNORECASE)
_Y_STATEMENT = re.compile(
    r"in the context of\b.+\b(?:we )?(?:decided?|chose|choose)\b.+\b(?:accepting|at the cost of)\b",
    re.IGNORECASE | re.DOTALL,
)


def filled_parts(lines: Sequence[TextLine]) -> frozenset[Part]:
    """The parts of a decision record that have text."""
    if _Y_STATEMENT.search("\n".join(line.text for line in lines)):
        return frozenset(Part)
    texts: dict[Part, list[str]] = {part: [] for part in Part}
    for part, text in _parts(lines):
        texts[part].append(text)
    return frozenset(part for part, found in texts.items() if has_words(found))


def _parts(lines: Iterable[TextLine]) -> Iterator[tuple[Part, str]]:
    """Each line that says something, with the part of the innermost heading that names one."""
    above: list[tuple[int, Part | None]] = []
    for line in lines:
        level, name, rest = _opened(line)
        if level:
            above = [each for each in above if each[0] < level]
            above.append((level, _part_named(name)))
        part = next((part for _, part in reversed(above) if part), None)
        says = not line.level and not is_boilerplate(rest) and not _ABOUT.match(line.text)
        if part and (says or line.is_code):
            yield part, rest


def _opened(line: TextLine) -> tuple[int, str, str]:
    """The level and name of the section that a line opens, and the text that it has beside that."""
    if line.level:
        return line.level, heading_of(line.text), ""
    found = None if line.is_code else _LABEL.match(line.text)
    if found and _part_named(found["name"]):
        return _LEVEL_OF_LABEL, found["name"], found["rest"]
    return 0, "", line.text


def _part_named(name: str) -> Part | None:
    if len(name.split()) > _LONGEST_NAME:
        return None
    return next((part for part, pattern in _NAMES.items() if pattern.search(name)), None)
