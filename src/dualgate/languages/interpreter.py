"""Choose the Python that runs a project's tests, with a reason: the activated one, else the project's own."""

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dualgate.core.values.notation import is_python
from dualgate.errors import SuiteUnusable
from dualgate.languages.parts import places, read_text

ENVIRONMENT_FOLDERS = (".venv", "venv", "env")
# lines of venv and setuptools themselves; any other file of this kind may lead to a pytest elsewhere
_KNOWN_PTH = frozenset({"distutils-precedence.pth", "_virtualenv.pth"})


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
    installs: str
    """The command that adds pytest to the project."""


TOOLS = (
    # frozen: a test run must not change the lock file
    Tool(name="uv", files=("uv.lock",), table="", words=("run", "--frozen", "python"), installs="uv add --dev pytest"),
    Tool(
        name="poetry",
        files=("poetry.lock",),
        table="tool.poetry",
        words=("run", "python"),
        installs="poetry add --group dev pytest",
    ),
    Tool(name="pdm", files=("pdm.lock",), table="tool.pdm", words=("run", "python"), installs="pdm add --dev pytest"),
    Tool(name="pipenv", files=("Pipfile",), table="", words=("run", "python"), installs="pipenv install --dev pytest"),
    Tool(
        name="hatch",
        files=("hatch.toml",),
        table="tool.hatch.envs",
        words=("run", "python"),
        installs="hatch run pip install pytest",
    ),
)


def choose_python(folder: Path, root: Path, environment: Mapping[str, str]) -> Choice:
    """The Python of a folder: the activated environment first, the one on the PATH last."""
    ways = (_active_environment, _own_environment, _by_tool, _of_tox, _on_path)
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
    """The environment that the user activated, even if dualgate is installed in it.

    One inside the project counts for its folder and those below it: other parts may have their own.
    """
    for active in activated(environment):
        if not active.is_relative_to(root) or folder.is_relative_to(active.parent):
            python = str(active / "bin" / "python")
            yield Choice(command=(python,), reason=f"the environment {active} is activated")


def activated(environment: Mapping[str, str]) -> list[Path]:
    """The activated environments. The base environment of conda is no choice: conda activates it in every shell."""
    conda = environment.get("CONDA_PREFIX") if environment.get("CONDA_DEFAULT_ENV") != "base" else None
    named = dict.fromkeys(filter(None, (environment.get("VIRTUAL_ENV"), conda)))
    return [Path(name) for name in named if (Path(name) / "bin" / "python").exists()]


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


def missing_pytest(command: Sequence[str], folder: Path, root: Path) -> str:
    """The install command if the Python of a test command has no pytest; empty if it is unknown."""
    python = Path(command[0])
    tool = next((tool for tool in TOOLS if tool.name == python.name), None)
    if tool is not None:
        return f"pytest is not installed in the environment of {tool.name}; install it with: {tool.installs}"
    if not is_python(command[0]):
        return ""
    others = (place / name for place in places(folder, root) for name in ENVIRONMENT_FOLDERS)
    other = next((each for each in others if each != python.parent.parent and _has_pytest(each)), None)
    told = f"pytest is not installed in {python}; install it with: {_installs(python, folder, root)}"
    if other is None:
        return told
    return f"{told}; {other} has pytest: deactivate the other environment to use it"


def lacks_pytest(command: Sequence[str], environment: Mapping[str, str]) -> bool:
    """Whether the files of an environment show that it has no pytest. Unsure means no: nothing is run."""
    prefix = Path(command[0]).parent.parent
    if not is_python(command[0]) or environment.get("PYTHONPATH"):
        return False
    packages = [*prefix.glob("lib/python*/site-packages")]
    others = [path for place in packages for path in place.glob("*.pth") if path.name not in _KNOWN_PTH]
    own = re.search(r"(?m)^include-system-site-packages\s*=\s*false", read_text(prefix / "pyvenv.cfg"))
    return bool(own and packages) and not others and not _has_pytest(prefix)


def _has_pytest(prefix: Path) -> bool:
    return any(prefix.glob("lib/python*/site-packages/pytest/__init__.py"))


def _installs(python: Path, folder: Path, root: Path) -> str:
    prefix = python.parent.parent
    is_own = any(prefix.parent == place for place in places(folder, root))
    tools = (tool for place in places(folder, root) for tool in TOOLS if _sign(tool, place))
    if is_own and (tool := next(tools, None)):
        return tool.installs
    if (prefix / "conda-meta").is_dir() or any(prefix.glob("lib/python*/site-packages/pip/__init__.py")):
        return f"{python} -m pip install pytest"
    if not python.is_absolute():
        return f"{python} -m pip install pytest"
    if (prefix / "pyvenv.cfg").exists():
        is_of_uv = "\nuv = " in read_text(prefix / "pyvenv.cfg")
        return f"uv pip install --python {python} pytest" if is_of_uv else f"{python} -m pip install pytest"
    return f"{python} -m venv .venv && .venv/bin/python -m pip install pytest"


def is_ours(prefix: Path) -> bool:
    """Whether a virtual environment is the one that dualgate runs in."""
    return sys.prefix != sys.base_prefix and prefix.resolve() == Path(sys.prefix).resolve()
