"""The agents by name. A new CLI is a file beside this, a place in `CLIENTS`, and its recordings in tests/data.

`launch` and `command` import `CLIENTS` and `FORMATS`, so this module imports the agents only when it makes one.
"""

from collections.abc import Callable
from functools import partial

from dualgate.agents import claude, codex, gemini, opencode, qwen
from dualgate.agents.base import Agent, AgentOrder
from dualgate.agents.client import Client
from dualgate.agents.formats import OutputFormat

# In this order the formats are tried on an output, the most specific first: the first that claims an event reads it.
CLIENTS: dict[str, Client] = {
    client.name: client for client in (qwen.CLIENT, claude.CLIENT, codex.CLIENT, gemini.CLIENT, opencode.CLIENT)
}
FORMATS: tuple[OutputFormat, ...] = tuple(client.output for client in CLIENTS.values())


def _client_agent(client: Client, order: AgentOrder) -> Agent:
    from dualgate.agents.client_agent import ClientAgent

    return ClientAgent(
        client=client,
        project=order.project,
        supervisor=order.supervisor,
        model=order.model or order.argument or None,
        args=order.args,
        variables=order.variables,
        session=order.session,
        timeout=order.timeout,
    )


def _command_agent(order: AgentOrder) -> Agent:
    from dualgate.agents.command import CommandAgent

    return CommandAgent(
        command=order.argument, project=order.project, supervisor=order.supervisor, timeout=order.timeout
    )


def _rehearsal_agent(order: AgentOrder) -> Agent:
    from dualgate.agents.rehearsal import RehearsalAgent, load_script

    script = load_script(order.argument or "honest")
    return RehearsalAgent(script=script, project=order.project, supervisor=order.supervisor, timeout=order.timeout)


AGENTS: dict[str, Callable[[AgentOrder], Agent]] = {
    "command": _command_agent,
    "rehearsal": _rehearsal_agent,
    **{name: partial(_client_agent, client) for name, client in CLIENTS.items()},
}
