"""Settings -> whether every phase has an agent with a login, known without a call and without starting a program."""

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase

from dualgate.agents.client import Client
from dualgate.agents.logins import login_of
from dualgate.agents.registry import CLIENTS
from dualgate.core.values.vocabulary import PHASES, Login, Workflow
from dualgate.errors import LoginMissing
from dualgate.session.team import choice_for, in_order
from dualgate.settings import AgentChoice, Settings

# Arguments that may bring a login, or a provider that needs none.
BRINGS_LOGIN = re.compile(r"-c\b|--(?:config|settings|profile|oss|auth|openai|provider|api)|key|token|provider")


def require_logins(settings: Settings, environment: Mapping[str, str]) -> None:
    """Raise LoginMissing if the agent of a phase has no login, and none of its fallbacks may have one.

    A login that cannot be known is taken for one: only a call shows it.
    """
    for phase in PHASES[settings.workflow or Workflow.TDD]:
        clients = [_without_login(choice, environment) for choice in in_order(choice_for(settings, phase))]
        first = clients[0]
        if first is not None and all(clients):
            raise LoginMissing(
                f"The agent {first.name} of {phase} has no login.",
                f"{first.log_in[0].upper()}{first.log_in[1:]}; 'dualgate doctor' shows what is found.",
            )


def _without_login(choice: AgentChoice, environment: Mapping[str, str]) -> Client | None:
    """The CLI of an agent whose login is surely missing."""
    client = CLIENTS.get((choice.agent or "").partition(":")[0])
    if client is None or choice.command or client.has_free_models or any(map(BRINGS_LOGIN.search, choice.args)):
        return None
    let_through = (
        name for name, value in environment.items() for each in choice.env if value and fnmatchcase(name, each)
    )
    login, _ = login_of(client, environment)
    return client if login is Login.NOT_FOUND and not any(let_through) else None
