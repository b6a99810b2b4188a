"""Which agent a role has, from all places where one can be named."""

import os
from pathlib import Path

import pytest

from dualgate.core.values.vocabulary import Phase
from dualgate.errors import SettingError
from dualgate.processes.supervisor import Supervisor
from dualgate.session.team import agent_of, choice_for
from dualgate.settings import AgentChoice, Settings

CLAUDE = AgentChoice(agent="claude", model="opus", args=("--x",), env=("DB_URL",))
CASES: list[tuple[Settings, Phase | None, AgentChoice]] = [
    (Settings(), None, AgentChoice()),
    (Settings(agents={"default": CLAUDE}), None, CLAUDE),
    (Settings(agents={"default": CLAUDE}), Phase.QA, CLAUDE),
    # what is said for the whole run stands over the default, and of the same agent the rest still holds
    (Settings(agent="claude", agents={"default": CLAUDE}), None, CLAUDE),
    (
        Settings(model="haiku", agents={"default": AgentChoice(agent="claude")}),
        None,
        AgentChoice(agent="claude", model="haiku"),
    ),
    # another agent has neither the model nor the words of the first
    (Settings(agent="codex", agents={"default": CLAUDE}), None, AgentChoice(agent="codex", env=("DB_URL",))),
    # words for no agent in particular hold for the one that is named
    (
        Settings(agent="claude", agents={"default": AgentChoice(args=("--x",))}),
        None,
        AgentChoice(agent="claude", args=("--x",)),
    ),
    (
        Settings(agent="claude", model="opus", agents={"qa": AgentChoice(agent="codex")}),
        Phase.QA,
        AgentChoice(agent="codex"),
    ),
    (
        Settings(agent="claude", agents={"qa": AgentChoice(model="opus")}),
        Phase.QA,
        AgentChoice(agent="claude", model="opus"),
    ),
    (Settings(agent="claude", agents={"qa": AgentChoice(model="opus")}), Phase.GREEN, AgentChoice(agent="claude")),
    (Settings(agent="claude", qa_agent_command="review"), Phase.QA, AgentChoice(command="review")),
    (Settings(agent="claude", model="opus", qa_agent="codex:o3"), Phase.QA, AgentChoice(agent="codex:o3")),
    (Settings(agent="claude", qa_agent="codex"), Phase.GREEN, AgentChoice(agent="claude")),
    (Settings(qa_agent="codex", agents={"qa": CLAUDE}), Phase.QA, AgentChoice(agent="codex", env=("DB_URL",))),
    (Settings(agent="claude", qa_agent_command="review"), Phase.GREEN, AgentChoice(agent="claude")),
]


@pytest.mark.parametrize(("settings", "phase", "expected"), CASES)
def test_the_nearest_word_counts(settings: Settings, phase: Phase | None, expected: AgentChoice) -> None:
    assert choice_for(settings, phase) == expected


WRONG = [
    (AgentChoice(command="cat", model="opus"), "model = opus has no effect with an agent command."),
    (AgentChoice(agent="rehearsal", args=("--x",)), "args = --x has no effect with the agent rehearsal."),
    (AgentChoice(agent="rehearsal", command="cat"), "Both an agent and an agent command are given."),
    (AgentChoice(agent="command"), "There is no agent 'command'."),
]


@pytest.mark.parametrize(("choice", "message"), WRONG)
def test_what_does_not_fit_together_is_refused(choice: AgentChoice, message: str, tmp_path: Path) -> None:
    with pytest.raises(SettingError) as raised:
        agent_of(choice, tmp_path, Supervisor(os.environ), None)

    assert raised.value.message == message
