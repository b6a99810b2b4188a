import pytest

from dualgate.core.evidence.lone_run import MEANT, steering_changes, with_deselection, with_losses, with_writes
from dualgate.testing import a_report, passed

PYTEST = ("python", "-m", "pytest")


def deselected(by: str) -> tuple[tuple[str, str], ...]:
    return ("deselected", "1 ab12"), ("deselected test", "t.py::x"), ("deselected by", by)


@pytest.mark.parametrize(
    "by", ["-k not x", "--deselect t.py::x", "plug-in conftest.py", "-m not slow (PYTEST_ADDOPTS)", "-k m"]
)
def test_tests_that_nobody_asked_to_leave_out_are_a_problem(by: str) -> None:
    run = with_deselection(a_report(passed("a"), command=PYTEST, configuration=deselected(by)))

    assert run.problems == (f"tests were deselected by {by}; if that is intended, {MEANT}",)


@pytest.mark.parametrize(
    ("by", "words"), [("-k not x", ("-k", "not x")), ("-k not x", ("-knot x",)), ("-m not slow", ())]
)
def test_what_the_command_says_or_a_mark_on_the_test_is_noted(by: str, words: tuple[str, ...]) -> None:
    run = with_deselection(a_report(passed("a"), command=(*PYTEST, *words), configuration=deselected(by)))

    assert (run.problems, run.notes) == ((), (f"tests were deselected by {by}",))


def test_tests_that_were_deselected_before_as_well_are_no_problem() -> None:
    run = a_report(passed("a"), command=PYTEST, configuration=deselected("-k not x"))

    assert with_deselection(run, deselected("-k not x")) == run
    assert with_deselection(a_report(passed("a"))) == a_report(passed("a"))


def test_tests_that_are_gone_where_the_configuration_changed_are_a_problem() -> None:
    changed = steering_changes((("option keyword", ""),), (("option keyword", "not x"),))

    run = with_losses(a_report(passed("a")), ["t.py::x"], changed)

    assert run.problems == (
        "1 tests of the earlier run are gone (t.py::x), and the effective configuration changed: "
        "option keyword was '', now 'not x'",
    )


def test_tests_that_are_gone_or_a_changed_configuration_alone_are_none() -> None:
    run = a_report(passed("a"))

    assert with_losses(run, ["t.py::x"], steering_changes((), (("rootdir", "."),))) == run
    assert with_losses(run, [], ["the effective configuration changed"]) == run


def test_code_that_changed_while_the_tests_ran_is_a_problem() -> None:
    run = with_writes(a_report(passed("a")), ["src/a.py"])

    assert (run.problems, run.written) == (("the work tree changed while the tests ran: src/a.py",), ("src/a.py",))
    assert with_writes(a_report(passed("a")), []) == a_report(passed("a"))
