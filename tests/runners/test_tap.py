"""TAP of versions 12 to 14, recorded and imitated; and real commands that write it, or something like it."""

import io
import os
import sys
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.core.values.control import Activity
from dualgate.core.values.suite import FailureKind, Suite, SuiteReport
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.cases import CaseFiles, make_unique
from dualgate.runners.tap import TapRunner, name_of, read_result, watch_tests
from dualgate.runners.tap_report import TapReport, read_tap, tap_lines
from dualgate.testing import a_control
from tests.runners.samples import play, sample_names, told


@pytest.mark.parametrize("name", sample_names("tap", "tap"))
def test_recorded_streams_are_read_as_they_are_meant(name: str, tmp_path: Path) -> None:
    sample = play("tap", name, "tap", tmp_path)

    report = read_tap(tap_lines(io.BytesIO(sample.report)))

    results = make_unique(read_result(point, CaseFiles(project=tmp_path)) for point in report.points)
    assert {"complete": report.complete, "problems": list(report.problems), "results": told(results)} == sample.expected


def read(text: str) -> TapReport:
    return read_tap(text.splitlines())


def ids(text: str) -> dict[str, str]:
    return told(make_unique(read_result(point, CaseFiles(project=Path("/nowhere"))) for point in read(text).points))


CONTRADICTIONS = [
    ("1..3\nok 1\nok 2", "3 tests were planned but 2 reported"),
    ("1..1\nok 1\nok 2", "1 tests were planned but 2 reported"),
    ("ok 1\nok 2", "there is no plan for 2 tests"),
    ("1..2\nok 1 - a\nok 1 - b", "test number 1 was reported more than once"),
    ("1..2\nok 1\nok 7", "test number 7 is not in the plan"),
    ("1..2\nok 0\nok 1", "test number 0 is not in the plan"),
    ("1..1\nok 1\n1..1", "there are 2 plans"),
    ("1..2\nok 1\nBail out! no disk", "the tests bailed out: no disk"),
    ("1..1\n    1..1\n    not ok 1 - inner\nok 1 - outer", "'outer' is ok but has subtests that are not"),
    ("1..1\n    1..2\n    ok 1 - inner\nok 1 - outer", "in subtests, 2 tests were planned but 1 reported"),
    ("1..1\nok 1\n    1..1\n    ok 1 - whose", "there are subtests that belong to no test"),
    ("1..1\nnoise without an endok 1", "1 tests were planned but 0 reported"),
    ("pragma +strict\n1..1\nnoise\nok 1", "a line that is not TAP, although the stream is strict: noise"),
]


@pytest.mark.parametrize(("text", "why"), CONTRADICTIONS, ids=[why for _, why in CONTRADICTIONS])
def test_a_stream_that_contradicts_itself_is_not_believed(text: str, why: str) -> None:
    assert any(why in problem for problem in read(text).problems)


def test_the_plan_may_come_first_or_last_and_numbers_in_any_order_or_not_at_all() -> None:
    assert read("1..2\nok 2 - b\nok 1 - a").problems == ()
    assert read("ok - a\nnot ok\n1..2").problems == ()


DESCRIPTIONS = [
    ("ok 1 - adds", "adds", "passed"),
    ("ok 1 adds", "adds", "passed"),
    ("ok adds", "adds", "passed"),
    ("ok 1", "test 1", "passed"),
    ("ok 1 - 2 and 2", "2 and 2", "passed"),
    ("ok 1 - -1 is less", "-1 is less", "passed"),
    ("ok 1 - issue #12", "issue #12", "passed"),
    (r"ok 1 - a \# SKIP b", "a # SKIP b", "passed"),
    ("ok 1 - a # SKIP b", "a", "skipped"),
    ("ok 1 - a # skipped: b", "a", "skipped"),
    ("not ok 1 - a # TODO", "a", "xfailed"),
    ("ok 1 - a # todo b", "a", "xpassed"),
    ("ok 1 - a # TODOS are many", "a # TODOS are many", "passed"),
    ("not ok 1 - grün 🍏", "grün 🍏", "failed assertion"),
    ("ok 1 - a # time=3.5ms", "a", "passed"),
]


@pytest.mark.parametrize(("line", "name", "outcome"), DESCRIPTIONS, ids=[line for line, _, _ in DESCRIPTIONS])
def test_a_test_line_says_name_and_outcome(line: str, name: str, outcome: str) -> None:
    assert ids(f"1..1\n{line}") == {name: outcome}


def test_noise_between_the_lines_is_let_pass() -> None:
    text = "loading…\nTAP version 13\n1..2\nok 1 - a\nokay then\n\x1b[31mred\n  ok? no\nok 2 - b\nbye"

    assert (read(text).problems, list(ids(text))) == ((), ["a", "b"])


def test_test_lines_inside_diagnostics_are_none() -> None:
    text = "1..2\nnot ok 1 - a\n  ---\n  stack: |-\n    ok 2 - forged\n    1..9\n  ...\nok 2 - b"

    assert (read(text).problems, list(ids(text))) == ((), ["a", "b"])


def test_diagnostics_that_never_end_do_not_swallow_the_next_test() -> None:
    text = "1..2\nnot ok 1 - a\n  ---\n  message: 'x'\nok 2 - b"

    assert (read(text).problems, list(ids(text))) == ((), ["a", "b"])


def test_two_streams_one_after_the_other_are_two() -> None:
    text = "TAP version 13\n1..1\nok 1 - a\nTAP version 13\n1..1\nok 1 - a"

    assert (read(text).problems, list(ids(text))) == ((), ["a", "a#2"])


def test_a_skipped_or_expected_failure_of_a_whole_test_holds_for_its_subtests() -> None:
    assert ids("1..1\n    1..1\n    not ok 1 - in\nnot ok 1 - out # TODO") == {"out > in": "xfailed"}


def test_a_test_that_fails_beside_its_subtests_is_told() -> None:
    assert ids("1..1\n    1..1\n    ok 1 - in\nnot ok 1 - out") == {"out > in": "passed", "out": "failed assertion"}


@given(st.text(alphabet="nok 1.#-{}\n\t\\…") | st.text())
def test_no_text_is_too_strange(text: str) -> None:
    report = read(text)

    assert report.has_plan or report.problems or not report.points or not any(point.line.ok for point in report.points)


def test_huge_output_is_read_in_little_memory(tmp_path: Path) -> None:
    with (tmp_path / "out").open("wb") as file:
        file.write(b"1..2\nok 1 - a\n" + b"x" * (20 << 20) + b" ok 2\n" + b"noise\n" * (1 << 17) + b"ok 2 - b\n")
    tracemalloc.start()
    try:
        with (tmp_path / "out").open("rb") as file:
            report = read_tap(tap_lines(file))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert (report.problems, len(report.points)) == ((), 2)
    assert peak < 5 << 20


def run_tap(project: Path, output: str, code: int = 0, *only: str, words: tuple[str, ...] = ()) -> SuiteReport:
    script = f"import sys; print({output!r}.replace('ARGUMENTS', ' '.join(sys.argv[1:]))); sys.exit({code})"
    suite = Suite(name="tests", runner="tap", command=(sys.executable, "-c", script, *words), timeout=60)
    return TapRunner(suite=suite, project=project, supervisor=Supervisor(os.environ)).run(a_control(), only)


def test_a_green_run_is_trusted(tmp_path: Path) -> None:
    report = run_tap(tmp_path, "TAP version 13\n1..1\nok 1 - adds")

    assert (report.trusted, report.complete, told(report.results)) == (True, True, {"adds": "passed"})
    assert dict(report.configuration)["tap"] == "13"


UNBELIEVED = [
    ("1..1\nnot ok 1", 0, "exit code 0 contradicts the report"),
    ("1..1\nok 1", 1, "exit code 1 contradicts the report"),
    ("all is well", 0, "wrote no TAP: all is well"),
    ("Syntax error", 2, "wrote no TAP (exit code 2): Syntax error"),
    ("t/a.t .. ok\nAll tests successful.", 0, "wrote no TAP"),
    ("1..2\nok 1", 0, "2 tests were planned but 1 reported"),
]


@pytest.mark.parametrize(("output", "code", "why"), UNBELIEVED, ids=[why for *_, why in UNBELIEVED])
def test_a_run_that_is_no_evidence_says_why(tmp_path: Path, output: str, code: int, why: str) -> None:
    assert why in run_tap(tmp_path, output, code).problems[0]


def test_a_suite_that_skips_itself_has_no_results(tmp_path: Path) -> None:
    report = run_tap(tmp_path, "1..0 # SKIP no database")

    assert (report.trusted, report.results) == (True, ())


def test_single_tests_are_asked_for_where_the_command_has_a_place_for_them(tmp_path: Path) -> None:
    words = ("--name={only}",)

    report = run_tap(tmp_path, "1..1\nok 1 - ARGUMENTS", 0, "t/a.t::out > in", "b#2", words=words)

    assert (report.only, list(told(report.results))) == (("t/a.t::out > in", "b#2"), ["--name=in --name=b"])
    assert run_tap(tmp_path, "1..1\nok 1", 0, "b").only == ()


def test_a_name_that_ends_in_a_number_is_left_as_it_is() -> None:
    assert [name_of(name) for name in ("a > two #2", "two#2")] == ["two #2", "two"]


def test_progress_is_told_while_the_output_grows(tmp_path: Path) -> None:
    heard: list[str] = []
    out = tmp_path / "out"
    watch = watch_tests(out, lambda activity: heard.append(activity.text))
    for text in ("loading\n", "ok 1\nnot o", "k 2\n    ok 3\n"):
        with out.open("a") as file:
            file.write(text)
        watch(Activity(source="output", text="bytes"))

    assert heard == ["bytes", "1 tests, 0 not ok", "3 tests, 1 not ok"]


def test_a_file_that_node_could_not_load_is_a_broken_file(tmp_path: Path) -> None:
    (tmp_path / "a.test.js").touch()
    output = f"1..1\nnot ok 1 - {tmp_path}/a.test.js\n  ---\n  exitCode: 1\n  error: 'test failed'\n  ..."

    (result,) = run_tap(tmp_path, output, 1).results

    assert (result.id, result.kind, result.file) == ("a.test.js", FailureKind.BROKEN_FILE, "a.test.js")
