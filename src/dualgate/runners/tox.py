"""A folder with settings of tox -> the variable that lets tox pass on what our reporter needs.

tox starts tests without variables that its settings do not name. It reads more settings from `TOX_OVERRIDE`.
"""

import configparser
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

NAME = "TOX_OVERRIDE"
NEEDED = "PYTHONPATH,PYTEST_PLUGINS,DUALGATE_*"
_SECTION = "testenv"
_FAILURES = (OSError, ValueError, configparser.Error, RecursionError)


def with_tox(environment: Mapping[str, str], folder: Path) -> dict[str, str]:
    """The environment of a test run, in which a tox of this folder passes on the variables of the reporter."""
    ours = [f"{section}.pass_env+={NEEDED}" for section in _sections(folder)]
    if not ours:
        return dict(environment)
    return {**environment, NAME: ";".join(filter(None, [environment.get(NAME), *ours]))}


def _sections(folder: Path) -> list[str]:
    """The base of all environments, and the environments that have such a list of their own."""
    for read, name in ((_of_ini, "tox.ini"), (_of_toml, "tox.toml"), (_of_project, "pyproject.toml")):
        try:
            found = list(read((folder / name).read_text(encoding="utf-8")))
        except _FAILURES:
            continue
        if found:
            return found
    return []


def _of_ini(text: str) -> Iterator[str]:
    file = configparser.RawConfigParser(strict=False)
    file.read_string(text)
    yield _SECTION
    for name in file.sections():
        if name.startswith(f"{_SECTION}:") and (file.has_option(name, "pass_env") or file.has_option(name, "passenv")):
            yield name


def _of_toml(text: str) -> Iterator[str]:
    yield from _of_table(tomllib.loads(text), "")


def _of_project(text: str) -> Iterator[str]:
    tool = tomllib.loads(text).get("tool", {})
    table = tool.get("tox") if isinstance(tool, dict) else None
    if isinstance(table, dict):
        old = table.get("legacy_tox_ini")
        yield from _of_ini(old) if isinstance(old, str) else _of_table(table, "tool.tox.")


def _of_table(table: Mapping[str, Any], prefix: str) -> Iterator[str]:
    yield f"{prefix}env_run_base"
    own = table.get("env")
    for name, settings in own.items() if isinstance(own, dict) else ():
        if isinstance(settings, dict) and "pass_env" in settings:
            yield f"{prefix}env.{name}"
