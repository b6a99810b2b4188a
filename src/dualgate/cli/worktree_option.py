"""The option --worktree NAME of commands about a session: they work as if they were called in that worktree."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def _enter(context: click.Context, option: click.Parameter, name: str | None) -> None:
    del option
    if name is not None and not context.resilient_parsing:
        from dualgate.cli.worktree_action import enter

        enter(name)


def in_worktree(command: F) -> F:
    """Give a command --worktree NAME."""
    return click.option(
        "--worktree",
        metavar="NAME",
        expose_value=False,
        callback=_enter,
        help="That of this worktree of the repository, not of the current folder.",
    )(command)
