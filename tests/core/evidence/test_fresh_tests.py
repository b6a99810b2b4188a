import pytest

from dualgate.core.evidence.examine import examine
from dualgate.core.evidence.fresh_tests import fresh_tests
from dualgate.core.values.state import Proof
from dualgate.core.values.suite import CaseOutcome, CaseResult
from dualgate.testing import a_report, failed, passed, skipped

COMMAND = CaseResult(id="tests::the test command", outcome=CaseOutcome.PASSED)
BROKEN = CaseResult(id="tests::the test command", outcome=CaseOutcome.FAILED)
FRESH: list[tuple[tuple[CaseResult, ...], tuple[CaseResult, ...], tuple[str, ...]]] = [
    ((), (passed("test_a"),), ("test_a",)),
    ((passed("test_a"),), (passed("test_a"),), ()),
    ((failed("test_a"),), (passed("test_a"),), ("test_a",)),
    ((failed("test_a"),), (passed("test_a", digest="d2"),), ()),
    ((passed("test_a[1]"),), (passed("test_a[1]"), passed("test_a[2]")), ()),
    ((passed("test_a"),), (passed("test_b"),), ()),
    ((passed("test_a"),), (passed("test_b", digest="d2"),), ("test_b",)),
    ((), (skipped("test_a"), failed("test_b")), ()),
    ((), (COMMAND,), ()),
    ((BROKEN,), (COMMAND,), ("the test command",)),
]


@pytest.mark.parametrize(("baseline", "now", "names"), FRESH)
def test_a_fresh_test_is_new_by_its_function_or_was_red_with_the_same_code(
    baseline: tuple[CaseResult, ...], now: tuple[CaseResult, ...], names: tuple[str, ...]
) -> None:
    proof = Proof(baseline=baseline)
    (last,) = examine([a_report(*now)], proof)

    assert tuple(name.rpartition("::")[2] for name in fresh_tests(last, proof, ())) == names


def test_flaky_tests_and_runs_of_some_tests_show_nothing_fresh() -> None:
    proof, new = Proof(), passed("test_a")
    (last,), (some,) = examine([a_report(new)], proof), examine([a_report(new, only=("test_a",))], proof)

    assert fresh_tests(last, proof, (new.id,)) == fresh_tests(some, proof, ()) == fresh_tests(None, proof, ()) == ()
