"""The action of run, from its flags to its exit code."""

from collections.abc import Mapping

import click

from dualgate.cli.host import our_host
from dualgate.cli.options import settings_from
from dualgate.cli.outside import require_person
from dualgate.cli.progress_line import progress_line
from dualgate.cli.questions import settled
from dualgate.cli.signals import paused_even_at_once, stoppable
from dualgate.cli.sources import read_source
from dualgate.cli.watching import steadfast, tell_end, watch_json, watch_people
from dualgate.notify.watcher import Notifier
from dualgate.session.document import decided
from dualgate.session.host import Host
from dualgate.session.logins import require_logins
from dualgate.session.loop import run as run_loop
from dualgate.session.open import new_session
from dualgate.session.reporting import report_at_end
from dualgate.session.team import build_agents, unwatched_cost
from dualgate.settings import Settings
from dualgate.store.archive import Keep, tidy
from dualgate.store.making_room import require_room


def run_spec(
    source: tuple[str | None, str | None],
    flags: Mapping[str, object],
    fresh: bool,
    yes: bool,
    as_json: bool,
    dry_run: bool,
) -> int:
    """Run the specification of `source`: the named file, and the text of the command line."""
    sourced = settings_from(flags)
    host = our_host()
    document = read_source(*source, host.project, sourced.settings)
    if dry_run:
        from dualgate.cli.dry_run import show_plan  # needed only for a dry run

        return show_plan(document, host, sourced.settings, fresh, yes, as_json)
    require_person("run --fresh" if fresh else "run")
    settings = sourced.settings
    document = settled(document, settings, yes, lambda: _require_startable(host, settings, fresh))
    if warning := unwatched_cost(decided(document.read(settings), settings)):
        click.echo(f"dualgate: {warning}", err=True)
    watch = steadfast(watch_json if as_json else watch_people)
    keep = settings.sessions
    with (
        paused_even_at_once(host),
        stoppable(host.supervisor.jobs) as signalled,
        progress_line(signalled, in_log=not as_json) as (live, control),
        new_session(document, host, settings, Notifier(live.over(watch), settings, host, control), fresh) as session,
    ):
        tidy(session.folder, Keep(last=keep.keep_last, days=keep.keep_days), host.now())
        state = run_loop(session.state, session.rooms, control)
    report = report_at_end(host, session.folder, settings)
    return tell_end(state, session.folder, as_json, session.rooms.spec_edits(), report)


def _require_startable(host: Host, settings: Settings, fresh: bool) -> None:
    """Raise what a run would end with anyway, before a person answers questions for nothing."""
    build_agents(settings, host)
    require_logins(settings, host.environment)
    require_room(host.folder(), fresh)
