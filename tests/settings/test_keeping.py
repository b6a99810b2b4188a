"""Settings of a session that goes on."""

import pytest

from dualgate.core.values.limits import Limits, PhaseBudget
from dualgate.core.values.vocabulary import OnQuestion, Phase
from dualgate.settings import Settings
from dualgate.settings.keeping import kept_budgets, kept_settings, restored_settings

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
    settings = restored_settings(kept_settings(before), flags)

    assert (settings.agent, settings.agent_command, settings.model) == expected


def test_flags_of_a_session_that_goes_on_are_read_as_settings_are() -> None:
    flags = {"max_tokens": "off", "on_question": "halt", "idle_timeout": "off", "budget.GREEN.cost": 2}

    settings = restored_settings(kept_settings(Settings(max_tokens=9)), flags)

    assert (settings.max_tokens, settings.on_question, settings.idle_timeout) == (None, OnQuestion.HALT, None)
    assert settings.budget[Phase.GREEN] == PhaseBudget(cost=2.0)


def test_a_budget_that_was_raised_stays_so_until_another_is_given() -> None:
    raised = Limits(max_tokens=20, max_duration=60.0, budgets={Phase.QA: PhaseBudget(calls=3)})
    before = {**kept_settings(Settings(max_tokens=10, max_cost=1.0)), **kept_budgets(raised)}

    settings = restored_settings(before, {"max_tokens": None})
    assert (settings.max_tokens, settings.max_cost, settings.max_duration) == (20, None, 60.0)
    assert (settings.budget[Phase.QA], settings.budget[Phase.GREEN]) == (PhaseBudget(calls=3), PhaseBudget())
    assert restored_settings(before, {"max_tokens": 40}).max_tokens == 40
