"""The files of a session are for its owner alone, and who puts them where others can reach them is told."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from dualgate.core.machine.requests import Request, RequestKind
from dualgate.processes.private import why_open
from dualgate.session.own import open_journal, taken_over
from dualgate.store.call_files import CallFiles
from dualgate.store.memory import MemoryStore
from dualgate.store.projections import open_projections
from dualgate.store.requests import ask
from dualgate.store.sessions import memory_store, session_folder, snapshot_store
from dualgate.testing import NOW, a_host, a_start
from dualgate.workspace.saved import SavedSnapshots


@pytest.fixture(autouse=True)
def lax() -> Iterator[None]:
    """A umask that lets everybody read and write."""
    before = os.umask(0)
    yield
    os.umask(before)


def open_to_others(folder: Path) -> list[str]:
    every = [folder, *folder.rglob("*")]
    return [str(path) for path in every if stat.S_IMODE(path.lstat().st_mode) & 0o077]


def use(project: Path, environment: dict[str, str]) -> list[str]:
    """Write every kind of file that a session has; returns what the person is told."""
    told: list[str] = []
    host, folder, start = (
        a_host(project, environment, tell=told.append),
        session_folder(project, environment),
        a_start(project=str(project)),
    )
    with taken_over(host, folder) as (lease, _), SavedSnapshots(project, snapshot_store(project, environment)) as saved:
        open_journal(folder, lease, host.redactor).append(start)
        open_projections(folder, start)
        CallFiles(folder).write("0001-RED-prompt.md", b"a secret")
        ask(folder, Request(kind=RequestKind.PAUSE, at=NOW, by="ada"))
        saved.save("", NOW)
        MemoryStore(memory_store(project, environment), host.redactor, told.append).all(None)
    return told


def test_all_that_a_session_writes_is_for_its_owner_alone_even_under_a_lax_umask(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir(mode=0o700)
    (tmp_path / "home").mkdir(mode=0o700)

    told = use(tmp_path / "project", {"HOME": str(tmp_path / "home")})

    assert (open_to_others(tmp_path / "home"), told) == ([], [])


def test_what_an_older_version_left_open_is_closed(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "home").mkdir(mode=0o700)
    environment = {"HOME": str(tmp_path / "home")}
    use(tmp_path / "project", environment)
    for path in (tmp_path / "home" / ".bp-sessions", *(tmp_path / "home" / ".bp-sessions").rglob("*")):
        path.chmod(0o777 if path.is_dir() else 0o644)

    use(tmp_path / "project", environment)

    # those of other stores lie in folders that nobody can enter
    assert not [path for path in open_to_others(tmp_path / "home") if Path(path).parent.stat().st_mode & 0o077]
    assert open_to_others(session_folder(tmp_path / "project", environment)) == []


def test_a_place_that_others_can_reach_is_said(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "shared").mkdir()

    told = use(tmp_path / "project", {"HOME": str(tmp_path), "PRP_SESSION_DIR": str(tmp_path / "shared" / "session")})

    assert told[0].startswith(f"other users can write in {tmp_path / 'shared'}; choose a place that is yours alone")
    (tmp_path / "shared").chmod(0o1777)
    assert why_open(tmp_path / "shared" / "session") == ""
    (tmp_path / "shared" / "session").chmod(0o755)
    assert "is open to other users (mode 755)" in why_open(tmp_path / "shared" / "session")
