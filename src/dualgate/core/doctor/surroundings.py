"""Facts about a machine and a project's folder -> checks of the environment that every run needs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from dualgate.core.doctor.checkup import Check, Health, worth_a_look
from dualgate.core.values.notation import in_line

_NEEDED_PYTHON = (3, 11)
# minimum for a journal, the texts of calls and a first snapshot; with less a run cannot start
_LEAST_ROOM = 50 << 20
_ENOUGH_ROOM = 1 << 30
_NARROWEST = 60
_SHOWN = 3


def check_python(version: tuple[int, ...]) -> Check:
    seen_text = ".".join(map(str, version))
    if version >= _NEEDED_PYTHON:
        return Check(name="python", seen=seen_text)
    needed = ".".join(map(str, _NEEDED_PYTHON))
    return Check(
        name="python",
        health=Health.FAIL,
        seen=f"{seen_text}, and {needed} is needed",
        fix=f"python{needed} -m pip install dualgate",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class GitSeen:
    installed: bool = True
    repository: bool = True
    readable: bool = True
    """Whether git could report the state of the repository."""
    branch: str = ""
    changed: tuple[str, ...] = ()
    under_way: str = ""
    """The unfinished operation: `merge`, `rebase` …"""


def check_git(seen: GitSeen) -> Check:
    """Check git. A run never needs it, since snapshots are stored outside; a person needs it to see the changes."""
    if not seen.installed:
        return worth_a_look("git", "not installed: snapshots work without it", "dualgate snapshot list")
    if not seen.repository:
        return worth_a_look("git", "no repository here: only snapshots can restore earlier states", "git init")
    if not seen.readable:
        return worth_a_look("git", "the repository cannot be read", "git status")
    if seen.under_way:
        seen_text = f"a {seen.under_way} is in progress: the run would start from its unfinished state"
        fix = "git bisect reset" if seen.under_way == "bisect" else f"git {seen.under_way} --abort"
        return worth_a_look("git", seen_text, fix)
    if seen.changed:
        count = len(seen.changed)
        seen_text = f"{count} {'path is' if count == 1 else 'paths are'} not committed: {_some(seen.changed)}"
        return worth_a_look("git", seen_text, "git add -A && git commit, or git stash -u")
    return Check(name="git", seen=f"{seen.branch}, nothing to commit")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceSeen:
    """A folder that a run writes to; `free` is the number of free bytes, None if unknown."""

    what: str
    path: str
    writable: bool
    free: int | None
    is_kept: bool = False
    """Whether PRP_SESSION_DIR can put it elsewhere."""


def check_place(seen: PlaceSeen) -> Check:
    if not seen.writable:
        seen_text = f"{seen.path} cannot be written to"
        fix = f"chmod u+rwx {seen.path}" + (", or another place: export PRP_SESSION_DIR=FOLDER" if seen.is_kept else "")
        return Check(name=seen.what, health=Health.FAIL, seen=seen_text, fix=fix)
    if seen.free is None:
        return Check(name=seen.what, seen=seen.path)
    seen_text = f"{seen.path}, {_size(seen.free)} free"
    if seen.free >= _ENOUGH_ROOM:
        return Check(name=seen.what, seen=seen_text)
    health = Health.FAIL if seen.free < _LEAST_ROOM else Health.WARN
    return Check(name=seen.what, health=health, seen=seen_text, fix="dualgate snapshot prune; dualgate sessions prune")


def check_sandbox(program: str, why: str, fix: str) -> Check:
    """`program` makes the sandbox, or is empty; `why` there is no sandbox although nobody refused it."""
    if program:
        return Check(name="sandbox", seen=f"agent and tests run in bubblewrap ({program})")
    if why:
        seen_text = f"agent and tests have all your permissions: {why.rstrip('.')}"
        return Check(name="sandbox", health=Health.WARN, seen=seen_text, fix=fix)
    return Check(name="sandbox", seen="off: agent and tests have all your permissions")


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalSeen:
    is_terminal: bool
    columns: int
    in_colour: bool
    encoding: str


def check_terminal(seen: TerminalSeen) -> Check:
    if not seen.encoding.lower().replace("-", "").startswith("utf8"):
        return worth_a_look("terminal", f"the encoding is {seen.encoding}: signs are replaced", "export LC_ALL=C.UTF-8")
    if not seen.is_terminal:
        return Check(name="terminal", seen=f"not a terminal: plain lines, {seen.encoding}")
    colour = "in colour" if seen.in_colour else "without colour"
    seen_text = f"{seen.columns} columns, {colour}, {seen.encoding}"
    if seen.columns < _NARROWEST:
        return worth_a_look("terminal", f"{seen_text}: too narrow for most lines", f"stty cols {_NARROWEST}")
    return Check(name="terminal", seen=seen_text)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockSeen:
    """Facts about the clock. `newest` is surely in the past: a time of our own files, or of the last event."""

    now: datetime
    newest: datetime
    zone: str = ""
    """The value of TZ, if set."""
    zone_known: bool = True


def check_clock(seen: ClockSeen) -> Check:
    seen_text = f"{seen.now:%Y-%m-%d %H:%M %Z}"
    if seen.now < seen.newest:
        behind = f"{seen_text}, which is before {seen.newest:%Y-%m-%d %H:%M %Z}, the time of the newest file here"
        return worth_a_look("clock", behind, "timedatectl set-ntp true")
    if not seen.zone_known:
        return worth_a_look(
            "clock", f"{seen_text}: there is no time zone '{seen.zone}', so limits end at wrong hours", "unset TZ"
        )
    return Check(name="clock", seen=seen_text)


def check_owner(owner: str | None, near: str = "") -> Check:
    """`owner` is the run in this folder, None without one; `near` tells of a run above or below it."""
    if owner is None and near:
        return Check(name="owner", health=Health.FAIL, seen=near, fix="dualgate pause  # in that folder")
    if owner is None:
        return Check(name="owner", seen="no other run is active here")
    return Check(name="owner", health=Health.FAIL, seen=f"another run is active: {owner}", fix="dualgate pause")


def check_leftovers(processes: Sequence[str]) -> Check:
    if not processes:
        return Check(name="leftovers", seen="no process is left of a killed run")
    seen_text = f"left by a killed run; the next run stops them: {_some(processes)}"
    return worth_a_look("leftovers", seen_text, f"kill {' '.join(each.partition(' ')[0] for each in processes)}")


def _some(texts: Sequence[str]) -> str:
    return ", ".join(map(in_line, texts[:_SHOWN])) + (", …" if len(texts) > _SHOWN else "")


def _size(count: int) -> str:
    return f"{count / (1 << 30):.1f} GB" if count >= 1 << 30 else f"{count >> 20} MB"
