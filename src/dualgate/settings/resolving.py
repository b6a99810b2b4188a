"""Texts of files, environment, flags -> Settings with the origin of each value. No file is read here."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from dualgate.core.values.suggestion import close_names
from dualgate.errors import SettingError
from dualgate.settings.declaration import Settings
from dualgate.settings.declaring import Key
from dualgate.settings.keys import KEYS, NAMED, SHORT, find_key, is_group, setting_meant, value_at, with_value
from dualgate.settings.kinds import show_value

PREFIX = "DUALGATE_"
LONGEST_SHOWN = 80
LIST_ALL = "All names: dualgate config --defaults"
RENAMED = {"AGENT_TIMEOUT": "TIMEOUT"}


class Source(StrEnum):
    """Later ones win."""

    DEFAULT = "default"
    USER_FILE = "user file"
    PROJECT_FILE = "project file"
    ENVIRONMENT = "environment"
    FLAG = "flag"


ORDER = list(Source)


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """`where` is the file, the variable or the flag; empty for a default."""

    source: Source = Source.DEFAULT
    where: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsFile:
    path: str
    source: Source
    text: str
    table: tuple[str, ...] = ()
    """The table that holds the settings in a shared file; it may be missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One setting with its effective value."""

    key: Key
    value: Any
    origin: Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class Sourced:
    """Settings, and the origin of each value that is not a default."""

    settings: Settings
    origins: Mapping[str, Origin]

    def origin(self, name: str) -> Origin:
        return self.origins.get(name, Origin())

    def entries(self) -> tuple[Entry, ...]:
        """Every setting; those in tables that users name come last."""
        own = sorted(name for name in self.origins if name not in KEYS)
        keys = [*KEYS.values(), *(key for name in own if (key := find_key(name)))]
        return tuple(Entry(key=key, value=value_at(self.settings, key), origin=self.origin(key.name)) for key in keys)


_Layer = dict[str, tuple[Any, Origin]]


def resolve(environment: Mapping[str, str], flags: Mapping[str, Any], files: Sequence[SettingsFile] = ()) -> Sourced:
    """Default < user file < project file < environment < flag. A flag that is None is ignored."""
    found: _Layer = {}
    for layer in (*_from_files(files), _from_environment(environment), _from_flags(flags)):
        found |= layer
    _drop_the_weaker(found, "agent", "agent_command")
    _drop_the_weaker(found, "qa_agent", "qa_agent_command")
    settings = Settings()
    for name, (value, _) in found.items():
        key = find_key(name)
        assert key is not None
        settings = with_value(settings, key, value)
    return Sourced(settings=settings, origins={name: origin for name, (_, origin) in found.items()})


def holds_settings(file: SettingsFile) -> bool:
    """Whether a file is ours, or a shared file with a table of ours."""
    return _table(file) is not None


def read_text(key: Key, text: str, where: str) -> Any:
    """Read a value from a variable or the command line; an error names `where`."""
    return _read(key, key.kind.parse(text), where)


def _drop_the_weaker(found: _Layer, one: str, other: str) -> None:
    """Of two settings with the same meaning the later source wins; from one source, both stay and conflict."""
    if one in found and other in found:
        ranks = {name: ORDER.index(found[name][1].source) for name in (one, other)}
        weaker = [name for name in ranks if ranks[name] < max(ranks.values())]
        for name in weaker:
            del found[name]


def _from_files(files: Sequence[SettingsFile]) -> Iterator[_Layer]:
    tables = [(file, table) for file in files if (table := _table(file)) is not None]
    owners = [file.path for file, _ in tables if file.source is Source.PROJECT_FILE]
    if len(owners) > 1:
        raise SettingError(f"Both {' and '.join(owners)} have settings.", "Keep them in one of the two.")
    for source in ORDER:
        for file, table in tables:
            if file.source is source:
                origin = Origin(source=source, where=file.path)
                yield {
                    key.name: (_read(key, value, f"{file.path}: {key.name}"), origin)
                    for key, value in _flat(table, file.path)
                }


def _table(file: SettingsFile) -> dict[str, Any] | None:
    """The settings of a file; None if a shared file has no table of ours."""
    if file.table and file.table[-1] not in file.text:
        return None
    try:
        found: Any = tomllib.loads(file.text)
    except RecursionError as error:
        raise SettingError(f"{file.path} is nested too deeply to be read.") from error
    except ValueError as error:  # broken TOML, or a number that is too long
        raise SettingError(f"{file.path} is not valid TOML: {error}.", "Fix that place.") from error
    for step in file.table:
        if not isinstance(found, dict):
            break
        found = found.get(step)
    if found is not None and not isinstance(found, dict):
        raise SettingError(f"{file.path}: {'.'.join(file.table)} is not a table.", f"Write [{'.'.join(file.table)}].")
    return found


def _flat(table: dict[str, Any], path: str, prefix: str = "") -> Iterator[tuple[Key, Any]]:
    for last, value in table.items():
        name = f"{prefix}{last}"
        key = find_key(name)
        if key is not None and not (name in SHORT and isinstance(value, dict)):
            yield key, value
        elif not is_group(name):
            raise _unknown(name, path)
        elif not isinstance(value, dict):
            raise SettingError(
                f"{path}: {name} is {_shown(value)}; legal is a table.", f"Write [{name}] above its keys."
            )
        else:
            yield from _flat(value, path, f"{name}.")


def _unknown(name: str, path: str) -> SettingError:
    group, _, table = name.partition(".")
    if group in NAMED and table and "." not in table:
        names = ", ".join(NAMED[group].names) or "made of letters, digits, - and _"
        return SettingError(f"{path}: unknown name {name}; names are {names}.", LIST_ALL)
    return SettingError(f"{path}: there is no setting {name}.", f"{setting_meant(name)}{LIST_ALL}")


def _from_environment(environment: Mapping[str, str]) -> _Layer:
    variables = {key.variable: key for key in KEYS.values()}
    variables |= {KEYS[name]._replace(name=short).variable: KEYS[name] for short, name in SHORT.items()}
    given = {name: text for name, text in environment.items() if name.startswith(PREFIX) and text}
    _refuse_slips(sorted(given.keys() - variables.keys()), variables)
    return {
        variables[name].name: (read_text(variables[name], text, name), Origin(source=Source.ENVIRONMENT, where=name))
        for name, text in given.items()
        if name in variables
    }


def _refuse_slips(unknown: Sequence[str], variables: Mapping[str, Key]) -> None:
    """Refuse only names close to one of ours: the loop and others use the prefix too."""
    bare = [variable.removeprefix(PREFIX) for variable in variables]
    for name in unknown:
        short = name.removeprefix(PREFIX)
        close = [RENAMED[short]] if short in RENAMED else close_names(short, bare, likeness=0.8)
        if close:
            raise SettingError(f"There is no variable {name}.", f"Did you mean {PREFIX}{close[0]}? {LIST_ALL}")


def _from_flags(flags: Mapping[str, Any]) -> _Layer:
    layer: _Layer = {}
    for name, value in flags.items():
        if value is not None and (key := find_key(name)):
            flag = next(iter(key.flags), f"--{name.replace('_', '-')}")
            layer[key.name] = _read(key, value, flag), Origin(source=Source.FLAG, where=flag)
    return layer


def _read(key: Key, value: Any, where: str) -> Any:
    try:
        return key.kind.read(value)
    except ValueError:
        raise SettingError(f"{where} is {_shown(value)}; legal is {key.kind.legal}.", key.doc) from None


def _shown(value: object) -> str:
    text = f"'{value}'" if isinstance(value, str) else "a table" if isinstance(value, dict) else show_value(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"
