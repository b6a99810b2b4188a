"""A virtual environment that reads the packages of another one: nothing is installed, nothing leads to the checkout."""

import os
import subprocess
import venv
from pathlib import Path

import pytest

from dualgate.fleet.sharing import SHARED, moved_bytes, share_environment
from dualgate.fleet.variables import environment_in
from tests.fleet.conftest import Making
from tests.fleet.places import committed, git

FINDER = """
MAPPING = {{'found': '{0}/lib/found'}}
import sys, importlib.util
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in MAPPING:
            return importlib.util.spec_from_file_location(name, MAPPING[name] + '/__init__.py')
sys.meta_path.append(Finder)
"""


@pytest.fixture
def packages(repository: Path) -> Path:
    """The site-packages of a checkout's environment: a package, and two of the project that are installed in place."""
    (repository / "src" / "placed").mkdir(parents=True)
    (repository / "src" / "placed" / "__init__.py").write_text("")
    (repository / "lib" / "found").mkdir(parents=True)
    (repository / "lib" / "found" / "__init__.py").write_text("")
    committed(repository, **{".gitignore": ".venv/\n"})
    venv.create(repository / ".venv", symlinks=True)
    (place,) = (repository / ".venv").glob("lib/python*/site-packages")
    (place / "shared.py").write_text("x = 1\n")
    (place / "placed.pth").write_text(f"{repository}/src\n")
    (place / "__editable___found_finder.py").write_text(FINDER.format(repository))
    (place / "__editable__.found.pth").write_text("import __editable___found_finder\n")
    script = repository / ".venv" / "bin" / "tool"
    script.write_text(f"#!{repository}/.venv/bin/python\nimport sys\nprint(sys.prefix)\n")
    script.chmod(0o755)
    return place


def told(folder: Path, *argv: str) -> list[str]:
    plain = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return subprocess.run(argv, cwd=folder.parent, env=plain, capture_output=True, text=True, check=True).stdout.split()


def test_packages_are_read_from_the_checkout_and_the_project_from_the_worktree(packages: Path, make: Making) -> None:
    folder = make()

    python = str(folder / ".venv" / "bin" / "python")
    files = told(
        folder, python, "-c", "import shared, placed, found as f; [print(m.__file__) for m in (shared, placed, f)]"
    )

    assert files == [
        str(packages / "shared.py"),
        str(folder / "src" / "placed" / "__init__.py"),
        str(folder / "lib" / "found" / "__init__.py"),
    ]


def test_scripts_start_the_python_of_the_worktree(packages: Path, make: Making) -> None:
    folder = make()

    assert told(folder, str(folder / ".venv" / "bin" / "tool")) == [str(folder / ".venv")]


def test_a_script_with_a_long_path_starts_too(packages: Path, repository: Path, tmp_path: Path) -> None:
    target = tmp_path / ("long" * 40) / ".venv"

    share_environment(repository / ".venv", target, repository, target.parent)

    assert told(tmp_path, str(target / "bin" / "tool")) == [str(target)]


def test_an_environment_is_small_and_leaves_the_first_as_it_was(packages: Path, repository: Path, make: Making) -> None:
    before = sorted((str(path), path.lstat().st_mtime_ns) for path in (repository / ".venv").rglob("*"))

    own = make() / ".venv"

    assert sorted((str(path), path.lstat().st_mtime_ns) for path in (repository / ".venv").rglob("*")) == before
    (mine,) = own.glob("lib/python*/site-packages")
    assert sorted(path.name for path in mine.iterdir()) == [
        SHARED,
        "__editable__.found.pth",
        "__editable___found_finder.py",
        "placed.pth",
    ]
    assert git(own.parent, "status", "--porcelain") == ""


def test_an_environment_of_a_worktree_is_shared_as_well(packages: Path, make: Making) -> None:
    second = make("second", at=make("first"))

    python = str(second / ".venv" / "bin" / "python")
    files = told(second, python, "-c", "import shared, placed; print(shared.__file__); print(placed.__file__)")

    assert files == [str(packages / "shared.py"), str(second / "src" / "placed" / "__init__.py")]


def test_an_activated_environment_outside_of_the_checkout_is_replaced(
    repository: Path, tmp_path: Path, make: Making, environment: dict[str, str]
) -> None:
    outside = tmp_path / "outside"
    venv.create(outside, symlinks=True)
    environment |= {"VIRTUAL_ENV": str(outside), "PATH": f"{outside}/bin:{environment['PATH']}"}

    folder = make()

    found = environment_in(folder, environment)
    assert found["VIRTUAL_ENV"] == str(folder / ".venv")
    assert found["PATH"].split(":")[0] == str(folder / ".venv" / "bin")
    assert found["DUALGATE_ORIGIN"] == str(repository)


def test_variables_that_name_the_checkout_lead_to_the_worktree(
    packages: Path, repository: Path, make: Making, environment: dict[str, str]
) -> None:
    folder = make()
    given = environment | {
        "VIRTUAL_ENV": str(repository / ".venv"),
        "PATH": f"{repository}/.venv/bin:{repository}/nowhere:/usr/bin",
        "PYTHONPATH": f"{repository}/src",
    }

    found = environment_in(folder, given)

    assert found["VIRTUAL_ENV"] == str(folder / ".venv")
    assert found["PATH"] == f"{folder}/.venv/bin:{repository}/nowhere:/usr/bin"
    assert found["PYTHONPATH"] == f"{folder}/src"


def test_elsewhere_the_environment_stays_as_it_is(repository: Path, environment: dict[str, str]) -> None:
    assert environment_in(repository, environment) is environment
    assert environment_in(repository.parent, environment) is environment


def test_a_folder_whose_name_begins_alike_is_another_folder() -> None:
    text = b"/home/me/shop/src\n'/home/me/shop'\n/home/me/shop-utils/src\n"

    assert moved_bytes(text, Path("/home/me/shop"), Path("/trees/x")) == (
        b"/trees/x/src\n'/trees/x'\n/home/me/shop-utils/src\n"
    )


def test_packages_of_node_are_linked_one_by_one(repository: Path, make: Making) -> None:
    modules = repository / "node_modules"
    for name in ("left", "@scope/right", ".cache", ".bin"):
        (modules / name).mkdir(parents=True)
        (modules / name / "file").write_text(name)
    (modules / ".bin" / "left").symlink_to("../left/file")
    (repository / "packages" / "own").mkdir(parents=True)
    (repository / "packages" / "own" / "index.js").write_text("")
    (modules / "own").symlink_to("../packages/own")
    (modules / ".package-lock.json").write_text("{}")
    committed(repository, **{".gitignore": "node_modules/\n"})

    made = make() / "node_modules"

    assert sorted(each.name for each in made.iterdir()) == [".bin", ".package-lock.json", "@scope", "left", "own"]
    assert (made / "left").resolve() == modules / "left"
    assert (made / "@scope" / "right").resolve() == modules / "@scope" / "right"
    assert (made / "own").resolve() == made.parent / "packages" / "own"
    assert not (made / ".bin").is_symlink()
    assert (made / ".bin" / "left").read_text() == "left"
    assert not (made / ".package-lock.json").is_symlink()
