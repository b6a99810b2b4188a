"""Settings -> the agents of a run: who is asked in which phase, and who takes over from whom."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain, count

from dualgate.agents.base import Agent
from dualgate.agents.clients import CLIENTS
from dualgate.core.secrets.redaction import Redactor
from dualgate.core.values.team import Lineup
from dualgate.core.values.vocabulary import PHASES, Phase
from dualgate.session.choices import agent_of, choice_for, in_order, label_of
from dualgate.session.host import Host
from dualgate.settings import AgentChoice, Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Agents:
    """The agents by the names of the lineup."""

    team: Mapping[str, Agent]
    lineup: Lineup

    def first(self, phase: Phase) -> Agent:
        """Who is preferred in a phase."""
        return self.team[self.lineup.of(phase)[0]]

    @property
    def every(self) -> Agent:
        return self.team[self.lineup.every[0]]


def unwatched_cost(settings: Settings) -> str:
    """What is to be said of a budget of money where an agent is known to tell no cost; empty where there is nothing."""
    bounded = settings.max_cost is not None or any(budget.cost is not None for budget in settings.budget.values())
    choices = chain.from_iterable(in_order(choice_for(settings, phase)) for phase in PHASES[settings.workflow])
    asked = dict.fromkeys(choice.agent or "" for choice in choices)
    silent = [name for name in asked if (client := CLIENTS.get(name.partition(":")[0])) and not client.tells_cost]
    if not bounded or not silent or settings.prices:
        return ""
    return f"{' and '.join(silent)} will not tell what a call costs: a budget of money needs prices of yours ([prices])"


def build_agents(settings: Settings, host: Host) -> Agents:
    every = in_order(choice_for(settings))
    own = {phase: order for phase in Phase if (order := in_order(choice_for(settings, phase))) != every}
    names = _named(chain(every, *own.values()), host.redactor)
    return Agents(
        team={
            name: agent_of(choice, host.project, host.supervisor, settings.timeout) for choice, name in names.items()
        },
        lineup=Lineup(
            every=tuple(names[choice] for choice in every),
            by_phase={phase: tuple(names[choice] for choice in order) for phase, order in own.items()},
        ),
    )


def _named(choices: Iterable[AgentChoice], redactor: Redactor) -> dict[AgentChoice, str]:
    """A name for each choice, as the journal will hold it; where two would have the same, the later has a number."""
    names: dict[AgentChoice, str] = {}
    for choice in dict.fromkeys(choices):
        label = redactor.text(label_of(choice))
        numbered = (f"{label} ({number})" for number in count(2))
        names[choice] = next(name for name in chain((label,), numbered) if name not in names.values())
    return names
