"""What a reader of text has to say about it: one problem, one value."""

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What is wrong with a text, where, and how bad it is."""

    code: str
    severity: Severity
    message: str
    field: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        return self.message
