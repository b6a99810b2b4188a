from typing import Any

from dualgate.core.evidence.circumstances import Circumstances, weigh_circumstances
from dualgate.core.values.changes import Changes
from dualgate.core.values.state import Proof
from dualgate.testing import a_report, passed

NOTHING = Changes(tree="t")
PAIRS = (("addopts", "-q"), ("tmp", "/tmp/a1/x"), ("cache", "1"))
ENVIRONMENT = "the test environment changed"


def a_proof(**values: Any) -> Proof:
    return Proof(**{"proven": (), "configuration": PAIRS, "environment": "e1", "unstable_keys": ("cache",), **values})


def test_the_same_configuration_and_environment_are_no_problem() -> None:
    run = a_report(configuration=(("addopts", "-q"), ("tmp", "/tmp/b2/x"), ("cache", "2")), environment="e1")

    assert weigh_circumstances(a_proof(), [run], NOTHING) == Circumstances()


CHANGED = "the effective configuration changed: addopts was '-q', now '-k easy'; plugins was not set, now 'x'"


def test_a_changed_configuration_is_a_problem_once_the_tests_are_proven() -> None:
    run = a_report(configuration=(*PAIRS[1:], ("addopts", "-k easy"), ("plugins", "x")), environment="e1")

    assert weigh_circumstances(a_proof(), [run, run], NOTHING) == Circumstances(problems=(CHANGED,))


def test_a_changed_configuration_is_noted_while_the_tests_are_written() -> None:
    run = a_report(configuration=(*PAIRS[1:], ("addopts", "-k easy"), ("plugins", "x")), environment="e2")

    weighed = weigh_circumstances(a_proof(proven=None), [run], NOTHING)

    assert weighed.problems == ()
    assert weighed.notes[0] == CHANGED
    assert weighed.notes[1].startswith(ENVIRONMENT)


def test_of_many_or_long_differences_the_first_are_shown() -> None:
    run = a_report(configuration=(("a", "x" * 200), *((f"key{n}", "v") for n in range(6))))

    problem = weigh_circumstances(a_proof(configuration=(("a", "y"),), environment=""), [run], NOTHING).problems[0]

    assert "x" * 120 + "'…;" in problem
    assert problem.endswith("; and 2 more")


def test_what_the_baseline_did_not_tell_is_not_compared() -> None:
    run = a_report(configuration=PAIRS, environment="e2")

    assert weigh_circumstances(Proof(proven=()), [run], NOTHING) == Circumstances()


def test_runs_of_some_tests_and_those_that_nobody_believes_are_not_compared() -> None:
    runs = [a_report(only=("a",), environment="e2"), a_report(problems=("broke off",), environment="e3")]

    assert weigh_circumstances(a_proof(), runs, NOTHING) == Circumstances()


def test_another_environment_without_a_reason_is_a_problem() -> None:
    run = a_report(passed("a"), configuration=PAIRS, environment="e2")

    weighed = weigh_circumstances(a_proof(), [run], Changes(tree="t", rewritten=("a.py",)))

    assert weighed == Circumstances(problems=(f"{ENVIRONMENT}, although no file that lists dependencies changed",))


def test_an_added_dependency_may_change_the_environment_but_not_the_configuration() -> None:
    run = a_report(configuration=PAIRS[1:], environment="e2")

    weighed = weigh_circumstances(a_proof(), [run], Changes(tree="t", added=("uv.lock",), dependencies=("uv.lock",)))

    assert weighed.problems == ("the effective configuration changed: addopts was '-q', now not set",)
    assert weighed.notes == (f"{ENVIRONMENT}, because uv.lock changed",)


def test_each_plug_in_counts_and_of_folders_on_the_path_only_the_last() -> None:
    before = (("plug-in", "b"), ("plug-in", "z"), ("s: plug-in", "q"), ("path", "."))
    now = (
        ("plug-in", "a"),
        ("plug-in", "z"),
        ("s: plug-in", "p"),
        ("s: plug-in", "q"),
        ("path", "tests"),
        ("path", "."),
    )

    weighed = weigh_circumstances(a_proof(configuration=before, environment=""), [a_report(configuration=now)], NOTHING)

    assert weighed.problems == (
        "the effective configuration changed: plug-in was 'b', now 'a'; s: plug-in was not set, now 'p'",
    )
