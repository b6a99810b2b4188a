"""dualgate status: where the session of this project stands."""

import os
from pathlib import Path

import click

from dualgate.cli.output import say, say_json
from dualgate.display.summary import status_line, summary
from dualgate.store.journal import fold, read_journal
from dualgate.store.projections import loop_state_document
from dualgate.store.sessions import session_folder


@click.command()
@click.option("--line", is_flag=True, help="One line only.")
@click.option("--json", "as_json", is_flag=True, help="The whole state as one JSON object.")
def status(line: bool, as_json: bool) -> int:
    """Say where the session of the current folder stands. Exit code 1 where there is none."""
    folder = session_folder(Path.cwd().resolve(), os.environ)
    records = list(read_journal(folder))
    state = fold(iter(records))
    if as_json:
        say_json(loop_state_document(state, records[-1].seq) | {"proven": state.proven, "session": str(folder)})
    elif line:
        say(status_line(state))
    else:
        say(f"{summary(state)}\nRecord   {folder}")
    return 0
