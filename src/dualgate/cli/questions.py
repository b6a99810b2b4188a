"""Ask a person what only they can decide before a run: readings of the specification, and commands that may be run."""

import sys
from collections.abc import Callable
from dataclasses import replace

import click

from dualgate.core.spec.readiness import place, require_ready, require_sound
from dualgate.core.values.specification import Question
from dualgate.display.lines import printable
from dualgate.session.document import Document, first_readings, unanswered_questions
from dualgate.settings import Settings


def settled(
    document: Document, settings: Settings, yes: bool, before_asking: Callable[[], object] = lambda: None
) -> Document:
    """The document with every question answered and its commands approved or declined.

    Raises SpecError with what is open if nobody can be asked. `before_asking` raises if a run could not start anyway.
    """
    if yes:
        document = with_approval(document, settings)
    read = document.read(settings)
    unapproved = document.unapproved_commands(read, settings)
    validation = document.unapproved_validation(read, settings)
    if can_ask() and (read.questions or unapproved or validation):
        require_sound(read, document.name)
        before_asking()
        document = _answered(document, settings)
        require_ready(document.read(settings), document.name)
        return _validated(_approved(document, settings), settings)
    require_ready(read, document.name, unapproved)
    return document


def settled_again(document: Document, settings: Settings, yes: bool, respec: bool) -> Document:
    """The document of a resumed session, with commands that a person approves now; `respec` may bring new questions."""
    if respec:
        return settled(document, settings, yes)
    if yes:
        return with_approval(document, settings)
    return _approved(document, settings) if can_ask() else document


def can_ask() -> bool:
    """Whether a person is at a terminal: they see standard error, and answer on standard input."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def confirm(text: str, default: bool = False) -> bool:
    return click.confirm(printable(text), default=default, err=True)


def with_approval(document: Document, settings: Settings) -> Document:
    """Take the first reading of each question, and approve each command."""
    document = first_readings(document, settings)
    read = document.read(settings)
    unapproved = (
        *document.unapproved_commands(read, settings),
        *document.unapproved_validation(read, settings),
    )
    return replace(document, approved=(*document.approved, *unapproved))


def _answered(document: Document, settings: Settings) -> Document:
    """Ask until no question is open; an answer may lead to another question."""
    while True:
        read = document.read(settings)
        require_sound(read, document.name)
        unanswered = unanswered_questions(document, read)
        if not unanswered:
            return document
        answers = {question.key: _ask(question, document.name) for question in unanswered}
        document = replace(document, answers={**document.answers, **answers})


def _ask(question: Question, name: str) -> int:
    click.echo(printable(f"{place(name, question.line)}: {question.text}"), err=True)
    for number, reading in enumerate(question.readings, 1):
        click.echo(printable(f"  ({number}) {reading}"), err=True)
    return int(click.prompt("Which one", type=click.Choice(["1", "2"]), default="1", err=True)) - 1


def _approved(document: Document, settings: Settings) -> Document:
    read = document.read(settings)
    unapproved = document.unapproved_commands(read, settings)
    approved = [command for command in unapproved if confirm(f"run `{command}` with the gates?")]
    declined = [each.id for each in read.criteria if each.command in unapproved and each.command not in approved]
    if declined:
        click.echo(f"dualgate: without their commands nothing proves {', '.join(declined)}", err=True)
    return replace(document, approved=(*document.approved, *approved))


def _validated(document: Document, settings: Settings) -> Document:
    """Ask once whether the validation commands may be run; without them the run can be proven all the same."""
    commands = document.unapproved_validation(document.read(settings), settings)
    if not commands:
        return document
    click.echo("The specification names validation commands:", err=True)
    for command in commands:
        click.echo(printable(f"  {command}"), err=True)
    if not confirm("run them before any work and before each review?"):
        return document
    return replace(document, approved=(*document.approved, *commands))
