"""dualgate log: show the events of the session."""

import os

import click


@click.command()
@click.option("--json", "as_json", is_flag=True, help="The journal as it is: one JSON object a line.")
def log(as_json: bool) -> int:
    """Tell what happened in the session of the current folder. Exit code 1 where there is none."""
    from dualgate.cli.output import here, say, show
    from dualgate.core.machine.history import apply, begin
    from dualgate.core.values.events import SessionStarted
    from dualgate.core.values.state import LoopState
    from dualgate.display.live import lines
    from dualgate.store.codec import encode
    from dualgate.store.reading import read_journal
    from dualgate.store.sessions import session_folder

    folder = session_folder(here(), os.environ)
    state: LoopState | None = None
    for record in read_journal(folder):
        event = record.event
        state = begin(event) if state is None and isinstance(event, SessionStarted) else state and apply(state, event)
        if as_json:
            say(encode(record).decode().rstrip())
        elif state is not None:
            show(lines(event, state))
    return 0
