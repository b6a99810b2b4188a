"""The action of resume: continue the session of this folder, and report how it ends."""

from dataclasses import replace
from pathlib import Path

from dualgate.cli.host import our_host
from dualgate.cli.intervene_action import record_reset
from dualgate.cli.landing import asks_for_commit, land
from dualgate.cli.options import settings_from
from dualgate.cli.output import from_start
from dualgate.cli.outside import require_person
from dualgate.cli.pr_action import request_at_end
from dualgate.cli.questions import settled_again
from dualgate.cli.run_display import Style, run_display
from dualgate.cli.scripts import whole_scripts
from dualgate.cli.signals import paused_even_at_once, stoppable
from dualgate.cli.watching import tell_end
from dualgate.core.machine.approving import waits_for_approval
from dualgate.core.machine.committing import not_made
from dualgate.core.machine.resuming import can_go_on
from dualgate.notify.watcher import Notifier
from dualgate.session.finished import changed_since_finish
from dualgate.session.host import Host
from dualgate.session.loop import run as run_loop
from dualgate.session.reporting import report_at_end
from dualgate.session.resume import Choices, Reading, document_to_resume, looked_after, read_session, resumed
from dualgate.session.spec_file import spec_of
from dualgate.store.reports import last_report
from dualgate.traces.live import sent


def reset_first(guidance: str, as_json: bool) -> None:
    """Reset the session of this folder before it goes on. Its result is printed at the end of the run."""
    require_person(f"resume --reset {guidance}")
    record_reset(guidance, as_json)


def _waits_for_approval(host: Host, folder: Path, read: Reading) -> bool:
    """Whether finished work waits for a person and is unchanged; changed work is proven again."""
    found = read.account.cut_off
    return waits_for_approval(found.state) and not changed_since_finish(host, folder, found)


def go_on(choices: Choices, yes: bool, style: Style) -> int:
    """Resume, and return the exit code of a run; if the session cannot continue, only report how it ended."""
    require_person("resume")
    if start := from_start(""):
        choices = replace(choices, flags=whole_scripts(choices.flags, start))
    host = our_host()
    folder = host.folder()
    read = looked_after(host, folder, read_session(folder))
    state = read.account.state
    if can_go_on(state) and not (_waits_for_approval(host, folder, read) and not choices.respec):
        document, settings = document_to_resume(host, read, choices)
        document = settled_again(document, settings, yes, choices.respec)
        own = settings_from(choices.flags).settings  # how to notify is the person's setting, not the session's
        with (
            paused_even_at_once(host),
            stoppable(host.supervisor.jobs) as signalled,
            run_display(signalled, style, settings) as display,
            sent(
                Notifier(display.watch, own, shown := display.hosted(host, read.account), display.control), own, shown
            ) as watch,
            resumed(shown, folder, read, choices, document, watch) as session,
        ):
            display.attach(session)
            state = run_loop(session.state, session.rooms, display.control)
        state = request_at_end(host, state, settings)
        report = report_at_end(host, folder, settings)
        return tell_end(state, folder, style is Style.JSON, session.rooms.spec_edits(), report)
    if state.proven and (not_made(state) or asks_for_commit(choices)):
        state = land(host, folder, read, choices, style)
    changes = spec_of(read.account.cut_off, host.redactor).changes()
    return tell_end(state, folder, style is Style.JSON, changes, last_report(folder))
