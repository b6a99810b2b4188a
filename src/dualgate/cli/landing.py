"""Make the last commit of a proven session and open its pull request, after its run has ended."""

from dataclasses import replace
from pathlib import Path

from dualgate.cli.pr_action import request_at_end
from dualgate.cli.run_display import Style, run_display
from dualgate.cli.signals import paused_even_at_once, stoppable
from dualgate.core.machine.committing import is_outstanding
from dualgate.core.values.state import LoopState
from dualgate.session.commit_rooms import finish_commits
from dualgate.session.host import Host
from dualgate.session.reporting import report_at_end
from dualgate.session.resume import Choices, Reading, document_to_resume
from dualgate.settings import Settings


def asks_for_commit(choices: Choices) -> bool:
    return any(choices.flags.get(name) is not None for name in ("commit", "pr"))


def land(host: Host, folder: Path, read: Reading, choices: Choices, style: Style) -> LoopState:
    """Make the commit and the request that were killed, refused, or asked for only now; the report is written again."""
    settings = document_to_resume(host, read, replace(choices, keep_spec=True))[1]
    state = read.account.state
    if is_outstanding(state) or asks_for_commit(choices):
        state = _committed(host, folder, read, choices, style, settings)
    state = request_at_end(host, state, settings)
    report_at_end(host, folder, settings)
    return state


def _committed(
    host: Host, folder: Path, read: Reading, choices: Choices, style: Style, settings: Settings
) -> LoopState:
    with (
        paused_even_at_once(host),
        stoppable(host.supervisor.jobs) as signalled,
        run_display(signalled, style, settings) as display,
    ):
        shown, trusts = display.hosted(host, read.account), asks_for_commit(choices)
        return finish_commits(shown, folder, settings, display.control, display.watch, trusts_hooks=trusts)
