"""Session folder -> SeenSession: by the files beside its journal, or by the events since the last look."""

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from dualgate.core.values.events import SessionStarted
from dualgate.core.values.vocabulary import Status
from dualgate.errors import IllegalTransition, JournalDamaged, SessionMissing
from dualgate.store.account import Account, carried_on, read_account
from dualgate.store.archive import SessionSummary, begun_summary, size_of, with_glimpse
from dualgate.store.atomic import read_whole
from dualgate.store.glimpse import Glimpse, glimpse_of, trusted_glimpse
from dualgate.store.reading import first_record, tail
from dualgate.web.rows import SeenSession

_WORKTREE = re.compile(rb"gitdir: (.+)/\.git/worktrees/[^/]+\s*")
_UNREADABLE = (JournalDamaged, SessionMissing, IllegalTransition)


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    seen: SeenSession
    account: Account | None = None
    """The whole state, if it had to be read: the next events continue it."""


def load(folder: Path, archived: bool, account: Account | None = None, known: SeenSession | None = None) -> Loaded:
    """A session as it is now. `account` is its state at the last look, `known` what was seen then."""
    size = known.summary.bytes if known and account else size_of(folder)
    bare = SessionSummary(id=folder.name, folder=folder, archived=archived, bytes=size)
    try:
        first = first_record(folder)
        if first is None or not isinstance(first.event, SessionStarted):
            return _unreadable(bare, "Its journal does not begin with the start of a session.")
        bare = begun_summary(bare, first.event)
        account, glimpse = _glimpse(folder, archived, account)
    except _UNREADABLE as error:
        return _unreadable(bare, error.message)
    except Exception as error:  # whatever one journal holds, it must not hide the others
        return _unreadable(bare, f"Its journal cannot be read: {type(error).__name__}: {error}.")
    most = account.state.max_iterations if account else first.event.limits.max_iterations
    summary = with_glimpse(bare, glimpse)
    # the journal still knows it when the worktree is gone
    worktree_of = first.event.worktree_of or _worktree_of(Path(first.event.project))
    seen = SeenSession(summary=summary, glimpse=glimpse, max_iterations=most, worktree_of=worktree_of)
    return Loaded(seen=seen, account=account)


def _glimpse(folder: Path, archived: bool, account: Account | None) -> tuple[Account | None, Glimpse]:
    """The files beside the journal tell all about a session that has ended, and little about a run at work."""
    if account is not None:
        with suppress(JournalDamaged):  # it is read from its beginning then
            account = _continued(folder, account)
            return account, glimpse_of(account)
    beside = trusted_glimpse(folder)
    if beside is not None and (archived or beside.figures.status in (Status.COMPLETED, Status.HALTED)):
        return None, beside
    account = replace(read_account(folder), records=(), checkpoint=None)
    return account, glimpse_of(account)


def _continued(folder: Path, account: Account) -> Account:
    new = tail(folder, account.seq)
    return replace(carried_on(account, new), records=())


def _unreadable(bare: SessionSummary, problem: str) -> Loaded:
    return Loaded(seen=SeenSession(summary=replace(bare, problem=problem)))


def _worktree_of(project: Path) -> str:
    """The repository of a git worktree, whose .git is a file that names it."""
    with suppress(OSError, ValueError):
        found = _WORKTREE.fullmatch(read_whole(project / ".git"))
        return found[1].decode("utf-8", "backslashreplace") if found else ""
    return ""
