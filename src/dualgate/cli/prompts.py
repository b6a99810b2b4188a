"""The words of dualgate prompts. What they do is imported when they are called."""

import click

STACK_NAMES = ("python", "node", "go", "rust", "generic")
"""Those that there are texts for, which would have to be loaded."""


@click.group("prompts")
def prompts() -> None:
    """Show the prompts and texts that come with dualgate."""


@prompts.command("list")
def list_() -> int:
    """The names that 'show' knows."""
    from dualgate.cli.prompts_action import list_texts

    return list_texts()


@prompts.command("show")
@click.argument("name")
@click.option("--stack", type=click.Choice(STACK_NAMES), help="Which kind of project. Default: by the files here.")
def show(name: str, stack: str | None) -> int:
    """Print the text NAME: 'ralph' is a PROMPT.md, 'ralph-status' a skill for agents; the others are parts."""
    from dualgate.cli.prompts_action import show_text

    return show_text(name, stack)
