"""A configuration file before and after -> the changed settings, and how far they reach into a test run.

Settings that load code, leave tests out, or are part of the test command itself have no reach that runs could show:
results that are equal while the code is right do not prove that tests can still fail. They stay a person's.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dualgate.core.values.configuring import IMPORT_PATH, Reach
from dualgate.workspace.steering.commands import NOTHING_CALLED, Called
from dualgate.workspace.steering.documents import RUNNER_SECTIONS
from dualgate.workspace.steering.extension import extension_of
from dualgate.workspace.steering.formats import json_value, ordered, plain
from dualgate.workspace.steering.import_paths import only_adds_paths
from dualgate.workspace.steering.sections import Table, at, ini_settings, pick_pyproject, pick_scripts, pick_tox
from dualgate.workspace.steering.table import is_of_continuous_integration

_UNREADABLE = (ValueError, TypeError, AttributeError, RecursionError)
_OF_PYTEST = frozenset({"pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml"})
_READABLE = _OF_PYTEST | {"pyproject.toml", "tox.toml", "hatch.toml", "setup.cfg", "tox.ini", ".coveragerc"}
CONFTEST = "conftest.py"
_OF_TOOL = {"noxfile.py": "nox", "dodo.py": "doit"}
"""Files that are code for one program, which alone reads them."""
_ENVIRONMENTS = re.compile(r"(?P<tool>tool\.tox|tool\.hatch\.envs|tox|hatch|testenv)\b")
_TASKS = re.compile(r"tool\.(?P<tool>poe|pdm|taskipy)\b")
_PROGRAMS = {"poe": ("poe",), "pdm": ("pdm",), "taskipy": ("task",), "tox": ("tox",), "hatch": ("hatch",)}
_PYTEST_SETTING = re.compile(r"tool\.pytest\b.*|(?:tool:)?pytest\b.*")
_ENVIRONMENT_KEYS = re.compile(
    r"env_?list|description|base_?python|python|min_?version|skip_?missing.*|isolated_build|matrix|requires|labels"
    r"|skip_?install|skipsdist|no_package|package|usedevelop|features|template|installer|detached"
)
"""Keys of environments that name no command, variable or folder."""
_NAMED_ENVIRONMENT = re.compile(r"(?:testenv:|tool\.tox\.env\.|tool\.hatch\.envs\.)(?P<name>[^.]+)\.")
_USUAL_ENVIRONMENT = re.compile(r"py\w*|hatch-test|tests?|default|[\d.]+")
_PERCENT = re.compile(r"(?:.*[.:])?fail_under")
_COMPARED = re.compile(r"tool\.uv\.env-file|tool\.coverage\.run\.patch|(?:coverage:)?run\.patch")
_SCRIPT_CONFIGURATION = re.compile(r"(?:vitest|vite|jest)\.config\.[cm]?[jt]s|\.env\.test(?:ing)?")
_PACKAGE_SCRIPTS = "scripts"
_OWN_CODE = re.compile(r"""<rootDir>|["'\s]\.{1,2}/|\brequire\s*\(|\bimport\s*\(|\bfrom\s+["'](?:\.|/|node:)""")
"""Code of the project that a runner would load."""
_TURNING = re.compile(
    r"(?i)setup|teardown|runner|reporter|pattern|ignore|exclude|only|skip|retr(?:y|ies)|bail|pass_?with_?no|updat|resolver"
    r"|mock|alias|mapper|snapshot|dangerous|related|shard|sequence|hook|unhandled|coverage_?threshold|processor|transform"
)
"""Settings of runners that leave tests out, load code, or let a failing test pass."""
_DECIDING = re.compile(r"=>|\bfunction\b|\bif\b|\?|\bprocess\b|\bglobalThis\b|\beval\b|\bfs\b|\bexistsSync\b")
"""A configuration that is code, and may say something else in each run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """The changed settings of a file, and how far they reach."""

    settings: tuple[str, ...]
    reach: Reach


def reach_of(path: str, before: bytes | None, after: bytes | None, called: Called = NOTHING_CALLED) -> Reached | None:
    """How far an edit of configuration reaches; None if only a person may allow it."""
    name = path[path.rfind("/") + 1 :]
    if not (name in _READABLE or _is_known(path)) or (path in called.files and name not in _READABLE):
        return None
    try:
        found = _changed(path, before, after, called.words)
    except _UNREADABLE:
        return None
    reaches = [reach for _, reach in found]
    known = [reach for reach in reaches if reach is not None]
    if not known or len(known) < len(reaches):
        return None
    return Reached(settings=tuple(name for name, _ in found), reach=max(known, key=list(Reach).index))


def _is_known(path: str) -> bool:
    name = path[path.rfind("/") + 1 :]
    is_script = name in _OF_TOOL or name == CONFTEST or _SCRIPT_CONFIGURATION.fullmatch(name) is not None
    return is_script or name == "package.json" or is_of_continuous_integration(path)


Weighed = list[tuple[str, Reach | None]]


def _changed(path: str, before: bytes | None, after: bytes | None, words: frozenset[str]) -> Weighed:
    name = path[path.rfind("/") + 1 :]
    if is_of_continuous_integration(path):
        return [("", Reach.UNREAD)]
    if name in _OF_TOOL:
        return [("", None if _OF_TOOL[name] in words else Reach.UNREAD)]
    if name == CONFTEST:
        return _of_conftest(path, before, after)
    if after is None and name not in _READABLE:
        return []
    after = after or b""  # without the file, none of its settings is in force
    if name == "package.json":
        return _of_package(before or b"{}", after, words)
    if _SCRIPT_CONFIGURATION.fullmatch(name):
        return [("", _of_script(plain(after)))]
    was, now = _settings(name, before or b"", words), _settings(name, after, words)
    return [(key, _of_setting(key, was, now, words)) for key in _differing(was, now)]


def _of_conftest(path: str, before: bytes | None, after: bytes | None) -> Weighed:
    """Of the first one only: folders to import from, or fixtures, which results show."""
    if before is not None or after is None:
        return []
    if only_adds_paths(path, after):
        return [(IMPORT_PATH, Reach.REPORTED)]
    return [("fixtures", None if extension_of(b"", after).reason else Reach.COMPARED)]


def _differing(was: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    return [key for key in dict.fromkeys((*was, *now)) if was.get(key) != now.get(key)]


def _settings(name: str, content: bytes, words: frozenset[str]) -> dict[str, str]:
    """The settings of a file that steer a test run, by name."""
    if name == "pyproject.toml":
        return _flat("", pick_pyproject(tomllib.loads(content.decode()), words))
    if name in ("tox.toml", "hatch.toml"):
        tool = name.removesuffix(".toml")
        return _flat(f"tool.{tool}", pick_tox(tomllib.loads(content.decode()), words))
    if name in _OF_PYTEST and name.endswith(".toml"):
        return _flat("tool.pytest", tomllib.loads(content.decode()))
    return ini_settings(content, is_whole=name in _OF_PYTEST)


def _flat(prefix: str, value: object) -> dict[str, str]:
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        value = value[0]
    if not isinstance(value, dict) or not value:
        return {prefix: ordered(value)} if prefix else {}
    items = (_flat(f"{prefix}.{key}" if prefix else key, item) for key, item in value.items())
    return {name: text for found in items for name, text in found.items()}


def _of_setting(key: str, was: Mapping[str, str], now: Mapping[str, str], words: frozenset[str]) -> Reach | None:
    if "pytest11" in key:
        return None
    if _PYTEST_SETTING.fullmatch(key):
        return Reach.REPORTED
    if tasks := _TASKS.match(key):
        return None if _is_called(tasks["tool"], words) else Reach.UNREAD
    if environments := _ENVIRONMENTS.match(key):
        tool = "hatch" if "hatch" in environments["tool"] else "tox"
        return _of_environment(key, was, words) if _is_called(tool, words) else Reach.UNREAD
    if _PERCENT.fullmatch(key):
        return Reach.COMPARED if _percent(now.get(key)) >= _percent(was.get(key)) else None
    return Reach.COMPARED if _COMPARED.fullmatch(key) else None


def _is_called(tool: str, words: frozenset[str]) -> bool:
    return not words.isdisjoint(_PROGRAMS[tool])


def _of_environment(key: str, was: Iterable[str], words: frozenset[str]) -> Reach | None:
    """Of an environment that the test command may enter, only keys that run nothing; a new environment is free."""
    found = _NAMED_ENVIRONMENT.match(key)
    is_entered = found is None or found["name"] in words or _USUAL_ENVIRONMENT.fullmatch(found["name"])
    is_known = found is not None and any(each.startswith(found[0]) for each in was)
    if _ENVIRONMENT_KEYS.fullmatch(key.rpartition(".")[2]) or not (is_entered or is_known):
        return Reach.COMPARED
    return None


def _percent(text: str | None) -> float:
    return float(text.strip().strip('"')) if text else 0.0


def _of_package(before: bytes, after: bytes, words: frozenset[str]) -> Weighed:
    documents = [_table(json_value(content)) for content in (before, after)]
    called = [_flat("", pick_scripts(at(each, _PACKAGE_SCRIPTS), words, is_named=False)) for each in documents]
    scripts = [_flat("", pick_scripts(at(each, _PACKAGE_SCRIPTS), words)) for each in documents]
    found: Weighed = [
        (f"scripts.{name}", None if name in _differing(*called) else Reach.UNREAD) for name in _differing(*scripts)
    ]
    runners = [_flat("", {name: each[name] for name in RUNNER_SECTIONS if name in each}) for each in documents]
    return found + [(key, _of_runner(key, runners[1].get(key, ""))) for key in _differing(*runners)]


def _table(value: object) -> Table:
    if not isinstance(value, dict):
        raise TypeError("no table")
    return value


def _of_runner(key: str, value: str) -> Reach | None:
    is_code = _OWN_CODE.search(value) or _TURNING.search(key) or _TURNING.search(value)
    return None if is_code or not value else Reach.COMPARED


def _of_script(text: str) -> Reach | None:
    is_unsure = any(pattern.search(text) for pattern in (_OWN_CODE, _TURNING, _DECIDING))
    return None if is_unsure else Reach.COMPARED
