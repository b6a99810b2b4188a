"""The table of the criteria over a session."""

from typing import Any

from dualgate.core.machine.criteria import adopted_states, criteria_rows, states_after
from dualgate.core.machine.history import apply, begin
from dualgate.core.values.changes import Changes
from dualgate.core.values.checks import CheckEnded, CheckRun
from dualgate.core.values.events import SessionResumed, TurnEnded
from dualgate.core.values.facts import AskedOnce
from dualgate.core.values.limits import Limits
from dualgate.core.values.replacing import replace
from dualgate.core.values.specification import (
    Criterion,
    CriterionResult,
    CriterionState,
    CriterionStatus,
    Kind,
    starting_states,
)
from dualgate.core.values.state import LoopState, Proof
from dualgate.core.values.verdict import Breaker, Move, Outcome, Verdict
from dualgate.core.values.vocabulary import Decision, Phase
from dualgate.testing import NOW, a_start, a_state, facts, passed

NEW, KEEP = (
    CriterionState(id=f"AC-{number}", text=f"thing {number}", kind=kind)
    for number, kind in ((1, Kind.NEW), (2, Kind.KEEP))
)
RED = CriterionResult(id="AC-1", kind=Kind.NEW, state=CriterionStatus.RED, proof=("s::t.py::test_ac1",))


def test_each_kind_begins_with_a_state_of_its_own() -> None:
    criteria = [Criterion(id=kind, text="", line=1, kind=kind) for kind in Kind]

    assert [each.state.value for each in starting_states(criteria)] == ["no test", "no test", "not run", "not reviewed"]


def test_a_turn_updates_the_table_and_a_proof_stays_until_there_is_another() -> None:
    (red, keep) = states_after((NEW, KEEP), [RED])
    (again, _) = states_after((red, keep), [CriterionResult(id="AC-1", kind=Kind.NEW, state=CriterionStatus.RED)])
    (bare, _) = states_after((red, keep), [CriterionResult(id="AC-1", kind=Kind.NEW, state=CriterionStatus.NO_TEST)])

    assert (red.state, red.proof, keep) == (CriterionStatus.RED, ("s::t.py::test_ac1",), KEEP)
    assert (again.proof, bare.proof) == (red.proof, ())


def test_test_ids_are_shown_without_the_only_suite() -> None:
    state = a_state(criteria_states=states_after((NEW,), [RED]), proof=Proof(suites=("s",)))

    assert [row.proof for row in criteria_rows(state)] == [("t.py::test_ac1",)]


def test_an_adopted_specification_keeps_the_states_of_criteria_that_say_the_same() -> None:
    before = states_after((NEW, KEEP), [RED])
    state = a_state(criteria_states=before)
    marked, other = replace(NEW, text="Thing 1."), replace(KEEP, text="another thing")
    fourth = CriterionState(id="AC-4", text="it prints", kind=Kind.NEW)

    assert adopted_states(state, (marked, other, fourth)) == (replace(before[0], text="Thing 1."), other, fourth)
    assert adopted_states(state, (NEW, KEEP), ("AC-1",)) == (NEW, KEEP)


def test_a_criterion_of_another_kind_begins_again() -> None:
    state = a_state(criteria_states=states_after((NEW,), [RED]))
    kept, reviewed = replace(NEW, kind=Kind.KEEP), replace(NEW, kind=Kind.REVIEW)

    assert adopted_states(state, (kept,)) == (kept,)
    assert adopted_states(state, (reviewed,)) == (reviewed,)


def test_the_kind_that_red_found_stays_with_an_unchanged_criterion() -> None:
    held = replace(NEW, kind=Kind.KEEP, state=CriterionStatus.HOLDS, proof=("test_ac1",))
    state = a_state(criteria_states=(held,), proof=Proof(kinds=(("AC-1", Kind.KEEP),)))

    assert adopted_states(state, (NEW,)) == (held,)
    assert adopted_states(state, (replace(NEW, kind=Kind.REVIEW),))[0].kind is Kind.REVIEW


def test_a_session_holds_its_criteria_and_the_approved_commands() -> None:
    state = begin(a_start(criteria=(NEW,), approved=("make lint",)))
    resumed = SessionResumed(
        at=NOW, by="me", limits=Limits(), prp_text="new", criteria=(KEEP,), approved=("make lint", "make types")
    )

    after = apply(apply(state, CheckEnded(at=NOW, check=CheckRun(command="x", exit_code=0, written=("a",)))), resumed)

    assert (state.criteria_states, state.approved) == ((NEW,), ("make lint",))
    assert (after.criteria_states, after.approved) == ((KEEP,), ("make lint", "make types"))
    assert after.touched.tests == ("a",)


def passed_red(state: LoopState, **observed: Any) -> LoopState:
    found = facts(Phase.RED, changes=Changes(tree="t"), **observed)
    verdict = Verdict(outcome=Outcome.PASS, gate_1=True, gate_2=True)
    move = Move(decision=Decision.NEXT_PHASE, phase=Phase.GREEN)
    turn = TurnEnded(at=NOW, facts=found, verdict=verdict, breaker=Breaker(), move=move, proven=(passed("test_ac1"),))
    return apply(state, turn)


def test_the_kinds_that_proved_red_are_kept() -> None:
    held = CriterionResult(id="AC-1", kind=Kind.KEEP, state=CriterionStatus.HOLDS, proof=("test_ac1",))

    state = passed_red(a_state(criteria_states=(NEW,)), criteria=(held,), held=("AC-1",), never_red=("AC-1",))

    assert (state.proof.kinds, state.proof.held) == ((("AC-1", Kind.KEEP),), ("AC-1",))
    assert state.criteria_states[0].kind is Kind.KEEP
    assert state.unproven == ("no test was red: nothing shows that the new tests of AC-1 can fail",)


def test_criteria_that_no_test_names_leave_the_run_without_proof() -> None:
    asked = AskedOnce(about=("name AC-1", "name AC-2"), sentence="no failing new test names AC-1, AC-2")
    before = Proof(start_tree="s", unlinked=("AC-3", "AC-4"), kept_criteria=("AC-4",), asked=("name AC-1",))

    state = passed_red(a_state(proof=before), counted=2, uncovered=("AC-1", "AC-2"), met=("AC-2",), asks=(asked,))
    earlier = passed_red(a_state(), uncovered=("AC-1", "AC-2"))

    assert state.proof.asked == ("name AC-1", "name AC-2")
    assert state.unproven == ("no test names AC-4, AC-1, so nothing shows which test proves it",)
    assert earlier.unproven == ()


def test_the_reviewer_sees_sources_that_look_at_tests_as_the_last_turn_saw_them() -> None:
    seen = passed_red(a_state(), watching=("`a.py:1` asks",), notes=("`a.py:1` asks", "other"))

    assert (seen.review_context.watching, seen.review_context.notes) == (("`a.py:1` asks",), ("RED: other",))
