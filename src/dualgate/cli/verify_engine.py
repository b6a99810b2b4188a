"""Run the engine of verify for a command: with signals, a progress line and the record of what a person accepts."""

import os
import sys
from pathlib import Path

import click

from dualgate.agents.command import local_now
from dualgate.cli.options import settings_from
from dualgate.cli.output import here, our_redactor
from dualgate.cli.outside import require_person
from dualgate.cli.progress_line import progress_line
from dualgate.cli.signals import stoppable
from dualgate.core.values.control import Activity
from dualgate.core.values.notation import harmless, in_line
from dualgate.core.values.verification import Verification
from dualgate.processes.supervisor import Supervisor
from dualgate.store.acceptances import Acceptance, record_acceptances
from dualgate.store.home import verify_store
from dualgate.store.owners import person
from dualgate.store.sessions import acceptance_log
from dualgate.verify.request import Request
from dualgate.verify.verifying import Host, verify
from dualgate.workspace.repository import repository_root


def run_request(request: Request) -> Verification:
    settings_from({"test_command": request.test_command})  # wrong settings are named before anything is run
    supervisor = Supervisor(os.environ)
    host = Host(supervisor=supervisor, store=verify_store(request.project, os.environ))
    with stoppable(supervisor.jobs) as control, progress_line(control, in_log=False) as (live, speaking):
        live.heard(Activity(source="verify", text=""))
        return verify(request, host, speaking)


def require_acceptor(request: Request) -> None:
    """Raise if an agent wants to accept findings in a person's name."""
    require_person(f"verify --allow {' '.join(request.allow)}", _log())


def record_accepted(seen: Verification, request: Request) -> None:
    """Record what was accepted, and say which ids fit no finding."""
    there = {finding.id for finding in seen.findings}
    for name in request.allow:
        if name not in there:
            click.echo(f"dualgate: no finding has the id {harmless(in_line(name))}; nothing was accepted", err=True)
    accepted = [
        Acceptance(
            at=local_now(),
            by=person(os.environ),
            id=name,
            reason=our_redactor().text(reason),
            tree=seen.head.tree,
            terminal=sys.stdin is not None and sys.stdin.isatty(),
        )
        for name, reason in request.allow.items()
        if name in there
    ]
    if accepted:
        record_acceptances(_log(), accepted)


def _log() -> Path:
    return acceptance_log(repository_root(here()) or here(), os.environ)
