"""The action of new: the template of a specification -> a new file."""

import shlex
from pathlib import Path

import click

from dualgate.cli.creating import create_file
from dualgate.cli.output import here, say
from dualgate.core.prompt.writing import prepare
from dualgate.core.values.naming import slug
from dualgate.errors import ExitCode, SettingError
from dualgate.prompts import load_templates

TEMPLATE = "new_specification.md"


def write_new(title: str, output: str | None) -> int:
    title = " ".join(title.split())
    if not title:
        raise click.UsageError("TITLE is empty.")
    path = Path(output or f"{slug(title)}.md")
    shown = shlex.quote(str(path))
    try:
        create_file(here() / path, prepare(load_templates()).get_template(TEMPLATE).render(title=title))
    except FileExistsError as error:
        raise SettingError(
            f"{path} already exists.",
            f"Fill it in and check it with: dualgate check {shown}; or write another with --output FILE",
        ) from error
    say(f"wrote {path}")
    say(f"Fill in the places in [CAPITALS], then: dualgate check {shown}")
    return ExitCode.PROVEN
