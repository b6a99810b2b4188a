"""Serve an application until it is stopped, on a port that is free. Open streams do not delay the end."""

import errno
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from dualgate.errors import SettingError

PORT = 8765
_PORTS_TRIED = 20
_BACKLOG = 128
MOST_CONNECTIONS = 256


class Server(uvicorn.Server):
    """Ends the streams before it waits for requests to end."""

    def __init__(self, config: uvicorn.Config, at_end: Callable[[], None]) -> None:
        super().__init__(config)
        self._at_end = at_end

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End on Ctrl+C and SIGTERM, and do not raise them again at the end: that is how a dashboard is stopped."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {each: signal.signal(each, lambda *_: self.stop()) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    def stop(self) -> None:
        """End the server; when called again, at once."""
        self.force_exit, self.should_exit = self.should_exit, True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._at_end()
        await super().shutdown(sockets)


def make_server(app: ASGIApp, at_end: Callable[[], None]) -> Server:
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        lifespan="on",
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=2,
        h11_max_incomplete_event_size=16 << 10,
        http="h11",
    )
    return Server(config, at_end)


def open_socket(host: str, port: int | None) -> socket.socket:
    """A socket that listens on a host. Without a port, the first that is free from 8765 on."""
    for each in (port,) if port is not None else (*range(PORT, PORT + _PORTS_TRIED), 0):
        try:
            return _listening(host, each)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or port is not None:
                step = "Name another with --port, or give none." if error.errno == errno.EADDRINUSE else ""
                raise SettingError(f"Cannot listen on {host}, port {each}: {error.strerror}.", step) from error
    raise AssertionError("port 0 is always free")


def _listening(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    found = socket.socket(family, kind, protocol)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(address)
        found.listen(_BACKLOG)
    except OSError:
        found.close()
        raise
    return found
