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
        is_eager=True,  # whatever else is given is about that worktree
        callback=_enter,
        help="Work as if called in this worktree of the repository.",
    )(command)


def own_file(context: click.Context, option: click.Parameter, path: Any) -> Any:
    """The callback of an option for a file of the person: it is seen from the folder that they are in."""
    del option
    if path is None or str(path) == "-" or context.resilient_parsing:
        return path
    from dualgate.cli.output import from_start

    return type(path)(from_start(str(path)))
