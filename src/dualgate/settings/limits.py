"""Settings <-> Limits, the values that decisions depend on. Most have the same name in both."""

from dataclasses import fields, replace
from typing import Any

from dualgate.core.values.limits import Limits
from dualgate.core.values.suggestion import did_you_mean
from dualgate.core.values.vocabulary import OnQuestion, Phase
from dualgate.errors import SettingError
from dualgate.settings.declaration import Breaker, Settings
from dualgate.settings.declaring import Key
from dualgate.settings.keys import KEYS, with_value
from dualgate.settings.resolving import read_text

SAME = tuple(field.name for field in fields(Limits) if field.name in Settings.parts)
DECIDING = {key.name: key for key in KEYS.values() if key.decides}
BUDGETS = tuple(dict.fromkeys(key.at[0] for key in KEYS.values() if key.is_budget))
"""The settings that bound the time, calls, tokens and cost of a run."""


def limits_of(settings: Settings) -> Limits:
    _refuse_half_prices(settings)
    return Limits(**_as_limits(settings))


def with_budgets(settings: Settings, limits: Limits) -> Settings:
    """The settings with the budgets of the limits."""
    known = _as_settings(limits)
    return settings.but(**{name: getattr(known, name) for name in BUDGETS})


def with_limit(limits: Limits, word: str) -> Limits:
    """The limits with one of them changed by KEY=VALUE."""
    name, equals, text = word.partition("=")
    if not equals:
        raise SettingError(f"--what-if {word} has no value.", "Write KEY=VALUE, such as documents=1.")
    key = _deciding(name.strip())
    value = read_text(key, text.strip(), f"--what-if {key.name}")
    before = _as_settings(limits)
    was, now = _as_limits(before), _as_limits(with_value(before, key, value))
    return replace(limits, **{name: now[name] for name in now if now[name] != was[name]})


def _as_limits(settings: Settings) -> dict[str, Any]:
    return {name: getattr(settings, name) for name in SAME} | {
        "budgets": settings.budget,
        "thresholds": settings.breaker.thresholds,
        "cooldown": settings.breaker.cooldown,
        "halt_on_question": settings.on_question is OnQuestion.HALT,
    }


def _as_settings(limits: Limits) -> Settings:
    return Settings().but(
        **{name: getattr(limits, name) for name in SAME},
        budget={phase: limits.budget_of(phase) for phase in Phase},
        breaker=Breaker(cooldown=limits.cooldown, thresholds={phase: limits.of(phase) for phase in Phase}),
        on_question=OnQuestion.HALT if limits.halt_on_question else OnQuestion.ASSUME,
    )


def _deciding(name: str) -> Key:
    known = {other.lower(): key for other, key in DECIDING.items()}
    if (found := known.get(name.lower())) is not None:
        return found
    meant = did_you_mean(name, DECIDING)
    problem = f"No decision is compared with {name}." if name in KEYS else f"There is no setting {name}."
    raise SettingError(problem, f"{meant}Known settings: {', '.join(dict.fromkeys(map(_of_any_phase, DECIDING)))}.")


def _of_any_phase(name: str) -> str:
    return ".".join("PHASE" if step in tuple(Phase) else step for step in name.split("."))


def _refuse_half_prices(settings: Settings) -> None:
    """Half a price would silently leave the cost unknown."""
    for name, price in settings.prices.items():
        if price.input is None or price.output is None:
            raise SettingError(
                f"The price of {name} has no {'input' if price.input is None else 'output'}.",
                f'Write both under [prices."{name}"], in dollars for a million tokens.',
            )
