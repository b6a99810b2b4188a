"""Who may ask for something: a person anywhere, a program of a run only where that run began it."""

from pathlib import Path

import pytest

from dualgate.processes.origin import Origin, mark_of
from dualgate.store.callers import Target, refusing_marks


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "home" / ".bp-sessions" / "app").mkdir(parents=True)
    (tmp_path / "app").mkdir()
    return tmp_path / "app"


def inside(project: Path, *more: str) -> Origin:
    """A program of the run in a project, and of other runs."""
    return Origin(marks=frozenset({mark_of(project), *more}), homes=frozenset({project.parent / "home"}))


def session_of(project: Path, *begun_inside: str) -> Target:
    return Target(
        project=project, place=project.parent / "home" / ".bp-sessions" / project.name, begun_inside=begun_inside
    )


def test_a_person_may_ask_for_anything(project: Path) -> None:
    assert not refusing_marks(session_of(project), Origin(homes=frozenset({project.parent / "home"})))


def test_a_program_of_the_run_may_not_ask_its_own_run(project: Path) -> None:
    assert refusing_marks(session_of(project), inside(project)) == {mark_of(project)}


def test_nor_for_the_session_of_another_project_of_the_person(project: Path) -> None:
    other = project.with_name("other")
    other.mkdir()

    assert refusing_marks(session_of(other), inside(project)) == {mark_of(project)}


def test_tests_of_a_program_that_calls_dualgate_may_use_the_sessions_that_they_began(project: Path) -> None:
    other = project.with_name("other")
    other.mkdir()

    assert not refusing_marks(session_of(other, mark_of(project)), inside(project))
    assert refusing_marks(session_of(other, mark_of(project)), inside(project, mark_of(other))) == {mark_of(other)}


def test_a_session_in_a_home_of_its_own_is_not_the_persons(project: Path, tmp_path: Path) -> None:
    other = tmp_path / "temporary" / "doubling"
    other.mkdir(parents=True)

    assert not refusing_marks(session_of(other), inside(project))
    assert not refusing_marks(Target(project=other, place=other), inside(project))
