"""The commands of the program -> docs/commands.md: each with its usage, its help and its options."""

import re
from collections.abc import Iterator
from pathlib import Path

import click

from dualgate.cli.commands import COMMANDS, GROUPS
from dualgate.cli.commands import dualgate as program
from tools.markdown import cell, table

PAGE = Path(__file__).parent.parent / "docs" / "commands.md"
WIDTH = 10_000
INTRODUCTION = """# Commands

`dualgate COMMAND --help` prints the same texts.

`make reference` makes this page from the commands. A test compares the page with the code.
"""


def page() -> str:
    root = click.Context(program, info_name="dualgate", terminal_width=WIDTH, max_content_width=WIDTH)
    grouped = {name for names in GROUPS.values() for name in names}
    others = {"Others": tuple(name for name in COMMANDS if name not in grouped)}
    groups = {group: names for group, names in (GROUPS | others).items() if names}
    rows = [
        (group, f"[`dualgate {name}`](#dualgate-{name})", cell(COMMANDS[name][1]))
        for group, names in groups.items()
        for name in names
    ]
    parts = [INTRODUCTION, table(("group", "command", "what it does"), rows)]
    for name in (name for names in groups.values() for name in names):
        command = program.get_command(root, name)
        assert command is not None
        parts += sections(command, name, root, depth=2)
    return "\n".join(parts)


def sections(command: click.Command, name: str, parent: click.Context, depth: int) -> Iterator[str]:
    """A command, then those below it."""
    context = click.Context(command, info_name=name, parent=parent, terminal_width=WIDTH, max_content_width=WIDTH)
    usage = command.get_usage(context).removeprefix("Usage: ")
    yield f"{'#' * depth} {context.command_path}\n\n{help_text(command)}\n\n    {' '.join(usage.split())}\n"
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    rows = [option_row(option, context) for option in options if option.get_help_record(context)]
    if rows:
        yield table(("option", "what it does"), rows)
    for below in getattr(command, "commands", {}).values():
        yield from sections(below, below.name or "", context, depth + 1)


def help_text(command: click.Command) -> str:
    """The help as paragraphs of Markdown; lines that click keeps as they are stay a block."""
    paragraphs = (command.help or "").split("\f")[0].split("\n\n")
    return "\n\n".join(as_block(text) if text.startswith("\b") else " ".join(text.split()) for text in paragraphs)


def as_block(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.removeprefix("\b").strip("\n").splitlines())


def option_row(option: click.Option, context: click.Context) -> tuple[str, str]:
    """The flags, the last one with its value, and the help. Choices are separated by commas: a bar ends a cell."""
    record = option.get_help_record(context)
    assert record is not None
    flags, text = record
    return " ".join(f"`{flag}`" for flag in re.split(r", (?=-)", flags.replace("|", ", "))), cell(text)
