"""The options and help of dualgate hook. Calls of hosts take a shorter way: see dualgate/__main__.py."""

from typing import Any

import click

from dualgate.hooks.answers import HOSTS

HOST = click.option("--host", required=True, type=click.Choice(HOSTS), help="The program that calls the hook.")


class _Wrong(click.UsageError):
    """Wrong words end with 1: an exit code of 2 would block the agent that the hook is called for."""

    exit_code = 1


class _Hook(click.Command):
    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        try:
            return super().make_context(*args, **extra)
        except click.UsageError as error:
            raise _Wrong(error.message, error.ctx) from error


@click.group()
def hook() -> None:
    """Answer a hook of a coding agent: reads the host's JSON on standard input and answers in its protocol.

    'dualgate init --hooks claude' writes the settings that call these commands.
    """


@hook.command(cls=_Hook)
@HOST
def start(host: str) -> int:
    """Remember where a session begins: its work is compared with that commit."""
    return _answer("start", host)


@hook.command(cls=_Hook)
@HOST
@click.option("--budget", metavar="TIME", help="Let the agent stop if verifying takes longer, as in 60s or 5m.")
def stop(host: str, budget: str | None) -> int:
    """Verify the work before the agent stops, and send the agent back if tests are worse than before.

    Silent if nothing changed, on a question to the person, in plan mode, with background work, and in repositories
    that did not opt in. The exit code is 0, whatever the answer.
    """
    from dualgate.core.values.notation import read_duration

    try:
        seconds = read_duration(budget) if budget else None
    except ValueError as error:
        raise _Wrong(f"--budget {budget} is no time; write 60s or 5m") from error
    return _answer("stop", host, seconds)


@hook.command(cls=_Hook)
@HOST
def edit(host: str) -> int:
    """Refuse an edit of a file that the present phase of a run has frozen. Silent if no run is at work."""
    return _answer("edit", host)


def _answer(event: str, host: str, budget: float | None = None) -> int:
    from dualgate.hooks.entry import answer_call

    return answer_call(event, host, budget)
