"""The worktrees of a repository as they are now."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from dualgate.core.values.notation import counted
from dualgate.fleet.uncommitted import uncommitted_files
from dualgate.store.archive import SessionSummary, sessions_in
from dualgate.store.neighbours import running_in
from dualgate.store.sessions import session_folder
from dualgate.store.worktree_records import CUT_OFF, WorktreeRecord, WorktreeState, read_records
from dualgate.workspace.linked import commits_between
from dualgate.workspace.repository import head_commit


class Standing(StrEnum):
    RUNNING = "running"
    IDLE = "idle"
    MISSING = "missing"
    """Its folder was removed by hand."""
    UNFINISHED = "unfinished"
    """A process was killed while it made or removed the worktree."""
    REMOVED = "removed"


UNFINISHED = CUT_OFF | {WorktreeState.MAKING}


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    record: WorktreeRecord
    standing: Standing
    session: SessionSummary | None = None
    commits: int = 0
    """Commits since the one that it was made from."""
    uncommitted: int = 0
    """Files with changes that are not committed."""


def list_worktrees(repository: Path, environment: Mapping[str, str]) -> list[Listed]:
    return [_listed(record, environment) for record in read_records(repository, environment)]


def _listed(record: WorktreeRecord, environment: Mapping[str, str]) -> Listed:
    standing = _standing(record, environment)
    sessions = sessions_in(session_folder(record.folder, environment))
    session = next((each for each in sessions if each.project == str(record.folder)), None)
    is_there = standing in (Standing.RUNNING, Standing.IDLE)
    head = head_commit(record.root) if is_there else record.head
    return Listed(
        record=record,
        standing=standing,
        session=session,
        commits=commits_between(Path(record.repository), record.commit, head) if head else 0,
        uncommitted=len(uncommitted_files(record)) if is_there else 0,
    )


def _standing(record: WorktreeRecord, environment: Mapping[str, str]) -> Standing:
    if record.state is WorktreeState.REMOVED:
        return Standing.REMOVED
    if record.state in UNFINISHED:
        return Standing.UNFINISHED
    if not record.is_there:
        return Standing.MISSING
    return Standing.RUNNING if any(running_in(record.root, environment)) else Standing.IDLE


def listed_record(each: Listed) -> dict[str, Any]:
    record, session = each.record, each.session
    return {
        "name": record.name,
        "state": each.standing.value,
        "path": record.path,
        "folder": str(record.folder),
        "repository": record.repository,
        "branch": record.branch,
        "commit": record.commit,
        "commits": each.commits,
        "uncommitted": each.uncommitted,
        "made": record.made.isoformat(),
        "session": session and session.id,
        "session_state": session and session.standing.value,
        "snapshot": record.snapshot or None,
    }


def listed_lines(found: list[Listed]) -> Iterator[str]:
    """A line for each worktree, and the way to those that are not there."""
    width = max((len(each.record.name) for each in found), default=0)
    for each in found:
        session = f"session {each.session.standing.value}" if each.session else "no session"
        work = f"{counted(each.commits, 'commit', 'commits')}, {_uncommitted(each)}"
        yield f"{each.record.name:<{width}}  {each.standing.value:<10}  {session}, {work}  {each.record.path}"
    yield from (_fix(each) for each in found if each.standing in _FIXES)


def _uncommitted(each: Listed) -> str:
    if each.record.snapshot:
        return f"uncommitted work in snapshot {each.record.snapshot}"
    return f"{counted(each.uncommitted, 'file', 'files')} uncommitted"


_FIXES = {
    Standing.MISSING: "{0} was removed by hand: forget it with 'dualgate worktrees remove {0}', or bring back its "
    "commits with 'dualgate worktrees restore {0}'",
    Standing.UNFINISHED: "{0} is not complete: a process was killed. Remove it with 'dualgate worktrees remove {0}'",
    Standing.REMOVED: "{0} can be brought back: dualgate worktrees restore {0}",
}


def _fix(each: Listed) -> str:
    return _FIXES[each.standing].format(each.record.name)
