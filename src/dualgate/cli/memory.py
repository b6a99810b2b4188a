"""The options and help of dualgate memory. The action is imported when the command is called."""

import click

from dualgate.cli.worktree_option import in_worktree

as_json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object.")
of_all_option = click.option("--all", "of_all", is_flag=True, help="Of every project, not of the current folder alone.")


@click.group(invoke_without_command=True)
@of_all_option
@in_worktree
@as_json_option
@click.pass_context
def memory(context: click.Context, of_all: bool, as_json: bool) -> int | None:
    """List what earlier runs of this project showed, the newest first. It works while a run is under way."""
    if context.invoked_subcommand is not None:
        return None
    from dualgate.cli.memory_action import list_entries

    return list_entries(of_all, as_json)


@memory.command("list")
@of_all_option
@in_worktree
@as_json_option
def list_(of_all: bool, as_json: bool) -> int:
    """The same as 'dualgate memory' alone."""
    from dualgate.cli.memory_action import list_entries

    return list_entries(of_all, as_json)


@memory.command()
@click.argument("words", nargs=-1, required=True)
@of_all_option
@in_worktree
@as_json_option
def search(words: tuple[str, ...], of_all: bool, as_json: bool) -> int:
    """List the entries that hold all WORDS, in their text, cure, files or criteria. Exit code 1 if there are none."""
    from dualgate.cli.memory_action import search_entries

    return search_entries(words, of_all, as_json)


@memory.command()
@click.argument("text")
@click.option("--file", "files", multiple=True, metavar="PATH", help="A file that it is about. May be repeated.")
@in_worktree
@as_json_option
def add(text: str, files: tuple[str, ...], as_json: bool) -> int:
    """Add a note of yours to the memory of this project."""
    from dualgate.cli.memory_action import add_note

    return add_note(text, files, as_json)


@memory.command()
@click.argument("ids", nargs=-1, required=True, type=click.IntRange(min=1), metavar="ID...")
@click.option("--yes", is_flag=True, help="Do not ask.")
@in_worktree
@as_json_option
def forget(ids: tuple[int, ...], yes: bool, as_json: bool) -> int:
    """Delete entries. A session that goes on does not add them again."""
    from dualgate.cli.memory_action import forget_entries

    return forget_entries(ids, yes, as_json)


@memory.command()
@of_all_option
@in_worktree
@as_json_option
def export(of_all: bool, as_json: bool) -> int:
    """Print every entry as Markdown, or as JSON."""
    from dualgate.cli.memory_action import export_entries

    return export_entries(of_all, as_json)


@memory.command()
@of_all_option
@in_worktree
@as_json_option
def off(of_all: bool, as_json: bool) -> int:
    """Switch the memory off for this project: runs recall and keep nothing. What is kept stays."""
    from dualgate.cli.memory_action import switch

    return switch(False, of_all, as_json)


@memory.command()
@of_all_option
@in_worktree
@as_json_option
def on(of_all: bool, as_json: bool) -> int:
    """Switch the memory on again."""
    from dualgate.cli.memory_action import switch

    return switch(True, of_all, as_json)
