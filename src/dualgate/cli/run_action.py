"""The action of run, from its flags to its exit code."""

from collections.abc import Mapping
from pathlib import Path

import click

from dualgate.cli.host import our_host
from dualgate.cli.options import settings_from
from dualgate.cli.outside import require_person
from dualgate.cli.pr_action import request_at_end
from dualgate.cli.questions import settled
from dualgate.cli.run_display import Style, run_display
from dualgate.cli.scripts import whole_scripts
from dualgate.cli.signals import paused_even_at_once, stoppable
from dualgate.cli.sources import read_source
from dualgate.cli.watching import tell_end
from dualgate.notify.watcher import Notifier
from dualgate.session.document import Document, decided
from dualgate.session.host import Host
from dualgate.session.logins import require_logins
from dualgate.session.loop import run as run_loop
from dualgate.session.open import new_session
from dualgate.session.reporting import report_at_end
from dualgate.session.team import build_agents, unwatched_cost
from dualgate.settings import Settings
from dualgate.store.archive import Keep, tidy
from dualgate.store.making_room import require_room
from dualgate.traces.live import sent


def run_spec(
    source: tuple[str | None, str | None],
    flags: Mapping[str, object],
    fresh: bool,
    yes: bool,
    style: Style,
    dry_run: bool,
    beside: tuple[str, str] | None = None,
) -> int:
    """Run the specification of `source`: the named file, and the text of the command line.

    `beside` is the worktree to work in: its name, or none for that of the specification, and the ref to start from.
    """
    flags = flags if beside is None else whole_scripts(flags, str(Path.cwd()))
    settings = settings_from(flags).settings
    host = our_host()
    document = read_source(*source, host.project, settings)
    if dry_run:
        from dualgate.cli.dry_run import show_plan  # needed only for a dry run

        return show_plan(document, host, settings, fresh, yes, style is Style.JSON, beside)
    require_person("run --fresh" if fresh else "run")
    if beside is None:
        return _run(document, host, settings, fresh, yes, style)
    from dualgate.cli.worktree_action import entered

    with entered(document, *beside, settings, style in (Style.QUIET, Style.JSON), fresh) as there:
        return _run(there, our_host(), settings_from(flags).settings, fresh, yes, style)


def _run(document: Document, host: Host, settings: Settings, fresh: bool, yes: bool, style: Style) -> int:
    document = settled(document, settings, yes, lambda: _require_startable(host, settings, fresh))
    if warning := unwatched_cost(decided(document.read(settings), settings)):
        click.echo(f"dualgate: {warning}", err=True)
    keep = settings.sessions
    with (
        paused_even_at_once(host),
        stoppable(host.supervisor.jobs) as signalled,
        run_display(signalled, style, settings) as display,
        sent(
            Notifier(display.watch, settings, shown := display.hosted(host), display.control), settings, shown
        ) as watch,
        new_session(document, shown, settings, watch, fresh) as session,
    ):
        display.attach(session)
        tidy(session.folder, Keep(last=keep.keep_last, days=keep.keep_days), host.now())
        state = run_loop(session.state, session.rooms, display.control)
    state = request_at_end(host, state, settings)
    report = report_at_end(host, session.folder, settings)
    return tell_end(state, session.folder, style is Style.JSON, session.rooms.spec_edits(), report)


def _require_startable(host: Host, settings: Settings, fresh: bool) -> None:
    """Raise what a run would end with anyway, before a person answers questions for nothing."""
    build_agents(settings, host)
    require_logins(settings, host.environment)
    require_room(host.folder(), fresh)
