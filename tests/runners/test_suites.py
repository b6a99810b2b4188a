"""Several suites as one runner: real pytest in real folders."""

import os
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from dualgate.core.values.control import Activity
from dualgate.core.values.suite import Suite
from dualgate.errors import Interrupted, ProgramNotFound, SettingError, SuiteUnusable
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.detect import SuitePlan
from dualgate.runners.suites import Suites
from dualgate.testing import a_control
from tests.support import LeftRunning

COMMAND = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")


def a_suite(folder: Path, name: str, text: str = "def test_x(): pass", **values: object) -> Suite:
    (folder / name).mkdir()
    (folder / name / "pytest.ini").write_text("[pytest]")
    (folder / name / f"test_{name}.py").write_text(text)
    return Suite(**{"name": name, "command": COMMAND, "folder": name, "timeout": 60, **values})  # type: ignore[arg-type]


def together(folder: Path, *suites: Suite) -> Suites:
    return Suites(suites=suites, project=folder, supervisor=Supervisor(os.environ), state=folder / "state")


def test_the_suites_of_a_project_are_told_as_one_with_their_names_before_the_ids(tmp_path: Path) -> None:
    suites = together(tmp_path, a_suite(tmp_path, "api"), a_suite(tmp_path, "web", "def test_x(): assert 0"))

    report = suites.run(a_control())

    assert {result.id: str(result.outcome) for result in report.results} == {
        "api::test_api.py::test_x": "passed",
        "web::test_web.py::test_x": "failed",
    }
    assert [result.file for result in report.results] == ["api/test_api.py", "web/test_web.py"]
    assert (report.trusted, report.exit_code, report.suites) == (True, 1, ("api", "web"))
    assert report.command == suites.command


def test_suites_are_looked_for_until_some_of_their_tests_ran(tmp_path: Path) -> None:
    broken, empty = a_suite(tmp_path, "api", command=("/nowhere/python", "-m", "pytest")), a_suite(tmp_path, "lib", "")
    web, other = a_suite(tmp_path, "web"), a_suite(tmp_path, "other")
    plans = iter([(), (broken,), (empty,), (web,), (other,)])
    suites = replace(together(tmp_path), find=lambda: SuitePlan(suites=next(plans), notes=("not readable",)))

    unusable = suites.run(a_control())
    with pytest.raises(ProgramNotFound):
        suites.run(a_control())
    later = [suites.run(a_control()).suites for _ in range(3)]

    assert (unusable.suites, unusable.problems) == ((), ("not readable",))
    assert later == [("lib",), ("web",), ("web",)]


KILLED_ONCE = """
import os, pathlib
def test_x():
    if not pathlib.Path("../killed").exists():
        pathlib.Path("../killed").touch()
        os.kill(os.getpid(), 9)
"""
ALWAYS_KILLED = "import os\ndef test_x(): os.kill(os.getpid(), 9)"


def test_a_run_that_is_killed_is_made_once_more_and_that_is_noted(tmp_path: Path) -> None:
    suites = together(
        tmp_path, a_suite(tmp_path, "api", KILLED_ONCE), a_suite(tmp_path, "web", "def test_x(): assert 0")
    )

    report = suites.run(a_control())

    assert (report.problems, report.counts.passed, report.counts.failed) == ((), 1, 1)
    assert report.notes == ("api: a run before it was killed (exit code -9)",)


def test_a_run_that_is_killed_again_cannot_be_trusted(tmp_path: Path) -> None:
    report = together(tmp_path, a_suite(tmp_path, "api", ALWAYS_KILLED)).run(a_control())

    assert (report.trusted, report.was_killed) == (False, True)


MEETING = """
import pathlib, time
def test_meets():
    pathlib.Path("../{mine}").touch()
    end = time.monotonic() + 30
    while not pathlib.Path("../{other}").exists():
        assert time.monotonic() < end
"""


def test_suites_run_at_once_and_do_not_end_each_other(tmp_path: Path) -> None:
    one = a_suite(tmp_path, "one", MEETING.format(mine="1", other="2"))
    two = a_suite(tmp_path, "two", MEETING.format(mine="2", other="1"))

    report = together(tmp_path, one, two).run(a_control())

    assert (report.problems, report.counts.passed) == ((), 2)


def test_ids_go_to_the_suite_that_they_name_and_the_others_are_not_run(tmp_path: Path) -> None:
    two_tests = "def test_x(): pass\ndef test_y(): pass"
    suites = together(tmp_path, a_suite(tmp_path, "api", two_tests), a_suite(tmp_path, "web"))

    report = suites.run(a_control(), ["api::test_api.py::test_y"])

    assert [result.id for result in report.results] == ["api::test_api.py::test_y"] == list(report.only)


def test_where_there_is_one_suite_an_id_needs_no_name(tmp_path: Path) -> None:
    suites = together(tmp_path, a_suite(tmp_path, "api", "def test_x(): pass\ndef test_y(): pass"))

    report = suites.run(a_control(), ["test_api.py::test_x"])

    assert [result.id for result in report.results] == ["api::test_api.py::test_x"]


def test_an_id_that_names_no_suite_is_refused_with_the_names(tmp_path: Path) -> None:
    suites = together(tmp_path, a_suite(tmp_path, "api"), a_suite(tmp_path, "web"))

    with pytest.raises(SettingError, match=r"(?s)'test_x' names no suite.*api::…, web::…"):
        suites.run(a_control(), ["test_x"])


def test_each_suite_has_a_time_limit_of_its_own(tmp_path: Path) -> None:
    slow = a_suite(tmp_path, "slow", "import time\ndef test_x(): time.sleep(600)", timeout=1)

    report = together(tmp_path, a_suite(tmp_path, "quick"), slow).run(a_control())

    assert report.problems[0].startswith("slow: the test run did not end by itself: timed_out")
    assert report.counts.passed == 1


def test_a_suite_without_its_program_stops_the_others(tmp_path: Path, left_running: LeftRunning) -> None:
    slow = a_suite(tmp_path, "slow", "import time\ndef test_x(): time.sleep(600)")
    lost = a_suite(tmp_path, "lost", command=("no-such-program",))

    with pytest.raises(ProgramNotFound, match="no-such-program"):
        together(tmp_path, slow, lost).run(a_control())
    assert not left_running()


def test_a_suite_that_is_not_required_may_lack_its_program_or_its_set_up(tmp_path: Path) -> None:
    lost = a_suite(tmp_path, "lost", command=("no-such-program",), required=False)
    bare = a_suite(tmp_path, "bare", setup=("false",), required=False)

    report = together(tmp_path, a_suite(tmp_path, "api"), lost, bare).run(a_control())

    assert (report.trusted, report.counts.passed) == (True, 1)
    assert report.notes[0] == "lost: There is no program 'no-such-program'."
    assert report.notes[1].startswith("bare: The suite 'bare' cannot be set up")


def test_a_suite_is_set_up_before_it_runs_and_what_breaks_its_set_up_later_is_a_problem(tmp_path: Path) -> None:
    installed = "import pathlib\ndef test_x(): assert pathlib.Path('installed').exists()"
    suites = together(tmp_path, a_suite(tmp_path, "api", installed, setup=("cp", "uv.lock", "installed")))
    (tmp_path / "api" / "uv.lock").write_text("all is well")
    before = suites.run(a_control())
    (tmp_path / "api" / "uv.lock").unlink()
    (tmp_path / "api" / "requirements.txt").write_text("nonsense")

    after = suites.run(a_control())

    assert (before.counts.passed, before.problems) == (1, ())
    assert "the set-up failed after a change of what it installs" in after.problems[0]
    assert not after.complete


def test_a_required_suite_that_cannot_be_set_up_at_all_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SuiteUnusable, match="cannot be set up"):
        together(tmp_path, a_suite(tmp_path, "api", setup=("false",))).run(a_control())


def test_a_runner_that_there_is_not_is_named_with_those_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"(?s)the runner 'abacus'.*pytest"):
        together(tmp_path, a_suite(tmp_path, "api", runner="abacus")).run(a_control())


def test_a_stop_ends_all_suites_and_activity_names_its_suite(tmp_path: Path, left_running: LeftRunning) -> None:
    cancel = threading.Event()
    heard: list[str] = []

    def stop(activity: Activity) -> None:
        heard.append(activity.text.partition(":")[0])
        cancel.set()

    noisy = "import time\ndef test_x():\n    print('.', flush=True)\n    time.sleep(600)"
    suites = together(
        tmp_path,
        a_suite(tmp_path, "one", noisy, command=(*COMMAND, "-s")),
        a_suite(tmp_path, "two", noisy, command=(*COMMAND, "-s")),
    )

    with pytest.raises(Interrupted):
        suites.run(a_control(cancel=cancel, on_activity=stop))
    assert set(heard) <= {"one", "two"}
    assert heard
    assert not left_running()
