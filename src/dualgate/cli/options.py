"""The flags that are settings, and the settings that follow from them, the files and the environment.

Every command has them, and its help must not wait for more than this: what reads settings is imported when it is used.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from dualgate.settings.declaring import Key
from dualgate.settings.keys import KEYS
from dualgate.settings.kinds import FLAG, TEXT, TEXTS, Kind, duration

if TYPE_CHECKING:
    from dualgate.settings.resolving import Sourced

NOT_GIVEN = ("", "-", "[]")
F = TypeVar("F", bound=Callable[..., Any])


class Legal(click.ParamType):  # type: ignore[type-arg]  # generic only to type checkers
    """A value of a kind; where that is none at all, the word for it, since None is a flag that was not given."""

    def __init__(self, kind: Kind[Any]) -> None:
        self.name = kind.legal
        self.kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            found = self.kind.read(self.kind.parse(value) if isinstance(value, str) else value)
        except ValueError:
            self.fail(f"'{value}' is not {self.kind.legal}.", param, ctx)
        return value if found is None else found


DURATION = Legal(duration())


class Several(click.ParamType):  # type: ignore[type-arg]
    """`GREEN.tokens=200000`: the setting `budget.GREEN.tokens` and its value."""

    name = "budget"

    def __init__(self, keys: Sequence[Key]) -> None:
        self.keys = {key.name.partition(".")[2].lower(): key for key in keys}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Any]:
        name, _, text = str(value).partition("=")
        key = self.keys.get(name.strip().lower())
        if key is None:
            self.fail(f"'{value}' is no budget such as GREEN.tokens=200000, GREEN.cost=5 or QA.calls=3.", param, ctx)
        return key.name, Legal(key.kind).convert(text.strip(), param, ctx)


def _as_settings(ctx: click.Context, param: click.Parameter, given: Sequence[tuple[str, Any]]) -> None:
    """Each budget of a phase is a setting of its own, as if there were a flag for every one."""
    del param
    ctx.params |= dict(given)


def _options() -> Iterator[Callable[[F], F]]:
    """An option for each flag of the declaration; several keys may share one, which then takes their names."""
    of_flag: dict[str, list[Key]] = {}
    for key in KEYS.values():
        of_flag.setdefault(key.flag, []).append(key)
    del of_flag[""]
    for keys in of_flag.values():
        key, how = keys[0], _how(keys)
        name = (key.name,) if key.name.isidentifier() else ()  # else it follows from the flag
        yield click.option(*key.flags, *name, help=_help(key, "multiple" in how), metavar=key.metavar, **how)


def _how(keys: Sequence[Key]) -> dict[str, Any]:
    kind = keys[0].kind
    if len(keys) > 1:
        return {"type": Several(keys), "multiple": True, "expose_value": False, "callback": _as_settings}
    if kind is FLAG:
        return {"is_flag": True, "flag_value": not keys[0].default, "default": None}
    if kind is TEXTS:
        return {"multiple": True, "callback": lambda _context, _option, given: given or None}
    if kind is TEXT:
        return {}  # what is not legal is told as it is of files
    return {"type": click.Choice(kind.words) if kind.words else Legal(kind)}


def _help(key: Key, may_be_repeated: bool) -> str:
    again = " May be repeated." if may_be_repeated else ""
    shown = "" if key.help else key.kind.show(key.default)
    return f"{key.help or key.doc}{again}" + (f" Default: {shown}." if shown not in NOT_GIVEN else "")


_OPTIONS = tuple(_options())


def setting_options(command: F) -> F:
    """Give a command every flag that is a setting."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def settings_from(flags: Mapping[str, Any]) -> "Sourced":
    """What holds in the current folder."""
    from dualgate.cli.output import here
    from dualgate.settings.files import read_files
    from dualgate.settings.resolving import resolve

    return resolve(os.environ, flags, read_files(here(), os.environ))
