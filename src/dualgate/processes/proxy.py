"""A proxy on a Unix socket that reaches the allowed hosts only; the only way out of a sandbox without a network."""

import socket
import socketserver
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from dualgate.processes.relay import join_sockets

# Not in TMPDIR, which may be too deep for the path of a socket.
_PLACE = "/tmp"
_LONGEST_HEAD = 64 << 10
_CONNECT_SECONDS = 30.0
_CONNECTED = b"HTTP/1.1 200 Connection established\r\n\r\n"
_PORTS = {"http": 80, "https": 443}


@contextmanager
def running_proxy(allowed: tuple[str, ...], refused: Callable[[str], None]) -> Iterator[Path]:
    """The socket of a proxy for the allowed hosts, until the block ends; `refused` hears each other host once."""
    with tempfile.TemporaryDirectory(prefix="dualgate-proxy-", dir=_PLACE) as folder:
        path = Path(folder) / "socket"
        with _Server(str(path), allowed, refused) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            try:
                yield path
            finally:
                server.shutdown()


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, path: str, allowed: tuple[str, ...], refused: Callable[[str], None]) -> None:
        self._allowed = frozenset(host.lower() for host in allowed)
        self._refused: set[str] = set()
        self._tell = refused
        super().__init__(path, _Handler)

    def allows(self, host: str) -> bool:
        if host.lower() in self._allowed:
            return True
        if host not in self._refused:
            self._refused.add(host)
            self._tell(host)
        return False

    def handle_error(self, request: object, client_address: object) -> None:
        """A program that breaks off a connection is nobody's error."""


class _Handler(socketserver.BaseRequestHandler):
    server: _Server

    def handle(self) -> None:
        head = _head(self.request)
        asked = target_of(head)
        if asked is None:
            self._refuse(b"400 Bad Request", "This proxy understands CONNECT and addresses that begin with http://.")
            return
        host, port, is_tunnel = asked
        if not self.server.allows(host):
            self._refuse(b"403 Forbidden", f"sandbox.hosts does not allow {host}.")
            return
        try:
            beyond = socket.create_connection((host, port), _CONNECT_SECONDS)
        except OSError as error:
            self._refuse(b"502 Bad Gateway", f"{host} cannot be reached: {error}.")
            return
        beyond.settimeout(None)
        with beyond:
            if is_tunnel:
                self.request.sendall(_CONNECTED)
            else:
                beyond.sendall(head)
            join_sockets(self.request, beyond)

    def _refuse(self, status: bytes, why: str) -> None:
        body = why.encode() + b"\n"
        length = str(len(body)).encode()
        with suppress(OSError):
            self.request.sendall(
                b"HTTP/1.1 " + status + b"\r\nConnection: close\r\nContent-Length: " + length + b"\r\n\r\n" + body
            )


def _head(connection: socket.socket) -> bytes:
    """The bytes up to the end of the headers, and perhaps the beginning of a body."""
    head = b""
    while b"\r\n\r\n" not in head and len(head) < _LONGEST_HEAD:
        piece = connection.recv(_LONGEST_HEAD)
        if not piece:
            return b""
        head += piece
    return head


def target_of(head: bytes) -> tuple[str, int, bool] | None:
    """Host, port and whether a tunnel is asked for; None if the request is not for a proxy."""
    words = head.partition(b"\r\n")[0].decode("ascii", "replace").split(" ")
    if len(words) != 3:
        return None
    method, target, _ = words
    try:
        parts = urlsplit(f"//{target}" if method == "CONNECT" else target)
        port = parts.port or _PORTS.get(parts.scheme, 443)
    except ValueError:
        return None
    if not parts.hostname or parts.scheme not in ("", "http") or (method != "CONNECT" and not parts.scheme):
        return None
    return parts.hostname, port, method == "CONNECT"
