"""Whether a changed test asks for the same values, converted to a list or a tuple."""

import pytest

from dualgate.core.evidence.syntax.conversions import only_converts

BEFORE = """
import pytest
from tags import abis

def check(found, expected):
    assert found == expected

class TestAbis:
    def test_abis(self, expected):
        assert abis(3) == expected
        with pytest.raises(ValueError):
            abis(0)
        found = abis(4)
        for each in abis(5):
            assert each in found

def test_other():
    check(abis(1), [])
"""
AFTER = BEFORE.replace("abis(3)", "list(abis(3))").replace("abis(0)", "tuple(abis(0))")
AFTER = AFTER.replace("= abis(4)", "= list(abis(4))").replace("in abis(5)", "in tuple(abis(5))")
HONEST = [
    AFTER,
    AFTER + "\ndef test_new():\n    assert next(abis(1)) == 1\n",
    AFTER + "\nclass TestNew:\n    '''New.'''\n    def test_new(self):\n        assert next(abis(1)) == 1\n",
    AFTER.replace("import abis", "import abis, names"),
    AFTER.replace("check(abis(1), [])", "check(abis(1), [1])"),  # each test is asked about by itself
]


@pytest.mark.parametrize("after", HONEST)
def test_a_test_may_convert_results(after: str) -> None:
    assert only_converts(BEFORE, after, "test_abis")


WEAKER = [
    AFTER.replace("== expected\n        with", "!= expected\n        with"),
    AFTER.replace("assert found == expected", "pass"),
    AFTER.replace("import abis", "import abis\nfrom loose import check"),
    AFTER.replace("import abis", "import abis\nfrom loose import *"),
    AFTER.replace("import abis", "import abis\nfrom loose import list"),
    AFTER.replace("from tags import abis", "from loose import abis"),
    AFTER + "\nlist = tuple = lambda found: Anything()\n",
    AFTER + "\ndef tuple(found):\n    return Anything()\n",
    AFTER.replace("self, expected", "self, expected, list"),
    AFTER.replace("class TestAbis:", "class TestAbis(Loose):"),
    AFTER + "\nclass TestNew:\n    limit = check.limit = 1\n",
    AFTER.replace("each in found", "each in list(found)"),
    AFTER.replace("list(abis(3))", "sorted(abis(3))"),
    AFTER.replace("list(abis(3))", "list(abis(3), *[])"),
    AFTER.replace("def test_abis", "def test_abi"),
    "def test_abis(:",
]


@pytest.mark.parametrize("after", WEAKER)
def test_a_test_may_change_nothing_else(after: str) -> None:
    assert not only_converts(BEFORE, after, "test_abis")


def test_a_file_that_cannot_be_read_shows_nothing() -> None:
    assert not only_converts("def test_abis(:", BEFORE, "test_abis")
    assert not only_converts("", "", "test_abis")
