"""Remove a worktree without losing work, and bring a removed one back at the same place."""

import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from dualgate.core.values.notation import listed, shown
from dualgate.errors import SessionLocked, StoreFailed, WorktreeRefused
from dualgate.fleet.inputs import copy_inputs
from dualgate.fleet.packages import install_packages
from dualgate.fleet.uncommitted import uncommitted_files
from dualgate.settings import Settings
from dualgate.store.lease import undisturbed
from dualgate.store.neighbours import running_in
from dualgate.store.sessions import session_folder, snapshot_store
from dualgate.store.worktree_records import CUT_OFF, WorktreeRecord, WorktreeState, held, write_record
from dualgate.workspace.kept import keep_entry, put_back_entry
from dualgate.workspace.linked import (
    add_worktree_again,
    branch_commit,
    checked_out_in,
    clone_submodules,
    create_branch,
    delete_branch,
    forget_worktree,
    lock_of,
    submodules_with_own_commits,
)
from dualgate.workspace.repository import head_commit
from dualgate.workspace.saved import SavedSnapshots

LABEL = "before the worktree was removed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    record: WorktreeRecord
    branch_kept: bool
    lost: tuple[str, ...] = ()
    """Files that are too large for a snapshot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    record: WorktreeRecord
    notes: tuple[str, ...]
    """The parts that are missing in it, as sentences."""


def remove(
    record: WorktreeRecord,
    settings: Settings,
    environment: Mapping[str, str],
    now: datetime,
    force: bool,
    settle: Callable[[Path], None],
) -> Removed:
    """Save the uncommitted work of a worktree, then remove it. Raises SessionLocked while a run is active in it.

    `settle` restores the work that a killed step of a run in a folder left in a snapshot.
    """
    _require_idle(record, environment)  # first: it names the run, which holds the worktree
    if record.is_there and record.state not in CUT_OFF:
        settle(record.folder)
    with held(Path(record.repository), record.name, environment), _undisturbed(record, environment):
        _require_unlocked(record)
        lost: tuple[str, ...] = ()
        if record.is_there and record.state not in CUT_OFF:
            if not force:
                _require_no_commits_inside(record)
            record, lost = _saved(record, settings, environment, now)
            if lost and not force:
                raise WorktreeRefused(
                    f"A snapshot cannot keep {listed(map(shown, lost))}: too large, or not readable.",
                    f"Move it away, or lose it with: dualgate worktrees remove {record.name} --force",
                )
            record = replace(record, kept=keep_entry(record.root, record.name))
        write_record(replace(record, state=WorktreeState.REMOVING), environment)
        return _removed(record, environment, lost)


def _require_unlocked(record: WorktreeRecord) -> None:
    reason = lock_of(Path(record.git_folder), record.root)
    if reason is not None:
        raise WorktreeRefused(
            f"The worktree {record.name} is locked{f': {reason}' if reason else ''}.",
            f"Unlock it first: git worktree unlock {shlex.quote(record.path)}",
        )


def _require_no_commits_inside(record: WorktreeRecord) -> None:
    """The repositories of submodules are inside the entry of a worktree, and their commits are in no snapshot."""
    if inside := tuple(submodules_with_own_commits(Path(record.origin), record.root)):
        raise WorktreeRefused(
            f"The submodule {listed(inside)} has commits that are in this worktree only.",
            f"Push them first, or lose them with: dualgate worktrees remove {record.name} --force",
        )


def _clear(record: WorktreeRecord) -> None:
    """Remove the folder of a worktree, and its entry in the repository."""
    try:
        if record.root.exists() and not record.is_replaced:
            shutil.rmtree(record.root)
        with suppress(OSError):
            record.root.parent.rmdir()  # the last one
    except OSError as error:
        raise StoreFailed(
            f"{error.filename} cannot be removed: {error.strerror}.", "Give yourself permission, and try again."
        ) from error
    forget_worktree(Path(record.git_folder), record.root)


def _removed(record: WorktreeRecord, environment: Mapping[str, str], lost: tuple[str, ...]) -> Removed:
    _clear(record)
    repository = Path(record.repository)
    # a branch without commits of its own holds nothing, unless a person works on it
    is_free = _place_of_branch(record) is None and branch_commit(repository, record.branch) == record.commit
    gone = is_free and delete_branch(repository, record.branch, record.commit)
    record = replace(record, state=WorktreeState.REMOVED)
    write_record(record, environment)
    return Removed(record=record, branch_kept=not gone and bool(branch_commit(repository, record.branch)), lost=lost)


def _place_of_branch(record: WorktreeRecord) -> Path | None:
    """Another work tree in which a person checked out the branch of a worktree."""
    return checked_out_in(Path(record.repository), Path(record.git_folder), record.branch, record.root)


def _require_idle(record: WorktreeRecord, environment: Mapping[str, str]) -> None:
    for place, owner in running_in(record.root, environment):
        raise SessionLocked(
            f"A run is active in {place}: {owner}.", f"Pause it with: dualgate pause --worktree {record.name}"
        )


@contextmanager
def _undisturbed(record: WorktreeRecord, environment: Mapping[str, str]) -> Iterator[None]:
    """Keep runs out of a worktree until the block ends."""
    _require_idle(record, environment)
    with ExitStack() as stack:
        for place in dict.fromkeys((record.root, record.folder)):
            if place.is_dir():
                stack.enter_context(undisturbed(place))
        yield


def _saved(
    record: WorktreeRecord, settings: Settings, environment: Mapping[str, str], now: datetime
) -> tuple[WorktreeRecord, tuple[str, ...]]:
    """Save what is not committed as a snapshot; returns what a snapshot cannot keep."""
    record = replace(record, head=head_commit(record.root), snapshot="")
    if not uncommitted_files(record):
        return record, ()
    with _snapshots(record, settings, environment) as saved:
        looked = saved.look_anew()
        made = saved.save(LABEL, now, snapshots=looked)
        return replace(record, snapshot=made.id), tuple(looked.unkept)


def _snapshots(record: WorktreeRecord, settings: Settings, environment: Mapping[str, str]) -> SavedSnapshots:
    """The snapshots of a whole worktree, kept by its path: they stay when the worktree is gone."""
    folder = session_folder(record.folder, environment)
    largest = settings.snapshots.largest_kept
    return SavedSnapshots(record.root, snapshot_store(record.root, environment), folder, largest=largest)


def restore(record: WorktreeRecord, settings: Settings, environment: Mapping[str, str], now: datetime) -> Restored:
    """Make a removed worktree again, with its commits and its uncommitted work, so that its session can continue."""
    repository = Path(record.repository)
    with held(repository, record.name, environment):
        if record.root.exists() and (record.state is not WorktreeState.RESTORING or record.is_replaced):
            raise WorktreeRefused(
                f"{record.path} is there already.", f"Go there with: cd {record.path}, or move it away first."
            )
        if place := _place_of_branch(record):
            raise WorktreeRefused(
                f"The branch {record.branch} is checked out in {place}, and git checks out a branch once.",
                "Switch to another branch there: git switch BRANCH",
            )
        _require_unlocked(record)
        write_record(replace(record, state=WorktreeState.RESTORING), environment)
        _clear(record)
        _add(record, repository)
        notes = tuple(clone_submodules(Path(record.origin), record.root, head_commit(record.root)))
        copy_inputs(Path(record.origin), record.root, record.copied)
        record.folder.mkdir(parents=True, exist_ok=True)
        install_packages(record)
        if record.snapshot:
            with _snapshots(record, settings, environment) as saved:
                saved.restore(saved.catalog.find(record.snapshot), (), now)
        if record.kept:
            put_back_entry(record.root, record.kept)
        ready = replace(record, state=WorktreeState.READY, snapshot="", kept="")  # it is in the work tree again
        write_record(ready, environment)
        return Restored(record=ready, notes=notes)


def _add(record: WorktreeRecord, repository: Path) -> None:
    """Check out the branch, where it was; a branch that went, or went on, stays as it is."""
    present = branch_commit(repository, record.branch)
    head = record.head or present or record.commit
    if not present:
        create_branch(repository, record.branch, head)
    add_worktree_again(repository, record.root, record.branch if present in ("", head) else "", head)
