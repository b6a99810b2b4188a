"""Specification -> problems: placeholders that nobody filled in, vague words, the same criterion twice."""

import re
from collections.abc import Iterable, Iterator, Sequence

from dualgate.core.spec.wording import CODE, without_code
from dualgate.core.values.problems import Problem, error, warning
from dualgate.core.values.specification import Criterion, Kind

_BOXES = re.compile(r"^[\s>]*(?:[-*+]|\d+[.)])\s+\[[ xX~-]?\]\s")
_DEFINITION = re.compile(r"\s{0,3}\[[^\]]+\]:\s+\S+")
_ALONE = r"(?:TODO|TBD|TBC|FIXME|XXX|T\.B\.D\.|to be (?:defined|determined|decided|done))"
_NOT_FILLED = "the placeholder '{}' is not filled in"
# in capitals: two words or more, or one that templates use; no link, no task marker such as [P] or [US1]
_CAPITALS = (
    r"(?<!\[)\[(?!NEEDS? CLARIFICATION)(?:[A-Z#][A-Z#'’/&.,-]*(?:[ _][A-Z][A-Z0-9#'’/&.,()-]*)+|PLACEHOLDER|ARGUMENTS"
    r"|###-[a-z-]+)\](?![(\[])"
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
        "'{}' stands where something is to be filled in",
    ),
)
_MAY_BE_UNFILLED = re.compile(rf"[\[{{<]|{_ALONE}")
_BRACKETED = re.compile(r"(?<!\[)\[(?![A-Z]+[ -]?\d)[^\[\]\n]{3,}\](?![(\[:\]])")
_EXAMPLE = re.compile(r"\[[^\[\]\n]*\be\.g\.[^\[\]\n]*\]")
_ONLY_DOTS = re.compile(r"[\s.…_-]*")
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


def placeholders(lines: Sequence[str], is_code: Iterable[int]) -> Iterator[Problem]:
    """Lines with something that is still to be filled in; code is left out."""
    for number, (line, code) in enumerate(zip(lines, is_code, strict=True), start=1):
        if code or not _MAY_BE_UNFILLED.search(line) or _DEFINITION.match(line):
            continue
        bare = _BOXES.sub(lambda found: " " * len(found[0]), without_code(line))
        matches = ((pattern.search(bare), message) for pattern, message in _UNFILLED)
        if first := next(((found[0], message) for found, message in matches if found), None):
            yield error("placeholder", first[1].format(first[0].strip(" *_|")), line=number)


def unfilled_criteria(criteria: Iterable[Criterion]) -> Iterator[Problem]:
    for criterion in criteria:
        words = without_code(criterion.text)
        brackets = sum(len(found[0]) for found in _BRACKETED.finditer(words))
        if _EXAMPLE.search(words) or brackets * 2 > len(words.strip()) or _ONLY_DOTS.fullmatch(criterion.text):
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
                "vague", f"{criterion.id} is one word: say what is put in and what comes out", line=criterion.line
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
