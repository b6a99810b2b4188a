"""The feed -> server-sent events for one reader."""

from collections.abc import AsyncIterator

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.requests import Request
from starlette.responses import Response

from dualgate.web.answers import Problem, problem_answer
from dualgate.web.feed import Feed

HEARTBEAT_SECONDS = 15
MOST_STREAMS = 64
SEND_SECONDS = 20
"""A reader that takes nothing for so long is cut off."""


class Streams:
    """The open streams of a server."""

    def __init__(self, feed: Feed, most: int) -> None:
        self._feed = feed
        self._most = most
        self.open = 0

    async def answer(self, request: Request) -> Response:
        if self.open >= self._most:
            next_step = "Close another page of the dashboard."
            problem = Problem(status=503, message=f"{self._most} streams are open already.", next_step=next_step)
            return problem_answer(problem, {"Retry-After": "5"})
        cursor = request.headers.get("last-event-id") or request.query_params.get("after")
        return EventSourceResponse(
            self._counted(cursor), ping=HEARTBEAT_SECONDS, send_timeout=SEND_SECONDS, cleanup_timeout=1
        )

    async def _counted(self, cursor: str | None) -> AsyncIterator[ServerSentEvent]:
        self.open += 1
        try:
            async for event in events_after(self._feed, cursor):
                yield event
        finally:
            self.open -= 1


async def events_after(feed: Feed, cursor: str | None) -> AsyncIterator[ServerSentEvent]:
    """The changes after a cursor and those to come; without a cursor, those to come."""
    number = feed.number if cursor is None else feed.number_of(cursor)
    while not feed.closed:
        changes = None if number is None else feed.after(number)
        number = feed.number
        if changes is None:
            yield ServerSentEvent(event="reset", data="{}", id=feed.cursor)
            continue
        for place, change in changes:
            yield ServerSentEvent(event=change.kind.value, data=change.body.decode(), id=feed.cursor_at(place))
        await feed.changed(number)
