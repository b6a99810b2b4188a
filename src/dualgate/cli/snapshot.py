"""The options and help of dualgate snapshot. The action is imported when the command is called."""

from collections.abc import Sequence

import click

from dualgate.cli.worktree_option import in_worktree

as_json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object.")


@click.group()
def snapshot() -> None:
    """Exact states of the work tree, kept outside of it: your repository is never touched."""


@snapshot.command()
@click.option("--label", default="", metavar="TEXT", help="What it is, for the list.")
@in_worktree
@as_json_option
def save(label: str, as_json: bool) -> int:
    """Keep the work tree as it is now."""
    from dualgate.cli.snapshot_action import save_snapshot

    return save_snapshot(label, as_json)


@snapshot.command("list")
@in_worktree
@as_json_option
def list_(as_json: bool) -> int:
    """All snapshots of this work tree, oldest first."""
    from dualgate.cli.snapshot_action import list_snapshots

    return list_snapshots(as_json)


@snapshot.command()
@click.argument("before")
@click.argument("after", required=False)
@click.option("--patch", is_flag=True, help="The lines that changed, too.")
@click.option("--file", "path", metavar="PATH", help="Only this file, with all lines that changed.")
@in_worktree
@as_json_option
def diff(before: str, after: str | None, patch: bool, path: str | None, as_json: bool) -> int:
    """Show the changes from BEFORE to AFTER, or to the work tree as it is now."""
    from dualgate.cli.snapshot_action import compare

    return compare(before, after, patch, path, as_json)


@snapshot.command()
@click.argument("name", metavar="ID")
@click.argument("path", required=False)
@in_worktree
@as_json_option
def show(name: str, path: str | None, as_json: bool) -> int:
    """Show the content of a snapshot; with PATH, the bytes of that file."""
    from dualgate.cli.snapshot_action import show_snapshot

    return show_snapshot(name, path, as_json)


@snapshot.command()
@click.argument("name", metavar="ID")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--yes", is_flag=True, help="Do not ask.")
@in_worktree
@as_json_option
def restore(name: str, paths: Sequence[str], yes: bool, as_json: bool) -> int:
    """Restore the work tree, or only these paths, from the snapshot ID.

    Files that the snapshot does not have are removed. The current state is saved first, so that you can return to it.
    """
    from dualgate.cli.snapshot_action import give_back

    return give_back(name, paths, yes, as_json)


@snapshot.command()
@click.option("--keep-last", type=click.IntRange(min=0), metavar="N", help="The newest are kept. Default: 50.")
@click.option("--keep-days", type=click.IntRange(min=0), metavar="N", help="And the younger ones. Default: 30.")
@in_worktree
@as_json_option
def prune(keep_last: int | None, keep_days: int | None, as_json: bool) -> int:
    """Let go of old snapshots. What the present session goes on with stays, unless it is completed."""
    from dualgate.cli.snapshot_action import prune_snapshots

    return prune_snapshots(keep_last, keep_days, as_json)
