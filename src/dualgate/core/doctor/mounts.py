"""What a confined program may reach -> the words of bubblewrap. Paths are texts here; nobody looks whether they are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Access(StrEnum):
    """What of a place is seen inside."""

    READ_ONLY = "read-only"
    WRITABLE = "writable"
    EMPTY = "empty"
    """A folder without what is in it; what is written there is gone with the program."""
    BLANK = "blank"
    """A file without what is in it."""


WORDS: dict[Access, tuple[str, ...]] = {
    Access.READ_ONLY: ("--ro-bind-try", "{path}", "{path}"),
    Access.WRITABLE: ("--bind-try", "{path}", "{path}"),
    Access.EMPTY: ("--tmpfs", "{path}"),
    Access.BLANK: ("--ro-bind", "/dev/null", "{path}"),
}
# all that it starts is in a namespace of its own and dies with it, and it dies with us
ALWAYS = (
    "--die-with-parent",
    "--unshare-pid",
    "--unshare-ipc",
    "--cap-drop",
    "ALL",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
)
NO_NETWORK = "--unshare-net"
# Whoever is root outside would be it inside, and take away whatever lies over a place. It keeps what is about the files
# of others, and what a sandbox within this one takes.
OF_ROOT = ("CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_SETFCAP")
PRIVATE = ("/tmp", "/var/tmp")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mounts:
    """The system is read-only, temporary folders are private, and of every other place the nearest entry holds."""

    places: Mapping[str, Access]
    network: bool = True
    as_root: bool = False
    """Whether it is root who starts the program."""


def bwrap_words(program: str, mounts: Mounts, cwd: str, argv: Sequence[str]) -> tuple[str, ...]:
    """The command line of a program inside. Shallow places come first: what is mounted later lies above."""
    places = dict.fromkeys(PRIVATE, Access.EMPTY) | dict(mounts.places)
    ordered = sorted(places.items(), key=lambda item: (item[0].count("/"), item[0]))
    mounted = [word.format(path=path) for path, access in ordered for word in WORDS[access]]
    network = () if mounts.network else (NO_NETWORK,)
    kept = [word for name in OF_ROOT for word in ("--cap-add", name)] if mounts.as_root else []
    return (program, *ALWAYS, *kept, *network, *mounted, "--chdir", cwd, "--", *argv)
