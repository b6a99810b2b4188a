"""The action of prompts: list and print the texts that come with dualgate."""

from collections.abc import Callable
from pathlib import Path

import click

from dualgate.cli.output import say
from dualgate.cli.prompts import STACK_NAMES
from dualgate.core.prompt.writing import GENERIC, prepare, render_ralph_prompt
from dualgate.core.values.suite import Stack
from dualgate.core.values.vocabulary import Phase
from dualgate.languages.registry import LANGUAGES
from dualgate.prompts import load_templates

STACKS = {each.name: each for each in (*(language.stack for language in LANGUAGES), GENERIC) if each}
SKILL = "skills/ralph-status.md"


def list_texts() -> int:
    say("\n".join(SHOWN))
    return 0


def show_text(name: str, stack: str | None) -> int:
    if name not in SHOWN:
        raise click.UsageError(f"There is no prompt '{name}'. There are: {', '.join(SHOWN)}.")
    say(SHOWN[name](STACKS[stack] if stack else detect_stack(Path.cwd())).rstrip())
    return 0


def detect_stack(folder: Path) -> Stack:
    found = (STACKS[name] for name in STACK_NAMES if STACKS[name].sign and (folder / STACKS[name].sign).exists())
    return next(found, GENERIC)


def _ralph(stack: Stack) -> str:
    return render_ralph_prompt(stack, prepare(load_templates()))


def _source(name: str) -> Callable[[Stack], str]:
    return lambda _: load_templates()[name]


SHOWN: dict[str, Callable[[Stack], str]] = {
    "ralph": _ralph,
    "ralph-status": _source(SKILL),
    "turn": _source("turn.md"),
    "ralph-turn": _source("ralph_turn.md"),
    "amendment": _source("AMENDMENT.md"),
    "amendment-review": _source("AMENDMENT_REVIEW.md"),
    **{phase.lower(): _source(f"{phase}.md") for phase in Phase},
}
