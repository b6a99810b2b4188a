"""The other end of a loopback connection -> the user whose socket it is, as Linux knows it."""

import ipaddress
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_LOCAL, _REMOTE, _UID = 1, 2, 7
End = tuple[str, int]


def user_of_peer(peer: End, ours: End, tables: tuple[Path, ...] = TABLES) -> int | None:
    """The user id of the socket that connects `peer` to `ours`; None if no table has it, or there is no table."""
    wanted = _plain(peer), _plain(ours)
    return next((uid for local, remote, uid in _sockets(tables) if (local, remote) == wanted), None)


def can_tell(tables: tuple[Path, ...] = TABLES) -> bool:
    """Whether this system has tables of sockets."""
    return any(table.exists() for table in tables)


def is_loopback(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost"
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback


def _sockets(tables: tuple[Path, ...]) -> Iterator[tuple[End, End, int]]:
    for table in tables:
        with suppress(OSError), table.open(encoding="ascii") as rows:
            next(rows, None)
            for row in rows:
                fields = row.split()
                yield _end(fields[_LOCAL]), _end(fields[_REMOTE]), int(fields[_UID])


def _end(text: str) -> End:
    """`0100007F:1F90` -> ("127.0.0.1", 8080): words of four bytes, each in the order of this machine."""
    address, _, port = text.partition(":")
    words = [bytes.fromhex(address[place : place + 8]) for place in range(0, len(address), 8)]
    in_order = b"".join(word[::-1] if sys.byteorder == "little" else word for word in words)
    return _plain((str(ipaddress.ip_address(in_order)), int(port, 16)))


def _plain(end: End) -> End:
    """An address of IPv4 within IPv6 is the same as the plain one."""
    host, port = end
    with suppress(ValueError):
        address = ipaddress.ip_address(host.partition("%")[0])
        mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
        host = str(mapped or address)
    return host, port
