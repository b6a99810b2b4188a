from dataclasses import replace

import pytest

from dualgate.core.evidence.examine import (
    changed_by_surroundings,
    deciding_runs,
    demands_more,
    examine,
    is_settled,
    repeats_made,
)
from dualgate.core.values.changes import Changes
from dualgate.core.values.state import Proof
from dualgate.core.values.suite import SuiteReport
from dualgate.core.values.vocabulary import Phase
from dualgate.testing import a_report, failed, passed, skipped

PROVEN = Proof(proven=(failed("a"), failed("b[x]")))
WHOLE = a_report(passed("a"), passed("b[x]"))
SOME = a_report(passed("a"), only=("a",))
VOID = a_report(only=("a",), problems=("not found",))


def test_a_run_of_some_tests_misses_none_and_is_never_green() -> None:
    (seen,) = examine([SOME], PROVEN)

    assert (seen.vanished, seen.is_spotless, seen.is_green) == ((), True, False)


def test_what_is_wrong_with_some_tests_is_wrong() -> None:
    assert not examine([a_report(failed("a"), only=("a",))], PROVEN)[0].is_spotless
    assert not examine([a_report(skipped("a"), only=("a",))], PROVEN)[0].is_spotless


def test_a_case_that_is_gone_while_its_function_has_as_many_is_in_doubt() -> None:
    (exchanged,) = examine([a_report(passed("a"), passed("b[y]"))], PROVEN)
    (lost,) = examine([a_report(passed("a"))], PROVEN)

    assert (exchanged.vanished, exchanged.doubtful) == (("tests/test_x.py::b[x]",), ("tests/test_x.py::b[x]",))
    assert lost.doubtful == ()


def test_two_runs_of_one_tree_settle_the_doubt() -> None:
    seen_twice = examine([a_report(passed("a"), passed("b[y]")), a_report(passed("a"), passed("b[z]"))], PROVEN)
    exchanged = examine([a_report(passed("a"), passed("b[y]"))] * 2, PROVEN)

    assert [seen.is_green for seen in seen_twice] == [True, True]
    assert [seen.is_green for seen in exchanged] == [False, False]


def test_some_tests_that_could_not_be_run_do_not_count_once_the_whole_was() -> None:
    assert deciding_runs([VOID, WHOLE]) == (WHOLE,)
    assert deciding_runs([VOID]) == (VOID,)
    assert deciding_runs([WHOLE, VOID]) == (WHOLE, VOID)


def test_repeats_count_after_a_green_run_and_without_a_fault() -> None:
    assert repeats_made(examine([SOME, WHOLE, SOME, SOME], PROVEN)) == 2
    assert repeats_made(examine([SOME, SOME], PROVEN)) == 0
    assert repeats_made(examine([WHOLE, a_report(failed("a"), only=("a",)), SOME], PROVEN)) == 1


BASELINE = Proof(baseline=(passed("old", digest="one"), failed("broken")))
SETTLED = [
    ("as it was", Phase.RED, a_report(passed("old", digest="one"), failed("broken"), failed("new")), True),
    ("an old test fails", Phase.RED, a_report(failed("old", digest="one"), failed("broken"), failed("new")), False),
    ("a changed test fails", Phase.RED, a_report(failed("old", digest="other"), failed("broken")), True),
    ("a new test fails", Phase.BUILD, a_report(passed("old", digest="one"), failed("broken"), failed("new")), False),
    ("green", Phase.BUILD, a_report(passed("old", digest="one"), failed("broken"), passed("new")), True),
]


@pytest.mark.parametrize(("phase", "run", "expected"), [case[1:] for case in SETTLED], ids=[c[0] for c in SETTLED])
def test_a_known_run_in_which_a_test_may_be_flaky_is_made_again(phase: Phase, run: SuiteReport, expected: bool) -> None:
    assert is_settled(run, BASELINE, phase) is expected


TOUCHED = [
    ("tests/test_x.py", True),
    ("tests/conftest.py", True),
    ("conftest.py", True),
    ("tests/unit/conftest.py", False),
    ("tests/test_y.py", False),
    ("source.py", False),
]


@pytest.mark.parametrize(("path", "expected"), TOUCHED)
def test_a_test_is_surrounded_by_its_file_and_the_fixtures_above(path: str, expected: bool) -> None:
    fixtures = (path,) if "conftest" in path else ()
    for changes in (
        Changes(tree="t", rewritten=(path,), fixtures=fixtures),
        Changes(tree="t", added=(path,), fixtures=fixtures),
    ):
        assert bool(changed_by_surroundings([passed("a")], changes)) is expected
        assert not changed_by_surroundings([passed("a", file="")], changes)


def test_a_test_is_surrounded_by_data_of_its_folder_where_no_source_changed() -> None:
    data = Changes(tree="t", rewritten=("tests/data/a.yml",), support=("tests/data/a.yml",))
    beside = Changes(tree="t", rewritten=("web/tests/a.yml",), support=("web/tests/a.yml",))
    broken = replace(data, rewritten=(*data.rewritten, "source.py"), code=("source.py",))
    added = Changes(tree="t", added=("tests/data/a.yml",), support=("tests/data/a.yml",))
    helper = Changes(tree="t", added=("tests/helper.py",), support=("tests/helper.py",))

    found = [bool(changed_by_surroundings([passed("a")], each)) for each in (data, beside, broken, added, helper)]

    assert found == [True, False, False, True, False]
    assert [
        bool(changed_by_surroundings([passed("a[0]")], each, ["tests/test_x.py::a"])) for each in (broken, helper)
    ] == [False, True]
    assert demands_more(data, [passed("a")], Proof())
    assert not demands_more(broken, [passed("a")], Proof())


def test_tests_demand_more_where_nothing_but_tests_and_documents_was_rewritten() -> None:
    proof = Proof(baseline=(passed("a", file="tests/test_gone.py"),), outputs=("out.txt",))
    paths = ("tests/test_x.py", "tests/test_gone.py", "tests/conftest.py", "README.md", "out.txt")
    harmless = Changes(
        tree="t", rewritten=paths, documents=("README.md",), added=("stub.py",), fixtures=("tests/conftest.py",)
    )

    assert demands_more(harmless, [passed("a")], proof)
    assert not demands_more(Changes(tree="t", rewritten=("source.py",)), [passed("a")], proof)
