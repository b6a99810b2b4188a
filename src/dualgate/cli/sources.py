"""The specification on the command line: SPEC, -p TEXT, or - for standard input.

Help imports this module, so it must load little.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from pathlib import Path

    from dualgate.session.document import Document
    from dualgate.settings import Settings

F = TypeVar("F", bound=Callable[..., Any])
DASH = "-"
MISSING = "Missing argument 'SPEC'. Only --workflow ralph works without one."


def spec_arguments(command: F) -> F:
    """Give a command SPEC and -p TEXT."""
    command = click.option("-p", "--prompt", metavar="TEXT", help="The specification as text, instead of SPEC.")(
        command
    )
    return click.argument("spec", type=click.Path(), required=False)(command)


def require_one(**sources: str | None) -> None:
    """Refuse a specification that is given in two ways."""
    given = [name for name, source in sources.items() if source is not None]
    if len(given) > 1:
        names = {"spec": "SPEC", "prompt": "--prompt", "prompt_file": "--prompt-file"}
        raise click.UsageError(f"{' and '.join(names[name] for name in given)} exclude each other; give one of them.")


def read_source(spec: str | None, prompt: str | None, project: "Path", settings: "Settings") -> "Document":
    """The document of the command line; without one, the prompt of a ralph run."""
    from pathlib import Path

    from dualgate.core.values.vocabulary import Workflow
    from dualgate.session.document import COMMAND_LINE, Document, find_prompt, read_document

    if prompt is not None:
        return Document(name=COMMAND_LINE, text=prompt)
    if spec == DASH:
        return _standard_input()
    if spec is not None:
        return read_document(project, Path(spec))
    if settings.workflow is not Workflow.RALPH:
        raise click.UsageError(MISSING)
    return find_prompt(project, settings)


def _standard_input() -> "Document":
    from dualgate.cli.output import open_input
    from dualgate.errors import SpecError
    from dualgate.session.document import STANDARD_INPUT, Document

    with open_input(DASH) as opened:
        written = opened.read()
    try:
        return Document(name=STANDARD_INPUT, text=written.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise SpecError(f"The standard input is not UTF-8 text: byte {error.start}.", "Give it as UTF-8.") from error
