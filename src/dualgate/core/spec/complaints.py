"""Specification -> problems: placeholders that nobody filled in, vague words, the same criterion twice."""

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum

from dualgate.core.spec.roles import GOAL, Role, bare
from dualgate.core.spec.sections import Section
from dualgate.core.spec.wording import CODE, without_code
from dualgate.core.values.problems import Problem, error, warning
from dualgate.core.values.specification import Criterion, Kind

_BOXES = re.compile(r"^[\s>]*(?:[-*+]|\d+[.)])\s+\[[ xX~-]?\]\s")
_DEFINITION = re.compile(r"\s{0,3}\[[^\]]+\]:\s+\S+")
_ALONE = r"(?:TODO|TBD|TBC|FIXME|XXX|T\.B\.D\.|to be (?:defined|determined|decided|done))"
_ALONE_MESSAGE = "'{}' is a placeholder to fill in"
_KEYED = re.compile(r"\||:\s*[*_]*\s*T\w+[*_]*\s*$")
_NOT_FILLED = "the placeholder '{}' is not filled in"
# in capitals: two words or more, or one that templates use; no link, no task marker such as [P] or [US1]
_CAPITALS = (
    r"(?<!\[)\[(?!NEEDS? CLARIFICATION|(?:[A-Z], ?)+[A-Z]\])"
    r"(?:[A-Z#][A-Z#'’/&.,-]*(?:[ _][A-Z][A-Z0-9#'’/&.,()-]*)+|PLACEHOLDER|ARGUMENTS|###-[a-z-]+)\](?![(\[])"
    r"|(?:^|[:#|=]\s)\s*\[(?:NAME|TITLE|FEATURE|PROJECT|DATE|DESCRIPTION|AUTHOR|VERSION|GOAL|TODO|TBD)\]\s*(?=$|\|)"
)
_UNFILLED: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r"\[\s*(?i:NEEDS? CLARIFICATION)\b[^\]]*(?:\](?!\s+markers?\b)|$)"),
        "the question '{}' is open; answer it in the specification",
    ),
    (re.compile(_CAPITALS), _NOT_FILLED),
    (re.compile(r"\{\{\s*[A-Za-z][\w -]*\s*\}\}(?!\s+(?:is|are|renders?)\b)"), _NOT_FILLED),
    (re.compile(r"<(?i:your|insert|enter|describe|replace)\b[^<>\n]{0,80}>|<[A-Z]+(?:[_ -][A-Z]+)+>"), _NOT_FILLED),
    (
        re.compile(
            rf"(?:^|(?<=[|:])|(?<=[-*+]\s)|(?<=\]\s))\s*[*_]*{_ALONE}[*_]*\s*(?=$|\|)"
            r"|\b(?:TODO|FIXME|TBD):|[(\[](?:TODO|TBD)[)\]]"
        ),
        _ALONE_MESSAGE,
    ),
)
_MAY_BE_UNFILLED = re.compile(rf"[\[{{<]|{_ALONE}")
_BRACKETED = re.compile(r"(?<!\[)\[(?![A-Z]+[ -]?\d)[^\[\]\n]{3,}\](?![(\[:\]])")
# names with commas between them, or numbers and quoted texts: a list that a criterion speaks of
_VALUE = r"(?:[-+]?\d[\w./-]*%?|\"[^\"]*\"|'[^']*'|“[^”]*”|‘[^’]*’|[^\W\d]\w*)"
_VALUES = re.compile(
    r"\[\s*\w+(?:\s*,\s*\w+)+\s*\]"
    rf"|(?=[^\]]*[\"'“‘\d])\[[\s({{]*{_VALUE}(?:[\s)}}]*[,:][\s({{]*{_VALUE})*[\s)}}]*,?\s*\]"
)
_EXAMPLE = re.compile(r"\[[^\[\]\n]*\be\.g\.[^\[\]\n]*\]")
_MISSING = re.compile(rf"{_ALONE}|[\s.…_-]*")
_ONE_WORD = re.compile(r"[\x21-\x7e]+")
_VAGUE = re.compile(
    r"\b(?:works? (?:well|fine|nicely|properly|correctly|as (?:expected|intended))|user[- ]friendly|easy to use|easily"
    r"|fast(?:er)?|quick(?:ly|er)?|robust(?:ly)?|intuitive(?:ly)?|properly|correctly|gracefully|nice(?:ly)?|good|great"
    r"|better|efficient(?:ly)?|scalable|seamless(?:ly)?|appropriate(?:ly)?|high[- ]quality|clean(?:er)? code"
    r"|reasonabl[ey]|modern|flexible|improved?|optimi[sz]ed?|etc\.?|and so on)\b",
    re.IGNORECASE,
)
_OBSERVABLE = re.compile(
    r"\d|[\"“”'‘’]\S|\bthen\b|\bshall\b|\b(?:returns?|raises?|prints?|shows?|displays?|exits?|responds?|rejects?|writes?|creates?|"
    r"deletes?|stores?|logs?|sends?|redirects?|contains?|equals?|throws?|outputs?|is empty|error)\b",
    re.IGNORECASE,
)


class Weight(IntEnum):
    """How much an unfilled place in a line matters."""

    FULL = 0
    NONE = 1
    """Code, comments, and what is not part of the work."""
    ASIDE = 2
    """Outside of criteria and goal: a row or a key without a value is only a warning."""
    TASK = 3
    """A list of tasks, where 'TODO: …' is a task."""


_WEIGHTS = {
    Role.EXCLUDED: Weight.NONE,
    Role.TASKS: Weight.TASK,
    Role.TASK: Weight.TASK,
    Role.CRITERIA: Weight.FULL,
    Role.EXPECTED: Weight.FULL,
    Role.SCENARIO: Weight.FULL,
}


def weigh_lines(weights: bytearray, sections: Sequence[Section]) -> None:
    """Set the weight of each line that is no code, by its section; the goal matters in full."""
    for section, following in zip(sections, [*sections[1:], None], strict=True):
        is_goal = GOAL[0].search(bare(section.heading)) is not None
        weight = _WEIGHTS.get(section.role, Weight.FULL if is_goal else Weight.ASIDE)
        for place in range(section.line, following.line if following else len(weights)):
            weights[place] = weights[place] or weight


def placeholders(lines: Sequence[str], weights: Iterable[int]) -> Iterator[Problem]:
    """Lines with something that is still to be filled in."""
    for number, (line, weight) in enumerate(zip(lines, weights, strict=True), start=1):
        if weight == Weight.NONE or not _MAY_BE_UNFILLED.search(line) or _DEFINITION.match(line):
            continue
        bare = _BOXES.sub(lambda found: " " * len(found[0]), without_code(line))
        matches = ((pattern.search(bare), message) for pattern, message in _UNFILLED)
        first = next(((found[0], message) for found, message in matches if found), None)
        is_alone = first is not None and first[1] is _ALONE_MESSAGE
        if first is None or (is_alone and weight == Weight.TASK):
            continue
        is_aside = is_alone and weight == Weight.ASIDE and _KEYED.search(line) is not None
        message = first[1].format(first[0].strip(" *_|"))
        yield (warning if is_aside else error)("unset" if is_aside else "placeholder", message, line=number)


def unfilled_criteria(criteria: Iterable[Criterion]) -> Iterator[Problem]:
    for criterion in criteria:
        words = without_code(criterion.text)
        bracketed = (found[0] for found in _BRACKETED.finditer(words))
        brackets = sum(len(each) for each in bracketed if not _VALUES.fullmatch(each))
        if _EXAMPLE.search(words) or brackets * 2 > len(words.strip()) or _MISSING.fullmatch(criterion.text):
            message = f"{criterion.id} is not filled in: '{_short(criterion.text)}'"
            yield error("placeholder", message, line=criterion.line)


def vague_criteria(criteria: Iterable[Criterion]) -> Iterator[Problem]:
    for criterion in criteria:
        if criterion.kind not in (Kind.NEW, Kind.KEEP) or _MISSING.fullmatch(criterion.text):
            continue
        found = _VAGUE.search(without_code(criterion.text))
        if found and not _OBSERVABLE.search(CODE.sub("0", criterion.text)):
            reason = f"{criterion.id} is vague: '{found[0]}' has no observable result that a test could fail on"
            yield warning("vague", reason, line=criterion.line)
        elif _ONE_WORD.fullmatch(criterion.text):
            yield warning(
                "vague", f"{criterion.id} is one word: describe the input and the result", line=criterion.line
            )


def repeated_criteria(criteria: Iterable[Criterion]) -> Iterator[Problem]:
    first: dict[str, Criterion] = {}
    for criterion in criteria:
        words = " ".join(criterion.text.casefold().split()).rstrip(".")
        before = first.setdefault(words, criterion)
        if before is not criterion and before.command == criterion.command:
            message = f"{criterion.id} says the same as {before.id} on line {before.line}"
            yield warning("repeated", message, line=criterion.line)


def _short(text: str, length: int = 60) -> str:
    line = text.split("\n", 1)[0]
    return line if len(line) <= length else f"{line[:length]}…"
