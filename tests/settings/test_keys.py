import dataclasses
from collections.abc import Iterator
from typing import Any

from dualgate.settings import Settings
from dualgate.settings.keys import KEYS, NAMED, value_at


def leaves(value: Any, way: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The way to everything in Settings that is no group."""
    if dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            if field.name not in NAMED:
                yield from leaves(getattr(value, field.name), (*way, field.name))
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, (*way, name))
    else:
        yield way


def test_every_setting_has_a_key_and_every_key_a_setting() -> None:
    assert {key.at for key in KEYS.values()} == set(leaves(Settings()))


def test_the_tables_with_names_have_the_fields_of_what_they_make() -> None:
    for named in NAMED.values():
        fields = {field.name for field in dataclasses.fields(named.blank("x"))}
        assert named.keys.keys() <= fields


def test_every_default_is_legal_where_it_is_a_value() -> None:
    for key in KEYS.values():
        value = value_at(Settings(), key)
        if value not in (None, "", ()):
            assert key.kind.read(value) == value


def test_every_key_says_in_a_line_what_it_is_for() -> None:
    assert [key.name for key in KEYS.values() if not key.doc.endswith(".") or len(key.doc) > 100] == []


def test_no_two_keys_have_the_same_variable() -> None:
    assert len({name.upper().replace(".", "_") for name in KEYS}) == len(KEYS)
