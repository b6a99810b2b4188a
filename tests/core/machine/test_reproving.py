"""Which phases stand after a rejection, without anybody being asked."""

from dataclasses import replace
from typing import Any

import pytest

from dualgate.core.gates.judge import judge
from dualgate.core.machine.history import apply
from dualgate.core.machine.moves import decide
from dualgate.core.machine.reproving import STILL_PROVEN, is_document, why_still_proven
from dualgate.core.values.events import ProvenAgain, TurnEnded
from dualgate.core.values.fix_request import FixRequest, RouteTo
from dualgate.core.values.reviews import Finding, FindingState, Reviews
from dualgate.core.values.state import LoopState, PhaseVisit, Proof
from dualgate.core.values.verdict import Outcome
from dualgate.core.values.vocabulary import Phase
from dualgate.testing import NOW, a_fix, a_state, facts, passed

TO_IMPLEMENT = a_fix()
TO_REFACTOR = a_fix(2, route_to=RouteTo.REFACTORER)
TO_AMEND = a_fix(3, file="tests/test_a.py")


def back_in(phase: Phase, *fixes: FixRequest, touched: tuple[str, ...] = (), **values: Any) -> LoopState:
    findings = tuple(Finding(request=fix, state=FindingState.OPEN, review=1) for fix in fixes)
    proven = (Phase.RED, Phase.GREEN, Phase.REFACTOR, Phase.DOCUMENT)
    return a_state(
        **{
            "phase": phase,
            "phases_completed": (Phase.RED,),
            "reviews": Reviews(count=1, tree="t", findings=findings, touched=touched),
            "proof": Proof(phases=proven),
            **values,
        }
    )


STANDS = [
    back_in(Phase.GREEN, TO_REFACTOR),
    back_in(Phase.REFACTOR, TO_IMPLEMENT),
    back_in(Phase.REFACTOR, TO_IMPLEMENT, touched=("docs/use.md", "README.md")),
    back_in(Phase.DOCUMENT, TO_IMPLEMENT, touched=("src/a.py",)),
]
ASKED = [
    back_in(Phase.GREEN, TO_IMPLEMENT),
    back_in(Phase.GREEN, TO_AMEND),
    back_in(Phase.GREEN, TO_REFACTOR, touched=("README.md",)),
    back_in(Phase.REFACTOR, TO_REFACTOR),
    back_in(Phase.REFACTOR, TO_IMPLEMENT, touched=("src/a.py",)),
    back_in(Phase.DOCUMENT, TO_IMPLEMENT, touched=("src/a.py", "docs/use.md")),
    back_in(Phase.QA, TO_IMPLEMENT),
    back_in(Phase.REFACTOR),
    back_in(Phase.REFACTOR, TO_IMPLEMENT, proof=Proof(phases=(Phase.RED, Phase.GREEN))),
    back_in(Phase.REFACTOR, TO_IMPLEMENT, iteration=1),
    back_in(Phase.REFACTOR, TO_IMPLEMENT, failed_calls=1),
    back_in(Phase.REFACTOR, TO_IMPLEMENT, limited_calls=1),
    back_in(Phase.GREEN, a_fix(file="tests/x.py", route_to=RouteTo.REFACTORER)),
]


@pytest.mark.parametrize("state", STANDS)
def test_what_the_review_and_the_new_tree_leave_alone_stands(state: LoopState) -> None:
    assert why_still_proven(state)


@pytest.mark.parametrize("state", ASKED)
def test_an_agent_is_asked_where_there_is_something_to_do(state: LoopState) -> None:
    assert why_still_proven(state) is None


def test_a_file_with_proven_tests_is_a_test_whatever_it_is_called() -> None:
    fix = a_fix(file="checks/a.py", route_to=RouteTo.REFACTORER)
    proof = Proof(phases=(Phase.GREEN,), proven=(passed("test_a", file="checks/a.py"),))

    assert why_still_proven(back_in(Phase.GREEN, fix))
    assert why_still_proven(back_in(Phase.GREEN, fix, proof=proof)) is None


def test_documents_are_known_by_their_place_or_ending() -> None:
    assert [path for path in ("docs/a.py", "a/README.md", "b.rst", "src/docs.py") if is_document(path)] == [
        "docs/a.py",
        "a/README.md",
        "b.rst",
    ]


def test_a_phase_that_stands_is_completed_and_no_call_is_counted() -> None:
    visit = PhaseVisit(phase=Phase.REFACTOR, started_at=NOW, calls=1, iterations=1)
    state = replace(back_in(Phase.REFACTOR, TO_IMPLEMENT), visits=(visit,))
    found = facts(Phase.REFACTOR, STILL_PROVEN)
    verdict = judge(found, state.limits)
    move = decide(state, found, verdict, state.breaker)
    turn = TurnEnded(at=NOW, facts=found, verdict=verdict, breaker=state.breaker, move=move, proven=(passed("test_a"),))

    after = apply(state, ProvenAgain(at=NOW, reason="nothing changed", turn=turn))

    assert verdict.outcome is Outcome.PASS
    assert (after.phase, after.phases_completed) == (Phase.DOCUMENT, (Phase.RED, Phase.REFACTOR))
    again = after.visit(Phase.REFACTOR)
    assert again is not None
    assert (again.calls, again.iterations, again.completed_at) == (1, 1, NOW)
    assert after.proof.proven == (passed("test_a"),)
