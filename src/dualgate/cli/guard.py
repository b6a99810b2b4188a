"""The options and help of dualgate guard. The action is imported when the command is called."""

import click

from dualgate.cli.words import OneOf
from dualgate.cli.worktree_option import in_worktree
from dualgate.core.values.vocabulary import Phase

PHASE = OneOf(Phase)


@click.group()
def guard() -> None:
    """Which changes a phase does not allow: tests and what steers them are frozen once RED is proven."""


@guard.command()
@click.option("--since", required=True, metavar="ID", help="The snapshot of the proven state.")
@click.option(
    "--phase",
    required=True,
    type=PHASE,
    help="The phase at work.",
)
@click.option("--test-command", metavar="CMD", help="How tests are run; what it calls is frozen too.")
@click.option("--freeze", multiple=True, metavar="PATTERN", help="Frozen as well, as in an ignore file.")
@click.option("--allow", multiple=True, metavar="PATTERN", help="Never frozen, as in an ignore file.")
@click.option("--undo", is_flag=True, help="Put back what is not allowed; the present state is saved first.")
@in_worktree
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def check(
    since: str,
    phase: str,
    test_command: str | None,
    freeze: tuple[str, ...],
    allow: tuple[str, ...],
    undo: bool,
    as_json: bool,
) -> int:
    """Compare the work tree with a snapshot. Exit code 1 where something is not allowed."""
    from dualgate.cli.guard_action import check_changes

    flags = {"test_command": test_command, "guard.frozen": freeze or None, "guard.allowed": allow or None}
    return check_changes(Phase(phase), since, undo, as_json, flags)
