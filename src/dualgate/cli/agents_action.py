"""The action of agents: list installed agents and what is missing; try one with a tiny call."""

import os
import re
import tempfile
from dataclasses import asdict
from pathlib import Path

import click

from dualgate.agents.client import Client
from dualgate.agents.client_agent import require_client
from dualgate.agents.inspection import AgentState, inspect_agent
from dualgate.agents.registry import CLIENTS
from dualgate.cli.output import here, say, say_json, show
from dualgate.cli.outside import require_person
from dualgate.cli.signals import stoppable
from dualgate.core.gates.reactions import REACTIONS, Response
from dualgate.core.values.answer import LIMITS, AgentCall, AgentReply, Answer
from dualgate.core.values.suggestion import did_you_mean
from dualgate.core.values.vocabulary import Phase
from dualgate.display.agents import AgentRow, agent_lines
from dualgate.errors import ExitCode, SettingError
from dualgate.processes.supervisor import Supervisor
from dualgate.session.team import agent_of, choice_of
from dualgate.settings.files import read_files
from dualgate.settings.resolving import resolve

WORD = "ready"
PROMPT = f"This is a test of the connection. Use no tool. Answer with the one word: {WORD}"
# A model may say a little more than the word; one that did not see the prompt does not say it first or last.
THE_WORD = re.compile(rf"\W*{WORD}\b.*|(?:.*\W)?{WORD}\W*", re.IGNORECASE | re.DOTALL)
LONGEST_ANSWER = 1000


def list_agents(as_json: bool) -> int:
    supervisor = Supervisor(os.environ)
    states = [inspect_agent(CLIENTS[name], supervisor, here()) for name in sorted(CLIENTS)]
    if as_json:
        say_json({"agents": [{**asdict(state), "usable": state.usable} for state in states]})
    else:
        show(agent_lines(map(_row, states)))
    return ExitCode.PROVEN


def try_one(name: str, model: str | None, timeout: float, as_json: bool) -> int:
    require_person(f"agents try {name}")
    client = _client(name)
    require_client(client, os.environ)
    choice = choice_of(resolve(os.environ, {}, read_files(here(), os.environ)).settings, name)
    choice = choice.but(agent=name, model=model) if model else choice
    bound = f"{name}: one call, at most about {client.smallest_call:,} tokens, and what your own settings of it add"
    if as_json:
        click.echo(bound, err=True)
    else:
        say(bound)
    supervisor = Supervisor(os.environ)
    with tempfile.TemporaryDirectory(prefix="dualgate-try-") as folder, stoppable(supervisor.jobs) as control:
        agent = agent_of(choice, Path(folder), supervisor, timeout)
        # as a reviewer's call, which may not write files
        call = AgentCall(number=1, ordinal=1, phase=Phase.QA, iteration=1, session_id="try", prompt=PROMPT)
        reply = agent.ask(call, control)
    if as_json:
        say_json({**_record(name, reply), "at_most_tokens": client.smallest_call})
    else:
        say(_told(reply))
    return _exit_code(reply)


def _client(name: str) -> Client:
    if name not in CLIENTS:
        raise SettingError(
            f"There is no agent '{name}' to try.",
            f"{did_you_mean(name, CLIENTS)}Name one of: {', '.join(sorted(CLIENTS))}.",
        )
    return CLIENTS[name]


def _row(state: AgentState) -> AgentRow:
    return AgentRow(
        name=state.name,
        path=state.path,
        version=state.version,
        login=state.login,
        login_from=state.login_from,
        missing=state.missing,
    )


def _told(reply: AgentReply) -> str:
    answer = reply.answer
    if answer.failure is not None:
        return f"it does not work: {answer.failure.sentence}"
    if not _is_the_word(answer):
        return f"it answers, but not with the word it was asked for ('{WORD}'): '{answer.text.strip()[:80]}'"
    used = f", {answer.usage.input + answer.usage.output:,} tokens" if answer.usage else ""
    model = f", model {answer.model}" if answer.model else ""
    return f"it works: '{answer.text.strip()[:80]}' after {reply.seconds:.1f} s{used}{model}"


def _is_the_word(answer: Answer) -> bool:
    said = answer.text.strip()
    return len(said) <= LONGEST_ANSWER and THE_WORD.fullmatch(said) is not None


def _record(name: str, reply: AgentReply) -> dict[str, object]:
    answer = reply.answer
    return {
        "name": name,
        "works": answer.failure is None and _is_the_word(answer),
        "answer": answer.text,
        "model": answer.model,
        "usage": asdict(answer.usage) if answer.usage else None,
        "cost_usd": answer.cost_usd,
        "seconds": round(reply.seconds, 3),
        "failure": answer.failure and {"kind": answer.failure.kind, "message": answer.failure.sentence},
    }


def _exit_code(reply: AgentReply) -> ExitCode:
    failure = reply.answer.failure
    if failure is None:
        return ExitCode.PROVEN if _is_the_word(reply.answer) else ExitCode.ERROR
    if failure.kind in LIMITS:
        return ExitCode.RATE_LIMITED
    return ExitCode.BLOCKED if REACTIONS[failure.kind].response is Response.GIVE_UP else ExitCode.ERROR
