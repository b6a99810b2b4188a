"""Environments outside of the checkout: worktrees read their packages, and the project from the worktree."""

import subprocess
import sys
import venv
from base64 import urlsafe_b64encode
from hashlib import sha256
from pathlib import Path

import pytest

from dualgate.fleet.outside import find_outside
from dualgate.fleet.variables import environment_in
from tests.fleet.conftest import Making
from tests.fleet.places import committed

VERSION = f"python{sys.version_info.major}.{sys.version_info.minor}"


def hashed(path: Path) -> str:
    """As poetry and pipenv name an environment by a path; pipenv encodes fewer bytes, with the same beginning."""
    return urlsafe_b64encode(sha256(str(path).encode()).digest()).decode()[:8]


def an_installation(place: Path, project: Path | None = None) -> Path:
    """A Python with its own packages, as conda installs it; `project` is installed in place."""
    packages = place / "lib" / VERSION / "site-packages"
    packages.mkdir(parents=True)
    for each in (Path(sys.base_prefix) / "lib" / VERSION).iterdir():
        if each.name != "site-packages":
            (packages.parent / each.name).symlink_to(each)
    (place / "bin").mkdir()
    for name in ("python", "python3", VERSION):
        (place / "bin" / name).symlink_to(Path(sys.base_prefix) / "bin" / VERSION)
    (packages / "shared.py").write_text("x = 1\n")
    if project is not None:
        (packages / "__editable__.shop.pth").write_text(f"{project}/src\n")
    script = place / "bin" / "tool"
    script.write_text(f"#!{place}/bin/python\nimport shop\nprint(shop.__file__)\n")
    script.chmod(0o755)
    (place / "bin" / "other").write_bytes(b"\x7fELF")
    return place


@pytest.fixture
def sourced(repository: Path) -> Path:
    (repository / "src").mkdir()
    (repository / "src" / "shop.py").write_text("")
    committed(repository)
    return repository


def conda(place: Path, environment: dict[str, str]) -> dict[str, str]:
    return environment | {"CONDA_PREFIX": str(place), "CONDA_DEFAULT_ENV": "shop"}


def test_a_project_that_is_installed_in_place_by_conda_is_that_of_the_worktree(
    sourced: Path, tmp_path: Path, make: Making, environment: dict[str, str]
) -> None:
    place = an_installation(tmp_path / "conda", sourced)
    environment |= conda(place, environment)

    folder = make()

    found = environment_in(folder, environment)
    told = subprocess.run(["tool"], env=found, capture_output=True, text=True, cwd=tmp_path, check=True).stdout
    assert told.strip() == str(folder / "src" / "shop.py")
    python = folder / ".venv" / "bin" / "python"
    shared = subprocess.run([python, "-c", "import shared; print(shared.__file__)"], capture_output=True, text=True)
    assert shared.stdout.strip() == str(place / "lib" / VERSION / "site-packages" / "shared.py")
    assert not (folder / ".venv" / "bin" / "other").exists()


def test_an_installation_without_the_project_is_used_as_it_is(
    repository: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    place = an_installation(tmp_path / "conda", tmp_path / "elsewhere")

    assert find_outside(repository, repository, conda(place, environment)) is None


@pytest.mark.parametrize("is_shim", [False, True])
def test_a_python_on_the_path_in_which_the_project_is_installed_in_place_is_shared(
    repository: Path, tmp_path: Path, environment: dict[str, str], is_shim: bool
) -> None:
    place = an_installation(tmp_path / "pyenv" / "versions" / "3.11.7", repository)
    for name in ("python", "python3", VERSION):
        (place / "bin" / name).unlink()
        (place / "bin" / name).write_bytes((Path(sys.base_prefix) / "bin" / VERSION).read_bytes()[:100])
        (place / "bin" / name).chmod(0o755)
    shims = tmp_path / "pyenv" / "shims"
    shims.mkdir()
    (shims / "python").write_text("#!/bin/sh\n")
    (shims / "python").chmod(0o755)
    (repository / ".python-version").write_text("3.11.7\n")
    path = shims if is_shim else place / "bin"

    assert find_outside(repository, repository, {"PATH": str(path)}) == place


@pytest.mark.parametrize(
    ("file", "variable"), [("pyproject.toml", "POETRY_VIRTUALENVS_PATH"), ("Pipfile", "WORKON_HOME")]
)
def test_the_environment_that_a_tool_keeps_for_the_path_of_the_checkout_is_shared(
    repository: Path, tmp_path: Path, file: str, variable: str
) -> None:
    (repository / file).touch()
    names = {
        "pyproject.toml": f"shop-{hashed(repository)}-py3.11",
        "Pipfile": f"shop-{hashed(repository / 'Pipfile')}",
    }
    venv.create(tmp_path / "kept" / names[file], symlinks=True)
    venv.create(tmp_path / "kept" / "shop-AAAAAAAA-py3.11", symlinks=True)
    environment = {"PATH": "", variable: str(tmp_path / "kept")}

    assert find_outside(repository, repository, environment) == tmp_path / "kept" / names[file]

    venv.create(repository / ".venv", symlinks=True)
    assert find_outside(repository, repository, environment) is None
