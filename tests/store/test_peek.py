"""The state files of sessions, read without their journals."""

import json
from pathlib import Path

import pytest

from dualgate.core.values.vocabulary import Status
from dualgate.store.peek import peek_at_all, peek_here
from dualgate.store.sessions import session_folder
from tests.support import Dualgate


@pytest.fixture
def after_a_run(dualgate: Dualgate, environment: dict[str, str]) -> dict[str, str]:
    dualgate("run", "SPEC.md", "--agent", "rehearsal:lying", "--max-iterations", "1")
    return environment


def test_the_session_of_a_project_is_found_as_the_store_finds_it(after_a_run: dict[str, str], project: Path) -> None:
    found = peek_here(project, after_a_run)

    assert found is not None
    assert found.folder == session_folder(project, after_a_run)
    assert (found.status, found.phase, found.spec) == (Status.HALTED, "GREEN", "SPEC.md")
    assert found.reason.startswith("GREEN:")
    assert [each.id for each in peek_at_all(after_a_run)] == [found.id]


def test_a_folder_of_the_same_name_elsewhere_has_no_session(after_a_run: dict[str, str], tmp_path: Path) -> None:
    assert peek_here(tmp_path / "elsewhere" / "doubling", after_a_run) is None


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"status": "dancing"}'])
def test_a_damaged_state_file_is_no_session(after_a_run: dict[str, str], project: Path, damage: str) -> None:
    file = session_folder(project, after_a_run) / "loop-state.json"
    assert json.loads(file.read_text())["status"] == "halted"
    file.write_text(damage)

    assert peek_here(project, after_a_run) is None
    assert peek_at_all(after_a_run) == []


def test_a_session_folder_of_its_own_is_looked_at(project: Path, tmp_path: Path) -> None:
    assert peek_here(project, {"HOME": str(tmp_path), "PRP_SESSION_DIR": str(tmp_path / "none")}) is None
