"""This process as the host of a session: its environment, its folder, its clock and its standard error."""

import os
from pathlib import Path

import click

from dualgate.agents.command import local_now
from dualgate.cli.output import here, our_redactor, reached
from dualgate.core.values.notation import harmless
from dualgate.fleet.variables import environment_in
from dualgate.processes.supervisor import Supervisor
from dualgate.session.host import Host


def our_host(project: Path | None = None) -> Host:
    """The host of the session of a folder, by default of the current one."""
    project = project or here()
    supervisor = Supervisor(environment_in(project, os.environ))
    return Host(project=project, supervisor=supervisor, redactor=our_redactor(), now=local_now, tell=_tell)


def _tell(text: str) -> None:
    click.echo(f"dualgate: {reached(harmless(text))}", err=True)
