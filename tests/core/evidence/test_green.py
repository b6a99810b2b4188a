"""Green has one definition, and everybody who asks for it gets the same answer."""

import pytest

from dualgate.core.evidence.examine import examine
from dualgate.core.evidence.green import Fault, faults, why_not_green
from dualgate.core.gates.judge import judge, measure
from dualgate.core.values.limits import Limits
from dualgate.core.values.state import Proof
from dualgate.core.values.suite import Counts
from dualgate.core.values.vocabulary import Phase
from dualgate.testing import a_report, done, facts, failed, passed

FAULTY = [
    (Fault.UNTRUSTED, {"problems": ("the report ends early",)}),
    (Fault.FAILING, {"failing": (failed("test_a"),)}),
    (Fault.VANISHED, {"vanished": ("test_a",)}),
    (Fault.NEWLY_SKIPPED, {"newly_skipped": ("test_a",)}),
    (Fault.ALTERED, {"altered": ("test_a",)}),
    (Fault.NOTHING_PASSES, {"counts": Counts()}),
    (Fault.PARTIAL, {"partial": True}),
]


def test_every_fault_is_tried() -> None:
    assert [fault for fault, _ in FAULTY] == list(Fault)


@pytest.mark.parametrize(("fault", "seen"), FAULTY)
def test_each_fault_shuts_the_gates_and_is_no_progress(fault: Fault, seen: dict[str, object]) -> None:
    for phase in (Phase.GREEN, Phase.REFACTOR, Phase.DOCUMENT, Phase.QA):
        found = facts(phase, done(phase), **seen)

        assert faults(found.observed) == {fault}
        assert set(why_not_green(found.observed)) <= set(judge(found, Limits()).blockers)
        assert not measure(found).verified


def test_a_run_is_green_where_nothing_speaks_against_it() -> None:
    proof = Proof(baseline=(passed("test_a"),), start_tree="s")

    runs = [a_report(passed("test_a")), a_report(passed("test_a"), failed("test_b")), a_report()]
    green, red, empty = examine(runs, proof)

    assert (green.is_green, red.is_green, empty.is_green) == (True, False, False)
    assert why_not_green(green) == ()
    assert why_not_green(red) == ("1 failing: tests/test_x.py::test_b",)


def test_a_part_of_the_words_can_be_asked_for() -> None:
    seen = facts(Phase.GREEN, failing=(failed("test_a"),), vanished=("test_b",)).observed

    assert why_not_green(seen, of=frozenset({Fault.VANISHED})) == ("tests that existed before are missing: test_b",)
