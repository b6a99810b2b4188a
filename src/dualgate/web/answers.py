"""Values -> answers of the server: JSON, and errors with a message and the next step."""

from dataclasses import dataclass
from typing import Any

import msgspec
from starlette.responses import Response

from dualgate.errors import ControlRefused, DualgateError, JournalDamaged, SessionLocked, SessionMissing, SettingError

JSON = "application/json"
STATUS: dict[type[DualgateError], int] = {
    SessionMissing: 404,
    SettingError: 400,
    JournalDamaged: 409,
    ControlRefused: 409,
    SessionLocked: 409,
}
"""Other errors are ours or the machine's: 500."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """An answer that is an error."""

    status: int
    message: str
    next_step: str = ""


def problem_of(error: DualgateError) -> Problem:
    status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), 500)
    return Problem(status=status, message=error.message, next_step=error.next_step)


def problem_answer(problem: Problem, headers: dict[str, str] | None = None) -> Response:
    told = {"error": {"message": problem.message, "next_step": problem.next_step}}
    more = {"WWW-Authenticate": "Bearer"} if problem.status == 401 else {}
    return json_answer(told, problem.status, more | (headers or {}))


def json_answer(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(encoded(value), status, headers, JSON)


def encoded(value: Any) -> bytes:
    """A value as JSON. Names of files may be no text, as a session folder with broken bytes in its name."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_written(value))


def _written(value: Any) -> Any:
    match value:
        case str():
            return value.encode("utf-8", "backslashreplace").decode()
        case dict():
            return {_written(name): _written(each) for name, each in value.items()}
        case list() | tuple():
            return [_written(each) for each in value]
        case _:
            return value
