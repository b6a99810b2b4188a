"""The words a setting is declared with: `key`, `by_phase`, `named` and `group`, as fields of a class.

A command's help is made from the declaration, so its import must be fast: no dataclass is made.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any, NamedTuple, Self, TypeVar, cast, dataclass_transform

from dualgate.core.values.vocabulary import Phase
from dualgate.settings.kinds import Kind

T = TypeVar("T")
V = TypeVar("V")
VALUE = ""
"""The key of tables that are a value themselves: `NAME = VALUE` instead of a table with keys."""


class Key(NamedTuple):
    """One setting. `name` and `at` follow from its place in the declaration."""

    kind: Kind[Any]
    doc: str
    default: Any = None
    flag: str = ""
    """As help shows it: its names, and the word for its value."""
    help: str = ""
    """The help text of the flag, if it differs from `doc`."""
    decides: bool = False
    """Whether decisions of a run depend on it, so that `replay --what-if` may change it."""
    is_budget: bool = False
    """Whether a raised value stays when the session is resumed."""
    name: str = ""
    at: tuple[str, ...] = ()
    """The path to its value, starting at Settings."""

    @property
    def variable(self) -> str:
        return f"DUALGATE_{self.name.upper().replace('.', '_')}"

    @property
    def flags(self) -> tuple[str, ...]:
        return tuple(word.rstrip(",") for word in self.flag.split() if word.startswith("--"))

    @property
    def metavar(self) -> str | None:
        """The placeholder for the value in help; None for a flag without one."""
        return next((word for word in self.flag.split() if not word.startswith("--")), None)

    def start(self) -> Any:
        return self.default


class Named(NamedTuple):
    """Tables with names from the user: suites, checks, roles, and models with a price."""

    keys: Mapping[str, Key]
    blank: Callable[[str], Any]
    names: tuple[str, ...]
    """The legal names; if empty, any name that matches the pattern."""
    pattern: str

    def has(self, name: str) -> bool:
        return name in self.names if self.names else re.fullmatch(self.pattern, name, re.ASCII) is not None

    def find(self, group: str, rest: str) -> "Key | None":
        """The key of a name below the group: NAME.KEY, or NAME alone if each name has one value."""
        table, last = (rest, VALUE) if VALUE in self.keys else rest.rpartition(".")[::2]
        if not self.has(table) or last not in self.keys:
            return None
        at = (group, table, last) if last else (group, table)
        return self.keys[last]._replace(name=".".join(at), at=at)

    def keys_in(self, group: str, table: str) -> "list[Key]":
        """The keys of one table."""
        found = (self.find(group, f"{table}.{last}" if last else table) for last in self.keys)
        return [key for key in found if key]

    def start(self) -> Any:
        return {}


class Nested(NamedTuple):
    """A group of settings: a class of them, a value of core with keys for its fields, or such a value by phase."""

    start: Callable[[], Any]
    parts: "Mapping[str, Part]"
    short: str = ""
    """The key that is set if the group is given as a single value."""
    is_named: bool = True
    """Whether its name is part of the names of its keys."""


Part = Key | Named | Nested


def key(
    default: T,
    kind: Kind[V],
    doc: str,
    *,
    flag: str = "",
    help: str = "",  # noqa: A002  # as click calls it
    decides: bool = False,
    budget: bool = False,
) -> T | V:
    """A setting; mypy checks that its type, default and kind agree."""
    return cast(T | V, Key(kind, doc, default, flag, help, decides or budget, budget))


def by_phase(start: Callable[[], Mapping[Phase, V]], *, is_named: bool = True, **keys: Key) -> Mapping[Phase, V]:
    """A value for each phase, with these keys for its fields; `{}` in a text becomes the phase."""
    parts: dict[str, Part] = {}
    for phase in Phase:
        parts[phase] = Nested(start, {name: each._replace(doc=each.doc.format(phase)) for name, each in keys.items()})
    return cast(Mapping[Phase, V], Nested(start, parts, is_named=is_named))


def named(
    blank: Callable[[str], V], keys: Mapping[str, Key], names: tuple[str, ...] = (), pattern: str = r"[\w-]+"
) -> Mapping[str, V]:
    """Tables that users name, with these keys in each."""
    return cast(Mapping[str, V], Named(keys, blank, names, pattern))


def group(start: Callable[[], V], *, short: str = "", **keys: Key) -> V:
    """Settings under one name: those that the class declares, or these keys for the fields of a value."""
    return cast(V, Nested(start, keys or cast(type[Group], start).parts, short))


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Group(SimpleNamespace):
    """Settings by name, as a frozen dataclass would hold them."""

    parts: Mapping[str, Part]

    def __init_subclass__(cls) -> None:
        cls.parts = {name: vars(cls)[name] for name in cls.__annotations__}

    def __init__(self, **given: Any) -> None:
        if unknown := given.keys() - self.parts.keys():
            raise TypeError(f"{type(self).__name__} has no {', '.join(unknown)}")
        parts = self.parts.items()
        super().__init__(**{name: given[name] if name in given else part.start() for name, part in parts})

    def but(self, **given: Any) -> Self:
        """A copy with these values changed."""
        return type(self)(**vars(self) | given)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{name} of {type(self).__name__} cannot be set to {value!r}: settings are frozen")

    def __hash__(self) -> int:  # type: ignore[override]  # a namespace has none, since it can be changed
        return hash(tuple(vars(self).values()))


def keys_of(parts: Mapping[str, Part], before: str = "", at: tuple[str, ...] = ()) -> Iterator[Key]:
    """Every key with its name, in the order of declaration, without the tables that users name."""
    for name, part in parts.items():
        if isinstance(part, Key):
            yield part._replace(name=f"{before}{name}", at=(*at, name))
        elif isinstance(part, Nested):
            yield from keys_of(part.parts, f"{before}{name}." if part.is_named else before, (*at, name))
