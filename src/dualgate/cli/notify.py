"""dualgate notify: how people are notified of a run, and a test of it."""

from pathlib import Path

import click

from dualgate.core.values.vocabulary import Moment


@click.group("notify", invoke_without_command=True)
@click.pass_context
def notify(ctx: click.Context) -> int | None:
    """Show how you are notified of a run; `notify test` sends a notification now."""
    if ctx.invoked_subcommand is not None:
        return None
    from dualgate.cli.notify_action import show_channels

    return show_channels()


@notify.command("test")
@click.option(
    "--moment",
    type=click.Choice([moment.value for moment in Moment]),
    default=Moment.COMPLETED.value,
    show_default=True,
    help="The moment that the test is about; its lifecycle hook is run too.",
)
def test_command(moment: str) -> int:
    """Send a test through every configured channel; exit with 1 if one fails."""
    from dualgate.cli.notify_action import send_test

    return send_test(Moment(moment))


@notify.command("queue", hidden=True)
@click.argument("notice", type=click.Path(path_type=Path))
def queue_command(notice: Path) -> int:
    """Send a notice of a queue, in a process of its own: ending it must not end the jobs of the queue."""
    from dualgate.cli.notify_action import send_queue_notice

    return send_queue_notice(notice)
