"""Reports that lie, contradict themselves or are torn: what is told beside how the process ended."""

import sys
from pathlib import Path
from typing import Any

import pytest

from dualgate.core.values.answer import Ending
from dualgate.core.values.suite import Suite, SuiteReport
from dualgate.processes.job import Exit
from dualgate.runners.reading import Told, read_report

ENVIRONMENT = {
    "python": "cpython 3.11.7",
    "executable": sys.executable,
    "files": [],
    "installed": [],
    "variables": {},
    "flags": "",
}
STARTED = {
    "event": "started",
    "format": 2,
    "runner": "pytest",
    "version": "9",
    "shadowed": [],
    "doubts": [],
    "environment": ENVIRONMENT,
}
PASSED = {
    "event": "result",
    "id": "a",
    "file": "/project/a.py",
    "outcome": "passed",
    "digest": "d",
    "doc": "\udc80",
    "seconds": 0.1,
}
COLLECTED = {"event": "collected", "ids": ["a"]}


def finished(code: int = 0, **values: Any) -> dict[str, Any]:
    return {"event": "finished", "exit": code, "dropped": [], **values}


def a_read(*events: dict[str, Any], code: int = 0, only: tuple[str, ...] = ()) -> SuiteReport:
    suite = Suite(name="tests", command=("pytest",))
    told = Told(runs=((STARTED, *events),), output="out")
    return read_report(suite, Path("/project"), told, Exit(code=code, ending=Ending.EXITED, seconds=1.0), only)


CONTRADICTIONS = [
    (a_read({**COLLECTED, "ids": ["a", "b"]}, PASSED, finished()), "2 tests were collected but 1 reported: b"),
    (a_read(COLLECTED, PASSED, {**PASSED, "id": "c"}, finished()), "1 tests were collected but 2 reported: c"),
    (a_read(COLLECTED, PASSED, finished(1), code=1), "in which no tests failed"),
    (a_read(COLLECTED, {**PASSED, "outcome": "failed"}, finished()), "in which some tests failed"),
    (a_read(COLLECTED, PASSED, finished(3), code=3), "could not run the tests"),
    (a_read(COLLECTED, PASSED, finished(0), code=1), "pytest ended with 0 but its process with 1"),
    (a_read(COLLECTED, {**PASSED, "outcome": "great"}, finished()), "somebody else"),
    (a_read(COLLECTED, PASSED), "broke off before its end"),
    (a_read(COLLECTED, {**PASSED, "id": 5}, finished()), "somebody else"),
    (a_read(COLLECTED, {**PASSED, "seconds": "x"}, finished()), "somebody else"),
    (a_read(STARTED, COLLECTED, PASSED, finished()), "'started' is there 2 times"),
    (a_read({"no": "event"}), "somebody else"),
    (a_read(COLLECTED, PASSED, finished(dropped=["b"])), "1 tests were removed after they were collected: b"),
    (a_read(COLLECTED, {**PASSED, "doubt": "was never run"}, finished()), "a was never run"),
    (a_read(COLLECTED, PASSED, finished(), only=("a", "z")), "1 of the selected tests are missing: z"),
    (
        a_read(COLLECTED, {**PASSED, "file": "/elsewhere/a.py"}, finished()),
        "tests outside the project cannot be guarded: ../elsewhere/a.py",
    ),
]


@pytest.mark.parametrize(("report", "why"), CONTRADICTIONS, ids=[why for _, why in CONTRADICTIONS])
def test_a_report_that_contradicts_itself_is_not_believed(report: SuiteReport, why: str) -> None:
    assert not report.trusted
    assert why in report.problems[0]


def test_halves_of_surrogate_pairs_are_taken_out() -> None:
    report = a_read(COLLECTED, PASSED, finished())

    assert (report.problems, report.results[0].doc) == ((), "?")


def test_two_tests_of_one_name_are_two_results() -> None:
    again = {**PASSED, "outcome": "failed"}

    report = a_read({**COLLECTED, "ids": ["a", "a"]}, PASSED, again, finished(1), code=1)

    assert report.trusted
    assert [(result.id, result.outcome) for result in report.results] == [("a", "passed"), ("a#2", "failed")]


def test_a_test_that_was_made_again_is_what_it_was_at_last() -> None:
    report = a_read(COLLECTED, {**PASSED, "outcome": "rerun"}, {**PASSED, "outcome": "failed"}, PASSED, finished())

    assert (report.problems, [result.outcome for result in report.results]) == ((), ["passed"])


def test_many_doubts_are_counted_and_few_are_named() -> None:
    doubted = [{**PASSED, "id": f"t{number}", "doubt": "was never run"} for number in range(5)]

    report = a_read({**COLLECTED, "ids": [f"t{number}" for number in range(5)]}, *doubted, finished())

    assert report.problems[3] == "and 2 tests more"


def test_a_python_without_pytest_is_said_with_the_command_that_installs_it() -> None:
    suite = Suite(name="tests", command=("/project/.venv/bin/python", "-m", "pytest"))
    told = Told(runs=(), output="/project/.venv/bin/python: No module named pytest\n")

    report = read_report(suite, Path("/project"), told, Exit(code=1, ending=Ending.EXITED, seconds=1.0))

    assert "pytest is not installed in /project/.venv/bin/python; install it with: " in report.problems[0]


def test_runs_of_one_command_are_read_as_one() -> None:
    other = {**PASSED, "id": "b"}
    run = (STARTED, COLLECTED, PASSED, finished())
    more = (STARTED, {**COLLECTED, "ids": ["b"]}, other, finished())

    report = read_report(
        Suite(name="tests", command=("make",)),
        Path("/project"),
        Told(runs=(run, more)),
        Exit(code=0, ending=Ending.EXITED, seconds=1.0),
    )

    assert (report.problems, [result.id for result in report.results]) == ((), ["a", "b"])
