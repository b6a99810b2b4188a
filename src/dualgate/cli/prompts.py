"""The options and help of dualgate prompts. The action is imported when the command is called."""

import click

from dualgate.cli.install_skill import install

STACK_NAMES = ("python", "node", "go", "rust", "generic")
"""The stacks that have texts, repeated here so that help does not load the texts."""


@click.group("prompts")
def prompts() -> None:
    """Show the prompts and texts that come with dualgate."""


prompts.add_command(install)


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
