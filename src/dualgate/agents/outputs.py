"""The output formats by agent, those that are surer first: the first that claims an event reads it."""

from dualgate.agents.clients import CLIENTS
from dualgate.agents.formats import OutputFormat

FORMATS: tuple[OutputFormat, ...] = tuple(client.output for client in CLIENTS.values())
