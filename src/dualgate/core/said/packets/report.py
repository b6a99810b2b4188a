"""The problems met while a packet is read, each with a code that programs can rely on."""

from enum import StrEnum

from dualgate.core.values.problems import Problem, Severity

SHOWN = 80


class Code(StrEnum):
    """Errors first, warnings after `CONFLICT`."""

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
    """Collects problems; a warning is given once for each field, so that a flood of lines is no flood of warnings."""

    def __init__(self) -> None:
        self._problems: list[Problem] = []
        self._warned: set[tuple[Code, str | None]] = set()

    @property
    def problems(self) -> tuple[Problem, ...]:
        return tuple(self._problems)

    def error(self, code: Code, message: str, field: str | None = None, line: int | None = None) -> None:
        self._problems.append(Problem(code=code, severity=Severity.ERROR, message=message, field=field, line=line))

    def warn(self, code: Code, message: str, field: str | None = None, line: int | None = None) -> None:
        if (code, field) not in self._warned:
            self._warned.add((code, field))
            warning = Problem(code=code, severity=Severity.WARNING, message=message, field=field, line=line)
            self._problems.append(warning)


def shown(text: str) -> str:
    """A value as a message quotes it: one line, not too long."""
    cut = text[: SHOWN + 1].replace("\n", " ")
    return repr(cut if len(cut) <= SHOWN else cut[:SHOWN] + "…")
