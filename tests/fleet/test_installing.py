"""A worktree of a commit with other lock files than the checkout."""

from pathlib import Path

import pytest

from dualgate.fleet.installing import install_locked
from dualgate.processes.jobs import Jobs
from dualgate.store.worktree_records import read_records
from dualgate.testing import a_control
from tests.fleet.conftest import Making
from tests.fleet.places import committed

NPM = '#!/bin/sh\necho "$@" > asked\nmkdir -p node_modules/installed && exit {code}\n'


@pytest.fixture
def first(repository: Path, tmp_path: Path, environment: dict[str, str]) -> str:
    """The commit before the lock file changed; the checkout has the packages of the present one."""
    commit = committed(repository, **{".gitignore": "node_modules/\nasked\n", "package-lock.json": "1"})
    committed(repository, **{"package-lock.json": "2"})
    (repository / "node_modules" / "present").mkdir(parents=True)
    (repository / "node_modules" / "present" / "index.js").write_text("")
    (tmp_path / "bin").mkdir()
    environment["PATH"] = f"{tmp_path / 'bin'}:{environment['PATH']}"
    return commit


def npm(tmp_path: Path, code: int) -> None:
    (tmp_path / "bin" / "npm").write_text(NPM.format(code=code))
    (tmp_path / "bin" / "npm").chmod(0o755)


def installed(repository: Path, environment: dict[str, str]) -> tuple[str, ...]:
    (record,) = read_records(repository, environment)
    return install_locked(record, environment, Jobs(), a_control())


def test_packages_of_another_lock_file_are_installed_in_the_worktree(
    repository: Path, tmp_path: Path, first: str, make: Making, environment: dict[str, str]
) -> None:
    npm(tmp_path, code=0)
    folder = make(ref=first)

    (note,) = installed(repository, environment)

    assert note.startswith("package-lock.json differs from your checkout, so its packages were installed: npm ci")
    assert [each.name for each in (folder / "node_modules").iterdir()] == ["installed"]
    assert [each.name for each in (repository / "node_modules").iterdir()] == ["present"]


def test_where_they_cannot_be_installed_those_of_the_checkout_are_used(
    repository: Path, tmp_path: Path, first: str, make: Making, environment: dict[str, str]
) -> None:
    npm(tmp_path, code=1)
    folder = make(ref=first)

    (note,) = installed(repository, environment)

    assert "failed, so the packages of your checkout are used" in note
    assert [each.name for each in (folder / "node_modules").iterdir()] == ["present"]


def test_with_the_same_lock_file_nothing_is_installed(
    repository: Path, tmp_path: Path, first: str, make: Making, environment: dict[str, str]
) -> None:
    npm(tmp_path, code=0)
    folder = make()

    assert installed(repository, environment) == ()
    assert not (folder / "asked").exists()
