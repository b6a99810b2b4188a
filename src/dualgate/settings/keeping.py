"""Settings <-> plain values for the journal."""

from collections.abc import Mapping
from functools import reduce
from typing import Any

from dualgate.core.values.limits import Limits
from dualgate.errors import SettingError
from dualgate.settings.declaration import Settings
from dualgate.settings.keys import KEYS, NAMED, SHORT, find_key, value_at, with_value
from dualgate.settings.limits import with_budgets

_WHO: Mapping[frozenset[str], Mapping[str, None]] = {
    frozenset({"agent", "agent_command"}): {"agent": None, "agent_command": None, "model": None},
    frozenset({"qa_agent", "qa_agent_command"}): {"qa_agent": None, "qa_agent_command": None},
}
"""Two ways to name an agent: a new one replaces both, and the model."""


_OF_THE_PERSON = ("notify", "hooks", "otel")
"""Groups of the person who runs the session: they are read again on resume, and may contain secrets."""


def kept_settings(settings: Settings) -> dict[str, Any]:
    import msgspec

    plain: dict[str, Any] = msgspec.to_builtins(settings, enc_hook=vars)
    return {name: value for name, value in plain.items() if name not in _OF_THE_PERSON}


def restored_settings(kept: Mapping[str, Any], limits: Limits, flags: Mapping[str, Any]) -> Settings:
    """The kept settings, then the budgets of `limits` (a raised one stays raised), then the flags that are not None."""
    settings = with_budgets(_read(kept), limits)
    given = {key: value for name, value in flags.items() if value is not None and (key := find_key(name))}
    for ways, nobody in _WHO.items():
        if ways & {key.name for key in given}:
            settings = settings.but(**nobody)
    for key, value in given.items():
        settings = with_value(settings, key, key.kind.read(value))
    return settings


def _in_group(name: str, value: Any) -> Any:
    is_single = name in SHORT and not isinstance(value, Mapping)
    return {SHORT[name].rpartition(".")[2]: value} if is_single else value


def _read(kept: Mapping[str, Any]) -> Settings:
    settings = Settings()
    # a value in old journals can be a group now
    kept = {name: _in_group(name, value) for name, value in kept.items()}
    # a group was another kind of setting in old journals
    tables = ((group, table) for group in NAMED if isinstance(kept.get(group), Mapping) for table in kept[group])
    own = (key for group, table in tables for key in NAMED[group].keys_in(group, table))
    for key in (*KEYS.values(), *own):
        default = value_at(settings, key)
        value = reduce(lambda node, step: node.get(step, {}), key.at[:-1], kept).get(key.at[-1], default)
        if (tuple(value) if isinstance(value, list) else value) == default:
            continue  # a default may be empty, which is not legal as a given value
        try:
            settings = with_value(settings, key, key.kind.read(value))
        except ValueError:
            problem = f"{key.name} is {value}; legal is {key.kind.legal}"
            raise SettingError(f"The settings that the session was started with cannot be read: {problem}.") from None
    return settings
