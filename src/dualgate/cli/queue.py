"""The options and help of dualgate queue. The actions are imported when a command is called."""

from typing import Any

import click

from dualgate.cli.options import DURATION
from dualgate.cli.words import complete_agents

as_json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object.")


@click.group(invoke_without_command=True)
@as_json_option
@click.pass_context
def queue(context: click.Context, as_json: bool) -> int | None:
    """Work on several specifications, each in a git worktree of its own, in the order of priority and dependency.

    'dualgate queue' alone lists the jobs. Nothing starts before 'dualgate queue run'.
    """
    if context.invoked_subcommand is not None:
        return None
    from dualgate.cli.queue_action import list_queue

    return list_queue(as_json)


@queue.command()
@click.argument("specs", nargs=-1, required=True, type=click.Path(), metavar="SPEC…")
@click.option("--priority", type=click.IntRange(min=0), metavar="N", help="Smaller numbers first. Default: 100.")
@click.option("--after", multiple=True, metavar="SPEC", help="Start after this one is proven. May be repeated.")
@click.option(
    "--done", multiple=True, metavar="NAME", help="A dependency that is merged already, so it is not waited for."
)
@click.option("--agent", metavar="NAME", shell_complete=complete_agents, help="The agent of these jobs.")
@click.option("--with", "options", multiple=True, metavar="OPTIONS", help="Options of 'dualgate run' for these jobs.")
@click.option("--yes", is_flag=True, help="Accept the first reading of each question, and approve the commands.")
@as_json_option
def add(specs: tuple[str, ...], **options: Any) -> int:
    """Add specifications, or change the options of those that are in the queue.

    Lines and sections 'Dependencies', 'Depends on' and 'Blocks', and dependsOn in a prd.json, count like --after.
    """
    from dualgate.cli.queue_action import add_specs

    return add_specs(specs, options)


@queue.command("list")
@as_json_option
def list_(as_json: bool) -> int:
    """The jobs with their states, reasons, branches and costs, and the next command of each."""
    from dualgate.cli.queue_action import list_queue

    return list_queue(as_json)


@queue.command()
@click.argument("names", nargs=-1, required=True, metavar="JOB…")
@as_json_option
def remove(names: tuple[str, ...], as_json: bool) -> int:
    """Remove jobs. One that runs is paused; its session, worktree and branch are kept."""
    from dualgate.cli.queue_action import remove_jobs

    return remove_jobs(names, as_json)


@queue.command()
@click.option("--jobs", type=click.IntRange(min=1, max=64), metavar="N", help="How many run at once. Default: 1.")
@click.option("--max-cost", type=click.FloatRange(min=0, min_open=True), metavar="DOLLARS", help="For all together.")
@click.option("--max-calls", type=click.IntRange(min=1), metavar="N", help="Agent calls of all jobs together.")
@click.option("--max-tokens", type=click.IntRange(min=1), metavar="N", help="Tokens of all jobs together.")
@click.option("--max-duration", type=DURATION, metavar="TIME", help="Pause all jobs after this time, as 8h.")
@click.option("--between", metavar="HOURS", help="Hours of the day in which jobs may run, as 22:00-07:00.")
@click.option("--reserve", metavar="SHARE", help="Keep this much of your limits for yourself, as 20%.")
@click.option("--accept-unproven", is_flag=True, help="Let jobs start from others that are completed, not proven.")
@click.option("--retry", is_flag=True, help="Also resume blocked jobs that need no reset.")
@click.option("--new-budget", is_flag=True, help="Begin the budget again, though a part of it is used.")
@click.option("-q", "--quiet", is_flag=True, help="Write the account only.")
@as_json_option
def run(**options: Any) -> int:
    """Start and resume the jobs, and watch them until all have ended. Ctrl+C pauses them; run it again to go on.

    Exit codes: 0 all proven and committed, 1 a job could not start, 3 halted or the budget is spent, 4 blocked,
    5 limit reached, 6 another 'queue run' is at work, 7 completed, not proven, 8 proven, not committed, 130 paused by
    you, or a job waits for your approval.
    """
    from dualgate.cli.queue_run_action import run_jobs

    return run_jobs(options)
