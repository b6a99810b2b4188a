"""Say that a killed run left another tree in the work tree, before a command judges what is there."""

import os
from contextlib import suppress

import click

from dualgate.cli.output import here
from dualgate.errors import DualgateError
from dualgate.session.killed_steps import killed_sentence
from dualgate.session.status import killed_of
from dualgate.store.account import read_account
from dualgate.store.lease import owner_of
from dualgate.store.lines import JOURNAL
from dualgate.store.sessions import session_folder


def tell_killed_step() -> None:
    """Name the snapshot with the work on standard error, if the work tree does not hold it."""
    project = here()
    folder = session_folder(project, os.environ)
    if not (folder / JOURNAL).exists():
        return
    with suppress(DualgateError):  # about the session, and the command is not
        is_running = owner_of(project, os.environ) is not None
        step = killed_of(project, read_account(folder), is_running, os.environ)
        if step is not None and step.snapshot:
            click.echo(f"dualgate: {killed_sentence(step)}", err=True)
