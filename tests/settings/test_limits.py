"""Settings and the limits that decisions compare with."""

from dataclasses import fields

import pytest

from dualgate.core.machine.replay import BETWEEN_CALLS
from dualgate.core.values.limits import Limits, PhaseBudget, Price, Thresholds
from dualgate.core.values.vocabulary import Phase
from dualgate.errors import SettingError
from dualgate.settings import Settings
from dualgate.settings.keys import KEYS
from dualgate.settings.limits import BUDGETS, SAME, limits_of, with_limit


def test_without_settings_the_limits_are_the_defaults_of_both() -> None:
    budgets = {phase: PhaseBudget() for phase in Phase}

    assert limits_of(Settings()) == Limits(budgets=budgets)


def test_a_limit_and_the_setting_of_its_name_have_one_type() -> None:
    types = {field.name: field.type for field in fields(Limits)}

    assert {name: types[name] for name in SAME if name != "prices"} == {
        name: Settings.__annotations__[name] for name in SAME if name != "prices"
    }


def test_every_setting_that_decides_reaches_the_limits() -> None:
    others = {"on_question", "breaker", "budget"}

    assert {key.at[0] for key in KEYS.values() if key.decides} - others <= set(SAME)


def test_every_budget_is_compared_before_a_call() -> None:
    assert {"budgets" if name == "budget" else name for name in BUDGETS} <= set(BETWEEN_CALLS)


def test_half_a_price_is_refused_since_nothing_can_be_computed_with_it() -> None:
    with pytest.raises(SettingError, match=r"The price of m has no output\.") as refused:
        limits_of(Settings(prices={"m": Price(input=1.0)}))

    assert refused.value.next_step == 'Write both under [prices."m"], in dollars for a million tokens.'


def test_the_limits_of_a_run_are_changed_by_the_names_of_the_settings() -> None:
    limits = Limits(documents=5)
    for word in ("qa_returns=0", "breaker.green.no_progress = 9", "on_question=halt", "max_duration=2h", "wait=no"):
        limits = with_limit(limits, word)

    assert (limits.documents, limits.qa_returns, limits.halt_on_question) == (5, 0, True)
    assert limits.of(Phase.GREEN) == Thresholds(no_progress=9, same_error=3)
    assert (limits.max_duration, limits.wait) == (7200.0, False)
    assert with_limit(limits, "budget.QA.calls=3").budget_of(Phase.QA) == PhaseBudget(calls=3)
    assert with_limit(Limits(), "wait=yes") == Limits()


WRONG = [
    ("document=1", "There is no setting document.\nDid you mean documents?"),
    ("timeout=1", "No decision is compared with timeout.\nKnown settings: max_iterations"),
    ("breaker.GREEN.no_progres=1", "Did you mean breaker.GREEN.no_progress?"),
    ("documents=-1", "--what-if documents is '-1'; legal is a whole number from 0 on."),
    ("documents", "--what-if documents has no value."),
]


@pytest.mark.parametrize(("word", "message"), WRONG)
def test_what_is_no_limit_is_refused_with_the_nearest_name(word: str, message: str) -> None:
    with pytest.raises(SettingError) as caught:
        with_limit(Limits(), word)

    assert message in str(caught.value)
