"""text -> RALPH_STATUS: the last complete block, read strictly. What does not decide is said, never guessed."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

OPENING = "---RALPH_STATUS---"
CLOSING = "---END_RALPH_STATUS---"
FIELD = re.compile(r"^([A-Z_]+):[ \t]*(.*?)[ \t]*$")
T = TypeVar("T", bound=StrEnum)
INTEGER = re.compile(r"[0-9]{1,18}")


class WorkStatus(StrEnum):
    IN_PROGRESS = "IN_PROGRESS"
    COMPLETE = "COMPLETE"
    BLOCKED = "BLOCKED"


class SuiteStatus(StrEnum):
    PASSING = "PASSING"
    FAILING = "FAILING"
    NOT_RUN = "NOT_RUN"


class WorkType(StrEnum):
    IMPLEMENTATION = "IMPLEMENTATION"
    TESTING = "TESTING"
    DOCUMENTATION = "DOCUMENTATION"
    REFACTORING = "REFACTORING"


@dataclass(frozen=True, slots=True, kw_only=True)
class RalphStatus:
    """What an agent says of itself; a field that was not given is None."""

    status: WorkStatus | None = None
    tasks_completed: int | None = None
    files_modified: int | None = None
    tests_status: SuiteStatus | None = None
    work_type: WorkType | None = None
    exit_signal: bool | None = None
    recommendation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    fields: RalphStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Malformed:
    """A block whose words cannot be trusted, with the reasons."""

    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    pass


def read_ralph_status(text: str) -> Found | Malformed | Missing:
    lines = _last_complete_block(text)
    if lines is None:
        return Missing()
    values: dict[str, str] = {}
    problems: list[str] = []
    for line in lines:
        match = FIELD.match(line)
        if match is None:
            if line.strip():
                problems.append(f"not a field: {line.strip()[:80]}")
        elif values.setdefault(match[1], match[2]) != match[2]:
            problems.append(f"{match[1]} is given twice with different values")
    return _typed(values, problems)


def emit_ralph_status(fields: RalphStatus) -> str:
    """The block in its exact form, as agents are asked to write it."""
    signal = "true" if fields.exit_signal else "false"
    return "\n".join(
        (
            OPENING,
            f"STATUS: {fields.status or WorkStatus.IN_PROGRESS}",
            f"TASKS_COMPLETED_THIS_LOOP: {fields.tasks_completed or 0}",
            f"FILES_MODIFIED: {fields.files_modified or 0}",
            f"TESTS_STATUS: {fields.tests_status or SuiteStatus.NOT_RUN}",
            f"WORK_TYPE: {fields.work_type or WorkType.IMPLEMENTATION}",
            f"EXIT_SIGNAL: {signal}",
            f"RECOMMENDATION: {fields.recommendation or 'none'}",
            CLOSING,
        )
    )


def _last_complete_block(text: str) -> list[str] | None:
    lines = [line.rstrip() for line in text.split("\n")]
    for end in range(len(lines) - 1, -1, -1):
        if lines[end] == CLOSING:
            return _back_to_opening(lines, end)
    return None


def _back_to_opening(lines: list[str], end: int) -> list[str] | None:
    for start in range(end - 1, -1, -1):
        if lines[start] == OPENING:
            return lines[start + 1 : end]
        if lines[start] == CLOSING:
            return None
    return None


def _typed(values: dict[str, str], problems: list[str]) -> Found | Malformed:
    def integer(name: str) -> int | None:
        if name in values and not INTEGER.fullmatch(values[name]):
            problems.append(f"{name} is not a number: {values[name][:80]}")
            return None
        return int(values[name]) if name in values else None

    def word(name: str, allowed: type[T]) -> T | None:
        if name in values and values[name] not in list(allowed):
            problems.append(f"{name} is none of {', '.join(allowed)}: {values[name][:80]}")
            return None
        return allowed(values[name]) if name in values else None

    signal = values.get("EXIT_SIGNAL")
    if signal not in (None, "true", "false"):
        problems.append(f"EXIT_SIGNAL is neither true nor false: {signal[:80]}")
    fields = RalphStatus(
        status=word("STATUS", WorkStatus),
        tasks_completed=integer("TASKS_COMPLETED_THIS_LOOP"),
        files_modified=integer("FILES_MODIFIED"),
        tests_status=word("TESTS_STATUS", SuiteStatus),
        work_type=word("WORK_TYPE", WorkType),
        exit_signal=None if signal is None else signal == "true",
        recommendation=values.get("RECOMMENDATION", ""),
    )
    return Malformed(problems=tuple(problems)) if problems else Found(fields=fields)
