import sys
from pathlib import Path

import pytest

from dualgate.errors import SuiteUnusable
from dualgate.languages.interpreter import choose_python, lacks_pytest, missing_pytest


def a_python(folder: Path) -> Path:
    (folder / "bin").mkdir(parents=True)
    for name in ("python", "python3"):
        (folder / "bin" / name).write_text("#!/bin/sh\n")
        (folder / "bin" / name).chmod(0o755)
    return folder / "bin" / "python"


@pytest.mark.parametrize("variable", ["VIRTUAL_ENV", "CONDA_PREFIX"])
def test_the_environment_that_the_user_activated_comes_first(tmp_path: Path, variable: str) -> None:
    a_python(tmp_path / "project" / ".venv")
    python = a_python(tmp_path / "v")

    environment = {"PATH": "/bin", variable: str(tmp_path / "v"), "CONDA_DEFAULT_ENV": "work"}
    choice = choose_python(tmp_path / "project", tmp_path / "project", environment)

    assert choice.command == (str(python),)
    assert choice.reason == f"the environment {tmp_path / 'v'} is activated"


def test_the_base_environment_of_conda_is_nobodys_choice(tmp_path: Path) -> None:
    python = a_python(tmp_path / ".venv")
    a_python(tmp_path / "conda")

    environment = {"PATH": "/bin", "CONDA_PREFIX": str(tmp_path / "conda"), "CONDA_DEFAULT_ENV": "base"}

    assert choose_python(tmp_path, tmp_path, environment).command == (str(python),)


def test_the_virtual_environment_of_the_project_comes_next(tmp_path: Path) -> None:
    python = a_python(tmp_path / ".venv")

    choice = choose_python(tmp_path, tmp_path, {"PATH": "/bin", "VIRTUAL_ENV": str(tmp_path / "gone")})

    assert choice.command == (str(python),)
    assert choice.reason == "the project has a virtual environment in .venv"


def test_an_activated_environment_of_one_part_is_not_that_of_another(tmp_path: Path) -> None:
    mine, other = (a_python(tmp_path / name / ".venv") for name in ("a", "b"))
    environment = {"PATH": "/bin", "VIRTUAL_ENV": str(tmp_path / "a" / ".venv")}

    chosen = [choose_python(tmp_path / name, tmp_path, environment).command for name in ("a", "b")]

    assert chosen == [(str(mine),), (str(other),)]


def test_an_activated_environment_counts_even_if_dualgate_runs_in_it(tmp_path: Path) -> None:
    environment = {"PATH": f"{sys.prefix}/bin", "VIRTUAL_ENV": sys.prefix}

    assert choose_python(tmp_path, tmp_path, environment).command == (f"{sys.prefix}/bin/python",)


def test_the_environment_that_dualgate_runs_in_is_passed_over_unless_it_is_activated(tmp_path: Path) -> None:
    a_python(tmp_path / "system")
    environment = {"PATH": f"{sys.prefix}/bin:{tmp_path}/system/bin"}

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


def an_environment(folder: Path, settings: str = "home = /usr\n", *packages: str) -> str:
    python = a_python(folder)
    (folder / "pyvenv.cfg").write_text(settings)
    for name in packages:
        (folder / "lib" / "python3.12" / "site-packages" / name).mkdir(parents=True)
        (folder / "lib" / "python3.12" / "site-packages" / name / "__init__.py").touch()
    return str(python)


INSTALLS = [
    ("", "home = /usr\n", "{python} -m pip install pytest"),
    ("", "home = /usr\nuv = 0.5.1\n", "uv pip install --python {python} pytest"),
    ("uv.lock", "home = /usr\nuv = 0.5.1\n", "uv add --dev pytest"),
    ("poetry.lock", "home = /usr\n", "poetry add --group dev pytest"),
    ("Pipfile", "home = /usr\n", "pipenv install --dev pytest"),
]


@pytest.mark.parametrize(("sign", "settings", "command"), INSTALLS)
def test_where_pytest_is_missing_the_message_says_what_to_install_where(
    tmp_path: Path, sign: str, settings: str, command: str
) -> None:
    python = an_environment(tmp_path / ".venv", settings)
    if sign:
        (tmp_path / sign).touch()

    told = missing_pytest((python, "-m", "pytest"), tmp_path, tmp_path)

    assert told == f"pytest is not installed in {python}; install it with: {command.format(python=python)}"


def test_where_a_tool_runs_python_it_installs_pytest(tmp_path: Path) -> None:
    told = missing_pytest(("poetry", "run", "python", "-m", "pytest"), tmp_path, tmp_path)

    assert told.endswith("in the environment of poetry; install it with: poetry add --group dev pytest")


def test_an_environment_of_the_project_that_has_pytest_is_named_beside_the_activated_one(tmp_path: Path) -> None:
    an_environment(tmp_path / "project" / ".venv", "", "pytest")
    python = an_environment(tmp_path / "active", "", "pip")

    told = missing_pytest((python, "-m", "pytest"), tmp_path / "project", tmp_path / "project")

    assert told.startswith(f"pytest is not installed in {python}; install it with: {python} -m pip install pytest; ")
    assert told.endswith(f"{tmp_path}/project/.venv has pytest: deactivate the other environment to use it")


def test_the_files_of_an_environment_show_that_it_has_no_pytest_and_unsure_means_that_it_may(tmp_path: Path) -> None:
    alone = "include-system-site-packages = false\n"
    without = an_environment(tmp_path / "without", alone, "pip")
    linked = an_environment(tmp_path / "linked", alone, "pip")
    (tmp_path / "linked" / "lib" / "python3.12" / "site-packages" / "__editable__.pytest.pth").touch()
    others = (
        an_environment(tmp_path / "with", alone, "pytest"),
        an_environment(tmp_path / "shared", "", "pip"),
        linked,
    )

    assert lacks_pytest((without, "-m", "pytest"), {})
    assert not lacks_pytest((without, "-m", "pytest"), {"PYTHONPATH": "lib"})
    assert not any(lacks_pytest((python,), {}) for python in (*others, "make", "/usr/bin/python3"))


def test_pytest_is_not_installed_into_the_system_and_never_advised_for_another_command(tmp_path: Path) -> None:
    told = missing_pytest(("/usr/bin/python3", "-m", "pytest"), tmp_path, tmp_path)

    assert "install it with: /usr/bin/python3 -m " in told
    assert missing_pytest(("make", "test"), tmp_path, tmp_path) == ""
    assert missing_pytest(("python", "-m", "pytest"), tmp_path, tmp_path).endswith("python -m pip install pytest")
