"""TOML and INI files that tests share with other tools -> the values and lines that concern tests."""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from dualgate.workspace.steering.formats import ini, or_plain, ordered, plain, toml
from dualgate.workspace.steering.targets import Words, called_names

OWN_FILE = "dualgate.toml"
OWN_PLACES = frozenset({OWN_FILE, "pyproject.toml"})
Table = dict[str, Any]
Pick = Callable[[Table, Words], Table]
_RUNS_OTHERS = re.compile(r"\b(?:npm|yarn|pnpm|bun|deno|npx|run-[sp]|npm-run-all|wireit|nx|turbo|poe|pdm|task|hatch)\b")
_IS_TEST = re.compile(r"(?:pre|post)?tests?(?:[:_.-].*)?|.*[:_.-]tests?", re.IGNORECASE)


def pick_scripts(scripts: object, words: Words, is_named: bool = True) -> Table:
    """The scripts that the test command calls, with `is_named` those named for tests too, and those that they call."""
    if not isinstance(scripts, dict):
        return {} if scripts is None else {"": scripts}
    names = {name for name in scripts if name in words or (is_named and _IS_TEST.fullmatch(name))}

    def calls(name: str) -> Iterator[str]:
        text = ordered(scripts[name])
        known = set(re.findall(r"[\w:.@/-]+", text)) & scripts.keys() if _runs_others(scripts[name]) else set()
        yield from known | ({f"pre{name}", f"post{name}"} & scripts.keys())

    called = called_names(names, calls)
    return {name: scripts[name] for name in sorted(called)}


def _runs_others(script: object) -> bool:
    """Whether a script may call other scripts. A task that is a list or table names other tasks."""
    return not isinstance(script, str) or _RUNS_OTHERS.search(script) is not None


def at(table: object, *keys: str) -> Any:
    for key in keys:
        table = table.get(key) if isinstance(table, dict) else None
    return table


def present(values: Mapping[str, object]) -> Table:
    """Drop absent and empty values: they are the same to a runner."""
    return {key: value for key, value in values.items() if value not in (None, {}, [])}


def pick_pyproject(document: Table, words: Words) -> Table:
    tool = at(document, "tool") or {}
    return present(
        {
            # even an empty section makes this the file that pytest reads
            "tool.pytest": [at(tool, "pytest")] if "pytest" in tool else None,
            "tool.coverage.report": _only(at(tool, "coverage", "report"), {"fail_under"}),
            "tool.coverage.run": _only(at(tool, "coverage", "run"), {"plugins", "patch"}),
            "tool.tox": _without(at(tool, "tox"), _DEPENDENCY_KEYS),
            "tool.hatch.envs": _without(at(tool, "hatch", "envs"), _DEPENDENCY_KEYS),
            "tool.poe.tasks": pick_scripts(at(tool, "poe", "tasks"), words),
            "tool.poe": _without(at(tool, "poe"), {"tasks"}),
            "tool.pdm.scripts": pick_scripts(at(tool, "pdm", "scripts"), words | {"_"}),
            "tool.taskipy": _without(at(tool, "taskipy"), {"tasks"}),
            "tool.taskipy.tasks": pick_scripts(at(tool, "taskipy", "tasks"), words),
            "tool.uv.env-file": at(tool, "uv", "env-file"),
            "tool.dualgate": at(tool, "dualgate"),
            "project.entry-points.pytest11": at(document, "project", "entry-points", "pytest11"),
            "tool.poetry.plugins.pytest11": at(tool, "poetry", "plugins", "pytest11"),
        }
    )


_DEPENDENCY_KEYS = frozenset(
    {"dependencies", "extra-dependencies", "deps", "requires", "description", "dependency_groups"}
)


def _only(table: object, keys: set[str]) -> Table:
    return {key: value for key, value in table.items() if key in keys} if isinstance(table, dict) else {}


def _without(value: Any, keys: "frozenset[str] | set[str]") -> Any:
    """Remove keys from a table at any depth."""
    if not isinstance(value, dict):
        return value
    return present({key: _without(item, keys) for key, item in value.items() if key not in keys})


_CARGO_TARGET_KEYS = {"name", "test", "doctest", "harness", "bench"}


def pick_cargo(document: Table, _: Words) -> Table:
    """Which tests Cargo builds and how. Dependencies, libraries and programs are not frozen."""
    lib, bins = document.get("lib"), document.get("bin")
    switches = {"test", "doctest", "harness"}
    steered = [
        _only(each, _CARGO_TARGET_KEYS) for each in bins or () if isinstance(each, dict) and switches & each.keys()
    ]
    return present(
        {
            "package": _only(document.get("package"), {"autotests", "autobins"}),
            "lib": _only(lib, switches),
            "bin": steered,
            "test": document.get("test"),
            "profile.test": at(document, "profile", "test"),
            "profile.dev": _only(at(document, "profile", "dev"), {"debug-assertions", "overflow-checks", "panic"}),
        }
    )


def pick_tox(document: Table, _: Words) -> Table:
    picked = _without(document, _DEPENDENCY_KEYS)
    return picked if isinstance(picked, dict) else {}


def toml_part(pick: Pick) -> Callable[[bytes, Words], str]:
    return picked_part(lambda content: tomllib.loads(content.decode()), pick)


def picked_part(parse: Callable[[bytes], object], pick: Pick) -> Callable[[bytes, Words], str]:
    """The part of a document that `pick` selects; all of it if it is not a table."""

    @or_plain
    def read(content: bytes, words: Words) -> str:
        document = parse(content)
        picked = pick(document, words) if isinstance(document, dict) else None
        return plain(content) if picked is None else ordered(picked) if picked else ""

    return read


def own_part(path: str, content: bytes | None) -> str | None:
    """The settings of dualgate in a file: how tests are run, which files are frozen, what a gate needs."""
    if path == OWN_FILE:
        return None if content is None else toml(content)
    return _own_table(content or b"", frozenset())


_own_table = toml_part(lambda document, _: present({"tool.dualgate": at(document, "tool", "dualgate")}))
_KEY = re.compile(r"^(?P<name>[^\s=:#;\[][^=:]*?)\s*[=:]")
_STEERING_KEYS = re.compile(
    r"commands.*|set_?env|pass_?env|change_?dir|skip_?install|ignore_.*|allowlist_externals|env_?list|pytest11|fail_under"
    r"|skipsdist|no_package|base_?python|package|usedevelop|plugins|args_are_paths|isolated_build|skip_missing.*|min_version"
)


def ini_part(content: bytes, _: Words) -> str:
    """Whole sections of pytest, and the keys of tox, coverage and entry points that concern a test run.

    Tools parse headers differently, so one word in a header is enough.
    """
    kept: list[str] = []
    section, key = "", ""
    for line in plain(content).splitlines():
        found = _KEY.match(line)
        if line.lstrip().startswith("["):
            section, key = line.strip(), ""
        elif found:
            key = found["name"]
        if _steers(section, key):
            kept += [section, line] if found and "pytest" not in section else [line]
    return ini("\n".join(kept).encode())


def ini_settings(content: bytes, is_whole: bool = False) -> dict[str, str]:
    """The settings that concern a test run by section and key; all of a file that is whole a runner's."""
    found: dict[str, str] = {}
    section, key = "", ""
    for line in plain(content).splitlines():
        if not line.strip() or line.lstrip().startswith(("#", ";")):
            continue
        named = _KEY.match(line)
        if line.lstrip().startswith("["):
            section, key = line.strip(), ""
        elif named:
            key = named["name"]
        if is_whole or _steers(section, key):
            name = f"{section.strip('[] ')}.{key}".strip(".")
            found[name] = f"{found.get(name, '')}\n{line[named.end() :] if named else line}".strip()
    return found


def _steers(section: str, key: str) -> bool:
    if "pytest" in section:
        return True
    is_shared = re.match(r"\[\s*(?:testenv|tox|coverage|options\.entry_points|report|run\b)", section) is not None
    return is_shared and _STEERING_KEYS.fullmatch(key) is not None
