"""The options and help of dualgate worktrees. The action is imported when the command is called."""

import click

as_json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object.")


@click.group(invoke_without_command=True)
@as_json_option
@click.pass_context
def worktrees(context: click.Context, as_json: bool) -> int | None:
    """List the worktrees that runs of this repository work in. 'dualgate run SPEC --worktree' makes one."""
    if context.invoked_subcommand is not None:
        return None
    from dualgate.cli.worktrees_action import list_worktrees

    return list_worktrees(as_json)


@worktrees.command("list")
@as_json_option
def list_(as_json: bool) -> int:
    """The same as 'dualgate worktrees' alone."""
    from dualgate.cli.worktrees_action import list_worktrees

    return list_worktrees(as_json)


@worktrees.command()
@click.argument("name")
@as_json_option
def path(name: str, as_json: bool) -> int:
    """Print the folder of a worktree, as in: cd "$(dualgate worktrees path NAME)"."""
    from dualgate.cli.worktrees_action import show_path

    return show_path(name, as_json)


@worktrees.command()
@click.argument("name")
@click.option("--force", is_flag=True, help="Also if files of it are too large for a snapshot: these are lost.")
@as_json_option
def remove(name: str, force: bool, as_json: bool) -> int:
    """Remove a worktree. Its uncommitted work is saved as a snapshot first, and its branch stays if it has commits.

    A worktree with an active run is refused. 'dualgate worktrees restore NAME' brings it back.
    """
    from dualgate.cli.worktrees_action import remove_worktree

    return remove_worktree(name, force, as_json)


@worktrees.command()
@click.argument("name")
@as_json_option
def restore(name: str, as_json: bool) -> int:
    """Make a removed worktree again, at the same place, with its branch and its uncommitted work."""
    from dualgate.cli.worktrees_action import restore_worktree

    return restore_worktree(name, as_json)
