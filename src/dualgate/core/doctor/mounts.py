"""Mounts -> the bubblewrap command line of a sandboxed program. Paths are not checked for existence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class Access(StrEnum):
    """How a path appears inside the sandbox."""

    READ_ONLY = "read-only"
    WRITABLE = "writable"
    EMPTY = "empty"
    """An empty folder; files written there are lost when the program ends."""
    BLANK = "blank"
    """An empty file."""


WORDS: dict[Access, tuple[str, ...]] = {
    Access.READ_ONLY: ("--ro-bind-try", "{path}", "{path}"),
    Access.WRITABLE: ("--bind-try", "{path}", "{path}"),
    Access.EMPTY: ("--tmpfs", "{path}"),
    Access.BLANK: ("--ro-bind", "/dev/null", "{path}"),
}
# the program has its own process namespace: its children die with it, and it dies with us
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
# Root outside would be root inside, and could remove our mounts. It keeps only the capabilities for files of other
# users, and those that a nested sandbox needs.
OF_ROOT = ("CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_SETFCAP")
# the kernel asks for no capability when root writes these, and runs what some of them name outside of every sandbox
KERNEL_SETTINGS = ("--ro-bind-try", "/proc/sys", "/proc/sys")
PRIVATE = ("/tmp", "/var/tmp")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mounts:
    """Read-only system, private temporary folders; for any other path the nearest entry in `places` applies."""

    places: Mapping[str, Access]
    network: bool = True
    as_root: bool = False
    """Whether root starts the program."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Set for the program, over its environment."""


def bwrap_words(program: str, mounts: Mounts, cwd: str, argv: Sequence[str]) -> tuple[str, ...]:
    """Return the command line. Shallow paths come first, because later mounts cover earlier ones."""
    places = dict.fromkeys(PRIVATE, Access.EMPTY) | dict(mounts.places)
    ordered = sorted(places.items(), key=lambda item: (item[0].count("/"), item[0]))
    mounted = [word.format(path=path) for path, access in ordered for word in WORDS[access]]
    network = () if mounts.network else (NO_NETWORK,)
    kept = [word for name in OF_ROOT for word in ("--cap-add", name)]
    of_root = (*KERNEL_SETTINGS, *kept) if mounts.as_root else ()
    variables = [word for name, value in mounts.variables.items() for word in ("--setenv", name, value)]
    return (program, *ALWAYS, *of_root, *network, *mounted, *variables, "--chdir", cwd, "--", *argv)
