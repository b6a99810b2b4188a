"""The action of init --hooks: show how the settings of hosts would change, ask, and write them."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

import click

from dualgate.cli.output import here, say
from dualgate.cli.outside import require_person
from dualgate.cli.questions import can_ask, confirm
from dualgate.errors import ExitCode, SettingError
from dualgate.hooks.answers import HOSTS
from dualgate.hooks.opting import PLACES
from dualgate.hooks.registering import REGISTRATIONS, with_hooks, without_hooks
from dualgate.processes.worktrees import nearest_repository

TRY = "Try them with: dualgate doctor --hooks"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    host: str
    path: Path
    before: str
    after: str
    """Empty if the file is to be removed, since nothing else is in it."""


def set_up_hooks(hosts: str, remove: bool, yes: bool) -> int:
    require_person("init --hooks")
    names, root = _named(hosts), _repository()
    changed = [each for each in _changes(root, names, without_hooks if remove else with_hooks) if _differs(each)]
    if not changed:
        say(f"Nothing to do: {', '.join(names)} {'has no hooks of dualgate' if remove else 'has the hooks already'}")
        return ExitCode.PROVEN
    for line in (line for each in changed for line in _diff(each, root)):
        say(line)
    if not yes and not _agreed(f"dualgate init --hooks {hosts} {'--remove ' if remove else ''}--yes"):
        say("Nothing was written.")
        return ExitCode.ERROR
    for each in changed:
        _write(each, root)
        say(f"{'wrote' if each.after else 'removed'} {PLACES[each.host]}")
    for step in () if remove else (*(REGISTRATIONS[each.host].next_step for each in changed), TRY):
        say(step)
    return ExitCode.PROVEN


def _agreed(unasked: str) -> bool:
    """Whether a person wants the shown change; `unasked` is the command that does not ask."""
    if not can_ask():
        raise SettingError("No settings were written: there is no terminal to ask on.", f"Write them with: {unasked}")
    return confirm("Write these settings?", default=True)


def _named(hosts: str) -> list[str]:
    names = list(dict.fromkeys(name.strip() for name in hosts.split(",") if name.strip()))
    if unknown := [name for name in names if name not in HOSTS]:
        raise click.UsageError(f"--hooks: unknown host '{unknown[0]}'; one or more of: {', '.join(HOSTS)}")
    if not names:
        raise click.UsageError(f"--hooks names no host; one or more of: {', '.join(HOSTS)}")
    return names


def _repository() -> Path:
    root = nearest_repository(here())
    if root is None:
        raise SettingError(
            "There is no git repository here: a stop is verified against a commit.", "Make one with: git init"
        )
    return root


def _changes(root: Path, names: Sequence[str], change: Callable[[str, str], str]) -> Iterator[_Change]:
    """Read and change all settings before any is written."""
    for host in names:
        path = root / PLACES[host]
        real = Path(os.path.realpath(path))
        if not real.is_relative_to(os.path.realpath(root)):
            raise SettingError(f"{PLACES[host]} is a link to a place outside of the repository.", "Make it a file.")
        try:
            before = real.read_text(encoding="utf-8") if real.exists() else ""
        except (OSError, UnicodeDecodeError) as error:
            raise SettingError(f"{PLACES[host]} cannot be read: {error}.", "Look at the file.") from error
        yield _Change(host=host, path=real, before=before, after=change(host, before))


def _differs(change: _Change) -> bool:
    return change.before != change.after


def _diff(change: _Change, root: Path) -> Iterator[str]:
    name = change.path.relative_to(os.path.realpath(root)).as_posix()
    names = (f"a/{name}" if change.before else "/dev/null", f"b/{name}" if change.after else "/dev/null")
    return unified_diff(change.before.splitlines(), change.after.splitlines(), *names, lineterm="")


def _write(change: _Change, root: Path) -> None:
    """Replace a settings file in one step, with the permissions it had."""
    path = change.path
    try:
        if not change.after:
            path.unlink()
            _remove_empty(path.parent, Path(os.path.realpath(root)))
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        temporary.write_text(change.after, encoding="utf-8")
        temporary.chmod(mode)
        temporary.replace(path)
    except OSError as error:
        raise SettingError(f"{path} cannot be written: {error.strerror}.", "Give permission and try again.") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _remove_empty(folder: Path, root: Path) -> None:
    """Remove folders that are empty now, up to the repository."""
    with suppress(OSError):
        while folder != root:
            folder.rmdir()
            folder = folder.parent
