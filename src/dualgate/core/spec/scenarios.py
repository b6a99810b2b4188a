"""Steps and Gherkin -> scenarios: one for each Given/When/Then, whatever form it is written in."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from dualgate.core.spec.wording import plain, step_word, without_box
from dualgate.core.values.problems import Problem, error
from dualgate.core.values.specification import Kind

FENCES = frozenset({"gherkin", "cucumber", "feature"})
_FEATURE = re.compile(r"^[ \t]*(?:Feature|Ability|Business Need)[ \t]*:", re.MULTILINE)
_LANGUAGE = re.compile(r"^[ \t]*#[ \t]*language[ \t]*:", re.MULTILINE)
_PARTS = re.compile(
    r"^[ \t]*(?:Scenario|Example|Rule|Background|Scenario Outline|Scenario Template)[ \t]*:", re.MULTILINE
)
_COMPLETE = re.compile(r"\b(?:given|when)\b.*\bthen\b", re.IGNORECASE | re.DOTALL)
EARS = re.compile(
    r"\b(?:WHEN|WHILE|IF|WHERE|when|while|if|where|When|While|If|Where)\b.*\b(?:shall|SHALL)\b"
    r"|^(?:the|THE|The)\b.{1,80}\b(?:shall|SHALL)\b",
    re.DOTALL,
)
_KINDS = {f"@{kind}": kind for kind in Kind}
_TAG_ID = re.compile(r"@(?P<id>(?:[A-Z]+-?\d+-)?(?:AC|FR|NFR|REQ|SC|US)[-_.]?\d[\w.-]*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One scenario; its lines go from `line` (from 0) to the one before `end`."""

    line: int
    end: int
    text: str
    id: str = ""
    kind: Kind | None = None


@dataclass(slots=True, kw_only=True)
class Steps:
    """Steps of one scenario while they are gathered."""

    words: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    line: int = 0
    end: int = 0

    def begins_anew(self, word: str, line: int) -> bool:
        """Whether a step belongs to the next scenario: a Given, or a When after a blank line or without a Given."""
        is_first = word == "given" or (word == "when" and ("given" not in self.words or line > self.end))
        return "then" in self.words and is_first


def is_complete(text: str) -> bool:
    """Whether a text holds a whole Given/When/Then."""
    return _COMPLETE.search(text) is not None


def are_steps(texts: Sequence[str]) -> bool:
    """Whether texts are the steps of scenarios, one each: not whole scenarios, and not something else."""
    words = [step_word(text) for text in texts]
    return (
        len(words) > 1
        and all(words)
        and words[0] in ("given", "when")
        and "then" in words
        and not (is_complete(texts[0]))
    )


Step = tuple[str, int, int]
"""A step: its text, its first line, and the line after its last."""


def group_steps(steps: Sequence[Step], name: str = "") -> Iterator[Scenario]:
    """Scenarios of steps, each given with its first line and the line after its last."""
    present = Steps()
    for text, line, end in steps:
        word = step_word(text)
        if present.texts and present.begins_anew(word, line):
            yield _scenario(present, name)
            present = Steps()
        if not present.texts:
            present.line = line
        present.words.append(word)
        present.texts.append(plain(without_box(text)))
        present.end = end
    if present.texts:
        yield _scenario(present, name)


def _scenario(steps: Steps, name: str) -> Scenario:
    text = "\n".join((*([name] if name else []), *steps.texts))
    return Scenario(line=steps.line, end=steps.end, text=text)


def is_gherkin(text: str) -> bool:
    """Whether a fence without a language holds Gherkin."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return _PARTS.search(text) is not None or are_steps(lines)


def is_feature(text: str, name: str) -> bool:
    """Whether a whole document is Gherkin, by its name or by its first words."""
    if name.lower().endswith(".feature"):
        return True
    first = next((line for line in text.splitlines() if line.strip() and not line.strip().startswith(("#", "@"))), "")
    return _FEATURE.match(first) is not None and _PARTS.search(text) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """The scenarios of a Gherkin text, or why it cannot be read."""

    name: str = ""
    description: str = ""
    scenarios: tuple[Scenario, ...] = ()
    problems: tuple[Problem, ...] = ()


def read_feature(text: str, first_line: int = 0) -> Feature:
    """Read Gherkin; a fence may hold scenarios without a Feature line. `first_line` is that of the text, from 0."""
    from gherkin.errors import CompositeParserException
    from gherkin.parser import Parser

    is_whole = _FEATURE.search(text) or _LANGUAGE.search(text) or not _PARTS.search(text)
    added = "" if is_whole else "Feature: scenarios\n"
    shift = first_line - added.count("\n")
    try:
        document: Any = Parser().parse(f"{added}{text}")
    except CompositeParserException as failed:
        return Feature(problems=tuple(_problem(each, shift) for each in failed.errors))
    feature = document.get("feature")
    if feature is None:
        return Feature()
    scenarios = tuple(_scenarios(feature.get("children", ()), len(text.splitlines()) + first_line, shift))
    name = "" if added else feature.get("name", "")
    return Feature(name=name, description=(feature.get("description") or "").strip(), scenarios=scenarios)


def _problem(failed: Any, shift: int) -> Problem:
    line = failed.location.get("line", 1) + shift
    said = re.sub(r"^\(\d+:\d+\): ", "", str(failed)).splitlines()[0]
    got = re.search(r"got '(?P<line>.*)'", said)
    message = f"'{got['line']}' is not valid Gherkin here" if got else said
    return error("gherkin", f"Gherkin cannot be read: {message}", line=max(1, line))


def _scenarios(children: Sequence[Any], last: int, shift: int) -> Iterator[Scenario]:
    starts = [_starts(child) + shift - 1 for child in children]
    for child, following in zip(children, [*starts, last][1:], strict=True):
        if rule := child.get("rule"):
            yield from _scenarios(rule.get("children", ()), following, shift)
        elif found := child.get("scenario"):
            yield _gherkin_scenario(found, found["location"]["line"] + shift - 1, following)


def _starts(child: Any) -> int:
    """The first line of a child, its tags included, from 1."""
    (part,) = child.values()
    return int(min(place["location"]["line"] for place in (part, *part.get("tags", ()))))


def _gherkin_scenario(found: Any, start: int, following: int) -> Scenario:
    tags = [tag["name"] for tag in found["tags"]]
    ids = [match["id"] for tag in tags if (match := _TAG_ID.fullmatch(tag))]
    steps = [line for step in found["steps"] for line in _step_lines(step)]
    rows = [line for examples in found["examples"] for line in _rows(examples)]
    text = "\n".join((*([found["name"]] if found["name"] else []), *steps, *rows))
    kind = next((_KINDS[tag.lower()] for tag in tags if tag.lower() in _KINDS), None)
    return Scenario(
        line=start,
        end=following,
        text=text,
        id=(ids or [""])[0],
        kind=kind,
    )


def _step_lines(step: Any) -> Iterator[str]:
    """A step, with its table and its text."""
    yield f"{step['keyword'].strip()} {step['text']}".strip()
    if table := step.get("dataTable"):
        yield from (_row(row) for row in table["rows"])
    if text := step.get("docString"):
        yield from text["content"].splitlines()


def _row(row: Any) -> str:
    return f"| {' | '.join(cell['value'] for cell in row['cells'])} |"


def _rows(examples: Any) -> Iterator[str]:
    header = examples.get("tableHeader")
    if header:
        yield from (_row(row) for row in (header, *examples["tableBody"]))
