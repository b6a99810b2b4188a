"""Project -> the checks that its files name: lint, types, format, build and coverage. Nothing is run."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from dualgate.core.values.checks import Purpose
from dualgate.languages.parts import read_text
from dualgate.languages.tools import TOOLS, Tool, purpose_of, tools_in

_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_WORTH = re.compile(
    r"(lint|typecheck|type-check|types|check-types|check:types|mypy|tsc|vet|build|coverage"
    r"|format-check|format:check|fmt-check|check-format|check:format)"
)
_TARGET = re.compile(rf"^(?P<name>{_WORTH.pattern}|check)\s*:(?!=)(?P<recipe>.*(?:\n\t.*)*)", re.MULTILINE)
_RUNS_TESTS = re.compile(r"\b(?:py\.?test|unittest|tox|nox|test)\b")
# lock file -> the words that run a script of package.json
_SCRIPT_RUNNERS = {"pnpm-lock.yaml": "pnpm run", "yarn.lock": "yarn run", "bun.lock": "bun run", "bun.lockb": "bun run"}
_NAMES_FILES = re.compile(r"^(?:files|packages|modules)\s*=", re.MULTILINE)
_THRESHOLD = re.compile(r"^\s*fail_under\s*=\s*[1-9]", re.MULTILINE)
_INI_FILES = ("setup.cfg", "tox.ini")
# a file -> the checks of every project with it
_BY_FILE: dict[str, tuple[tuple[Purpose, str, str], ...]] = {
    "Cargo.toml": (
        (Purpose.LINT, "clippy", "cargo clippy -- -D warnings"),
        (Purpose.FORMAT, "rustfmt", "cargo fmt --check"),
        (Purpose.BUILD, "cargo", "cargo build"),
    ),
    "go.mod": ((Purpose.LINT, "vet", "go vet ./..."), (Purpose.BUILD, "go", "go build ./...")),
}
_Found = Iterator[tuple[Purpose, str, str]]
"""The purpose of a check, a name of its own, and its command."""


def proposed_checks(project: Path) -> dict[str, str]:
    """Commands by name. What a Makefile or a script is for is not proposed a second time by its tool."""
    tasks = [*_targets(project), *_scripts(project)]
    done = {purpose for purpose, _, _ in tasks}
    checks: dict[str, str] = {}
    for purpose, name, command in (*tasks, *(each for each in _tools(project) if each[0] not in done)):
        if command not in checks.values():
            checks[purpose if purpose not in checks else _free(name, checks)] = command
    return checks


def _free(name: str, taken: dict[str, str]) -> str:
    numbered = (f"{name}-{number}" for number in range(2, len(taken) + 3))
    return next(each for each in (name, *numbered) if each not in taken)


def _targets(project: Path) -> _Found:
    text = next((text for name in _MAKEFILES if (text := read_text(project / name))), "")
    for found in _TARGET.finditer(text):
        # `make check` often runs the tests
        is_of_tools = tools_in(found["recipe"]) and not _RUNS_TESTS.search(found["recipe"])
        if found["name"] != "check" or is_of_tools:
            yield purpose_of(found["name"]) or Purpose.LINT, found["name"], f"make {found['name']}"


def _scripts(project: Path) -> _Found:
    try:
        scripts = json.loads(read_text(project / "package.json") or "{}")["scripts"]
        names = [name for name in scripts if _WORTH.fullmatch(name)]
    except (ValueError, KeyError, TypeError, RecursionError):
        return
    runner = next((words for lock, words in _SCRIPT_RUNNERS.items() if (project / lock).is_file()), "npm run")
    for name in names:
        yield purpose_of(name) or Purpose.LINT, name.replace(":", "-"), f"{runner} {name}"


def _tools(project: Path) -> _Found:
    names = _file_names(project)
    for tool in TOOLS:
        if where := _configured(tool, project, names):
            command = _SPECIAL[tool.name](where) if tool.name in _SPECIAL else tool.command
            if command:
                yield tool.purpose, tool.name, command
    for name, checks in _BY_FILE.items():
        if name in names:
            yield from checks


def _file_names(project: Path) -> list[str]:
    try:
        return sorted(path.name for path in project.iterdir() if path.is_file())
    except OSError:
        return []


def _configured(tool: Tool, project: Path, names: list[str]) -> str:
    """The text of the tool's configuration; empty if there is none."""
    for name in names:
        if tool.files and re.fullmatch(tool.files, name):
            return read_text(project / name) or name
    places = (
        ("pyproject.toml", rf"tool\.{tool.table}" if tool.table else ""),
        *((name, tool.sections) for name in _INI_FILES),
    )
    for name, section in places:
        if section and name in names and (found := _sections(read_text(project / name), section)):
            return found
    return tool.name if _in_package(tool, project, names) else ""


def _sections(text: str, section: str) -> str:
    """The sections of a TOML or INI file with such a name, or with a name below it."""
    parts = re.split(r"^(?=\[)", text, flags=re.MULTILINE)
    return "".join(part for part in parts if re.match(rf"\[+(?:{section})[\].]", part))


def _in_package(tool: Tool, project: Path, names: list[str]) -> bool:
    if not tool.package_keys or "package.json" not in names:
        return False
    text = read_text(project / "package.json")
    return any(re.search(rf'^\s*"{key}"\s*:\s*[{{\["]', text, re.MULTILINE) for key in tool.package_keys[:1])


def _mypy(configuration: str) -> str:
    return "mypy" if _NAMES_FILES.search(configuration) else "mypy ."


def _coverage(configuration: str) -> str:
    return "coverage run -m pytest && coverage report" if _THRESHOLD.search(configuration) else ""


_SPECIAL = {"mypy": _mypy, "coverage": _coverage}
