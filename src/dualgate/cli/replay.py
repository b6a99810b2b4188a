"""dualgate replay: replay a session's decisions from its journal, optionally with other limits."""

import os
from collections.abc import Sequence

import click

from dualgate.cli.worktree_option import in_worktree


@click.command()
@click.option("--what-if", "changed", multiple=True, metavar="KEY=VALUE", help="Another limit; may be repeated.")
@in_worktree
@click.option("--json", "as_json", is_flag=True, help="One JSON object with every difference.")
def replay(changed: Sequence[str], as_json: bool) -> int:
    """Make every decision of the session again, from what its journal holds, and say where one comes out otherwise.

    With --what-if: where the run would first have gone another way with this setting, such as documents=1 or
    breaker.GREEN.no_progress=5. Nothing is run, asked or written. Exit code 0 where all is the same, else 1.
    """
    from functools import reduce

    from dualgate.cli.output import here, say, say_json
    from dualgate.core.machine.replay import replay as replay_events
    from dualgate.core.machine.replay import what_if
    from dualgate.display.replay import replay_lines, replay_record
    from dualgate.errors import ExitCode
    from dualgate.settings.limits import with_limit
    from dualgate.store.reading import read_journal
    from dualgate.store.sessions import session_folder

    events = [(record.seq, record.event) for record in read_journal(session_folder(here(), os.environ))]
    found = what_if(events, lambda limits: reduce(with_limit, changed, limits)) if changed else replay_events(events)
    if as_json:
        say_json(replay_record(found, changed))
    else:
        say("\n".join(replay_lines(found, changed)))
    return ExitCode.PROVEN if found.is_same else ExitCode.ERROR
