"""A plan -> a worktree that is ready to work in. A process that is killed in between leaves nothing half made:
the next try removes it first, by the record that is written before anything else.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from dualgate.core.values.notation import counted, listed
from dualgate.errors import DualgateError, StoreFailed, WorktreeRefused
from dualgate.fleet.inputs import copy_inputs
from dualgate.fleet.packages import install_packages
from dualgate.fleet.plan import WorktreePlan, require_room
from dualgate.store.archive import sessions_in
from dualgate.store.sessions import session_folder
from dualgate.store.worktree_records import (
    WorktreeRecord,
    WorktreeState,
    delete_record,
    held,
    read_record,
    write_record,
)
from dualgate.workspace.linked import (
    add_worktree,
    branch_commit,
    changed_files,
    clone_submodules,
    delete_branch,
    forget_worktree,
    pointer_files,
    untracked_files,
)
from dualgate.workspace.repository import head_commit


class Step(StrEnum):
    RECORDED = "recorded"
    ADDED = "added"
    CLONED = "submodules cloned"
    COPIED = "inputs copied"
    SHARED = "packages shared"
    READY = "ready"


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    record: WorktreeRecord
    notes: tuple[str, ...] = ()
    """The parts that are missing in it, as sentences."""


@contextmanager
def made_worktree(
    plan: WorktreePlan, environment: Mapping[str, str], now: datetime, reached: Callable[[Step], None] = lambda _: None
) -> Iterator[Made]:
    """Make a worktree for a run in the block. If the block fails before a session begins, the worktree is removed."""
    with held(plan.checkout.main, plan.name, environment):
        clear_leftover(plan.checkout.main, plan.name, environment)
        require_free(plan, environment)
        require_room(plan)
        record = _recorded(plan, now)
        before, removed = _sessions(record, environment), read_record(plan.checkout.main, plan.name, environment)
        write_record(record, environment)
        try:
            reached(Step.RECORDED)
            made = _made(plan, record, environment, reached)
            yield made
        except BaseException:
            if _sessions(record, environment) == before:
                _discard(record, removed, environment)
            raise


def _discard(record: WorktreeRecord, removed: WorktreeRecord | None, environment: Mapping[str, str]) -> None:
    """Remove a worktree in which nothing began; a removed one of its name can still be restored."""
    with suppress(DualgateError):  # the next try clears it
        discard(record, environment)
        if removed is not None:
            write_record(removed, environment)


def _recorded(plan: WorktreePlan, now: datetime) -> WorktreeRecord:
    return WorktreeRecord(
        name=plan.name,
        path=str(plan.path),
        repository=str(plan.checkout.main),
        git_folder=str(plan.checkout.folder),
        origin=str(plan.checkout.root),
        project=plan.project,
        branch=plan.branch,
        commit=plan.commit,
        made=now,
        environment=plan.environment,
        copied=plan.inputs.copied,
        shared={path: str(source) for path, source in plan.shared.items()},
        linked=plan.linked,
        duplicated=plan.duplicated,
    )


def _made(
    plan: WorktreePlan, record: WorktreeRecord, environment: Mapping[str, str], reached: Callable[[Step], None]
) -> Made:
    try:
        add_worktree(plan.checkout, plan.path, plan.branch, plan.commit)
        reached(Step.ADDED)
        notes = list(clone_submodules(plan.checkout.root, plan.path, plan.commit))
        reached(Step.CLONED)
        copy_inputs(plan.checkout.root, plan.path, plan.inputs.copied)
        record.folder.mkdir(parents=True, exist_ok=True)  # a project may be new
        reached(Step.COPIED)
        install_packages(record)
        reached(Step.SHARED)
    except OSError as error:
        raise StoreFailed(
            f"{error.filename or plan.path} cannot be written: {error.strerror}.",
            "Make room, or name another folder with the setting worktree.folder.",
        ) from error
    if pointers := pointer_files(plan.path):
        count = counted(len(pointers), "file of git LFS is a pointer", "files of git LFS are pointers")
        notes.append(f"{count}: {listed(pointers)}; get the content: git lfs pull")
    ready = replace(record, state=WorktreeState.READY)
    write_record(ready, environment)
    reached(Step.READY)
    return Made(record=ready, notes=tuple(notes))


def require_free(plan: WorktreePlan, environment: Mapping[str, str]) -> None:
    """Raise WorktreeRefused if the name, the folder or the branch of a worktree is taken."""
    record = read_record(plan.checkout.main, plan.name, environment)
    if record is not None and record.state is not WorktreeState.REMOVED:
        raise _taken(record)
    if plan.path.exists() or plan.path.is_symlink():
        raise WorktreeRefused(
            f"{plan.path} is there already, and dualgate did not make it.", "Give another name: --worktree NAME"
        )
    if branch_commit(plan.checkout.root, plan.branch):
        raise WorktreeRefused(
            f"The branch {plan.branch} is there already, with the work of an earlier run.",
            f"Give another name, or delete the branch if you do not need it: git branch -D {plan.branch}",
        )
    outer, _, inner = plan.branch.partition("/")
    if inner and branch_commit(plan.checkout.root, outer):
        raise WorktreeRefused(
            f"A branch is called {outer}, so git cannot make the branch {plan.branch}.",
            f"Rename it: git branch -m {outer} NAME",
        )


def _taken(record: WorktreeRecord) -> WorktreeRefused:
    name, is_there = record.name, record.is_there
    go_on = (
        f"Continue its session with 'dualgate resume --worktree {name}'"
        if is_there
        else f"Bring it back with 'dualgate worktrees restore {name}'"
    )
    by_hand = "" if is_there else ", and its folder was removed by hand"
    return WorktreeRefused(
        f"There is a worktree {name} already: {record.path}{by_hand}.",
        f"{go_on}, give another name, or remove it with 'dualgate worktrees remove {name}'.",
    )


def clear_leftover(repository: Path, name: str, environment: Mapping[str, str]) -> None:
    """Remove a worktree that a killed process left half made, or in which no session ever began."""
    record = read_record(repository, name, environment)
    if record is not None and is_leftover(record, environment):
        discard(record, environment)


def is_leftover(record: WorktreeRecord, environment: Mapping[str, str]) -> bool:
    """Whether a worktree is half made or unused, so that the next one of its name takes its place."""
    return record.state is WorktreeState.MAKING or _is_unused(record, environment)


def _is_unused(record: WorktreeRecord, environment: Mapping[str, str]) -> bool:
    """Whether nothing ever happened in a worktree: no session, no commit, no file but those that it was made with."""
    if record.state is not WorktreeState.READY or not record.is_there or _sessions(record, environment):
        return False
    untracked = {*untracked_files(record.root)} - {*record.copied}
    changed = {*changed_files(record.root)} - {*record.copied}
    return head_commit(record.root) == record.commit and not untracked and not changed


def _sessions(record: WorktreeRecord, environment: Mapping[str, str]) -> set[str]:
    """The ids of the sessions at the place of a worktree; a removed one of the same name may have left some."""
    found = sessions_in(session_folder(record.folder, environment))
    return {each.id for each in found if each.project == str(record.folder)}


def discard(record: WorktreeRecord, environment: Mapping[str, str]) -> None:
    """Remove a worktree in which nothing happened, with its branch."""
    if record.root.exists() and not record.is_replaced:
        shutil.rmtree(record.root)
    with suppress(OSError):
        record.root.parent.rmdir()
    repository = Path(record.repository)
    forget_worktree(Path(record.git_folder), record.root)
    delete_branch(repository, record.branch, record.commit)
    delete_record(record, environment)
