"""The flags that are settings, and how flags, files and environment are resolved to settings.

Help imports this module, so it must load little: code that reads settings is imported when it is used.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from dualgate.cli.words import OneOf, complete_agents, complete_files
from dualgate.settings.declaring import Key
from dualgate.settings.keys import KEYS, SHORT
from dualgate.settings.kinds import FLAG, TEXT, TEXTS, Kind, duration

if TYPE_CHECKING:
    from dualgate.settings.resolving import Sourced

SHORTENED = {name: group for group, name in SHORT.items()}
NOT_GIVEN = ("", "-", "[]")
COMPLETERS = {
    "agent": complete_agents,
    "qa_agent": complete_agents,
    "fallback": complete_agents,
    "plan.file": complete_files,
}
F = TypeVar("F", bound=Callable[..., Any])


class Legal(click.ParamType):  # type: ignore[type-arg]  # generic only to type checkers
    """Checks a value of a kind. A value that means None stays a word, since None means that the flag was not given."""

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
            self.fail(
                f"'{value}' is not a budget. Examples: GREEN.tokens=200000, GREEN.cost=5, QA.calls=3.", param, ctx
            )
        return key.name, Legal(key.kind).convert(text.strip(), param, ctx)


def _as_settings(ctx: click.Context, param: click.Parameter, given: Sequence[tuple[str, Any]]) -> None:
    """Store each phase budget as its own setting, as if each had its own flag."""
    del param
    ctx.params |= dict(given)


def _stored_as(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    """Store the value of a flag under the name of its setting, which is no name of a parameter."""

    def store(ctx: click.Context, param: click.Parameter, given: Any) -> None:
        del param
        ctx.params |= {name: None if given == () else given}  # an empty list was not given

    return store


def _options() -> Iterator[Callable[[F], F]]:
    """An option for each declared flag. Keys that share a flag are named in its value."""
    of_flag: dict[str, list[Key]] = {}
    for key in KEYS.values():
        of_flag.setdefault(key.flag, []).append(key)
    del of_flag[""]
    for keys in of_flag.values():
        key, how = keys[0], _how(keys)
        own = SHORTENED.get(key.name, key.name)
        name = (own,) if own.isidentifier() else ()
        if not name and len(keys) == 1:
            how |= {"expose_value": False, "callback": _stored_as(key.name)}
        how["shell_complete"] = COMPLETERS.get(key.name)
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
        return {}  # invalid text is reported as for settings files
    return {"type": OneOf(kind.words) if kind.words else Legal(kind)}


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
    """Resolve the settings for the current folder, with their sources."""
    from dualgate.cli.output import here
    from dualgate.settings.files import read_files
    from dualgate.settings.resolving import resolve

    return resolve(os.environ, flags, read_files(here(), os.environ))
