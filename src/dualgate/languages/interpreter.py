"""Choose the Python that runs a project's tests, with a reason: the project's own, never dualgate's."""

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from dualgate.errors import SuiteUnusable
from dualgate.languages.parts import places, read_text

ENVIRONMENT_FOLDERS = (".venv", "venv", "env")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    command: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool that manages a project's environment: its signs in the project, and its command to run Python."""

    name: str
    files: tuple[str, ...]
    table: str
    """A table of pyproject.toml that shows that the tool is used."""
    words: tuple[str, ...]


TOOLS = (
    # frozen: a test run must not change the lock file
    Tool(name="uv", files=("uv.lock",), table="", words=("run", "--frozen", "python")),
    Tool(name="poetry", files=("poetry.lock",), table="tool.poetry", words=("run", "python")),
    Tool(name="pdm", files=("pdm.lock",), table="tool.pdm", words=("run", "python")),
    Tool(name="pipenv", files=("Pipfile",), table="", words=("run", "python")),
    Tool(name="hatch", files=("hatch.toml",), table="tool.hatch.envs", words=("run", "python")),
)


def choose_python(folder: Path, root: Path, environment: Mapping[str, str]) -> Choice:
    """The Python of a folder: the nearest environment first, the one on the PATH last."""
    ways = (_own_environment, _active_environment, _by_tool, _of_tox, _on_path)
    found = (choice for way in ways for choice in way(folder, root, environment))
    choice = next(found, None)
    if choice is None:
        raise SuiteUnusable(
            "No Python was found to run the tests with.",
            "Make a virtual environment in .venv, or give --test-command.",
        )
    return choice


def _own_environment(folder: Path, root: Path, environment: Mapping[str, str]) -> Iterator[Choice]:
    del environment
    for place in places(folder, root):
        for name in ENVIRONMENT_FOLDERS:
            python = place / name / "bin" / "python"
            if python.exists():
                shown = (place / name).relative_to(root).as_posix()
                yield Choice(command=(str(python),), reason=f"the project has a virtual environment in {shown}")


def _active_environment(folder: Path, root: Path, environment: Mapping[str, str]) -> Iterator[Choice]:
    del folder, root
    active = environment.get("VIRTUAL_ENV")
    if active and not is_ours(Path(active)) and (Path(active) / "bin" / "python").exists():
        yield Choice(command=(str(Path(active) / "bin" / "python"),), reason="a virtual environment is active")


def _by_tool(folder: Path, root: Path, environment: Mapping[str, str]) -> Iterator[Choice]:
    for place in places(folder, root):
        for tool in TOOLS:
            sign = _sign(tool, place)
            if sign and shutil.which(tool.name, path=environment.get("PATH")):
                yield Choice(command=(tool.name, *tool.words), reason=f"{tool.name} keeps its environment ({sign})")


def _sign(tool: Tool, place: Path) -> str:
    if found := next((name for name in tool.files if (place / name).exists()), ""):
        return found
    table = re.compile(rf"^\[{re.escape(tool.table)}[\].]", re.MULTILINE)
    return "pyproject.toml" if tool.table and table.search(read_text(place / "pyproject.toml")) else ""


def _of_tox(folder: Path, root: Path, environment: Mapping[str, str]) -> Iterator[Choice]:
    """Environments made by tox, used without tox, which hides our reporting variables from the tests."""
    del environment
    for place in places(folder, root):
        for python in sorted(place.glob(".tox/*/bin/python")):
            made = python.parent.parent.relative_to(root).as_posix()
            yield Choice(command=(str(python),), reason=f"tox has made an environment in {made}")


def _on_path(folder: Path, root: Path, environment: Mapping[str, str]) -> Iterator[Choice]:
    del folder, root
    folders = [p for p in environment.get("PATH", os.defpath).split(os.pathsep) if not is_ours(Path(p).parent)]
    for name in ("python3", "python"):
        if found := shutil.which(name, path=os.pathsep.join(folders)):
            yield Choice(command=(found,), reason=f"{name} is on the PATH")


def is_ours(prefix: Path) -> bool:
    """Whether a virtual environment is the one that dualgate runs in."""
    return sys.prefix != sys.base_prefix and prefix.resolve() == Path(sys.prefix).resolve()
