"""Requests that need the token: a login for reading, and actions on a session."""

from typing import TYPE_CHECKING, Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from dualgate.errors import SettingError
from dualgate.store.codec import UNREADABLE
from dualgate.web.acting import Wish
from dualgate.web.admission import COOKIE, has_token
from dualgate.web.answers import Problem, json_answer, problem_answer
from dualgate.web.overview import READ_ONLY

if TYPE_CHECKING:
    from dualgate.web.board import Board

NEEDS_TOKEN = Problem(
    status=401,
    message="This needs the token of the dashboard.",
    next_step="Open the address that 'dualgate dashboard' printed, with the token in it.",
)


async def login(board: "Board", request: Request) -> Response:
    """Let a browser read with a cookie, since pages and streams cannot send a header."""
    if not has_token(request.headers, board.rules):
        return problem_answer(NEEDS_TOKEN)
    answer = json_answer({"done": True})
    answer.set_cookie(COOKIE, board.rules.cookie, httponly=True, samesite="strict", path="/")
    return answer


async def control(board: "Board", request: Request) -> Response:
    if "authorization" not in request.headers:
        return problem_answer(NEEDS_TOKEN)
    if not board.rules.allows_control:
        return problem_answer(Problem(status=403, message="Control is off.", next_step=READ_ONLY))
    if not has_token(request.headers, board.rules):
        return problem_answer(NEEDS_TOKEN)
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        return problem_answer(Problem(status=415, message="The body of this request is JSON."))
    from dualgate.web.steering import act  # most dashboards only show sessions

    wish = _wish(await request.body())
    entry = board.register.entry(request.path_params["id"])
    done: dict[str, Any] = await run_in_threadpool(act, board, entry, wish)
    return json_answer(done)


def _wish(body: bytes) -> Wish:
    try:
        return msgspec.json.decode(body, type=Wish)
    except UNREADABLE as error:
        raise SettingError("The body is not an action.", 'Send {"action": NAME, "text": TEXT}.') from error
