"""The agents by name. A new one is a file beside this, and a line below; one with a CLI, a line in `clients.py`."""

from collections.abc import Callable

from dualgate.agents.base import Agent, AgentOrder
from dualgate.agents.client import Client
from dualgate.agents.client_agent import ClientAgent
from dualgate.agents.clients import CLIENTS
from dualgate.agents.command import CommandAgent
from dualgate.agents.rehearsal import RehearsalAgent, load_script


def _of(client: Client) -> Callable[[AgentOrder], Agent]:
    return lambda order: ClientAgent(
        client=client,
        project=order.project,
        supervisor=order.supervisor,
        model=order.model or order.argument or None,
        args=order.args,
        variables=order.variables,
        session=order.session,
        timeout=order.timeout,
    )


AGENTS: dict[str, Callable[[AgentOrder], Agent]] = {
    "command": lambda order: CommandAgent(
        command=order.argument, project=order.project, supervisor=order.supervisor, timeout=order.timeout
    ),
    "rehearsal": lambda order: RehearsalAgent(
        script=load_script(order.argument or "honest"),
        project=order.project,
        supervisor=order.supervisor,
        timeout=order.timeout,
    ),
    **{name: _of(client) for name, client in CLIENTS.items()},
}
