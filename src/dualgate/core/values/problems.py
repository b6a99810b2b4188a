"""Problems in a text: a code for programs, a sentence for people."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Generic, TypeVar

T = TypeVar("T")
SHOWN = 80
"""Characters of a text that a message quotes."""
SAME_KIND_SHOWN = 20
# a documented extension is reported, but is valid even in strict mode
NEVER_STRICT = frozenset({"extension"})


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One problem in a text, with its place and severity."""

    code: str
    severity: Severity
    message: str
    field: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        return self.message


def error(code: str, message: str, field: str | None = None, line: int | None = None) -> Problem:
    return Problem(code=code, severity=Severity.ERROR, message=message, field=field, line=line)


def warning(code: str, message: str, field: str | None = None, line: int | None = None) -> Problem:
    return Problem(code=code, severity=Severity.WARNING, message=message, field=field, line=line)


def has_errors(problems: Iterable[Problem]) -> bool:
    return any(problem.severity is Severity.ERROR for problem in problems)


def is_valid(problems: Iterable[Problem], *, strict: bool = False) -> bool:
    """Whether there is no error; if strict, also no warning except for a documented extension."""
    if strict:
        return all(problem.code in NEVER_STRICT for problem in problems)
    return not has_errors(problems)


def in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Sort by line, with at most SAME_KIND_SHOWN of each code. A code has one severity, so no error is hidden."""
    counts: Counter[str] = Counter()
    kept: list[Problem] = []
    for problem in sorted(problems, key=lambda problem: problem.line or 0):
        counts[problem.code] += 1
        if counts[problem.code] <= SAME_KIND_SHOWN:
            kept.append(problem)
    return tuple(kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found(Generic[T]):
    """A block with only legal values; `problems` lists what was tolerated."""

    fields: T
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Malformed(Generic[T]):
    """A block that is not trusted, with the reasons; `fields` holds its legal values, if they can be told apart."""

    problems: tuple[Problem, ...]
    fields: T | None = None

    @property
    def errors(self) -> tuple[Problem, ...]:
        return tuple(problem for problem in self.problems if problem.severity is Severity.ERROR)


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """The text has no such block."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The result of reading a text: `fields` holds the legal values; `kind` is None if nothing was found."""

    kind: str | None = None
    valid: bool = False
    fields: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    blocks_found: int = 0
    honoured: bool = False
    """Whether EXIT_SIGNAL is true and counts; only in a valid RALPH_STATUS block."""
    line: int = 0
    """The first line of the block, counted from 1."""
    complete: bool = True

    def as_document(self) -> dict[str, Any]:
        """The reading as plain data, ready to be written as JSON."""
        return {
            "kind": self.kind,
            "valid": self.valid,
            "fields": dict(self.fields),
            "problems": [asdict(problem) for problem in self.problems],
            "blocks_found": self.blocks_found,
        }
