"""Archiving the current session before a new one: whether it may be archived, and the move itself."""

import os
from collections.abc import Sequence
from pathlib import Path

from dualgate.core.machine.approving import APPROVE_COMMAND, REJECT_COMMAND, waits_for_approval
from dualgate.core.machine.controls import start_over, ways_on
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Decision, Status, WayOn
from dualgate.errors import JournalDamaged, SessionUnfinished
from dualgate.store.account import read_account
from dualgate.store.atomic import read_whole
from dualgate.store.call_files import CALLS, pack_calls
from dualgate.store.journal import FORGED
from dualgate.store.lines import CHECKPOINT, JOURNAL
from dualgate.store.projections import PROJECTIONS
from dualgate.store.reports import REPORTS
from dualgate.store.requests import REQUESTS
from dualgate.store.seals import move_seal, read_seal, seal_place
from dualgate.store.sessions import RESULTS, SETUP, TRACED, made

RESUME_OUTPUT = "resume-output.txt"
"""The output of a run that was not continued at a terminal."""
# the journal is moved last: until then the folder is still recognized as a session
_FILES = (RESUME_OUTPUT, *REPORTS, TRACED, "loop-state.json", *PROJECTIONS, CHECKPOINT, JOURNAL)
OF_A_SESSION = (CALLS, SETUP, RESULTS, REQUESTS, *_FILES)


def load_state(folder: Path) -> LoopState:
    return read_account(folder).state


def require_room(folder: Path, fresh: bool) -> str | None:
    """The archive name for the session in a folder; None without a session. Raises if it may not be archived."""
    if not _has_begun(folder):
        return None
    try:
        state = load_state(folder)
    except JournalDamaged as error:
        if not fresh:
            hint = "With --fresh a run moves this session to the archive and starts over."
            raise JournalDamaged(error.message, " ".join(filter(None, (error.next_step, hint)))) from error
        return f"unreadable-{os.getpid()}"
    if not fresh and not _is_over(state):
        raise SessionUnfinished(
            f"The session in {folder} is {state.status} in {state.phase} and has not ended.",
            f"Continue with: {_way_on(state)}.{_start_over(state)}",
        )
    return f"{state.started_at:%Y%m%dT%H%M%S}-{state.session_id[:8]}"


def _is_over(state: LoopState) -> bool:
    """Whether a session is completed or aborted. A halted one can be resumed, unless it made no agent call yet."""
    if state.status is Status.HALTED:
        return state.ended_by is Decision.ABORTED or not state.total_agent_calls
    return state.status is Status.COMPLETED


def _way_on(state: LoopState) -> str:
    first = next((way for way, _ in ways_on(state)), WayOn.RESUME)
    commands = {WayOn.RAISE: state.way_on, WayOn.RESET: "dualgate resume --reset"}
    if waits_for_approval(state):
        return f"{APPROVE_COMMAND}, or: {REJECT_COMMAND}"
    return commands.get(first, "dualgate resume")


def _start_over(state: LoopState) -> str:
    command = start_over(state)
    return f" Start over with: {command} (this session moves to the archive)." if command else ""


def _has_begun(folder: Path) -> bool:
    """Whether the journal has a complete line, or its seal shows that it once had one."""
    try:
        return b"\n" in read_whole(folder / JOURNAL) or _was_sealed(folder)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True  # the reader reports why the journal is unreadable


def _was_sealed(folder: Path) -> bool:
    seal = read_seal(seal_place(folder))
    return seal is not None and seal.seq > 0


def make_room(folder: Path, fresh: bool) -> Path | None:
    """Move a finished session, or with `fresh` any, into the archive beside it. Returns its new folder."""
    name = require_room(folder, fresh)
    if name is None:
        return None
    moved = [*(path.name for path in folder.glob(f"{FORGED}-*")), *OF_A_SESSION]
    archive = made(_free(folder / "archive" / name, [item for item in moved if (folder / item).exists()]))
    move_seal(folder, archive)
    for item in moved:
        if (folder / item).exists():
            (folder / item).rename(archive / item)
    pack_calls(archive)
    return archive


def _free(folder: Path, items: Sequence[str]) -> Path:
    """An archive folder in which nothing is overwritten: a new one, or one of an interrupted move without a journal."""
    names = (folder, *(folder.with_name(f"{folder.name}-{number}") for number in range(2, 1000)))
    return next(name for name in names if not any((name / item).exists() for item in (JOURNAL, *items)))
