import pytest

from dualgate.core.values.suite import Counts, Suite, SuiteReport, merged, not_trusted, repeated_without, short_id
from dualgate.testing import a_report, failed, passed, skipped


def test_a_report_counts_its_results() -> None:
    report = a_report(passed("a"), passed("b"), failed("c"), skipped("d"))

    assert report.counts == Counts(passed=2, failed=1, skipped=1)
    assert report.counts.total == 4


def test_a_report_with_a_problem_is_not_trusted() -> None:
    assert a_report(passed("a")).trusted
    assert not a_report(passed("a"), problems=("it broke off",)).trusted


A, B = Suite(name="a", command=("make", "a")), Suite(name="b", command=("make", "b"))


def test_one_suite_is_merged_to_itself_with_its_name_before_each_id() -> None:
    report = merged([(A, a_report(failed("x"), problems=("odd",), only=("t.py::x",), environment="e"))])

    assert [result.id for result in report.results] == ["a::tests/test_x.py::x"]
    assert (report.problems, report.only, report.suites) == (("odd",), ("a::t.py::x",), ("a",))
    assert (report.exit_code, report.environment, report.complete) == (1, "e", True)


def test_several_suites_become_one_report_in_which_each_problem_names_its_suite() -> None:
    report = merged(
        [
            (A, a_report(passed("x"), seconds=2.0, configuration=(("rootdir", "/p"),))),
            (B, a_report(passed("x"), seconds=3.0, problems=("it broke off",), complete=False, runner="tap")),
        ]
    )

    assert [result.id for result in report.results] == ["a::tests/test_x.py::x", "b::tests/test_x.py::x"]
    assert report.problems == ("b: it broke off",)
    assert (report.runner, report.command) == ("pytest+tap", ("pytest", "&&", "pytest"))
    assert (report.complete, report.seconds, report.suites) == (False, 3.0, ("a", "b"))
    assert report.configuration == (("a: rootdir", "/p"),)


def test_the_trouble_of_a_suite_that_is_not_required_is_a_note() -> None:
    optional = Suite(name="slow", command=("make", "slow"), required=False)

    report = merged([(A, a_report(passed("x"), notes=("2 runs",))), (optional, a_report(problems=("no database",)))])

    assert report.trusted
    assert report.notes == ("a: 2 runs", "slow: no database")


EXIT_CODES: list[tuple[tuple[int | None, ...], int | None]] = [
    ((0, 0), 0),
    ((0, 5, 1), 5),
    ((0, None), None),
    ((), 0),
]


@pytest.mark.parametrize(("codes", "together"), EXIT_CODES)
def test_the_first_exit_code_that_is_not_zero_is_that_of_all(codes: tuple[int | None, ...], together: int) -> None:
    assert merged([(A, a_report(exit_code=code)) for code in codes]).exit_code == together


def test_an_id_is_shown_as_its_runner_knows_it_where_there_is_one_suite() -> None:
    assert short_id("pytest::tests/test_a.py::test_x", ("pytest",)) == "tests/test_a.py::test_x"
    assert short_id("api::tests/test_a.py::test_x", ("api", "web")) == "api::tests/test_a.py::test_x"
    assert short_id("tests/test_a.py::test_x", ()) == "tests/test_a.py::test_x"


@pytest.mark.parametrize(
    ("exit_code", "complete", "was_killed"),
    [(-9, False, True), (143, False, True), (-11, False, False), (1, False, False), (-9, True, False)],
)
def test_a_run_was_killed_that_somebody_else_ended_before_its_end(
    exit_code: int, complete: bool, was_killed: bool
) -> None:
    assert SuiteReport(command=("x",), exit_code=exit_code, complete=complete).was_killed is was_killed


def test_a_run_during_which_the_tree_changed_is_void() -> None:
    report = not_trusted(a_report(passed("test_a")), ("data.db",))

    assert (report.trusted, report.written) == (False, ("data.db",))
    assert report.problems[0].startswith("the work tree changed while the tests ran: data.db")


def test_a_run_that_wrote_a_new_file_waits_for_one_without_it() -> None:
    report = repeated_without(a_report(passed("test_a")), ("data.db",))

    assert (report.trusted, report.written) == (False, ("data.db",))
    assert report.problems[0].startswith("the tests wrote data.db; they run again without these files")
