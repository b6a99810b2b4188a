"""Doctests: examples may be added beside the proven ones, which stay and keep their meaning."""

from doctest import DocTestParser

import pytest

from dualgate.core.evidence.comparison import compare
from dualgate.core.evidence.examples import only_adds_examples
from dualgate.core.values.suite import CaseResult
from dualgate.runners.reporters.examples import digest_of
from dualgate.testing import passed

PROVEN = ">>> from roman import roman\n>>> roman(3)\n'III'\n"
ADDED = {
    "an example at the end": PROVEN + ">>> roman(5)\n'V'\n",
    "an example at the beginning": ">>> len('a')\n1\n" + PROVEN,
    "an example between the others": PROVEN.replace(">>> roman(3)", ">>> roman(5)\n'V'\n>>> roman(3)"),
    "a name that no other example uses": ">>> from roman import parse\n>>> parse('V')\n5\n" + PROVEN,
    "a name of another example, after it": PROVEN + ">>> roman = roman(1)\n",
}
CHANGED = {
    "another result": PROVEN.replace("III", "iii"),
    "another call": PROVEN.replace("(3)", "(2)"),
    "an example that is gone": ">>> from roman import roman\n",
    "an example that is skipped": PROVEN.replace("(3)", "(3)  # doctest: +SKIP"),
    "another order": ">>> roman(3)\n'III'\n>>> from roman import roman\n",
    "a name that is bound again in between": PROVEN.replace(">>> roman(3)", ">>> roman = 'III'.join\n>>> roman(3)"),
    "a function of the same name in between": PROVEN.replace(
        ">>> roman(3)", ">>> def roman(n):\n...     return 'III'\n>>> roman(3)"
    ),
    "all names of a module": ">>> from cheating import *\n" + PROVEN,
    "an attribute that is replaced": ">>> import sys\n>>> sys.modules['roman'] = sys\n" + PROVEN,
    "a call that reaches everywhere": ">>> globals().update(roman=len)\n" + PROVEN,
    "no Python": ">>> roman(\n" + PROVEN,
    "nothing new": PROVEN,
}


@pytest.mark.parametrize("present", ADDED.values(), ids=ADDED)
def test_examples_are_added_around_the_proven_ones(present: str) -> None:
    assert only_adds_examples(digest(PROVEN), digest(present))
    assert compare([doctest(PROVEN)], [doctest(present)]).altered == ()


@pytest.mark.parametrize("present", CHANGED.values(), ids=CHANGED)
def test_a_proven_example_that_changes_or_loses_its_meaning_is_no_addition(present: str) -> None:
    assert not only_adds_examples(digest(PROVEN), digest(present))


def test_an_added_example_is_still_a_change_that_a_red_test_may_be() -> None:
    found = compare([doctest(PROVEN)], [doctest(PROVEN + ">>> roman(5)\n'V'\n")])

    assert found.changed == found.extended == (doctest("").id,)


def test_a_function_of_a_test_is_never_extended() -> None:
    assert compare([passed("a", digest="d1")], [passed("a", digest="d1 d2")]).altered != ()


def doctest(text: str) -> CaseResult:
    return passed("roman.roman", digest=digest(text))


def digest(text: str) -> str:
    return digest_of(DocTestParser().get_examples(text))
