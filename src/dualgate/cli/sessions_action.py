"""The action of sessions: list, show, archive and delete sessions."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from dualgate.agents.command import local_now
from dualgate.cli.host import our_host
from dualgate.cli.options import settings_from
from dualgate.cli.output import columns_of, here, is_limited, say, say_json, show
from dualgate.cli.outside import require_person
from dualgate.cli.worktree_hint import session_hint, worktree_hint
from dualgate.core.values.notation import counted
from dualgate.display.session_table import WIDE
from dualgate.display.sessions import (
    metric_lines,
    metric_totals,
    running_first,
    session_lines,
    session_record,
    sessions_record,
    totals_record,
)
from dualgate.display.snapshots import sized
from dualgate.display.summary import session_story
from dualgate.errors import ExitCode, JournalDamaged, SessionMissing
from dualgate.session.own import settle_killed_run
from dualgate.store.account import read_account
from dualgate.store.archive import Keep, SessionSummary, every_session, session_named, sessions_in
from dualgate.store.archive import prune as prune_archive
from dualgate.store.home import written_path
from dualgate.store.lease import owned, undisturbed
from dualgate.store.lines import JOURNAL
from dualgate.store.making_room import make_room
from dualgate.store.projections import loop_state_document, metrics_document
from dualgate.store.sessions import session_folder


def list_sessions(of_all: bool, as_json: bool) -> int:
    found = running_first(_all_sessions()) if of_all else sessions_in(_folder())
    return show_table(found, of_all, as_json)


def show_every_session(as_json: bool) -> int:
    """The table of `status --all`."""
    return show_table(running_first(_all_sessions()), True, as_json)


def show_table(found: Sequence[SessionSummary], with_projects: bool, as_json: bool) -> int:
    if as_json:
        say_json(sessions_record(found))
    else:
        columns = columns_of(sys.stdout) if is_limited(sys.stdout) else WIDE
        elsewhere = "" if with_projects else _elsewhere(found)
        show(session_lines(found, local_now(), columns, with_projects, elsewhere))
    return ExitCode.PROVEN


def _elsewhere(found: Sequence[SessionSummary]) -> str:
    """The worktrees of this repository that a person may look for, as `status` names them."""
    return session_hint() if all(each.archived for each in found) else worktree_hint()


def show_session(name: str | None, as_json: bool) -> int:
    found = _present() if name is None else session_named(_folder(), name, os.environ)
    account = read_account(found.folder)
    if as_json:
        say_json(loop_state_document(account.state, account.seq) | session_record(found))
        return ExitCode.PROVEN
    place = "in the archive" if found.archived else "the present one"
    record = f"{found.folder} ({place}, {sized(found.bytes)})"
    show(session_story(account.state, record, _where(found), found.alive, columns_of(sys.stdout)))
    return ExitCode.PROVEN


def _where(found: SessionSummary) -> str | None:
    """The folder in which commands reach a session: empty for this one, None if the session is archived."""
    if found.archived:
        return None
    return "" if found.project == written_path(here()) else found.project


def show_metrics(name: str | None, of_all: bool, as_json: bool) -> int:
    """The metrics of one session, by iteration, or of all sessions."""
    if of_all:
        found = running_first(_all_sessions())
        document = {"sessions": [session_record(each) for each in found], "totals": totals_record(found)}
        lines = metric_totals(found)
    else:
        one = _present() if name is None else session_named(_folder(), name, os.environ)
        document = metrics_document(read_account(one.folder))
        lines = metric_lines(document)
    if as_json:
        say_json(document)
    else:
        say("\n".join(lines))
    return ExitCode.PROVEN


def archive_session(as_json: bool) -> int:
    require_person("sessions archive")
    project, folder = here(), _folder()
    if not (folder / JOURNAL).exists():
        raise SessionMissing(f"There is no session in {folder}.", "'dualgate sessions' lists those that are kept.")
    settle_killed_run(our_host(), folder)
    with owned(project, folder, os.environ, local_now()):
        place = make_room(folder, fresh=True)
    if place is None:
        raise JournalDamaged(f"{folder / JOURNAL} vanished meanwhile.", "See with: dualgate sessions")
    moved = next(each for each in sessions_in(folder) if each.folder == place)
    if as_json:
        say_json(session_record(moved))
    else:
        say(f"Session {moved.id} moved to the archive: {place}")
    return ExitCode.PROVEN


def prune_sessions(keep_last: int | None, keep_days: int | None, as_json: bool) -> int:
    require_person("sessions prune")
    for each in sessions_in(_folder()):
        require_person("sessions prune", session=each.folder)
    given = {"sessions.keep_last": keep_last, "sessions.keep_days": keep_days}
    policy = settings_from(given).settings.sessions
    with undisturbed(here()):
        pruned = prune_archive(_folder(), Keep(last=policy.keep_last, days=policy.keep_days), local_now())
    if as_json:
        say_json({"pruned": [each.id for each in pruned.gone], "bytes_freed": pruned.bytes_freed})
    else:
        say(f"{counted(len(pruned.gone), 'session', 'sessions')} deleted, {sized(pruned.bytes_freed)} freed.")
    return ExitCode.PROVEN


def _present() -> SessionSummary:
    folder = _folder()
    found = next((each for each in sessions_in(folder) if not each.archived), None)
    if found is None:
        raise SessionMissing(f"There is no session in {folder}.", "'dualgate sessions' lists those that are kept.")
    return found


def _all_sessions() -> list[SessionSummary]:
    """The sessions of all projects, and those of this one, which PRP_SESSION_DIR may have put elsewhere."""
    found = {each.folder: each for each in (*every_session(os.environ), *sessions_in(_folder()))}
    return list(found.values())


def _folder() -> Path:
    return session_folder(here(), os.environ)
