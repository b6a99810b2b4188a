"""The options and help of dualgate verify. The action is imported when the command is called."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from dualgate.cli.tests import RUNNER_NAMES, as_seconds
from dualgate.cli.worktree_option import in_worktree, own_file

F = TypeVar("F", bound=Callable[..., Any])
FILE = "[FILE]"
STANDARD_OUTPUT = "-"


def _document(flag: str, text: str) -> Callable[[F], F]:
    """An option for a document: without a value it goes to standard output."""
    return click.option(flag, metavar=FILE, is_flag=False, flag_value=STANDARD_OUTPUT, callback=own_file, help=text)


@click.command("verify")
@click.option(
    "--base", metavar="REF", default="", help="Compare with the merge-base with REF. Default: the main branch."
)
@click.option("--head", metavar="REF", default="", help="Verify this commit. Default: the work tree as it is.")
@click.option(
    "--spec", metavar="SPEC", type=click.Path(path_type=Path), help="Show the criteria of a specification too."
)
@click.option("--session", is_flag=True, help="Use what the session of this project already proved.")
@click.option("--budget", metavar="DURATION", callback=as_seconds, help="Time for everything, as 60s or 10m.")
@click.option("--test-command", metavar="CMD", help="How to run the tests. Default: found out.")
@click.option("--runner", type=click.Choice(RUNNER_NAMES), help="How --test-command reports. Default: by its words.")
@click.option("--allow", "allowed", metavar="ID", multiple=True, help="Accept this finding; may be given again.")
@click.option("--reason", metavar="TEXT", help="Why the findings of --allow are accepted. It is recorded.")
@click.option("--explain", metavar="TEST", help="Show all that is known about a test, or about a finding by its id.")
@in_worktree
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@_document("--md", "Markdown, for a job summary or a comment.")
@_document("--sarif", "SARIF 2.1.0, for a code host.")
@_document("--junit", "JUnit XML, for a build server.")
@_document("--attest", "An in-toto attestation with the names of the tests, to be signed by others.")
@click.option(
    "--check",
    metavar="FILE",
    callback=own_file,
    help="Check an attestation against the work tree or --head; no test is run.",
)
def verify_command(**options: Any) -> int:
    """Verify a change by its tests: on the base, on the head, and each on the other's code.

    Exit codes: 0 verified, 1 refused, 7 not proven, 3 the tests cannot be run or trusted, 2 wrong usage.
    """
    if options["allowed"] and not options["reason"]:
        raise click.UsageError("--allow needs --reason TEXT: why is the finding accepted?")
    if options["reason"] and not options["allowed"]:
        raise click.UsageError("--reason needs --allow ID: which finding is accepted?")
    from dualgate.cli.verify_action import run_verify

    return run_verify(options)
