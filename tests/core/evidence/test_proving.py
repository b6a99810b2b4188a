"""A run of the RED tree with the patch: whether it proves the amendment."""

from dataclasses import replace

import pytest

from dualgate.core.evidence.amendment import Probed, judge_amendment, judge_probes
from dualgate.core.machine.history import apply
from dualgate.core.said.amendment_requests import Target
from dualgate.core.said.patches import Patch
from dualgate.core.values.amendments import (
    Amendment,
    AmendmentDecided,
    AmendmentOutcome,
    AmendmentRequest,
    AmendmentTried,
)
from dualgate.core.values.probes import ApartResult, Probe, ProbeKind, ProbeReport, ProbeState
from dualgate.core.values.state import Proof
from dualgate.core.values.suite import CaseResult, FailureKind
from dualgate.core.values.vocabulary import Phase
from dualgate.testing import NOW, a_report, a_state, failed, passed, skipped

TARGET = Target(
    request=AmendmentRequest(), patch=Patch(path="tests/test_x.py", hunks=()), function="tests/test_x.py::test_a"
)
RED = (failed("test_a"), failed("test_b"), passed("test_c"))
PROOF = Proof(proven=RED, red=RED, red_tree="r", proven_tree="p", flaky=("tests/test_x.py::test_f",))
AMENDED = failed("test_a", digest="d2")
OTHERS = RED[1:]


def test_an_amended_test_that_fails_without_the_work_is_proven() -> None:
    assert judge_amendment(TARGET, PROOF, a_report(AMENDED, *OTHERS)) == ()


UNPROVEN: list[tuple[tuple[CaseResult, ...], str]] = [
    ((passed("test_a", digest="d2"), *OTHERS), "it passes without the work, on the tree of RED"),
    ((skipped("test_a", digest="d2"), *OTHERS), "it passes without the work, on the tree of RED"),
    (OTHERS, "with the patch there is no test tests/test_x.py::test_a any more"),
    ((failed("", kind=FailureKind.BROKEN_FILE), *OTHERS), "with the patch these files cannot be collected"),
    ((AMENDED, failed("test_b", digest="d2"), OTHERS[1]), "the patch changes other tests too: tests/test_x.py::test_b"),
    ((AMENDED, OTHERS[0]), "the patch removes other tests: tests/test_x.py::test_c"),
    ((AMENDED, *OTHERS, passed("test_d")), "the patch adds other tests: tests/test_x.py::test_d"),
    ((AMENDED, passed("test_b"), OTHERS[1]), "the patch changes the results of other tests: tests/test_x.py::test_b"),
    ((AMENDED, OTHERS[0], skipped("test_c")), "the patch changes the results of other tests: tests/test_x.py::test_c"),
    ((AMENDED, *OTHERS, *(passed(f"test_{n}") for n in range(6))), "tests/test_x.py::test_4 and 1 more"),
]


@pytest.mark.parametrize(("results", "why"), UNPROVEN)
def test_an_amendment_is_not_proven(results: tuple[CaseResult, ...], why: str) -> None:
    (reason,) = judge_amendment(TARGET, PROOF, a_report(*results))

    assert why in reason


def test_as_many_cases_must_fail_as_before() -> None:
    proof = replace(PROOF, red=(failed("test_a[1]"), failed("test_a[2]"), *OTHERS))

    assert judge_amendment(TARGET, proof, a_report(failed("test_a[1]"), passed("test_a[2]"), *OTHERS))
    assert not judge_amendment(TARGET, proof, a_report(failed("test_a[3]"), failed("test_a[2]"), *OTHERS))


def test_a_run_that_cannot_be_believed_proves_nothing() -> None:
    (reason,) = judge_amendment(TARGET, PROOF, a_report(AMENDED, *OTHERS, problems=("no report",)))

    assert reason == "the tests could not be run on the tree of RED: no report"


def test_an_accepted_amendment_is_proven_from_then_on_and_a_refused_one_changes_nothing() -> None:
    state = a_state(phase=Phase.GREEN, proof=PROOF)
    accepted = AmendmentDecided(
        at=NOW,
        amendment=Amendment(outcome=AmendmentOutcome.ACCEPTED),
        function=TARGET.function,
        results=(AMENDED,),
        red_tree="r2",
        proven_tree="p2",
        green_tree="g2",
    )

    after = apply(apply(state, AmendmentTried(at=NOW, test_id="test_a", tree="t")), accepted)
    refused = apply(state, replace(accepted, amendment=Amendment(outcome=AmendmentOutcome.REFUSED)))

    assert after.proof == replace(
        PROOF, proven=(*OTHERS, AMENDED), red=(*OTHERS, AMENDED), red_tree="r2", proven_tree="p2", green_tree="g2"
    )
    assert (len(after.amendments), len(refused.amendments), refused.proof) == (1, 1, PROOF)
    bare = apply(a_state(proof=Proof()), accepted)
    assert bare.proof.proven == (AMENDED,)


def a_probe(state: ProbeState, kind: ProbeKind = ProbeKind.VALUE_STUB, test: str = "test_a[1]") -> Probe:
    noticed = {"killed_by" if state is ProbeState.KILLED else "survived": (f"tests/test_x.py::{test}",)}
    text = "returns 1" if kind is ProbeKind.VALUE_STUB else "`<=` → `<`"
    return Probe(file="fee.py", line=8, function="fee", kind=kind, text=text, state=state, **noticed)


def apart(state: ProbeState) -> ApartResult:
    return ApartResult(test=TARGET.function, state=state)


SURVIVING, KILLED = ProbeState.SURVIVING, ProbeState.KILLED
STUB = "tests/test_x.py::test_a also passes when `fee()` returns 1 (fee.py:8)"
MUTANT = "tests/test_x.py::test_a also passes when `<=` → `<` (fee.py:8)"
APART = "tests/test_x.py::test_a also passes when every changed function returns a constant"
NO_VALUE = "not probed: no probe broke a value of the code that it runs"
PROBES: list[tuple[ProbeReport | None, Probed]] = [
    (None, Probed(notes=("not probed",))),
    (ProbeReport(problems=("no Python",)), Probed(notes=("not probed: no Python",))),
    (ProbeReport(), Probed(notes=(NO_VALUE,))),
    (ProbeReport(probes=(a_probe(SURVIVING),)), Probed(reasons=(STUB,))),
    (ProbeReport(probes=(a_probe(SURVIVING, ProbeKind.MUTANT),)), Probed(reasons=(MUTANT,))),
    (ProbeReport(probes=(a_probe(SURVIVING), a_probe(KILLED, ProbeKind.MUTANT))), Probed()),
    (ProbeReport(probes=(a_probe(SURVIVING), a_probe(KILLED, ProbeKind.RAISE_STUB))), Probed(reasons=(STUB,))),
    (ProbeReport(probes=(a_probe(SURVIVING), a_probe(KILLED, test="test_b"))), Probed(reasons=(STUB,))),
    (ProbeReport(probes=(a_probe(SURVIVING, test="test_b"),)), Probed(notes=(NO_VALUE,))),
    (ProbeReport(probes=(a_probe(ProbeState.UNKNOWN),)), Probed(notes=(NO_VALUE,))),
    (ProbeReport(apart=(apart(SURVIVING),)), Probed(reasons=(APART,))),
    (ProbeReport(apart=(apart(KILLED),)), Probed()),
]


@pytest.mark.parametrize(("report", "found"), PROBES)
def test_an_amended_test_must_notice_a_changed_value_of_the_code_that_it_runs(
    report: ProbeReport | None, found: Probed
) -> None:
    assert judge_probes(TARGET, report) == found
