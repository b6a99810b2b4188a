"""Inside a sandbox without a network: a port on loopback that leads to a Unix socket, beside the program that needs it.

Run as a script by an interpreter that has only the standard library.
"""

import os
import socket
import sys
import threading
from contextlib import suppress

PORT = 3128
_AT_ONCE = 1 << 16


def join_sockets(one: socket.socket, other: socket.socket) -> None:
    """Pass on bytes in both directions until both have ended."""
    back = threading.Thread(target=_pass_on, args=(other, one), daemon=True)
    back.start()
    _pass_on(one, other)
    back.join()


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while piece := source.recv(_AT_ONCE):
            target.sendall(piece)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def _lead(connection: socket.socket, path: str) -> None:
    with connection, socket.socket(socket.AF_UNIX) as way_out, suppress(OSError):
        way_out.connect(path)
        join_sockets(connection, way_out)


def _listen(listener: socket.socket, path: str) -> None:
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=_lead, args=(connection, path), daemon=True).start()


def main(path: str, *argv: str) -> int:
    """Run the program and return its exit code, as a shell tells it."""
    listener = socket.create_server(("127.0.0.1", PORT), backlog=128)
    child = os.fork()
    if not child:
        listener.close()
        try:
            os.execvp(argv[0], argv)
        except OSError as error:
            print(f"{argv[0]}: {error.strerror}", file=sys.stderr)
            os._exit(127)
    threading.Thread(target=_listen, args=(listener, path), daemon=True).start()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    os._exit(main(*sys.argv[1:]))
