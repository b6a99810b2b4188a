"""The action of status: the state of the session of this folder, once or after each event."""

import os
import sys
from contextlib import suppress
from pathlib import Path

from dualgate.cli.output import columns_of, here, in_unicode, our_redactor, say, say_json, show
from dualgate.core.machine.criteria import criteria_rows
from dualgate.core.values.vocabulary import Status
from dualgate.display.box import box
from dualgate.display.criteria import criteria_lines
from dualgate.display.lines import Line
from dualgate.display.summary import detail_lines, status_line
from dualgate.session.giving_back import killed_sentence
from dualgate.session.spec_file import ADOPT, DECLINE, spec_note, spec_of
from dualgate.session.status import killed_of, status_record
from dualgate.store.account import Account, read_account
from dualgate.store.following import changes_of
from dualgate.store.journal import incomplete_line
from dualgate.store.lease import owner_of
from dualgate.store.owners import described, is_owned
from dualgate.store.reports import last_report
from dualgate.store.sessions import session_folder

CLEAR = "\x1b[H\x1b[2J\x1b[3J"


def show_status(line: bool, as_json: bool) -> int:
    _show(here(), line, as_json)
    return 0


def watch_status(line: bool, as_json: bool) -> int:
    """Show the status again after each event; a terminal is cleared before that."""
    project = here()
    clears = sys.stdout.isatty() and not (line or as_json)
    with suppress(KeyboardInterrupt):  # only this reader ends, not the run
        for _ in changes_of(session_folder(project, os.environ), lambda: is_owned(project)):
            if clears:
                sys.stdout.write(CLEAR)
            _show(project, line, as_json)
    return 0


def _show(project: Path, line: bool, as_json: bool) -> None:
    folder = session_folder(project, os.environ)
    account = read_account(folder)
    changes = spec_of(account.cut_off, our_redactor()).changes()
    if as_json:
        say_json(status_record(project, folder, account, changes, os.environ))
    elif line:
        say(status_line(account.state, account.metrics.view.tests))
    else:
        _say_all(project, folder, account, changes)


def _say_all(project: Path, folder: Path, account: Account, changes: tuple[str, ...]) -> None:
    state, columns = account.state, columns_of(sys.stdout)
    say(box(state, account.metrics, columns, ascii_only=not in_unicode()))
    show(detail_lines(state, folder, spec_note(state.prp_file, changes), last_report(folder)))
    if table := criteria_lines(criteria_rows(state), columns):
        say("\n".join(("", *table)))
    owner = owner_of(project, os.environ)
    if owner is not None:
        show([Line(text=f"Owner    {described(owner)}", hang=9)])
    elif state.status is Status.RUNNING:
        way = f"'{ADOPT}' or '{DECLINE}'" if changes else "'dualgate resume'"
        gone = f"Its process is gone; go on with {way}, or start over with 'dualgate run … --fresh'."
        show([Line(text=f"Next     {gone}", hang=9)])
    if owner is None and (problem := incomplete_line(folder)):
        show([Line(text=f"Journal  {problem}", hang=9)])
    if killed := killed_of(project, account, owner is not None, os.environ):
        show([Line(text=f"Killed   {killed_sentence(killed)}", hang=9)])
