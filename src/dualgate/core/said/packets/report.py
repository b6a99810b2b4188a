"""Problems found while reading a packet, each with a stable code for programs."""

from collections import Counter
from enum import StrEnum

from dualgate.core.values.problems import SAME_KIND_SHOWN, Problem, Severity

SHOWN = 80


class Code(StrEnum):
    """Errors first; the codes after `CONFLICT` are warnings."""

    MISSING_FIELD = "missing_field"
    EMPTY_FIELD = "empty_field"
    PLACEHOLDER = "placeholder"
    ILLEGAL_VALUE = "illegal_value"
    DUPLICATE_FIELD = "duplicate_field"
    DUPLICATE_ID = "duplicate_id"
    UNKNOWN_ID = "unknown_id"
    CYCLE = "cycle"
    CONFLICT = "conflict"
    DECORATION = "decoration"
    FORM = "form"
    LINE_ENDS = "line_ends"
    TRAILING_BLANKS = "trailing_blanks"
    STRAY_TEXT = "stray_text"
    UNKNOWN_FIELD = "unknown_field"
    EXTENSION = "extension"
    EXCERPT_LENGTH = "excerpt_length"
    COUNT_MISMATCH = "count_mismatch"
    STATUS_MISMATCH = "status_mismatch"
    ROUTE_MISMATCH = "route_mismatch"
    INCOMPLETE_PACKET = "incomplete_packet"
    RENUMBERED = "renumbered"


class Report:
    """Collects problems: each warning once per field, and at most `SAME_KIND_SHOWN` of one kind."""

    def __init__(self) -> None:
        self._problems: list[Problem] = []
        self._counts: Counter[tuple[Severity, Code]] = Counter()
        self._warned: set[tuple[Code, str | None]] = set()

    @property
    def problems(self) -> tuple[Problem, ...]:
        return tuple(self._problems)

    def error(self, code: Code, message: str, field: str | None = None, line: int | None = None) -> None:
        self._add(Severity.ERROR, code, message, field, line)

    def warn(self, code: Code, message: str, field: str | None = None, line: int | None = None) -> None:
        if (code, field) not in self._warned:
            self._warned.add((code, field))
            self._add(Severity.WARNING, code, message, field, line)

    def _add(self, severity: Severity, code: Code, message: str, field: str | None, line: int | None) -> None:
        self._counts[severity, code] += 1
        if self._counts[severity, code] <= SAME_KIND_SHOWN:
            self._problems.append(Problem(code=code, severity=severity, message=message, field=field, line=line))


def shown(text: str) -> str:
    """Quote a value for a message: on one line, at most `SHOWN` characters."""
    cut = text[: SHOWN + 1].replace("\n", " ")
    return repr(cut if len(cut) <= SHOWN else cut[:SHOWN] + "…")
