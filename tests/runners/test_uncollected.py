"""Test files that cannot be collected: red if something of the project is missing, broken for any other reason."""

from pathlib import Path

import pytest

from dualgate.core.values.suite import FailureKind, SuiteReport
from tests.runners.projects import run_pytest, run_unittest

TEST = "\ndef test_a(): pass\n"
MISSING = {
    "module": "import tariff",
    "submodule": "from shop.cart import Cart",
    "name": "from shop import total",
    "attribute": "import shop\nTOTAL = shop.total",
    "attribute_of_a_class": "from shop import Shop\nTOTAL = Shop.total",
    "keyword": "from shop import prices\nPRICES = prices(country='nl')",
    "file": "import pathlib\nPRICES = pathlib.Path('prices.json').read_text()",
    "behaviour": "from shop import later\nLATER = later()",
    "keyword_in_a_helper": "from tests.kit import made\nPRICES = made()",
    "name_of_all": "import shop\nfrom shop import *\nTOTAL = total",
}
MISTAKES = {
    "syntax": "def x(:",
    "unknown_name": "import shop\nx = total",
    "name_of_all_of_the_library": "import shop\nfrom json import *\nx = total",
    "name_in_the_code": "from shop import *\nx = mistaken()",
    "package_of_others": "import requests_like_thing",
    "name_of_the_library": "from json import no_such_name",
    "module_of_the_library": "import json.nowhere",
    "call_in_a_helper": "from tests.kit import mistaken\nPRICES = mistaken()",
    "helper_of_tests": "from tests.helpers import a_shop",
    "itself": "import test_itself\ntest_itself.x",
    "assertion": "assert 1 == 2",
    "fixture_data": "import pathlib\nx = pathlib.Path('tests/data.json').read_text()",
}
SHOP = """
def prices(): return []
def later(): raise NotImplementedError
def mistaken(): return total
class Shop: pass
"""


KIT = """
from shop import prices
def made(): return prices(country='nl')
def own(): return []
def mistaken(): return own(country='nl')
"""


def run_all(folder: Path, files: dict[str, str]) -> dict[str, FailureKind | None]:
    (folder / "shop.py").write_text(SHOP)
    (folder / "tests").mkdir()
    (folder / "tests" / "kit.py").write_text(KIT)
    (folder / "requirements.txt").write_text("requests-like-thing==1")
    for name, text in files.items():
        (folder / f"test_{name}.py").write_text(text + TEST)
    report = run_pytest(folder)
    assert report.trusted
    return {result.file[5:-3]: result.kind for result in report.results}


def test_tests_of_a_file_that_needs_missing_work_are_red(tmp_path: Path) -> None:
    assert run_all(tmp_path, MISSING) == dict.fromkeys(MISSING, FailureKind.MISSING)


def test_a_file_with_a_mistake_of_its_own_is_broken(tmp_path: Path) -> None:
    assert run_all(tmp_path, MISTAKES) == dict.fromkeys(MISTAKES, FailureKind.BROKEN_FILE)


def test_a_test_that_could_not_be_collected_is_the_same_test_when_it_is(tmp_path: Path) -> None:
    text = """
import pytest
from tariff import fee
@pytest.mark.parametrize("x", [1, 2])
def test_fee(x):
    "AC-1"
    assert fee(x) == x
class TestFee:
    def test_zero(self): assert fee(0) == 0
"""
    before = run_pytest(tmp_path, test_fee=text)
    after = run_pytest(tmp_path, tariff="def fee(x): return x")

    assert ids(before) == ["test_fee.py::test_fee", "test_fee.py::TestFee::test_zero"]
    assert [result.uncollected for result in before.results] == [True, True]
    assert "No module named 'tariff'" in before.results[0].message
    cases, zero = after.results[:2], after.results[2]
    assert {(r.digest, r.body, r.doc, r.line) for r in cases} == {
        (r.digest, r.body, r.doc, r.line) for r in before.results[:1]
    }
    assert zero.digest == before.results[1].digest
    assert not any(result.uncollected for result in after.results)


def test_the_tests_of_unittest_are_red_as_well(tmp_path: Path) -> None:
    text = """
import unittest
from tariff import fee
class Fee(unittest.TestCase):
    def test_zero(self): self.assertEqual(fee(0), 0)
"""
    before = run_unittest(tmp_path, test_fee=text, test_mistake="import unittest\nx = y\n" + TEST)
    after = run_unittest(tmp_path, tariff="def fee(x): return x")

    assert ids(before) == ["test_fee.Fee.test_zero", "test_mistake"]
    assert [result.kind for result in before.results] == [FailureKind.MISSING, FailureKind.BROKEN_FILE]
    assert (after.results[-1].id, after.results[-1].digest) == (before.results[0].id, before.results[0].digest)


@pytest.mark.parametrize("only", ["test_fee.py::test_fee[1]", "test_fee.py::test_fee"])
def test_a_test_that_is_asked_for_is_there_although_its_file_cannot_be_collected(tmp_path: Path, only: str) -> None:
    assert run_pytest(tmp_path, only=(only,), test_fee="import tariff\ndef test_fee(x): pass").trusted


def ids(report: SuiteReport) -> list[str]:
    return [result.id for result in report.results]


def test_a_conftest_that_needs_missing_work_is_named_with_its_cause(tmp_path: Path) -> None:
    report = run_pytest(tmp_path, conftest="from tariff import fee", test_a=TEST)

    assert [(result.file, result.uncollected) for result in report.results] == [("conftest.py", True)]
    assert "No module named 'tariff'" in report.problems[0]
