"""The keys of the declaration by name, and their values in Settings."""

from collections.abc import Mapping
from typing import Any

from dualgate.core.values.suggestion import did_you_mean
from dualgate.settings.declaration import Settings
from dualgate.settings.declaring import Group, Key, Named, Nested, keys_of

KEYS = {key.name: key for key in keys_of(Settings.parts)}
NAMED = {name: part for name, part in Settings.parts.items() if isinstance(part, Named)}
GROUPS = {name.rsplit(".", depth)[0] for name in KEYS for depth in range(1, name.count(".") + 1)} | set(NAMED)
SHORT = {
    name: f"{name}.{part.short}" for name, part in Settings.parts.items() if isinstance(part, Nested) and part.short
}
"""Groups that may be given as one value, with the key that it sets."""


def find_key(name: str) -> Key | None:
    """The key of a name, also in tables that users name."""
    group, _, rest = name.partition(".")
    if group not in NAMED:
        return KEYS.get(SHORT.get(name, name))
    return NAMED[group].find(group, rest)


def is_group(name: str) -> bool:
    group, _, table = name.partition(".")
    return name in GROUPS or (group in NAMED and NAMED[group].has(table))


def setting_meant(name: str) -> str:
    """The question for the setting that is closest to a name; empty if none is close."""
    group, _, rest = name.partition(".")
    known = [*KEYS, *GROUPS]
    if group in NAMED:
        table = rest.rpartition(".")[0]
        known += [key.name for key in NAMED[group].keys_in(group, table)]
        known += [f"{group}.{one}" for one in NAMED[group].names]
    return did_you_mean(name, known, likeness=0.75)


def value_at(settings: Settings, key: Key) -> Any:
    """The value of a key; its default if its table is missing."""
    node: Any = _with_table(settings, key)
    for step in key.at:
        node = node[step] if isinstance(node, Mapping) else getattr(node, step)
    return node


def with_value(settings: Settings, key: Key, value: Any) -> Settings:
    changed = _put(_with_table(settings, key), key.at, value)
    assert isinstance(changed, Settings)
    return changed


def _with_table(settings: Settings, key: Key) -> Settings:
    group = key.at[0]
    if group not in NAMED or (table := key.at[1]) in (tables := getattr(settings, group)):
        return settings
    return settings.but(**{group: {**tables, table: NAMED[group].blank(table)}})


def _put(node: Any, way: tuple[str, ...], value: Any) -> Any:
    from dataclasses import replace

    if not way:
        return value
    step, rest = way[0], way[1:]
    if isinstance(node, Mapping):
        return {**node, step: _put(node[step], rest, value)}
    inner = {step: _put(getattr(node, step), rest, value)}
    return node.but(**inner) if isinstance(node, Group) else replace(node, **inner)
