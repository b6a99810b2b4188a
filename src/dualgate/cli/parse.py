"""dualgate parse: read a status block, phase packet or state document from a text."""

from typing import Any

import click

from dualgate.cli.output import open_input, say, say_json
from dualgate.cli.words import OneOf
from dualgate.core.record.parse import Kind, parse
from dualgate.core.values.problems import Reading

VALID, INVALID, NOTHING = 0, 1, 3
WIDTH = 100


@click.command("parse")
@click.argument("file", default="-", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--kind", type=OneOf(Kind), help="Look for this kind only.")
@click.option("--strict", is_flag=True, help="Treat warnings as errors: only the exact form is valid.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def parse_command(file: str, kind: str | None, strict: bool, as_json: bool) -> int:
    """Read FILE, or standard input, and print the last complete block in it.

    Exit codes: 0 valid, 1 found but invalid, 2 usage, 3 nothing found.
    """
    with open_input(file) as stream:
        content = stream.read()
    reading = parse(content, Kind(kind) if kind else None, strict=strict)
    if as_json:
        say_json(reading.as_document())
    else:
        _show(reading, content)
    if reading.kind is None:
        return NOTHING
    return VALID if reading.valid else INVALID


def _show(reading: Reading, content: bytes) -> None:
    """Print the fields for people, then each problem with its line."""
    if reading.kind is None:
        say("nothing found: no complete status block, packet or state document")
    else:
        count = f", the last of {reading.blocks_found}" if reading.blocks_found > 1 else ""
        say(f"{reading.kind}: {'valid' if reading.valid else 'invalid'}{count}")
    for name, value in reading.fields.items():
        _show_field(name, value, "  ")
    lines = content.split(b"\n") if reading.problems else []
    for problem in reading.problems:
        place = f"line {problem.line}: " if problem.line else ""
        say(f"{problem.severity}: {place}{problem.message}")
        if problem.line and problem.line <= len(lines):
            text = lines[problem.line - 1][: WIDTH * 4].decode("utf-8", "replace")
            say(f"  {problem.line:>5} | {text[:WIDTH]}")


def _show_field(name: str, value: Any, indent: str) -> None:
    match value:
        case dict():
            say(f"{indent}{name}:")
            for key, inner in value.items():
                _show_field(key, inner, indent + "  ")
        case list() if value:
            say(f"{indent}{name}:")
            for item in value:
                _show_item(item, indent + "  ")
        case list():
            say(f"{indent}{name}: none")
        case bool():
            say(f"{indent}{name}: {'true' if value else 'false'}")
        case _:
            first, *rest = str(value).splitlines() or [""]
            say(f"{indent}{name}: {first}")
            for line in rest:
                say(f"{indent}  {line}")


def _show_item(item: Any, indent: str) -> None:
    """A list item: its text behind a dash, or a dash before the first of its fields."""
    if not isinstance(item, dict):
        say(f"{indent}- {item}")
        return
    for number, (key, value) in enumerate(item.items()):
        _show_field(f"- {key}" if number == 0 else f"  {key}", value, indent)
