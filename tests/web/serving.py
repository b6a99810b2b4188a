"""A dashboard in a thread, with a client; and the events of its stream."""

import asyncio
import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from dualgate.core.secrets.redaction import redactor_of
from dualgate.web.admission import Rules
from dualgate.web.app import make_app
from dualgate.web.board import Board, make_board
from dualgate.web.serving import Server, make_server, open_socket
from dualgate.web.watching import Pace
from tests.support import until

HOST = "127.0.0.1"
LIMIT = 20.0
QUICK = Pace(poll=0.05, alive=0.1, sweep=0.5)
Event = tuple[str, dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Served:
    board: Board
    server: Server
    client: httpx.Client

    def get(self, path: str, **headers: str) -> Any:
        """The JSON at a path, which must be there."""
        answer = self.client.get(path, headers=headers)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def rows(self) -> dict[str, Any]:
        """The rows of the overview by id."""
        return {row["id"]: row for row in self.get("/api/overview")["sessions"]}

    @contextmanager
    def stream(self, after: str = "", **headers: str) -> Iterator[Iterator[Event]]:
        """The events of a stream: name and data, with the id in it as `cursor`."""
        query = {"after": after} if after else {}
        with self.client.stream("GET", "/api/stream", params=query, headers=headers) as answer:
            assert answer.status_code == 200, answer.read()
            yield events_of(answer.iter_lines())


def events_of(lines: Iterator[str]) -> Iterator[Event]:
    fields: dict[str, str] = {}
    for line in lines:
        if not line and "data" in fields:
            yield fields["event"], json.loads(fields["data"]) | {"cursor": fields.get("id")}
            fields = {}
        elif line and not line.startswith(":"):
            name, _, value = line.partition(": ")
            fields[name] = value


@contextmanager
def serving(
    home: Path, folders: Sequence[Path] = (), pace: Pace = QUICK, most_streams: int = 64, **rules: Any
) -> Iterator[Served]:
    """Serve the sessions of a home until the block ends."""
    environment = {"HOME": str(home), "DEMO_API_KEY": "correct-horse-battery-staple"}
    made: list[tuple[Board, Server]] = []
    with open_socket(HOST, 0) as listening:

        async def serve() -> None:
            board = make_board(
                Rules(**{"host": HOST} | rules),
                environment,
                redactor_of(environment),
                lambda: datetime.now(UTC),
                folders,
                pace,
                most_streams,
            )
            server = make_server(make_app(board), board.feed.close)
            made.append((board, server))
            await server.serve(sockets=[listening])

        thread = threading.Thread(target=lambda: asyncio.run(serve()))
        thread.start()
        try:
            until(lambda: bool(made) and made[0][0].watcher.loaded)
            address = f"http://{HOST}:{listening.getsockname()[1]}"
            with httpx.Client(base_url=address, timeout=LIMIT, trust_env=False) as client:
                yield Served(board=made[0][0], server=made[0][1], client=client)
        finally:
            made[0][1].should_exit = True
            thread.join(LIMIT)
            assert not thread.is_alive()
