"""Board -> the ASGI application: routes, errors as JSON, and the life of the watcher."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from dualgate.errors import DualgateError
from dualgate.web.admission import Admission
from dualgate.web.answers import JSON, Problem, problem_answer, problem_of
from dualgate.web.board import Board
from dualgate.web.control import control, login
from dualgate.web.endpoints import ENDPOINTS, Endpoint
from dualgate.web.pages import page, static
from dualgate.web.parameters import read_parameters
from dualgate.web.streaming import Streams

PAGES = ("/", "/sessions/{id}", "/sessions/{id}/iterations/{n}")
Answering = Callable[[Request], Awaitable[Response]]


def make_app(board: Board) -> ASGIApp:
    streams = Streams(board.feed)
    routes = [
        *(Route(path, page, methods=["GET"]) for path in PAGES),
        Route("/static/{file}", static, methods=["GET"]),
        Route("/api/stream", streams.answer, methods=["GET"]),
        Route("/api/login", _with_board(board, login), methods=["POST"]),
        Route("/api/sessions/{id}/control", _with_board(board, control), methods=["POST"]),
        *(Route(each.path, _answering(board, each), methods=["GET"]) for each in ENDPOINTS),
    ]
    app = Starlette(
        routes=routes,
        lifespan=_life(board),
        exception_handlers={HTTPException: _http_problem, DualgateError: _our_problem},
    )
    return Admission(app, board.rules)


def _answering(board: Board, endpoint: Endpoint) -> Answering:
    async def answer(request: Request) -> Response:
        given = read_parameters(endpoint.parameters, request.path_params, request.query_params)
        content = await run_in_threadpool(lambda: msgspec.json.encode(endpoint.answer(board, given)))
        return Response(content, media_type=JSON)

    return answer


def _with_board(board: Board, answer: Callable[[Board, Request], Awaitable[Response]]) -> Answering:
    return lambda request: answer(board, request)


async def _http_problem(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = {404: "There is nothing at this address.", 405: "This address does not allow that method."}
    problem = Problem(status=error.status_code, message=words.get(error.status_code, error.detail))
    return problem_answer(problem, dict(error.headers or {}))


async def _our_problem(_request: Request, error: Exception) -> Response:
    assert isinstance(error, DualgateError)
    return problem_answer(problem_of(error))


def _life(board: Board) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
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
