"""Packages of its own for a worktree whose lock files are other than those of the checkout."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from fnmatch import fnmatch
from pathlib import Path

from dualgate.core.values.control import Control
from dualgate.fleet.packages import install_packages
from dualgate.processes.jobs import Jobs
from dualgate.runners.prepare import LOCKS
from dualgate.store.worktree_records import WorktreeRecord
from dualgate.verify.installing import INSTALLS, OWN_ENVIRONMENT, bare_environment, install_commands, install_failure
from dualgate.workspace.checkouts import RETARGETED

OF_NODE = frozenset({"npm", "pnpm", "yarn"})


def changed_locks(record: WorktreeRecord) -> tuple[str, ...]:
    """Lock files in the root of a worktree that differ from those of the checkout whose packages it has."""
    given = {*record.shared, *record.linked}
    return tuple(sorted(name for name in _locks(record.root) if _place(name) in given and _differ(record, name)))


def install_locked(
    record: WorktreeRecord, environment: Mapping[str, str], jobs: Jobs, control: Control
) -> tuple[str, ...]:
    """Install what changed lock files name, in place of the packages of the checkout; returns what was done."""
    locks = changed_locks(record)
    if not locks:
        return ()
    names, origin = ", ".join(locks), Path(record.origin)
    bare = bare_environment(environment, [origin / path for path in record.shared])
    commands = list(install_commands(record.root, locks, bare))
    if not commands:
        return (f"{names} differs from your checkout, whose packages are used; the setting setup installs others",)
    _clear(record, locks)
    for command in commands:
        if problem := install_failure(command, record.root, bare, jobs, control):
            _clear(record, locks)
            install_packages(record)
            return (f"{names} differs, and '{command}' failed, so the packages of your checkout are used: {problem}",)
    return (f"{names} differs from your checkout, so its packages were installed: {'; '.join(commands)}",)


def _locks(root: Path) -> Iterator[str]:
    with suppress(OSError):
        yield from (each.name for each in root.iterdir() if any(fnmatch(each.name, pattern) for pattern in LOCKS))


def _place(lock: str) -> str:
    """The folder that a lock file is installed into."""
    return RETARGETED if INSTALLS.get(lock, ("", ""))[0] in OF_NODE else OWN_ENVIRONMENT


def _differ(record: WorktreeRecord, name: str) -> bool:
    try:
        return (record.root / name).read_bytes() != (Path(record.origin) / name).read_bytes()
    except OSError:
        return True


def _clear(record: WorktreeRecord, locks: tuple[str, ...]) -> None:
    for place in {_place(name) for name in locks}:
        shutil.rmtree(record.root / place, ignore_errors=True)
