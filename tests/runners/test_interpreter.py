import sys
from pathlib import Path

import pytest

from dualgate.errors import SuiteUnusable
from dualgate.runners.interpreter import choose_command


def a_python(folder: Path) -> Path:
    (folder / "bin").mkdir(parents=True)
    for name in ("python", "python3"):
        (folder / "bin" / name).write_text("#!/bin/sh\n")
        (folder / "bin" / name).chmod(0o755)
    return folder / "bin" / "python"


def test_the_virtual_environment_of_the_project_comes_first(tmp_path: Path) -> None:
    python = a_python(tmp_path / ".venv")

    choice = choose_command(
        tmp_path, None, {"PATH": "/bin", "VIRTUAL_ENV": str(a_python(tmp_path / "v").parent.parent)}
    )

    assert choice.command == (str(python), "-m", "pytest")
    assert choice.reason == "the project has a virtual environment in .venv"


def test_an_active_environment_comes_next(tmp_path: Path) -> None:
    python = a_python(tmp_path / "other")

    choice = choose_command(tmp_path, None, {"PATH": "/bin", "VIRTUAL_ENV": str(tmp_path / "other")})

    assert choice.command[0] == str(python)


def test_the_environment_that_dualgate_runs_in_is_passed_over(tmp_path: Path) -> None:
    a_python(tmp_path / "system")
    environment = {"PATH": f"{sys.prefix}/bin:{tmp_path}/system/bin", "VIRTUAL_ENV": sys.prefix}

    choice = choose_command(tmp_path, None, environment)

    assert choice.command[0] == str(tmp_path / "system" / "bin" / "python3")
    assert choice.reason == "python3 is on the PATH"


def test_a_given_command_is_taken_as_it_is(tmp_path: Path) -> None:
    assert choose_command(tmp_path, "uv run pytest -q", {}).command == ("uv", "run", "pytest", "-q")


def test_no_python_at_all_is_said_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(SuiteUnusable, match="or give --test-command"):
        choose_command(tmp_path, None, {"PATH": str(tmp_path)})
