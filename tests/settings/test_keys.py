import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from dualgate.settings import AgentChoice, Settings
from dualgate.settings.declaring import Group
from dualgate.settings.keys import KEYS, NAMED, value_at


def leaves(value: Any, way: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The way to everything in Settings that is no group."""
    if isinstance(value, Group):
        inner: Mapping[str, Any] = {name: part for name, part in vars(value).items() if way or name not in NAMED}
    elif dataclasses.is_dataclass(value):
        inner = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    elif isinstance(value, dict):
        inner = value
    else:
        yield way
        return
    for name, part in inner.items():
        yield from leaves(part, (*way, name))


def test_every_setting_has_a_key_and_every_key_a_setting() -> None:
    assert {key.at for key in KEYS.values()} == set(leaves(Settings()))


def test_the_tables_with_names_have_the_fields_of_what_they_make() -> None:
    for named in NAMED.values():
        assert all(hasattr(named.blank("x"), name) for name in named.keys if name)


def test_every_default_is_legal_where_it_is_a_value() -> None:
    for key in KEYS.values():
        value = value_at(Settings(), key)
        if value not in (None, "", ()):
            assert key.kind.read(value) == value


def test_every_key_says_in_a_line_what_it_is_for() -> None:
    assert [key.name for key in KEYS.values() if not key.doc.endswith(".") or len(key.doc) > 100] == []


def test_no_two_keys_have_the_same_variable() -> None:
    assert len({key.variable for key in KEYS.values()}) == len(KEYS)


def test_settings_are_values_that_nobody_changes() -> None:
    settings = Settings(documents=1)

    assert (settings, settings.but(documents=3)) == (Settings(documents=1), Settings())
    assert settings != Settings()
    assert {AgentChoice(agent="a"): 1}[AgentChoice(agent="a")] == 1
    assert repr(AgentChoice(agent="a")).startswith("AgentChoice(agent='a', command=None")
    with pytest.raises(AttributeError, match="documents of Settings cannot be set to 2"):
        settings.documents = 2  # type: ignore[misc]
    with pytest.raises(TypeError, match="Settings has no colour"):
        Settings(colour="red")  # type: ignore[call-arg]
