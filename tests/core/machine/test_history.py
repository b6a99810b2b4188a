from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from dualgate.core.gates.breaker import breaker_after
from dualgate.core.gates.judge import judge, measure
from dualgate.core.machine.history import apply, begin
from dualgate.core.machine.moves import decide
from dualgate.core.values.answer import Answer, Ending, Failure, Trouble
from dualgate.core.values.changes import Changes, Edits, RolledBack, Violation
from dualgate.core.values.claim import Claim, Review
from dualgate.core.values.events import (
    BaselineTaken,
    CallEnded,
    CallStarted,
    LeftoversEnded,
    PersonEdited,
    QuestionAsked,
    RunSuspended,
    SessionFailed,
    SessionPaused,
    SuiteStarted,
    TurnEnded,
)
from dualgate.core.values.limits import Limits
from dualgate.core.values.state import ERRORS_KEPT, LoopState, Proof
from dualgate.core.values.suite import CaseResult
from dualgate.core.values.vocabulary import Decision, Phase, Status, Workflow, WorkStatus
from dualgate.errors import IllegalTransition
from dualgate.testing import NOW, a_start, a_state, done, facts, failed, not_done, passed

LATER = NOW + timedelta(minutes=5)


def a_turn(
    state: LoopState, claim: Claim | None = None, proven: tuple[CaseResult, ...] = (), **observed: Any
) -> TurnEnded:
    seen = facts(state.phase, claim, **observed)
    seen = replace(seen, iteration=state.iteration + 1, past=state.failures)
    verdict = judge(seen, state.limits)
    breaker = breaker_after(state.breaker, state.phase, measure(seen), state.limits)
    move = decide(state, seen, verdict, breaker)
    return TurnEnded(at=LATER, facts=seen, verdict=verdict, breaker=breaker, move=move, proven=proven)


def turned(state: LoopState, claim: Claim | None = None, **observed: Any) -> LoopState:
    return apply(state, a_turn(state, claim, **observed))


APPROVED = done(Phase.QA, review=Review.APPROVE)
REJECTED = done(Phase.QA, review=Review.REJECT, recommendation="no bounds")


def test_a_session_begins_in_the_first_phase_of_its_workflow() -> None:
    assert begin(a_start()).phase is Phase.RED
    assert begin(a_start(workflow=Workflow.RALPH)).phase is Phase.BUILD


def test_a_session_keeps_the_limits_it_began_with() -> None:
    limits = Limits(max_iterations=7, documents=1)

    assert begin(a_start(limits=limits)).limits == limits
    assert begin(a_start(max_iterations=5)).limits == Limits(max_iterations=5)


def test_the_last_green_tree_is_where_a_refactoring_goes_back_to() -> None:
    proven = a_state(phase=Phase.REFACTOR, proof=Proof(proven=(passed("test_a"),), green_tree="g"))
    back = RolledBack(tree="g", paths=("a.py",), kept="s1")

    green = turned(proven, not_done(), changes=Changes(tree="t2"))
    broken = a_turn(proven, not_done(), changes=Changes(tree="t3"), failing=(failed("test_a"),))
    after = apply(proven, replace(broken, rolled_back=back))

    assert (green.proof.green_tree, after.proof.green_tree) == ("t2", "g")
    assert after.memory.rolled_back == back
    assert turned(a_state()).proof.green_tree == ""


def test_five_honest_turns_complete_and_prove() -> None:
    state = a_state()
    for phase in (Phase.RED, Phase.GREEN, Phase.REFACTOR, Phase.DOCUMENT, Phase.QA):
        assert state.phase is phase
        state = turned(state, APPROVED if phase is Phase.QA else None)

    assert (state.status, state.proven, state.ended_by) == (Status.COMPLETED, True, Decision.PROJECT_COMPLETE)
    assert state.phases_completed == (Phase.RED, Phase.GREEN, Phase.REFACTOR, Phase.DOCUMENT, Phase.QA)
    assert [visit.exit_reason for visit in state.visits] == ["Dual-Gate satisfied"] * 5


def test_a_run_with_a_phase_let_through_by_a_person_is_not_proven() -> None:
    assert not a_state(status=Status.COMPLETED, phases_forced=(Phase.QA,)).proven


def test_red_leaves_its_results_for_those_who_follow() -> None:
    state = a_state()

    after = apply(state, a_turn(state, proven=(failed("test_ac1"),)))

    assert after.proof.proven == (failed("test_ac1"),)
    assert (after.proof.red_tree, after.proof.proven_tree) == ("t", "t")


def test_a_phase_that_is_entered_starts_where_the_last_one_ended() -> None:
    state = turned(a_state(), failing=(failed("test_ac1"), failed("test_ac2")))

    assert (state.phase, state.iteration) == (Phase.GREEN, 0)
    assert state.breaker.best.failing == 2
    assert len(state.breaker.seen_places) == 1


def test_a_rejection_takes_back_what_came_after_red() -> None:
    completed = (Phase.RED, Phase.GREEN, Phase.REFACTOR, Phase.DOCUMENT)
    state = a_state(phase=Phase.QA, phases_completed=completed)

    after = turned(state, REJECTED)

    assert (after.phase, after.phases_completed, after.qa_attempts) == (Phase.GREEN, (Phase.RED,), 1)
    assert after.rejections[0].reason == "the review says REJECT: no bounds"


def test_the_rejection_that_halts_is_kept_too() -> None:
    state = turned(a_state(phase=Phase.QA, qa_attempts=3), REJECTED)

    assert (state.status, state.qa_attempts, len(state.rejections)) == (Status.HALTED, 4, 1)


def test_tests_added_since_red_count_from_the_phase_that_passed_with_them() -> None:
    state = a_state(phase=Phase.GREEN)

    after = apply(state, a_turn(state, proven=(passed("test_added"),)))

    assert (after.proof.proven, after.proof.red_tree) == ((passed("test_added"),), "")


def test_what_a_failed_call_was_not_allowed_to_do_is_told() -> None:
    changes = Changes(tree="t", violations=(Violation(path="conftest.py", rule="frozen"),))

    state = turned(a_state(), Claim(failure=Failure(kind=Trouble.CRASH)), changes=changes)

    assert state.memory.violations == changes.violations


def test_an_approval_ends_the_count_of_rejections() -> None:
    assert turned(a_state(phase=Phase.QA, qa_attempts=2), APPROVED).qa_attempts == 0


def test_a_phase_entered_again_keeps_its_start_and_adds_up() -> None:
    state = turned(turned(a_state()))
    entered = state.visit(Phase.GREEN)
    back = turned(replace(state, phase=Phase.QA), REJECTED)

    again = turned(back, not_done()).visit(Phase.GREEN)

    assert entered is not None
    assert again is not None
    assert (again.started_at, again.iterations, again.completed_at) == (entered.started_at, 2, None)


def test_a_retry_is_a_call_but_no_iteration() -> None:
    state = turned(a_state(phase=Phase.RED), Claim(failure=Failure(kind=Trouble.EMPTY)))

    assert (state.iteration, state.failures.failed_calls, state.failures.empty_calls) == (0, 1, 1)
    visit = state.visit(Phase.RED)
    assert visit is not None
    assert (visit.calls, visit.iterations) == (1, 0)


def test_a_limit_is_no_iteration_and_no_failure_of_the_agent() -> None:
    limited = Claim(failure=Failure(kind=Trouble.USAGE_LIMIT, resets_at=LATER))

    state = turned(a_state(failed_calls=2), limited)

    assert (
        state.iteration,
        state.failures.failed_calls,
        state.failures.limited_calls,
        state.failures.limited_until,
    ) == (0, 2, 1, LATER)
    assert turned(state, not_done()).failures.limited_until is None


def test_an_end_of_a_limit_that_had_passed_when_it_was_told_is_none() -> None:
    limited = Claim(failure=Failure(kind=Trouble.USAGE_LIMIT, resets_at=NOW))

    assert turned(a_state(), limited).failures.limited_until is None


def test_a_call_that_works_ends_the_counts_of_failed_ones() -> None:
    state = turned(a_state(failed_calls=2, empty_calls=2, blocked=1), not_done())

    assert (state.failures.failed_calls, state.failures.empty_calls, state.failures.blocked) == (0, 0, 0)


def test_two_blocked_answers_in_a_row_halt() -> None:
    blocked = not_done(status=WorkStatus.BLOCKED, recommendation="need a password")

    state = turned(turned(a_state(), blocked), blocked)

    assert (state.status, state.ended_by) == (Status.HALTED, Decision.BLOCKED)
    assert state.halt_reason == "RED: need a password"


def test_what_the_next_prompt_needs_is_remembered() -> None:
    state = turned(a_state(phase=Phase.GREEN), failing=(failed("test_a"),))

    assert state.memory.failing == (failed("test_a"),)
    assert state.memory.reasons == ("1 failing: tests/test_x.py::test_a",)


def test_errors_are_kept_cut_and_bounded() -> None:
    state = a_state(phase=Phase.GREEN, max_iterations=1000)
    for number in range(ERRORS_KEPT + 5):
        state = turned(state, not_done(), failing=(failed(f"test_{number}", message=f"{number:03}" + "x" * 900),))

    assert len(state.errors) == ERRORS_KEPT
    assert state.errors[0].error.startswith("tests/test_x.py::test_5: 005x")
    assert {len(entry.error) for entry in state.errors} == {500}


def test_the_baseline_is_what_later_runs_are_compared_with() -> None:
    event = BaselineTaken(at=LATER, tree="t0", results=(passed("a"), failed("b")), unstable=("b",), outputs=("out",))

    state = apply(a_state(), event)

    assert (state.proof.start_tree, state.proof.unstable, state.proof.outputs) == ("t0", ("b",), ("out",))
    assert state.breaker.best.passing == 1


def test_a_started_call_is_counted_when_it_starts() -> None:
    state = apply(a_state(), CallStarted(at=LATER, number=7, phase=Phase.RED, iteration=1))

    assert (state.total_agent_calls, state.last_activity) == (7, LATER)


@pytest.mark.parametrize(
    "event",
    [
        CallEnded(at=LATER, number=1, exit_code=0, ending=Ending.EXITED, seconds=1.0, answer=Answer()),
        SuiteStarted(at=LATER, command=()),
        LeftoversEnded(at=LATER, processes=("4711 sleep 600",)),
    ],
)
def test_other_events_only_show_that_it_is_alive(event: Any) -> None:
    assert apply(a_state(), event) == a_state(last_activity=LATER, seconds_worked=300.0)


def test_a_pause_is_recorded_with_its_reason() -> None:
    state = apply(a_state(), SessionPaused(at=LATER, reason="user_interrupt"))

    assert (state.status, state.pause_reason, state.paused_at) == (Status.PAUSED, "user_interrupt", LATER)


def test_an_error_that_a_person_must_mend_halts() -> None:
    state = apply(a_state(), SessionFailed(at=LATER, reason="There is no program 'x'."))

    assert (state.status, state.halt_reason) == (Status.HALTED, "There is no program 'x'.")


def test_a_session_cannot_start_twice() -> None:
    with pytest.raises(IllegalTransition, match="started twice"):
        apply(a_state(), a_start())


def test_the_baseline_leaves_what_was_learned_of_tests_and_configuration() -> None:
    values: dict[str, Any] = {
        "unstable_ids": ("f",),
        "configuration": (("a", "1"),),
        "environment": "e",
        "unstable_keys": ("t",),
    }

    proof = apply(a_state(), BaselineTaken(at=LATER, tree="t0", results=(), seconds=3.0, **values)).proof

    assert (proof.unstable_ids, proof.configuration, proof.environment) == (("f",), (("a", "1"),), "e")
    assert (proof.unstable_keys, proof.seconds) == (("t",), 3.0)


def test_what_runs_of_one_tree_showed_is_kept_whatever_the_turn_came_to() -> None:
    state = a_state(proof=Proof(unstable_ids=("f",), flaky=("a",), seconds=3.0))

    proof = turned(state, not_done(), unstable_ids=("e",), flaky=("b",), seconds=40.0).proof

    assert (proof.unstable_ids, proof.flaky, proof.seconds) == (("e", "f"), ("a", "b"), 40.0)
    assert turned(state, not_done()).proof.seconds == 3.0


def test_a_passed_phase_leaves_its_configuration_where_the_baseline_told_one() -> None:
    turn: dict[str, Any] = {"configuration": (("a", "2"),), "environment": "e2"}
    told, silent = (
        a_state(proof=Proof(configuration=(("a", "1"),), environment="e1")),
        a_state(proof=Proof(suites=("s",))),
    )

    after, untold = (apply(s, replace(a_turn(s), **turn)).proof for s in (told, silent))

    assert (after.configuration, after.environment) == ((("a", "2"),), "e2")
    assert (untold.configuration, untold.environment) == ((), "")
    assert apply(told, a_turn(told)).proof.environment == "e1"


def test_tests_that_were_found_after_the_baseline_leave_their_suites_and_configuration() -> None:
    turn: dict[str, Any] = {"suites": ("node",), "configuration": (("a", "2"),), "environment": "e2"}
    state = a_state()

    proof = apply(state, replace(a_turn(state), **turn)).proof

    assert (proof.suites, proof.configuration, proof.environment) == (("node",), (("a", "2"),), "e2")


def test_the_notes_of_red_are_kept_for_the_reviewer() -> None:
    assert turned(a_state(), notes=("tests probably renamed: a -> b",)).proof.notes == (
        "tests probably renamed: a -> b",
    )


def test_a_question_is_remembered_for_the_next_prompt_even_of_a_call_that_failed() -> None:
    asked = turned(a_state(), not_done(questions=("Which unit?",)))
    crashed = Claim(failure=Failure(kind=Trouble.CRASH), questions=("Which day?",))

    assert asked.memory.questions == ("Which unit?",)
    assert apply(asked, QuestionAsked(at=LATER, number=2, questions=("x",))).memory == asked.memory
    assert turned(asked, crashed).memory.questions == ("Which day?",)


def test_the_last_attempts_of_a_phase_are_kept_in_short() -> None:
    state = a_state(phase=Phase.GREEN)
    for number in range(6):
        state = turned(
            state,
            not_done(recommendation=f"try {number}"),
            failing=(failed(f"test_{number}"),),
            changes=Changes(tree="t", modified=("a.py",)),
        )

    assert [attempt.iteration for attempt in state.attempts] == [2, 3, 4, 5, 6]
    assert (state.attempts[-1].said, state.attempts[-1].changed) == ("try 5", ("a.py",))
    assert state.attempts[-1].result.startswith("1 failing: tests/test_x.py::test_5")
    assert turned(state).attempts == ()


def test_what_a_person_edits_is_theirs_and_moves_what_was_proven() -> None:
    state = a_state(proof=Proof(proven=(passed("test_a"),), start_tree="s", proven_tree="p"))

    edits = Edits(modified=("tests/test_x.py",), start_tree="s2", proven_tree="p2")
    after = apply(state, PersonEdited(at=LATER, edits=edits))

    assert after.touched.person == ("tests/test_x.py",)
    assert (after.proof.proven, after.proof.start_tree, after.proof.proven_tree) == ((), "s2", "p2")


def test_what_has_no_test_left_is_completed_and_not_proven_until_it_has_one_again() -> None:
    state = turned(a_state(phase=Phase.DOCUMENT), bereft=("AC-1",))
    without, again = (turned(state, APPROVED, bereft=bereft) for bereft in (("AC-1",), ()))

    assert (without.status, without.proven) == (Status.COMPLETED, False)
    assert without.unproven == ("a person removed the proven tests of AC-1",)
    assert (again.status, again.proven) == (Status.COMPLETED, True)


def test_refusals_and_full_contexts_are_counted_until_work_or_a_phase_ends_them() -> None:
    refused, full = (Claim(failure=Failure(kind=kind)) for kind in (Trouble.REFUSAL, Trouble.CONTEXT_FULL))

    state = turned(turned(a_state(), refused), full)

    assert (state.failures.refused_calls, state.failures.full_contexts, state.iteration) == (0, 1, 0)
    assert turned(state, not_done()).failures.full_contexts == 1
    assert turned(state, done(Phase.RED)).failures.full_contexts == 0


def test_a_second_refusal_blocks_with_what_was_said() -> None:
    refused = Claim(failure=Failure(kind=Trouble.REFUSAL, message="not this"))

    state = turned(turned(a_state(), refused), refused)

    assert (state.status, state.ended_by) == (Status.HALTED, Decision.BLOCKED)
    assert "refusal, not this" in str(state.halt_reason)


def test_the_time_of_a_rest_is_no_time_of_the_run() -> None:
    called = CallStarted(at=NOW + timedelta(hours=3), number=1, phase=Phase.RED, iteration=1)

    state = apply(apply(a_state(), called), RunSuspended(at=called.at + timedelta(minutes=1), seconds=7200.0))

    assert state.seconds_worked == 3600 + 60
