"""Board -> the ASGI application: routes, errors as JSON, and the life of the watcher."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from dualgate.display.report.html import report_policy
from dualgate.errors import DualgateError
from dualgate.web.admission import Admission
from dualgate.web.answers import JSON, Problem, encoded, json_answer, problem_answer, problem_of
from dualgate.web.control import control, login
from dualgate.web.endpoints import ENDPOINTS, Endpoint
from dualgate.web.openapi import openapi_document
from dualgate.web.pages import page, static
from dualgate.web.parameters import read_parameters
from dualgate.web.pieces import report_page
from dualgate.web.prometheus import KIND as METRICS
from dualgate.web.prometheus import metrics_text

if TYPE_CHECKING:
    from dualgate.web.board import Board

PAGES = ("/", "/sessions/{id}", "/sessions/{id}/iterations/{n}")
Answering = Callable[[Request], Awaitable[Response]]


def make_app(board: "Board") -> ASGIApp:
    routes = [
        *(Route(path, page, methods=["GET"]) for path in PAGES),
        Route("/static/{file}", static, methods=["GET"]),
        Route("/sessions/{id}/report", _with_board(board, report), methods=["GET"]),
        Route("/metrics", _with_board(board, metrics), methods=["GET"]),
        Route("/api/openapi.json", openapi, methods=["GET"]),
        Route("/api/stream", board.streams.answer, methods=["GET"]),
        Route("/api/login", _with_board(board, login), methods=["POST"]),
        Route("/api/sessions/{id}/control", _with_board(board, control), methods=["POST"]),
        *(Route(each.path, _answering(board, each), methods=["GET"]) for each in ENDPOINTS),
    ]
    app = Starlette(
        routes=routes,
        lifespan=_life(board),
        exception_handlers={HTTPException: _http_problem, DualgateError: _our_problem, Exception: _bug},
    )
    return Admission(app, board.rules, board.counter)


def _answering(board: "Board", endpoint: Endpoint) -> Answering:
    async def answer(request: Request) -> Response:
        given = read_parameters(endpoint.parameters, request.path_params, request.query_params)
        content = await run_in_threadpool(lambda: encoded(endpoint.answer(board, given)))
        return Response(content, media_type=JSON)

    return answer


def _with_board(board: "Board", answer: "Callable[[Board, Request], Awaitable[Response]]") -> Answering:
    async def answered(request: Request) -> Response:
        return await answer(board, request)

    return answered


async def openapi(_request: Request) -> Response:
    return json_answer(openapi_document())


async def metrics(board: "Board", _request: Request) -> Response:
    sessions = [entry.seen for entry in board.register.entries()]
    return Response(metrics_text(sessions, board.streams.open, board.counter.admitted), media_type=METRICS)


async def report(board: "Board", request: Request) -> Response:
    """The report is a page of its own, with a policy that allows its own style and nothing else."""
    entry = board.register.entry(request.path_params["id"])
    made = await run_in_threadpool(report_page, board, entry)
    return Response(
        made.encode("utf-8", "backslashreplace"),
        media_type="text/html",
        headers={"Content-Security-Policy": f"{report_policy()}; frame-ancestors 'none'"},
    )


async def _http_problem(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = {404: "There is nothing at this address.", 405: "This address does not allow that method."}
    problem = Problem(status=error.status_code, message=words.get(error.status_code, error.detail))
    return problem_answer(problem, dict(error.headers or {}))


async def _our_problem(_request: Request, error: Exception) -> Response:
    assert isinstance(error, DualgateError)
    return problem_answer(problem_of(error))


async def _bug(_request: Request, _error: Exception) -> Response:
    """The error itself goes to the log of the server, not to the reader."""
    return problem_answer(
        Problem(status=500, message="A bug in dualgate.", next_step="Report what the server printed.")
    )


def _life(board: "Board") -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def life(_app: Starlette) -> AsyncIterator[None]:
        watching = asyncio.create_task(board.watcher.run())
        try:
            yield
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching

    return life
