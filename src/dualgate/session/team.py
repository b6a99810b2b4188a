"""Settings -> the agents of a run: one for each phase, and its fallbacks."""

import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain, count
from pathlib import Path

from dualgate.agents.base import Agent, AgentOrder
from dualgate.agents.client_agent import require_client
from dualgate.agents.registry import AGENTS, CLIENTS
from dualgate.core.secrets.redaction import Redactor
from dualgate.core.values.notation import split_command
from dualgate.core.values.suggestion import did_you_mean
from dualgate.core.values.team import Lineup
from dualgate.core.values.vocabulary import PHASES, Phase, SessionUse, Workflow
from dualgate.errors import SettingError
from dualgate.processes.job import require_program
from dualgate.processes.supervisor import Supervisor
from dualgate.session.host import Host
from dualgate.settings import AgentChoice, Settings

DEFAULT = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Agents:
    """The agents by their names in the lineup."""

    team: Mapping[str, Agent]
    lineup: Lineup

    def first(self, phase: Phase) -> Agent:
        """The preferred agent of a phase."""
        return self.team[self.lineup.of(phase)[0]]

    @property
    def every(self) -> Agent:
        return self.team[self.lineup.every[0]]


def unwatched_cost(settings: Settings) -> str:
    """A warning if a cost budget is set, an agent does not report its cost, and no prices are set; otherwise empty."""
    bounded = settings.max_cost is not None or any(budget.cost is not None for budget in settings.budget.values())
    asked = dict.fromkeys(choice.agent or "" for choice in every_choice(settings))
    silent = [name for name in asked if (client := CLIENTS.get(name.partition(":")[0])) and not client.tells_cost]
    if not bounded or not silent or settings.prices:
        return ""
    return f"{' and '.join(silent)} does not report the cost of a call: a cost budget needs your prices under [prices]"


def every_choice(settings: Settings) -> Iterator[AgentChoice]:
    """All agents that a run may ask: those of its phases, their fallbacks, and who takes over without progress."""
    for phase in PHASES[settings.workflow or Workflow.TDD]:
        choice = choice_for(settings, phase)
        yield from (*in_order(choice), *escalation_of(settings, choice))


def build_agents(settings: Settings, host: Host) -> Agents:
    every = in_order(choice_for(settings))
    own = {phase: order for phase in Phase if (order := in_order(choice_for(settings, phase))) != every}
    steps = {phase: taken for phase in Phase if (taken := escalation_of(settings, choice_for(settings, phase)))}
    _refuse_useless_models(settings)
    names = _named(chain(every, *own.values(), *steps.values()), host.redactor)
    return Agents(
        team={
            name: agent_of(choice, host.project, host.supervisor, settings.timeout) for choice, name in names.items()
        },
        lineup=Lineup(
            every=tuple(names[choice] for choice in every),
            by_phase={phase: tuple(names[choice] for choice in order) for phase, order in own.items()},
            escalation={phase: tuple(names[choice] for choice in order) for phase, order in steps.items()},
        ),
    )


def _named(choices: Iterable[AgentChoice], redactor: Redactor) -> dict[AgentChoice, str]:
    """A name for each choice, with secrets redacted; a name that is already taken gets a number."""
    names: dict[AgentChoice, str] = {}
    for choice in dict.fromkeys(choices):
        label = redactor.text(label_of(choice))
        numbered = (f"{label} ({number})" for number in count(2))
        names[choice] = next(name for name in chain((label,), numbered) if name not in names.values())
    return names


def choice_for(settings: Settings, phase: Phase | None = None) -> AgentChoice:
    """The agent of a phase: `agents.default`, overridden by the settings of the whole run, then by `agents.<phase>`.

    A layer that names another agent drops the model and args of the layers below, which were for the earlier agent.
    If no agent was named below, they apply to the new one.
    """
    whole_run = AgentChoice(
        agent=settings.agent, command=settings.agent_command, model=settings.model, fallback=settings.fallback
    )
    layers = [settings.agents.get(DEFAULT, AgentChoice()), whole_run]
    if phase is not None:
        layers.append(settings.agents.get(phase.lower(), AgentChoice()))
    if phase is Phase.QA:
        layers.append(AgentChoice(agent=settings.qa_agent, command=settings.qa_agent_command))
    return reduce(_over, layers, AgentChoice())


def _over(below: AgentChoice, above: AgentChoice) -> AgentChoice:
    named, before = (above.agent, above.command), (below.agent, below.command)
    if any(named) and any(before) and named != before:
        below = AgentChoice(env=below.env, session=below.session, fallback=below.fallback)
    return below.but(**{name: value for name, value in vars(above).items() if value})


def choice_of(settings: Settings, name: str) -> AgentChoice:
    """How a run would ask an agent: as in the first role that has it; by its name alone if none does."""
    choices = (each.but(agent=each.agent or name) for each in every_choice(settings) if not each.command)
    return next((each for each in choices if (each.agent or "").partition(":")[0] == name), AgentChoice(agent=name))


def in_order(choice: AgentChoice) -> tuple[AgentChoice, ...]:
    """The agent of a role, then its fallbacks, which share its variables and its use of sessions."""
    first = choice.but(fallback=())
    others = (_taking_over(choice, name) for name in choice.fallback)
    return tuple(dict.fromkeys((first, *others)))


def escalation_of(settings: Settings, choice: AgentChoice) -> tuple[AgentChoice, ...]:
    """The agents that take over from one without progress: itself with stronger models, then others."""
    name, first = (choice.agent or "").partition(":")[0], choice.but(fallback=())
    takes_models = name in CLIENTS and not choice.command
    models = [first.but(agent=name, model=model) for model in settings.escalation.models] if takes_models else []
    others = (_taking_over(choice, name) for name in settings.escalation.agents)
    return tuple(each for each in dict.fromkeys((*models, *others)) if each != first)


def _refuse_useless_models(settings: Settings) -> None:
    """Refuse models to escalate to that no agent of the run can be given."""
    asked = (choice_for(settings, phase) for phase in PHASES[settings.workflow or Workflow.TDD])
    if settings.escalation.models and not any(
        not each.command and (each.agent or "").partition(":")[0] in CLIENTS for each in asked
    ):
        raise SettingError(
            "escalation.models has no effect: no agent of this run takes a model.",
            "Leave it out, or name other agents under escalation.agents.",
        )


def _taking_over(choice: AgentChoice, name: str) -> AgentChoice:
    head, _, command = name.partition(":")
    named = AgentChoice(command=command) if head == "command" else AgentChoice(agent=name)
    return named.but(env=choice.env, session=choice.session)


def label_of(choice: AgentChoice) -> str:
    """The name of an agent in a run: its command, or its name and model."""
    return choice.command or ":".join(filter(None, (choice.agent, choice.model)))


def agent_of(choice: AgentChoice, project: Path, supervisor: Supervisor, timeout: float | None) -> Agent:
    """The chosen agent, ready to be asked. Raises SettingError if the choice is missing or invalid."""
    if choice.command and choice.agent not in (None, "command"):
        raise SettingError(
            "Both an agent and an agent command are given.",
            "Give --agent or --agent-command, not both; for the review --qa-agent or --qa-agent-command.",
        )
    order = AgentOrder(
        project=project,
        supervisor=supervisor,
        timeout=timeout,
        model=choice.model,
        args=choice.args,
        variables=choice.env,
        session=choice.session or SessionUse.PHASE,
    )
    if choice.command:
        _refuse_model(choice, "an agent command", "Write it into the command.")
        _refuse_open_quote(choice.command)
        require_program(split_command(choice.command)[0], project, supervisor.environment)
        return AGENTS["command"](replace(order, argument=choice.command))
    return _by_name(choice, order)


def _by_name(choice: AgentChoice, order: AgentOrder) -> Agent:
    name, _, argument = (choice.agent or "").partition(":")
    require_named(choice)
    if name in CLIENTS:
        require_client(CLIENTS[name], order.supervisor.environment)
    else:
        _refuse_model(choice, f"the agent {name}", "Leave it out.")
    if argument and choice.model:
        raise SettingError(f"Two models are given, {argument} and {choice.model}.", "Give one of them.")
    return AGENTS[name](replace(order, argument=argument))


def require_named(choice: AgentChoice) -> None:
    """Raise SettingError if a choice names no agent, or one that is unknown."""
    name = (choice.agent or "").partition(":")[0]
    if choice.command or (name in AGENTS and name != "command"):
        return
    known = sorted(AGENTS.keys() - {"command"})
    raise SettingError(
        f"There is no agent '{choice.agent}'." if choice.agent else "No agent is given.",
        f"{did_you_mean(name, known)}Give --agent-command CMD, or --agent with one of: {', '.join(known)}.",
    )


def _refuse_open_quote(command: str) -> None:
    """Reject a command that the shell cannot parse: every call would fail, as if the agent crashed."""
    parsed = subprocess.run(["/bin/sh", "-n", "-c", command], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if parsed.returncode:
        said = parsed.stderr.strip().splitlines()[-1:] or ["it cannot be parsed"]
        raise SettingError(
            f"The agent command is not a valid command line: {command} ({said[0]}).", "Close its quotes and brackets."
        )


def _refuse_model(choice: AgentChoice, who: str, next_step: str) -> None:
    for what, given in (("model", choice.model), ("args", " ".join(choice.args))):
        if given:
            raise SettingError(f"{what} = {given} has no effect with {who}.", next_step)
