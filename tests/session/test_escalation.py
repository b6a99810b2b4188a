"""Settings -> who may take over without progress, and where they are shown and checked before a run."""

from pathlib import Path

import pytest

from dualgate.core.values.vocabulary import Phase
from dualgate.errors import SettingError
from dualgate.session.team import build_agents, choice_for, escalation_of, every_choice, label_of
from dualgate.settings import AgentChoice, Settings
from dualgate.settings.declaration import Escalation
from dualgate.testing import a_host


def steps(settings: Settings, phase: Phase = Phase.GREEN) -> list[str]:
    return [label_of(choice) for choice in escalation_of(settings, choice_for(settings, phase))]


def test_stronger_models_of_the_own_agent_come_before_other_agents() -> None:
    escalation = Escalation(models=("sonnet", "opus"), agents=("codex:gpt-5", "command:my-agent"))

    assert steps(Settings(agent="claude:haiku", escalation=escalation)) == [
        "claude:sonnet",
        "claude:opus",
        "codex:gpt-5",
        "my-agent",
    ]


def test_the_agent_of_a_phase_gets_the_models_and_one_without_models_gets_other_agents_only() -> None:
    settings = Settings(
        agent="claude",
        agents={"red": AgentChoice(agent="codex"), "qa": AgentChoice(command="review")},
        escalation=Escalation(models=("large",), agents=("claude",)),
    )

    assert steps(settings) == ["claude:large"]  # claude itself has worked already
    assert steps(settings, Phase.RED) == ["codex:large", "claude"]
    assert steps(settings, Phase.QA) == ["claude"]


def test_all_who_may_be_asked_are_known_before_a_run() -> None:
    settings = Settings(agent="claude", fallback=("gemini",), escalation=Escalation(models=("opus",)))

    assert {label_of(choice) for choice in every_choice(settings)} == {"claude", "gemini", "claude:opus"}


def test_models_that_no_agent_takes_are_refused(tmp_path: Path) -> None:
    settings = Settings(agent="rehearsal:honest", escalation=Escalation(models=("opus",)))

    with pytest.raises(SettingError, match=r"escalation.models has no effect"):
        build_agents(settings, a_host(tmp_path))


def test_an_unknown_agent_is_refused_before_the_run(tmp_path: Path) -> None:
    settings = Settings(agent="rehearsal:honest", escalation=Escalation(agents=("clod",)))

    with pytest.raises(SettingError, match="There is no agent 'clod'"):
        build_agents(settings, a_host(tmp_path))
