import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import psutil
import pytest

from dualgate.core.values.control import Control
from dualgate.core.values.suite import Services, Suite, SuiteReport
from dualgate.errors import EnvironmentUnhealthy, Interrupted, SuiteUnusable
from dualgate.processes.job import Job
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.prepare import served, set_up
from dualgate.testing import a_control, a_report, failed, passed

SUPERVISOR = Supervisor(os.environ)

COUNTING = Suite(name="a", command=("true",), setup=("/bin/sh", "-c", "echo x >> ran; test ! -e broken"))


def runs(folder: Path) -> int:
    return len((folder / "ran").read_text().split())


def test_a_suite_is_set_up_once_and_again_when_a_lock_file_changes(tmp_path: Path) -> None:
    times = []
    for lock in ("one", "one", "two"):
        (tmp_path / "uv.lock").write_text(lock)
        set_up(COUNTING, tmp_path, tmp_path / "state", SUPERVISOR, a_control())
        times.append(runs(tmp_path))

    assert times == [1, 1, 2]


def test_a_suite_is_set_up_again_where_its_environment_is_gone(tmp_path: Path) -> None:
    suite = replace(COUNTING, setup=("/bin/sh", "-c", "echo x >> ran; mkdir -p .venv"))
    for _ in range(2):
        set_up(suite, tmp_path, tmp_path / "state", SUPERVISOR, a_control())
    (tmp_path / ".venv").rmdir()

    set_up(suite, tmp_path, tmp_path / "state", SUPERVISOR, a_control())

    assert runs(tmp_path) == 2


@pytest.mark.parametrize(
    ("name", "locked", "times"),
    [
        ("requirements-dev.txt", False, 2),
        ("pyproject.toml", False, 2),
        ("pyproject.toml", True, 1),
        ("README.md", False, 1),
    ],
)
def test_the_projects_own_file_counts_where_nothing_locks_it(
    tmp_path: Path, name: str, locked: bool, times: int
) -> None:
    if locked:
        (tmp_path / "poetry.lock").touch()
    set_up(COUNTING, tmp_path, tmp_path / "state", SUPERVISOR, a_control())
    (tmp_path / name).write_text("new")

    set_up(COUNTING, tmp_path, tmp_path / "state", SUPERVISOR, a_control())

    assert runs(tmp_path) == times


def test_a_set_up_that_never_worked_is_told_with_the_end_of_what_it_said(tmp_path: Path) -> None:
    suite = Suite(name="a", command=("true",), setup=("/bin/sh", "-c", "echo no such package; exit 3"))

    with pytest.raises(SuiteUnusable, match=r"(?s)suite 'a' cannot be set up: .* ended with 3:\nno such package"):
        set_up(suite, tmp_path, tmp_path / "state", SUPERVISOR, a_control())


def test_a_set_up_that_a_changed_lock_file_broke_is_a_problem_of_the_run_until_it_is_mended(tmp_path: Path) -> None:
    set_up(COUNTING, tmp_path, tmp_path / "state", SUPERVISOR, a_control())
    (tmp_path / "uv.lock").write_text("broken")
    (tmp_path / "broken").touch()

    problems = [set_up(COUNTING, tmp_path, tmp_path / "state", SUPERVISOR, a_control()) for _ in range(2)]
    (tmp_path / "broken").unlink()

    assert all("the set-up failed after a change of what it installs" in problem for problem in problems)
    assert set_up(COUNTING, tmp_path, tmp_path / "state", SUPERVISOR, a_control()) == ""


@dataclass(kw_only=True)
class Looking:
    """A runner that notes which files lie in the folder while it runs."""

    folder: Path
    report: SuiteReport = field(default_factory=lambda: a_report(passed("x")))
    spoils: str = ""
    command: tuple[str, ...] = ("look",)
    saw: list[set[str]] = field(default_factory=list)

    def run(self, control: Control, only: Sequence[str] = ()) -> SuiteReport:
        self.saw.append({path.name for path in self.folder.iterdir()})
        if self.spoils:
            (self.folder / self.spoils).unlink()
        return self.report


IN_FRONT = "echo $$ > pid; sleep 0.1; touch ready; exec sleep 600"


def test_services_are_up_and_healthy_for_every_run_and_down_at_the_end(tmp_path: Path) -> None:
    services = Services(up=IN_FRONT, health="test -e ready", down="touch down; rm ready")
    runner = Looking(folder=tmp_path)

    with served(runner, services, tmp_path, SUPERVISOR) as with_services:
        reports = [with_services.run(a_control()) for _ in range(2)]

    assert reports == [runner.report] * 2
    assert runner.saw == [{"pid", "ready"}] * 2
    assert {path.name for path in tmp_path.iterdir()} == {"pid", "down"}
    assert not psutil.pid_exists(int((tmp_path / "pid").read_text()))


def test_a_service_in_the_background_lives_through_other_jobs(tmp_path: Path) -> None:
    services = Services(up="sleep 600 & echo $! > pid", down="touch down")
    (tmp_path / "job").mkdir()
    job = Job(
        argv=("true",), cwd=tmp_path, environment={}, stdout=tmp_path / "job" / "out", stderr=tmp_path / "job" / "err"
    )

    with served(Looking(folder=tmp_path), services, tmp_path, SUPERVISOR) as with_services:
        with_services.run(a_control())
        SUPERVISOR.supervise(job, a_control())
        lives = psutil.pid_exists(int((tmp_path / "pid").read_text()))

    assert lives
    assert not psutil.pid_exists(int((tmp_path / "pid").read_text()))


UNHEALTHY = [
    (Services(up="echo no port; exit 7", down="touch down"), "ended with 7:\nno port"),
    (Services(up="sleep 600", patience=0.3, down="touch down"), "still runs, and no health command shows"),
    (Services(health="echo refused; false", patience=0.3, down="touch down"), "after 0.3 s: .* ended with 1: refused"),
]


@pytest.mark.parametrize(("services", "told"), UNHEALTHY)
def test_services_that_are_not_healthy_are_an_error_of_their_own_and_taken_down(
    tmp_path: Path, services: Services, told: str
) -> None:
    runner = Looking(folder=tmp_path)

    with (
        pytest.raises(EnvironmentUnhealthy, match=told),
        served(runner, services, tmp_path, SUPERVISOR) as with_services,
    ):
        with_services.run(a_control())

    assert runner.saw == []
    assert (tmp_path / "down").exists()


def test_tests_that_failed_while_a_service_went_away_are_not_told(tmp_path: Path) -> None:
    (tmp_path / "ready").touch()
    services = Services(health="test -e ready", patience=0.3)
    runner = Looking(folder=tmp_path, report=a_report(failed("x")), spoils="ready")

    with pytest.raises(EnvironmentUnhealthy), served(runner, services, tmp_path, SUPERVISOR) as with_services:
        with_services.run(a_control())


def test_services_are_taken_down_after_a_stop(tmp_path: Path) -> None:
    stopped = threading.Event()
    stopped.set()
    services = Services(up="true", health="false", down="touch down")

    with pytest.raises(Interrupted), served(Looking(folder=tmp_path), services, tmp_path, SUPERVISOR) as with_services:
        with_services.run(a_control(cancel=stopped))

    assert (tmp_path / "down").exists()


def test_where_there_are_no_services_the_runner_is_the_runner(tmp_path: Path) -> None:
    runner = Looking(folder=tmp_path)

    with served(runner, Services(), tmp_path, SUPERVISOR) as same:
        assert same is runner
