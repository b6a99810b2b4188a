"""dualgate prompts: the prompts and texts that come with dualgate."""

from collections.abc import Callable
from pathlib import Path

import click

from dualgate.cli.build import load_templates
from dualgate.cli.output import say
from dualgate.core.prompt import prepare
from dualgate.core.ralph_prompt import STACKS, Stack, render_ralph_prompt
from dualgate.core.vocabulary import Phase

SKILL = "skills/ralph-status.md"


@click.group("prompts")
def prompts() -> None:
    """Show the prompts and texts that come with dualgate."""


@prompts.command("list")
def list_command() -> int:
    """The names that 'show' knows."""
    say("\n".join(SHOWN))
    return 0


@prompts.command("show")
@click.argument("name")
@click.option("--stack", type=click.Choice(list(STACKS)), help="Which kind of project. Default: by the files here.")
def show_command(name: str, stack: str | None) -> int:
    """Print the text NAME: 'ralph' is a PROMPT.md, 'ralph-status' a skill for agents; the others are parts."""
    if name not in SHOWN:
        raise click.UsageError(f"There is no prompt '{name}'. There are: {', '.join(SHOWN)}.")
    say(SHOWN[name](STACKS[stack] if stack else detect_stack(Path.cwd())).rstrip())
    return 0


def detect_stack(folder: Path) -> Stack:
    found = (stack for stack in STACKS.values() if stack.sign and (folder / stack.sign).exists())
    return next(found, STACKS["generic"])


def _ralph(stack: Stack) -> str:
    return render_ralph_prompt(stack, prepare(load_templates()))


def _source(name: str) -> Callable[[Stack], str]:
    return lambda _: load_templates()[name]


SHOWN: dict[str, Callable[[Stack], str]] = {
    "ralph": _ralph,
    "ralph-status": _source(SKILL),
    "turn": _source("turn.md"),
    **{phase.lower(): _source(f"{phase}.md") for phase in Phase},
}
