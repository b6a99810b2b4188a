"""dualgate status: where the session of this project stands."""

import os

import click

from dualgate.cli.output import here, say, say_json
from dualgate.core.vocabulary import Status
from dualgate.display.summary import status_line, summary
from dualgate.store.journal import fold, read_journal
from dualgate.store.projections import loop_state_document
from dualgate.store.sessions import is_owned, session_folder


@click.command()
@click.option("--line", is_flag=True, help="One line only.")
@click.option("--json", "as_json", is_flag=True, help="The whole state as one JSON object.")
def status(line: bool, as_json: bool) -> int:
    """Say where the session of the current folder stands. Exit code 1 where there is none."""
    project = here()
    folder = session_folder(project, os.environ)
    records = list(read_journal(folder))
    state = fold(iter(records))
    if as_json:
        alive = {"proven": state.proven, "alive": is_owned(project), "session": str(folder)}
        say_json(loop_state_document(state, records[-1].seq) | alive)
    elif line:
        say(status_line(state))
    else:
        say(f"{summary(state)}\nRecord   {folder}")
        if state.status is Status.RUNNING and not is_owned(project):
            say("Next     Its process is gone; 'dualgate run … --fresh' puts it in the archive and starts anew.")
    return 0
