"""Findings that a person accepts with `verify --allow`: only a person may, and each acceptance is recorded."""

import os
import sys
from pathlib import Path

import click

from dualgate.agents.command import local_now
from dualgate.cli.output import here, our_redactor
from dualgate.cli.outside import require_person
from dualgate.core.values.notation import harmless, in_line
from dualgate.core.values.verification import Verification
from dualgate.store.acceptances import Acceptance, record_acceptances
from dualgate.store.owners import person
from dualgate.store.sessions import acceptance_log
from dualgate.verify.request import Request
from dualgate.workspace.repository import repository_root


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
