"""The options and help of dualgate agents. The action is imported when the command is called."""

import click

from dualgate.cli.options import DURATION
from dualgate.cli.words import complete_agents


@click.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with all agents.")
@click.pass_context
def agents(context: click.Context, as_json: bool) -> int | None:
    """List the agents with version and login, what is missing, and how to install it. Costs nothing."""
    if context.invoked_subcommand is not None:
        return None
    from dualgate.cli.agents_action import list_agents

    return list_agents(as_json)


@agents.command("try")
@click.argument("name", shell_complete=complete_agents)
@click.option("--model", metavar="NAME", help="The model to use. Default: that of the settings, or the agent's own.")
@click.option("--timeout", type=DURATION, default="2m", metavar="TIME", help="Limit of the call. Default: 2m.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with the answer.")
def try_agent(name: str, model: str | None, timeout: float, as_json: bool) -> int:
    """Ask the agent NAME for one word, in an empty folder. This is a real call; its largest cost is shown first.

    Model, arguments and variables are those with which a run here would ask this agent.

    Exit codes: 0 it works, 4 it needs you (login, account, model), 5 limit reached, 1 any other failure.
    """
    from dualgate.cli.agents_action import try_one

    return try_one(name, model, timeout, as_json)
