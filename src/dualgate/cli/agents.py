"""The options and help of dualgate agents. The action is imported when the command is called."""

import click

from dualgate.cli.options import DURATION


@click.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON object with all of them.")
@click.pass_context
def agents(context: click.Context, as_json: bool) -> int | None:
    """Say which agents are here, their versions and logins, what is missing, and how to get it. Costs nothing."""
    if context.invoked_subcommand is not None:
        return None
    from dualgate.cli.agents_action import list_agents

    return list_agents(as_json)


@agents.command("try")
@click.argument("name")
@click.option("--model", metavar="NAME", help="The model that it is told to use. Default: the agent's own.")
@click.option("--timeout", type=DURATION, default="2m", metavar="TIME", help="Default: 2m.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object with the answer.")
def try_agent(name: str, model: str | None, timeout: float, as_json: bool) -> int:
    """Ask the agent NAME for one word, in an empty folder. A real call: what it may cost is said first.

    Exit codes: 0 it works, 4 it needs you (login, account, model), 5 a limit, 1 any other failure.
    """
    from dualgate.cli.agents_action import try_one

    return try_one(name, model, timeout, as_json)
