"""The action of run, from its flags to its exit code."""

from collections.abc import Mapping
from pathlib import Path

import click

from dualgate.cli.host import our_host
from dualgate.cli.options import settings_from
from dualgate.cli.progress_line import progress_line
from dualgate.cli.signals import paused_even_at_once, stoppable
from dualgate.cli.watching import steadfast, tell_end, watch_json, watch_people
from dualgate.core.values.vocabulary import Workflow
from dualgate.session.loop import run as run_loop
from dualgate.session.open import new_session
from dualgate.session.team import unwatched_cost
from dualgate.store.archive import Keep, tidy


def run_spec(named: str | None, flags: Mapping[str, object], fresh: bool, as_json: bool, dry_run: bool) -> int:
    spec = Path(named) if named else None
    sourced = settings_from(flags)
    if warning := unwatched_cost(sourced.settings):
        click.echo(f"dualgate: {warning}", err=True)
    if spec is None and sourced.settings.workflow is Workflow.TDD:
        raise click.UsageError("Missing argument 'SPEC'. Only --workflow ralph does without.")
    host = our_host()
    if dry_run:
        from dualgate.cli.dry_run import show_plan  # needed only for a dry run

        return show_plan(spec, host, sourced.settings, fresh, as_json)
    watch = steadfast(watch_json if as_json else watch_people)
    keep = sourced.settings.sessions
    with (
        paused_even_at_once(host),
        stoppable(host.supervisor.jobs) as signalled,
        progress_line(signalled, in_log=not as_json) as (live, control),
        new_session(spec, host, sourced.settings, live.over(watch), fresh) as session,
    ):
        tidy(session.folder, Keep(last=keep.keep_last, days=keep.keep_days), host.now())
        state = run_loop(session.state, session.rooms, control)
    return tell_end(state, session.folder, as_json, session.rooms.spec_edits())
