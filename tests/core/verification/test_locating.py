"""Tests whose runner names no file, found by their titles."""

from dualgate.core.values.suite import CaseOutcome, CaseResult
from dualgate.core.verification.locating import located

TEXTS = {"tax.test.js": 'test("taxes", f)', "fee.test.js": 'describe("fees", () => { test("a small fee", f) })'}


def file_of(name: str, file: str = "") -> str:
    (result,) = located([CaseResult(id=name, outcome=CaseOutcome.PASSED, file=file)], TEXTS)
    return result.file


def test_a_title_is_looked_for_as_a_whole() -> None:
    assert file_of("node::a small fee") == "fee.test.js"
    assert file_of("node::fees > a small fee") == "fee.test.js"
    assert file_of("node::tax") == ""


def test_a_file_that_is_known_stays_and_an_empty_title_has_none() -> None:
    assert file_of("node::taxes", file="other.js") == "other.js"
    assert file_of("") == ""
