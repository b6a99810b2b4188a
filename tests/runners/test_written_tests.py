"""Tests that a runner would collect, read without loading their file."""

import pytest

from dualgate.core.values.suite import CaseOutcome
from dualgate.runners.written_tests import Names, WrittenTest, written_tests

FILE = b"""
import pytest, unittest
from shop import total

def test_plain(): assert total() == one
def helper(): pass
@pytest.mark.parametrize("x", total.CASES)
async def test_cases(x): ...
@pytest.fixture
def test_data(): ...
if total:
    def test_in_a_branch(): ...
def test_gone(): ...
test_gone = None

class Base:
    def test_inherited(self): ...
class TestCart(Base):
    def test_sum(self): ...
    def check_sum(self): ...
    class TestInner:
        def test_deep(self): ...
class TestSwitchedOff:
    __test__ = False
    def test_never(self): ...
class TestWithState:
    def __init__(self): ...
    def test_never(self): ...
class Prices(unittest.TestCase):
    def test_case(self): ...
class MorePrices(Prices):
    def testMore(self): ...
"""


def names(tests: tuple[WrittenTest, ...]) -> list[str]:
    return ["::".join(test.names) for test in tests]


def test_the_tests_are_those_that_pytest_would_collect() -> None:
    assert names(written_tests(FILE, Names())) == [
        "test_plain",
        "test_cases",
        "TestCart::test_inherited",
        "TestCart::test_sum",
        "TestCart::TestInner::test_deep",
        "Prices::test_case",
        "MorePrices::test_case",
        "MorePrices::testMore",
    ]


def test_the_configuration_of_pytest_decides_what_a_test_is() -> None:
    found = written_tests(FILE, Names(functions=("check_*", "help"), classes=("*Cart",)))

    assert names(found) == ["helper", "TestCart::check_sum", "Prices::test_case", *names(found)[3:]]


def test_unittest_collects_its_own_classes_only() -> None:
    assert names(written_tests(FILE, Names(only_cases=True))) == [
        "Prices::test_case",
        "MorePrices::test_case",
        "MorePrices::testMore",
    ]


def test_a_name_that_the_file_binds_nowhere_is_a_mistake_of_the_test() -> None:
    first, *others = written_tests(FILE, Names())

    assert first.unbound == "one"
    assert not any(test.unbound for test in others)
    assert written_tests(b"from shop import *\ndef test_a(): assert anything", Names())[0].unbound == ""


@pytest.mark.parametrize(
    ("mark", "outcome"),
    [
        ("@pytest.mark.skip", CaseOutcome.SKIPPED),
        ("@pytest.mark.skipif(True, reason='x')", CaseOutcome.SKIPPED),
        ("@unittest.expectedFailure", CaseOutcome.XFAILED),
        ("@pytest.mark.slow", None),
    ],
)
def test_a_test_that_says_it_will_not_run_is_no_failing_test(mark: str, outcome: CaseOutcome | None) -> None:
    of_function = written_tests(f"import pytest, unittest\n{mark}\ndef test_a(): ...".encode(), Names())
    of_class = written_tests(f"import pytest, unittest\n{mark}\nclass TestA:\n def test_a(self): ...".encode(), Names())
    of_file = written_tests(f"import pytest, unittest\npytestmark = [{mark[1:]}]\ndef test_a(): ...".encode(), Names())

    assert [test.idle for test in (*of_function, *of_class, *of_file)] == [outcome] * 3


@pytest.mark.parametrize("content", [b"def test_a(:", b"\0", b"\xff", b""])
def test_a_file_that_is_no_python_has_no_tests(content: bytes) -> None:
    assert written_tests(content, Names()) == ()
