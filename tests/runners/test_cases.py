"""What kind a failure is, in the words of many languages."""

import pytest

from dualgate.core.values.suite import CaseOutcome, FailureKind
from dualgate.runners.cases import failure_kind

A, M, B, X = FailureKind.ASSERTION, FailureKind.MISSING, FailureKind.BROKEN_FILE, FailureKind.OTHER
TOLD = [
    ("java.lang.AssertionError", "expected:<3> but was:<2>", A),
    ("org.opentest4j.AssertionFailedError", "", A),
    ("PHPUnit\\Framework\\ExpectationFailedException", "Failed asserting", A),
    ("RSpec::Expectations::ExpectationNotMetError", "expected: 3", A),
    ("Xunit.Sdk.EqualException", "", A),
    ("", "assertion `left == right` failed", A),
    ("AssertionError", "expected [Function] to throw ReferenceError", A),
    ("", "NameError: name 'total' is not defined", M),
    ("ReferenceError", "total is not defined", M),
    ("TypeError", "sums.total is not a function", M),
    ("java.lang.NoSuchMethodError", "", M),
    ("java.lang.UnsupportedOperationException", "not yet", M),
    ("Error", "Call to undefined function total()", M),
    ("NoMethodError", "undefined method `total'", M),
    ("", "thread 'a' panicked at src/lib.rs:3: not yet implemented", M),
    ("", "total: command not found", M),
    ("", "collection failure", B),
    ("", "FAIL example.com/broken [build failed]", B),
    ("", "Test suite failed to run", B),
    ("unittest.loader._FailedTest", "ImportError: Failed to import test module", B),
    ("java.io.IOException", "the disk is full", X),
    ("RuntimeError", "no database", X),
    ("", "", A),
]


@pytest.mark.parametrize(("exception", "message", "kind"), TOLD)
def test_the_kind_of_a_failure_is_known(exception: str, message: str, kind: FailureKind) -> None:
    assert failure_kind(CaseOutcome.FAILED, exception, message) is kind


def test_an_error_without_words_is_of_no_known_kind() -> None:
    assert failure_kind(CaseOutcome.ERROR, "", "") is X


def test_the_longer_text_is_asked_last() -> None:
    assert failure_kind(CaseOutcome.FAILED, "testCodeFailure", "x", "cause: ReferenceError: y") is M
