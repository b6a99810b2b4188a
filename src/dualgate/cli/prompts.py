"""The options and help of dualgate prompts. The action is imported when the command is called."""

import click

from dualgate.cli.install_skill import install
from dualgate.cli.words import OneOf
from dualgate.cli.worktree_option import in_worktree
from dualgate.core.values.vocabulary import Phase

STACK_NAMES = ("python", "node", "go", "rust", "generic")
"""The stacks that have texts, repeated here so that help does not load the texts."""


@click.group("prompts")
def prompts() -> None:
    """Show the prompts, replace parts of them for a project, and preview the next one."""


prompts.add_command(install)


@prompts.command("list")
def list_() -> int:
    """List the names of the texts, and which of them this project replaces."""
    from dualgate.cli.prompts_action import list_texts

    return list_texts()


@prompts.command("show")
@click.argument("name")
@click.option("--stack", type=OneOf(STACK_NAMES), help="The kind of project. Default: detected from the files here.")
def show(name: str, stack: str | None) -> int:
    """Print the text NAME as it is used here.

    'ralph' is a PROMPT.md to start with, 'ralph-status' a skill for agents; the others are parts of prompts.
    """
    from dualgate.cli.prompts_action import show_text

    return show_text(name, stack)


@prompts.command("eject")
@click.argument("names", nargs=-1, required=True)
def eject(names: tuple[str, ...]) -> int:
    """Copy the texts NAMES to .dualgate/prompts, where this project can change them."""
    from dualgate.cli.prompts_action import eject_texts

    return eject_texts(names)


@prompts.command("diff")
@click.argument("names", nargs=-1)
def diff(names: tuple[str, ...]) -> int:
    """Show how this project's texts differ from those of dualgate. Exit code 1 if they differ."""
    from dualgate.cli.prompts_action import diff_texts

    return diff_texts(names)


@prompts.command("next")
@click.argument("spec", required=False)
@click.option("--phase", type=OneOf(Phase), help="The prompt of this phase.")
@click.option("--sizes", is_flag=True, help="Print only the sizes of the parts.")
@in_worktree
@click.option("--json", "as_json", is_flag=True, help="Print the prompt, its parts and their sizes as one JSON object.")
def next_(spec: str | None, phase: str | None, sizes: bool, as_json: bool) -> int:
    """Print the next prompt of this project's session, or the first one for SPEC.

    Prints the size of each part to standard error. Calls no agent, and runs nothing.
    """
    from dualgate.cli.next_prompt import show_next

    return show_next(spec, Phase(phase.upper()) if phase else None, sizes, as_json)
