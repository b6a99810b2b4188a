"""Settings of a session that goes on."""

import json

import pytest

from dualgate.core.values.limits import Limits, PhaseBudget
from dualgate.core.values.vocabulary import OnQuestion, Phase
from dualgate.errors import SettingError
from dualgate.settings import Settings
from dualgate.settings.declaration import Breaker
from dualgate.settings.keeping import kept_settings, restored_settings
from dualgate.settings.limits import limits_of
from dualgate.settings.resolving import SettingsFile, Source, resolve

WHO_IS_ASKED = [
    (Settings(agent_command="a"), {"agent": "rehearsal"}, ("rehearsal", None, None)),
    (Settings(agent="claude", model="opus"), {"agent_command": "b"}, (None, "b", None)),
    (Settings(agent="claude", model="opus"), {"model": "haiku"}, ("claude", None, "haiku")),
    (Settings(agent="claude", model="opus"), {"agent": None}, ("claude", None, "opus")),
]


@pytest.mark.parametrize(("before", "flags", "expected"), WHO_IS_ASKED)
def test_another_agent_that_is_given_takes_the_place_of_the_one_before(
    before: Settings, flags: dict[str, object], expected: tuple[str | None, ...]
) -> None:
    settings = restored_settings(kept_settings(before), limits_of(before), flags)

    assert (settings.agent, settings.agent_command, settings.model) == expected


def test_flags_of_a_session_that_goes_on_are_read_as_settings_are() -> None:
    flags = {"max_tokens": "off", "on_question": "halt", "idle_timeout": "off", "budget.GREEN.cost": 2}

    settings = restored_settings(kept_settings(Settings(max_tokens=9)), Limits(max_tokens=9), flags)

    assert (settings.max_tokens, settings.on_question, settings.idle_timeout) == (None, OnQuestion.HALT, None)
    assert settings.budget[Phase.GREEN] == PhaseBudget(cost=2.0)


def test_a_budget_that_was_raised_stays_so_until_another_is_given() -> None:
    raised = Limits(max_tokens=20, max_duration=60.0, budgets={Phase.QA: PhaseBudget(calls=3)}, documents=9)
    before = kept_settings(Settings(max_tokens=10, max_cost=1.0))

    settings = restored_settings(before, raised, {"max_tokens": None})
    assert (settings.max_tokens, settings.max_cost, settings.max_duration) == (20, None, 60.0)
    assert (settings.budget[Phase.QA], settings.budget[Phase.GREEN]) == (PhaseBudget(calls=3), PhaseBudget())
    assert settings.documents == 3
    assert restored_settings(before, raised, {"max_tokens": 40}).max_tokens == 40


EVERYTHING = """
agent = "claude"
fallback = ["codex"]
setup = "make deps"
idle_timeout = "off"
timeout = "90s"
wait = false
max_cost = 5
sandbox = "bwrap"
[guard]
frozen = ["golden/**"]
[breaker]
cooldown = "1h"
GREEN.no_progress = 9
[budget.QA]
calls = 3
[env]
up = "docker compose up -d"
[checks]
lint = "make lint"
[suites.web]
command = "npm test"
required = false
[agents.qa]
session = "fresh"
args = ["--fast"]
[prices."local*"]
input = 0
output = 0
"""


def test_settings_are_restored_as_they_were_kept() -> None:
    file = SettingsFile(path="dualgate.toml", source=Source.PROJECT_FILE, text=EVERYTHING)
    settings = resolve({}, {}, [file]).settings
    as_read = json.loads(json.dumps(kept_settings(settings)))

    assert restored_settings(as_read, limits_of(settings), {}) == settings
    assert restored_settings(kept_settings(Settings()), Limits(), {}) == Settings()


def test_settings_of_a_version_that_knew_more_or_less_are_read_as_far_as_they_are_known() -> None:
    kept = {"documents": 1, "colour": "red", "agents": {"tester": {"agent": "x"}}, "breaker": {"cooldown": 60.0}}

    assert restored_settings(kept, Limits(), {}) == Settings(documents=1, breaker=Breaker(cooldown=60.0))


def test_settings_that_were_kept_and_are_not_legal_are_refused_by_name() -> None:
    with pytest.raises(SettingError, match="was started with cannot be read: documents is many; legal is a whole"):
        restored_settings({"documents": "many"}, Limits(), {})


def test_checks_of_an_old_journal_were_a_list_of_commands_that_may_be_run() -> None:
    kept = kept_settings(Settings(agent="claude")) | {"checks": ["lint", "make types"]}

    settings = restored_settings(kept, Limits(), {})

    assert (settings.agent, settings.checks) == ("claude", {})


def test_a_reviewer_that_is_named_anew_replaces_the_one_before() -> None:
    before = kept_settings(Settings(agent="claude", qa_agent_command="cat"))

    settings = restored_settings(before, Limits(), {"qa_agent": "codex"})

    assert (settings.agent, settings.qa_agent, settings.qa_agent_command) == ("claude", "codex", None)
