"""The action of status: the session of this folder, once or after each event; or every session in a table."""

import os
import sys
import time
from contextlib import suppress
from pathlib import Path

from dualgate.agents.command import local_now
from dualgate.cli.output import columns_of, here, in_unicode, our_redactor, rendered, say, say_json, show
from dualgate.cli.redrawing import screen
from dualgate.cli.worktree_hint import worktree_hint
from dualgate.display.lines import Line
from dualgate.display.status import Surroundings, status_lines
from dualgate.display.summary import status_line
from dualgate.session.killed_steps import killed_sentence
from dualgate.session.spec_file import spec_note, spec_of
from dualgate.session.status import killed_of, status_record
from dualgate.store.account import Account, read_account
from dualgate.store.following import changes_of
from dualgate.store.journal import incomplete_line
from dualgate.store.lease import owner_of
from dualgate.store.owners import described, is_owned
from dualgate.store.reports import last_report
from dualgate.store.sessions import session_folder
from dualgate.workspace.repository import worktree_of

_REDRAW_SECONDS = 1.0


def show_status(as_json: bool) -> int:
    _show(here(), line=False, as_json=as_json)
    return 0


def watch_status(line: bool, as_json: bool) -> int:
    """Show the status again after each event; on a terminal in place, and again each second and after a resize."""
    project = here()
    folder = session_folder(project, os.environ)
    with suppress(KeyboardInterrupt):  # only this reader ends, not the run
        if sys.stdout.isatty() and not (line or as_json):
            _watch_in_place(project, folder)
        else:
            for _ in changes_of(folder, lambda: is_owned(project)):
                _show(project, line, as_json)
            return 0
    _show(project, line, as_json)
    return 0


def _watch_in_place(project: Path, folder: Path) -> None:
    with screen() as shown:
        drawn = 0.0
        size = shown.size

        def is_due() -> bool:
            return shown.size != size or time.monotonic() - drawn >= _REDRAW_SECONDS

        account: Account | None = None
        for is_new in changes_of(folder, lambda: is_owned(project), is_due=is_due):
            if is_new or account is None:
                account = read_account(folder)
            size, drawn = shown.size, time.monotonic()
            shown.draw(list(rendered(_lines(project, folder, account, height=size.lines))))


def _show(project: Path, line: bool, as_json: bool) -> None:
    folder = session_folder(project, os.environ)
    account = read_account(folder)
    if as_json:
        changes = spec_of(account.cut_off, our_redactor()).changes()
        say_json(status_record(project, folder, account, changes, os.environ))
    elif line:
        say(status_line(account.state, account.metrics.view.tests))
    else:
        show(_lines(project, folder, account))


def _lines(project: Path, folder: Path, account: Account, height: int | None = None) -> list[Line]:
    around = _surroundings(project, folder, account)
    columns = columns_of(sys.stdout)
    return status_lines(account.cut_off, account.metrics, around, columns, not in_unicode(), height)


def _surroundings(project: Path, folder: Path, account: Account) -> Surroundings:
    owner = owner_of(project, os.environ)
    changes = spec_of(account.cut_off, our_redactor()).changes()
    journal = "" if owner is not None else incomplete_line(folder)
    killed = killed_of(project, account, owner is not None, os.environ)
    problems = (("Journal", journal), ("Killed", killed_sentence(killed) if killed else ""))
    return Surroundings(
        now=local_now(),
        record=str(folder),
        report=str(last_report(folder) or ""),
        owner=described(owner) if owner is not None else "",
        worktree=_worktree(project) or worktree_hint(),
        spec_note=spec_note(account.state.prp_file, changes),
        problems=tuple((name, text) for name, text in problems if text),
    )


def _worktree(project: Path) -> str:
    repository = worktree_of(project)
    return f"{project}, of {repository}" if repository else ""
