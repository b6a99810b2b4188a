"""What of a proof holds when the specification is another."""

from dataclasses import replace
from typing import Any

import pytest

from dualgate.core.evidence.facts import gather
from dualgate.core.gates.judge import judge
from dualgate.core.gates.red import KEPT
from dualgate.core.machine.history import apply
from dualgate.core.machine.respec import weigh_respec
from dualgate.core.record.metrics import first_metrics, metrics_after
from dualgate.core.spec.identity import keep_ids
from dualgate.core.values.changes import Changes, Edits
from dualgate.core.values.events import PersonEdited, SessionResumed
from dualgate.core.values.facts import Facts
from dualgate.core.values.limits import Limits
from dualgate.core.values.specification import (
    Criterion,
    CriterionState,
    CriterionStatus,
    Kind,
    Respec,
    Specification,
    starting_states,
)
from dualgate.core.values.state import LoopState, Proof
from dualgate.core.values.suite import CaseResult
from dualgate.core.values.team import FailuresInARow, Out
from dualgate.core.values.vocabulary import Phase, Status, Workflow
from dualgate.testing import NOW, a_report, a_start, a_state, done, facts, failed, passed, skipped

OLD = passed("test_old", digest="o")
ONE, TWO = passed("test_ac1", digest="1"), passed("test_ac2", digest="2")
PROOF = Proof(
    baseline=(OLD,), proven=(OLD, ONE, TWO), red=(OLD, failed("test_ac1", digest="1"), failed("test_ac2", digest="2")),
    proven_tree="t", red_tree="r", green_tree="g", phases=(Phase.RED, Phase.GREEN),
)  # fmt: skip
IN_DOCUMENT = a_state(
    phase=Phase.DOCUMENT, phases_completed=(Phase.RED, Phase.GREEN, Phase.REFACTOR), proof=PROOF, status=Status.PAUSED
)


def criteria(**texts: str) -> tuple[Criterion, ...]:
    return tuple(Criterion(id=f"AC-{name[2:]}", text=text, line=1) for name, text in texts.items())


BEFORE = criteria(ac1="doubles", ac2="halves")
CHANGED = criteria(ac1="doubles", ac2="halves, and rounds down")
ADDED = criteria(ac1="doubles", ac2="halves", ac3="thirds")
DROPPED = criteria(ac1="doubles")


@pytest.mark.parametrize(
    ("now", "found"),
    [
        (BEFORE, None),
        (CHANGED, Respec(reopened=("AC-2",), kept=("AC-1",), kept_tests=(ONE.id,))),
        (ADDED, Respec(reopened=("AC-3",), kept=("AC-1", "AC-2"), kept_tests=(ONE.id, TWO.id))),
        (DROPPED, Respec(kept=("AC-1",), kept_tests=(ONE.id,), dropped=("AC-2",))),
    ],
)
def test_a_criterion_that_is_new_or_says_something_else_is_reopened(
    now: tuple[Criterion, ...], found: Respec | None
) -> None:
    assert weigh_respec(IN_DOCUMENT, BEFORE, now) == found


MARKED = criteria(ac1="Doubles.", ac2="**halves**")
NO_TESTS = (*BEFORE, Criterion(id="AC-3", text="the changelog has an entry", line=3, kind=Kind.REVIEW))
THIRD = passed("test_ac3", digest="3")


def test_decoration_and_marks_reopen_nothing_nor_does_a_criterion_without_tests() -> None:
    assert weigh_respec(IN_DOCUMENT, BEFORE, MARKED) is None
    assert weigh_respec(IN_DOCUMENT, BEFORE, NO_TESTS) is None


def test_a_criterion_that_now_needs_a_test_is_reopened() -> None:
    asked = (*BEFORE, replace(NO_TESTS[2], kind=Kind.NEW))

    found = weigh_respec(IN_DOCUMENT, NO_TESTS, asked)

    assert found is not None
    assert (found.reopened, found.kept) == (("AC-3",), ("AC-1", "AC-2"))


def test_a_criterion_that_was_kept_and_is_now_new_is_reopened() -> None:
    kept = (BEFORE[0], replace(BEFORE[1], kind=Kind.KEEP))

    found = weigh_respec(IN_DOCUMENT, kept, BEFORE)

    assert found is not None
    assert (found.reopened, found.kept) == (("AC-2",), ("AC-1",))


def test_the_middle_criterion_goes_and_the_third_keeps_its_id_and_its_tests() -> None:
    before = criteria(ac1="doubles", ac2="halves", ac3="has a name")
    state = replace(IN_DOCUMENT, proof=replace(PROOF, proven=(OLD, ONE, TWO, THIRD)))
    text = Specification(title="", goal="", criteria=criteria(ac1="doubles", ac2="has a name"), text="")

    found = weigh_respec(state, before, keep_ids(before, text).criteria)

    assert found == Respec(kept=("AC-1", "AC-3"), kept_tests=(ONE.id, THIRD.id), dropped=("AC-2",))


def test_an_adopted_specification_brings_its_criteria_and_retires_the_ids_of_others() -> None:
    before = (CriterionState(id="AC-1", text="doubles", kind=Kind.NEW, state=CriterionStatus.GREEN),)
    state = replace(IN_DOCUMENT, criteria_states=before, retired_ids=("AC-7",), declined_spec="d")
    event = SessionResumed(at=NOW, by="ada", limits=Limits(), prp_text="new", criteria=starting_states(DROPPED))

    kept = apply(state, event)
    moved = apply(state, replace(event, criteria=starting_states(criteria(ac8="thirds"))))

    assert (kept.criteria_states, kept.retired_ids, kept.declined_spec) == (before, ("AC-7",), "")
    assert ([each.id for each in moved.criteria_states], moved.retired_ids) == (["AC-8"], ("AC-7", "AC-1"))


def test_ids_that_an_old_session_gave_by_position_are_retired_too() -> None:
    respec = weigh_respec(IN_DOCUMENT, BEFORE, DROPPED)
    event = SessionResumed(at=NOW, by="ada", limits=Limits(), prp_text="new", respec=respec)

    assert apply(IN_DOCUMENT, event).retired_ids == ("AC-2",)


def test_a_declined_specification_is_remembered_until_another_one_is_adopted() -> None:
    declined = apply(IN_DOCUMENT, SessionResumed(at=NOW, by="ada", limits=Limits(), declined="d1"))
    again = apply(replace(declined, status=Status.PAUSED), SessionResumed(at=NOW, by="ada", limits=Limits()))

    assert (declined.declined_spec, again.declined_spec) == ("d1", "d1")


def test_where_red_was_never_proven_there_is_nothing_to_reopen() -> None:
    assert weigh_respec(a_state(), BEFORE, CHANGED) is None
    assert weigh_respec(replace(IN_DOCUMENT, workflow=Workflow.RALPH), BEFORE, CHANGED) is None


def test_a_criterion_that_stood_on_a_test_of_a_changed_one_is_reopened_with_it() -> None:
    both = passed("test_ac1_and_ac2", digest="b")
    state = replace(IN_DOCUMENT, proof=replace(PROOF, proven=(OLD, both)))

    found = weigh_respec(state, BEFORE, CHANGED)

    assert found == Respec(reopened=("AC-1", "AC-2"))


def test_tests_that_name_no_criterion_stay_and_keep_those_that_did_not_change() -> None:
    state = replace(IN_DOCUMENT, proof=replace(PROOF, proven=(OLD, passed("test_a"), passed("test_b"))))

    found = weigh_respec(state, BEFORE, CHANGED)

    assert found is not None
    assert (found.reopened, found.kept, len(found.kept_tests)) == (("AC-2",), ("AC-1",), 2)


def respecified(now: tuple[Criterion, ...], state: LoopState = IN_DOCUMENT) -> LoopState:
    respec = weigh_respec(state, BEFORE, now)
    return apply(state, SessionResumed(at=NOW, by="ada", limits=Limits(), prp_text="new", respec=respec))


def test_the_session_goes_back_to_red_and_nothing_after_it_is_proven_any_more() -> None:
    again = respecified(CHANGED)

    assert (again.phase, again.phases_completed, again.status) == (Phase.RED, (), Status.RUNNING)
    assert (again.proof.proven, again.proof.proven_tree, again.proof.green_tree) == (None, "", "")
    assert (again.proof.kept, again.proof.kept_criteria, again.proof.baseline) == ((ONE,), ("AC-1",), (OLD,))
    assert again.memory.uncovered == ("AC-2",)


def test_what_an_agent_could_not_hold_in_the_phase_before_is_nothing_to_red() -> None:
    full = replace(
        IN_DOCUMENT,
        status=Status.RUNNING,
        failures=FailuresInARow(full_contexts=2),
        outs={"codex": Out(reason="", for_phase=True)},
    )

    state = respecified(CHANGED, full)

    assert (state.phase, state.failures.full_contexts, state.outs) == (Phase.RED, 0, {})


def test_what_was_only_taken_out_leaves_the_session_where_it_is() -> None:
    again = respecified(DROPPED)

    assert (again.phase, again.proof) == (Phase.DOCUMENT, replace(PROOF, environment=""))


def test_a_criterion_that_changes_before_red_is_proven_again_is_no_longer_kept() -> None:
    again = replace(respecified(CHANGED), status=Status.PAUSED)
    third = criteria(ac1="doubles twice", ac2="halves, and rounds down")

    found = weigh_respec(again, CHANGED, third)

    assert found == Respec(reopened=("AC-1", "AC-2"))


def seen(state: LoopState, now: tuple[Criterion, ...], *results: CaseResult, **run: Any) -> Facts:
    prp = Specification(title="X", goal="", criteria=now, text="")
    return gather(state, prp, done(Phase.RED), [a_report(*results, **run)], Changes(tree="t"))


NEW_TWO = failed("test_ac2", digest="2b")


def reasons(state: LoopState, now: tuple[Criterion, ...], *results: CaseResult) -> tuple[str, ...]:
    return judge(seen(state, now, *results), state.limits).reasons


def test_red_needs_a_failing_test_of_the_reopened_criterion_alone() -> None:
    again = respecified(CHANGED)

    assert reasons(again, CHANGED, OLD, ONE, NEW_TWO) == ()
    assert reasons(again, CHANGED, OLD, ONE, TWO)[0].startswith("AC-2 needs a new or changed test")


def test_kept_tests_that_still_fail_prove_nothing_for_the_reopened_criterion() -> None:
    unnamed = replace(IN_DOCUMENT, proof=replace(PROOF, proven=(OLD, failed("test_a"), failed("test_b"))))

    found = reasons(respecified(ADDED, unnamed), ADDED, OLD, failed("test_a"), failed("test_b"))

    assert found == ("AC-3 needs a new or changed test that fails; 1 needed, 0 found",)


@pytest.mark.parametrize(
    "one", [(), (passed("test_ac1", digest="weaker"),), (skipped("test_ac1", digest="1"),)], ids=str
)
def test_red_stays_shut_where_a_kept_test_is_gone_changed_or_skipped(one: tuple[CaseResult, ...]) -> None:
    (reason,) = reasons(respecified(CHANGED), CHANGED, OLD, *one, NEW_TWO)

    assert reason == "tests were proven for criteria that did not change, and must stay: tests/test_x.py::test_ac1"


def test_a_kept_test_is_named_without_its_suite_where_there_is_one() -> None:
    unkept = replace(facts(Phase.RED, unkept=("pytest::tests/test_x.py::test_ac1",)), suites=("pytest",))

    assert judge(unkept, Limits()).reasons == (f"{KEPT}: tests/test_x.py::test_ac1",)


def test_red_stays_shut_where_what_a_kept_test_stands_on_is_another() -> None:
    again = respecified(CHANGED)
    found = seen(again, CHANGED, OLD, ONE, NEW_TWO)
    disturbed = replace(found.observed, changes=Changes(tree="t", disturbed=("tests/helper.py",)))

    (reason,) = judge(replace(found, observed=disturbed), again.limits).reasons

    assert again.proof.kept_tree == PROOF.proven_tree != ""
    assert reason.startswith("tests/helper.py: proven tests of unchanged criteria depend on this file")


def test_a_kept_test_that_a_person_edits_is_theirs_and_must_only_be_there() -> None:
    edits = Edits(modified=(ONE.file,), kept_tree="k2")
    again = apply(respecified(CHANGED), PersonEdited(at=NOW, edits=edits))

    assert again.proof.kept_tree == "k2"
    assert reasons(again, CHANGED, OLD, replace(ONE, digest="another"), NEW_TWO) == ()
    assert reasons(again, CHANGED, OLD, NEW_TWO) != ()


def test_a_run_of_a_few_tests_says_nothing_of_the_kept_ones() -> None:
    assert seen(respecified(CHANGED), CHANGED, NEW_TWO, only=(NEW_TWO.id,)).observed.unkept == ()


def test_the_record_says_that_red_begins_again() -> None:
    respec = weigh_respec(IN_DOCUMENT, BEFORE, CHANGED)
    metrics, _ = first_metrics(a_start(), IN_DOCUMENT)
    event = SessionResumed(at=NOW, by="ada", limits=Limits(), respec=respec)
    after = apply(IN_DOCUMENT, event)

    again, (record,) = metrics_after(metrics, event, IN_DOCUMENT, after)

    assert (record.phase, again.view.phase) == (Phase.RED, Phase.RED)
    assert metrics_after(again, event, after, after)[1] == ()
