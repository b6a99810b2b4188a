"""What kind of failure a foreign runner tells of, by the names and phrases of the common languages."""

import re

from dualgate.core.values.suite import CaseOutcome, FailureKind
from dualgate.languages.registry import LANGUAGES

LOOKED_AT = 2000
MESSAGE_KEPT = 2000
EXCEPTION = re.compile(r"\w*(?:Error|Exception|Failure|Failed|Assertion)\w*")

KIND_OF_EXCEPTION = {
    name: kind for language in LANGUAGES for kind, names in language.failures.items() for name in names.split()
}
# said in any language; the first kind that fits
GENERAL = {
    FailureKind.BROKEN_FILE: "",
    FailureKind.MISSING: "not (yet )?implemented|no such function",
    FailureKind.ASSERTION: (
        r"assertion .*failed|\bassert\b|\bexpect(ed)?\b|should (be|equal|have)|\bgot:|!=|==|\bto (be|equal)\b"
    ),
}
PATTERNS = tuple(
    (
        kind,
        re.compile(
            "|".join(filter(None, (pattern, *(language.phrases.get(kind) for language in LANGUAGES)))), re.I | re.M
        ),
    )
    for kind, pattern in GENERAL.items()
)


def failure_kind(outcome: CaseOutcome, exception: str, message: str, text: str = "") -> FailureKind:
    """The kind that the named exception says, else the words of the message, else those of the longer text."""
    told = f"{exception}\n{message}"[:LOOKED_AT]
    broken, pattern = PATTERNS[0]
    if pattern.search(told):
        return broken
    for part in (told, text[:LOOKED_AT]):
        if kind := _by_exception(part) or _by_phrase(part):
            return kind
    # who says `failure` and names no exception means that an expectation was not met
    unnamed = not EXCEPTION.search(told)
    return FailureKind.ASSERTION if outcome is CaseOutcome.FAILED and unnamed else FailureKind.OTHER


def _by_exception(text: str) -> FailureKind | None:
    kinds = (KIND_OF_EXCEPTION.get(word) for word in EXCEPTION.findall(text))
    return next((kind for kind in kinds if kind), None)


def _by_phrase(text: str) -> FailureKind | None:
    return next((kind for kind, pattern in PATTERNS if pattern.search(text)), None)
