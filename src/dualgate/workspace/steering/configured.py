"""A path and its bytes -> the configuration of tools in it: own files as a whole, of shared files their sections."""

import re
import tomllib
from collections.abc import Callable, Iterable

from dualgate.languages.tools import Tool
from dualgate.workspace.steering.code import form_of
from dualgate.workspace.steering.formats import ini, json_value, or_plain, ordered, plain
from dualgate.workspace.steering.sections import at, present

_HEADER = re.compile(r"\s*\[+\s*(?P<name>[^\]]+?)\s*\]")
_WITHOUT_ENDING = frozenset({".flake8", ".coveragerc", ".pylintrc", "pylintrc"})
Pick = Callable[[bytes, Tool], str]


def tool_part(path: str, content: bytes | None, tools: Iterable[Tool]) -> str:
    """The configuration of these tools, in a form without layout and comments; empty if there is none."""
    parts = (_part(path, content, tool) for tool in tools) if content is not None else ()
    return "\n".join(filter(None, parts))


def configures(path: str, tools: Iterable[Tool]) -> bool:
    """Whether a file with such a name may configure one of these tools."""
    name = path[path.rfind("/") + 1 :]
    return name in _SHARED or any(tool.files and re.fullmatch(tool.files, name) for tool in tools)


def is_shared(path: str) -> bool:
    return path[path.rfind("/") + 1 :] in _SHARED


def _part(path: str, content: bytes, tool: Tool) -> str:
    name = path[path.rfind("/") + 1 :]
    if tool.files and re.fullmatch(tool.files, name):
        form = ini(content) if name in _WITHOUT_ENDING else form_of(path, content)
        return form or name  # an empty file configures too
    return _SHARED[name](content, tool) if name in _SHARED else ""


@or_plain
def _pyproject(content: bytes, tool: Tool) -> str:
    if not tool.table:
        return ""
    tables = at(tomllib.loads(content.decode()), "tool") or {}
    return _form({name: [table] for name, table in tables.items() if re.fullmatch(tool.table, name)})


@or_plain
def _package(content: bytes, tool: Tool) -> str:
    if not tool.package_keys:
        return ""
    document = json_value(content)
    return _form({key: at(document, key) for key in tool.package_keys})


@or_plain
def _cargo(content: bytes, tool: Tool) -> str:
    if not tool.cargo_keys:
        return ""
    document = tomllib.loads(content.decode())
    keys = {key: at(document, key) for key in tool.cargo_keys}
    return _form(keys | {f"workspace.{key}": at(document, "workspace", key) for key in tool.cargo_keys})


def _ini(content: bytes, tool: Tool) -> str:
    """The sections of the tool; `.` and `:` divide names, so a section of a part counts too."""
    kept: list[str] = []
    is_its = False
    for line in plain(content).splitlines():
        if found := _HEADER.match(line):
            is_its = bool(tool.sections) and re.fullmatch(tool.sections, found["name"]) is not None
        if is_its:
            kept.append(line)
    return ini("\n".join(kept).encode())


def _form(values: dict[str, object]) -> str:
    found = present(values)
    return ordered(found) if found else ""


_SHARED: dict[str, Pick] = {
    "pyproject.toml": _pyproject,
    "package.json": _package,
    "Cargo.toml": _cargo,
    "setup.cfg": _ini,
    "tox.ini": _ini,
}
