"""Error text -> a signature that stays the same from run to run, and whether the same error repeats."""

import re
from collections.abc import Sequence
from hashlib import sha256

from dualgate.core.values.case_names import function_of
from dualgate.core.values.suite import CaseResult

# The order matters: a time contains numbers, and a path can contain times.
_VARYING = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d:?\d\d)?"), "TIME"),
    (re.compile(r"(/private)?(/var/folders|/var/tmp|/tmp)/[^\s'\":]*"), "TEMP"),
    (re.compile(r"\b0x[0-9a-fA-F]+\b"), "ADDRESS"),
    (re.compile(r"\b\d{1,2}:\d\d(:\d\d([.,]\d+)?)?\b"), "TIME"),
    (re.compile(r"\b\d+(\.\d+)?\s?([munµ]?s|secs?|seconds?|min|minutes?|h|hours?)\b"), "DURATION"),
    (re.compile(r"(?<=:)\d+(:\d+)?\b|\(\d+, ?\d+\)|\b(lines?|col|column) \d+(-\d+)?", re.IGNORECASE), "PLACE"),
)


def signature(text: str) -> str:
    for pattern, word in _VARYING:
        text = pattern.sub(word, text)
    return " ".join(text.split())


def signature_hash(text: str) -> str:
    return sha256(signature(text).encode("utf-8", "surrogatepass")).hexdigest()


def repeats_error(errors: Sequence[str], after: int) -> bool:
    """Whether the last `after` errors have the same signature."""
    last = errors[-after:]
    return len(last) == after and all(last) and len({signature_hash(error) for error in last}) == 1


def error_signature(result: CaseResult) -> str:
    """The signature of a failing test. A message of one word is too common, so the test's function is part of it."""
    is_telling = len(signature(result.message).split()) > 1
    return signature_hash(result.message if is_telling else f"{function_of(result.id)} {result.message}")
