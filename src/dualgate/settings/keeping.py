"""Settings -> plain values that a journal can keep, and back."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dualgate.core.values.limits import Limits
from dualgate.core.values.vocabulary import Phase
from dualgate.errors import SettingError
from dualgate.settings.keys import find_key, with_value
from dualgate.settings.values import Settings

WHO = frozenset({"agent", "agent_command"})
"""Two ways to say who is asked: one that is given now takes the place of both, and of what was said of the model."""

BUDGETS = ("max_duration", "max_calls_per_hour", "max_tokens_per_hour", "max_tokens", "max_cost")
"""Settings that are limits of the same name."""


def kept_settings(settings: Settings) -> dict[str, Any]:
    import msgspec

    plain: dict[str, Any] = msgspec.to_builtins(settings)
    return plain


def kept_budgets(limits: Limits) -> dict[str, Any]:
    """The settings of what a run may take and use, as they hold by now: a budget that was raised stays so."""
    import msgspec

    budgets = {phase: limits.budget_of(phase) for phase in Phase}
    plain: dict[str, Any] = msgspec.to_builtins({name: getattr(limits, name) for name in BUDGETS} | {"budget": budgets})
    return plain


def restored_settings(kept: Mapping[str, Any], flags: Mapping[str, Any]) -> Settings:
    """Settings as they were kept, with those that are given now over them; of flags, what is None was not given."""
    import msgspec

    try:
        settings = msgspec.convert(dict(kept), type=Settings, strict=False)
    except msgspec.ValidationError as error:
        raise SettingError(f"The settings that the session was started with cannot be read: {error}.") from error
    given = {name: value for name, value in flags.items() if value is not None}
    if given.keys() & WHO:
        settings = replace(settings, agent=None, agent_command=None, model=None)
    for name, value in given.items():
        key = find_key(name)
        if key is not None:
            settings = with_value(settings, key, key.kind.read(value))
    return settings
