import sys
from pathlib import Path

import pytest

from dualgate.errors import SuiteUnusable
from dualgate.languages.interpreter import choose_python


def a_python(folder: Path) -> Path:
    (folder / "bin").mkdir(parents=True)
    for name in ("python", "python3"):
        (folder / "bin" / name).write_text("#!/bin/sh\n")
        (folder / "bin" / name).chmod(0o755)
    return folder / "bin" / "python"


def test_the_virtual_environment_of_the_project_comes_first(tmp_path: Path) -> None:
    python = a_python(tmp_path / ".venv")

    environment = {"PATH": "/bin", "VIRTUAL_ENV": str(a_python(tmp_path / "v").parent.parent)}

    choice = choose_python(tmp_path, tmp_path, environment)

    assert choice.command == (str(python),)
    assert choice.reason == "the project has a virtual environment in .venv"


def test_an_active_environment_comes_next(tmp_path: Path) -> None:
    python = a_python(tmp_path / "other")

    choice = choose_python(tmp_path, tmp_path, {"PATH": "/bin", "VIRTUAL_ENV": str(tmp_path / "other")})

    assert choice.command[0] == str(python)


def test_the_environment_that_dualgate_runs_in_is_passed_over(tmp_path: Path) -> None:
    a_python(tmp_path / "system")
    environment = {"PATH": f"{sys.prefix}/bin:{tmp_path}/system/bin", "VIRTUAL_ENV": sys.prefix}

    choice = choose_python(tmp_path, tmp_path, environment)

    assert choice.command[0] == str(tmp_path / "system" / "bin" / "python3")
    assert choice.reason == "python3 is on the PATH"


def test_a_part_of_the_project_uses_the_environment_of_the_whole_where_it_has_none(tmp_path: Path) -> None:
    (tmp_path / "packages" / "a").mkdir(parents=True)
    python = a_python(tmp_path / ".venv")

    choice = choose_python(tmp_path / "packages" / "a", tmp_path, {"PATH": "/bin"})

    assert choice.command == (str(python),)


def test_an_environment_outside_the_project_is_not_the_projects(tmp_path: Path) -> None:
    a_python(tmp_path / ".venv")
    a_python(tmp_path / "system")
    (tmp_path / "project").mkdir()

    choice = choose_python(tmp_path / "project", tmp_path / "project", {"PATH": str(tmp_path / "system" / "bin")})

    assert choice.reason == "python3 is on the PATH"


TOOLS = [
    ("uv.lock", "", ("uv", "run", "--frozen", "python"), "uv keeps its environment (uv.lock)"),
    ("pyproject.toml", "[tool.poetry]", ("poetry", "run", "python"), "poetry keeps its environment (pyproject.toml)"),
    ("pyproject.toml", "[tool.pdm.scripts]", ("pdm", "run", "python"), "pdm keeps its environment (pyproject.toml)"),
    ("Pipfile", "", ("pipenv", "run", "python"), "pipenv keeps its environment (Pipfile)"),
    (
        "pyproject.toml",
        "[tool.hatch.envs.x]",
        ("hatch", "run", "python"),
        "hatch keeps its environment (pyproject.toml)",
    ),
]


@pytest.mark.parametrize(("file", "text", "command", "reason"), TOOLS, ids=[case[2][0] for case in TOOLS])
def test_a_tool_that_keeps_environments_is_asked(
    tmp_path: Path, file: str, text: str, command: tuple[str, ...], reason: str
) -> None:
    (tmp_path / file).write_text(text)
    folder = a_python(tmp_path / "system").parent
    (folder / command[0]).write_text("#!/bin/sh\n")
    (folder / command[0]).chmod(0o755)

    choice = choose_python(tmp_path, tmp_path, {"PATH": str(folder)})

    assert (choice.command, choice.reason) == (command, reason)


def test_a_tool_that_is_not_there_is_not_asked(tmp_path: Path) -> None:
    (tmp_path / "uv.lock").touch()
    python = a_python(tmp_path / "system")

    assert choose_python(tmp_path, tmp_path, {"PATH": str(python.parent)}).reason == "python3 is on the PATH"


def test_what_tox_has_made_is_used_without_tox(tmp_path: Path) -> None:
    python = a_python(tmp_path / ".tox" / "py312")

    choice = choose_python(tmp_path, tmp_path, {"PATH": "/bin"})

    assert (choice.command, choice.reason) == ((str(python),), "tox has made an environment in .tox/py312")


def test_no_python_at_all_is_said_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(SuiteUnusable, match="or give --test-command"):
        choose_python(tmp_path, tmp_path, {"PATH": str(tmp_path)})
