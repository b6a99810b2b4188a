from dataclasses import replace
from datetime import timedelta

import pytest

from dualgate.core.machine.approving import Decidable, DecidableKind, decidable, latest, waits_for_approval, why_paused
from dualgate.core.machine.controls import refusal, ways_on
from dualgate.core.machine.history import apply
from dualgate.core.machine.moves import decide
from dualgate.core.machine.reproving import why_still_proven
from dualgate.core.machine.requests import Request, RequestKind, control_of, events_of
from dualgate.core.machine.resuming import cut_off_after, just_begun
from dualgate.core.values.amendments import Amendment, AmendmentDecided, AmendmentOutcome, AmendmentRequest
from dualgate.core.values.approvals import AmendmentAnswered, QuestionAnswered, WorkApproved, WorkRejected
from dualgate.core.values.changes import Ticked
from dualgate.core.values.control import Asked
from dualgate.core.values.events import (
    GuidanceGiven,
    PhaseSkipped,
    SessionAborted,
    SessionReset,
    SessionResumed,
    TurnEnded,
)
from dualgate.core.values.limits import Limits
from dualgate.core.values.state import LoopState, Memory, PhaseVisit, Proof
from dualgate.core.values.verdict import Breaker, Outcome, Verdict
from dualgate.core.values.vocabulary import (
    Approve,
    Decision,
    HaltCause,
    Phase,
    Status,
    WayOn,
    Workflow,
)
from dualgate.errors import IllegalTransition
from dualgate.testing import NOW, a_start, a_state, facts, failed

LATER = NOW + timedelta(hours=1)
TEST = "tests/test_x.py::test_ac1"
PASSED = Verdict(outcome=Outcome.PASS, gate_1=True, gate_2=True)
ASKED = Amendment(
    outcome=AmendmentOutcome.WAITING,
    request=AmendmentRequest(test_id=TEST, reason="AC-1 says 4", diff="-5\n+4"),
    reasons=("no other agent",),
)
APPROVED = AmendmentAnswered(at=LATER, by="ada", test_id=TEST, approved=True)
REJECTED = AmendmentAnswered(at=LATER, by="ada", test_id=TEST, approved=False, reason="the test is right")
ACCEPTS = WorkApproved(at=LATER, by="ada", tree="t")
DECLINES = WorkRejected(at=LATER, by="ada", reason="use integers", tree="t")
ANSWERS = QuestionAnswered(at=LATER, by="ada", text="round down")
RESUMED = SessionResumed(at=LATER, by="ada", limits=Limits(approve=Approve.HUMAN))


def in_last(phase: Phase = Phase.QA, **values: object) -> LoopState:
    workflow = Workflow.RALPH if phase is Phase.BUILD else Workflow.TDD
    before = () if phase is Phase.BUILD else (Phase.RED, Phase.GREEN, Phase.REFACTOR, Phase.DOCUMENT)
    visits = tuple(PhaseVisit(phase=each, started_at=NOW) for each in (*before, phase))
    defaults = {"phase": phase, "workflow": workflow, "visits": visits, "phases_completed": before}
    return a_state(**{**defaults, "approve": Approve.HUMAN, **values})


def finished(phase: Phase = Phase.QA, ticked: Ticked | None = None, **values: object) -> LoopState:
    state = in_last(phase, **values)
    seen = facts(phase)
    move = decide(state, seen, PASSED, Breaker())
    return apply(state, TurnEnded(at=NOW, facts=seen, verdict=PASSED, breaker=Breaker(), move=move, ticked=ticked))


def halted_for_amendment(*amendments: Amendment, **values: object) -> LoopState:
    defaults = {
        "phase": Phase.GREEN,
        "status": Status.HALTED,
        "halted_by": HaltCause.AMENDMENT,
        "ended_by": Decision.BLOCKED,
        "halt_reason": "GREEN: a person must say",
        "amendments": amendments or (ASKED,),
        "proof": Proof(red_tree="r", proven=(failed("test_ac1"),)),
        "memory": Memory(amendment=ASKED),
    }
    return a_state(**{**defaults, **values})


@pytest.mark.parametrize("phase", [Phase.QA, Phase.BUILD])
def test_finished_work_waits_for_a_person_who_is_to_approve_it(phase: Phase) -> None:
    state = finished(phase)

    assert (state.status, state.pause_reason, state.paused_at) == (Status.PAUSED, "approval", NOW)
    assert (state.finished_tree, state.ended_by, state.phases_completed[-1]) == ("t", None, phase)
    assert waits_for_approval(state)
    assert not state.proven
    assert why_paused(state) == "waits for approval: dualgate approve | dualgate reject 'REASON'"
    assert [way for way, _ in ways_on(state)] == [WayOn.APPROVE, WayOn.REJECT, WayOn.ABORT]


def test_without_that_setting_finished_work_is_completed_at_once() -> None:
    state = finished(approve=Approve.NONE)

    assert (state.status, state.ended_by, state.finished_tree) == (Status.COMPLETED, Decision.PROJECT_COMPLETE, "")


def test_a_task_list_that_was_ticked_belongs_to_the_finished_work() -> None:
    assert finished(Phase.BUILD, Ticked(tasks=("a",), tree="u")).finished_tree == "u"


def test_approved_work_is_completed_and_stays_proven() -> None:
    state = apply(finished(), ACCEPTS)

    assert (state.status, state.proven, state.ended_by) == (Status.COMPLETED, True, Decision.PROJECT_COMPLETE)
    assert (state.approved_by, state.finished_tree, state.pause_reason, state.paused_at) == ("ada", "", None, None)
    assert apply(replace(finished(), unproven=("a test is weak",)), ACCEPTS).proven is False


def test_rejected_work_goes_back_to_green_with_the_reason_as_guidance() -> None:
    state = apply(finished(proof=Proof(phases=(Phase.GREEN,), rewrites=1)), DECLINES)

    assert (state.phase, state.status, state.pause_reason) == (Phase.GREEN, Status.PAUSED, "manual")
    assert (state.phases_completed, state.finished_tree) == ((Phase.RED,), "")
    assert (state.guidance, state.qa_attempts) == (("use integers",), 0)
    assert state.rejections[-1].reason == "ada rejects the finished work: use integers"
    assert state.memory.reasons == ("ada rejects the finished work: use integers",)
    assert why_still_proven(state) is None
    assert apply(state, RESUMED).status is Status.RUNNING


def test_rejected_work_of_a_task_list_stays_in_build() -> None:
    state = apply(finished(Phase.BUILD), DECLINES)

    assert (state.phase, state.phases_completed, state.visits[-1].completed_at) == (Phase.BUILD, (), None)


def test_work_that_waits_is_judged_again_when_it_is_resumed() -> None:
    state = apply(finished(), RESUMED)

    assert (state.status, state.phase, state.finished_tree) == (Status.RUNNING, Phase.QA, "")
    assert Phase.QA not in state.phases_completed


def test_an_abort_gives_up_the_approval_too() -> None:
    state = apply(finished(), SessionAborted(at=LATER, by="ada"))

    assert (state.status, state.finished_tree, refusal(state, ACCEPTS)) == (
        Status.HALTED,
        "",
        "No finished work waits for approval.",
    )


REFUSED = [
    (finished(), SessionReset(at=LATER, by="ada"), "The work is finished and waits for approval."),
    (finished(), PhaseSkipped(at=LATER, by="ada", phase=Phase.QA), "The work is finished and waits for approval."),
    (in_last(), ACCEPTS, "No finished work waits for approval."),
    (in_last(), DECLINES, "No finished work waits for approval."),
    (in_last(), APPROVED, f"No amendment of {TEST} waits for a person."),
    (in_last(), ANSWERS, "No question of the agent is open."),
    (apply(finished(), ACCEPTS), ACCEPTS, "The session is completed."),
    (
        halted_for_amendment(phase=Phase.QA),
        APPROVED,
        "It cannot be approved now: tests are amended in GREEN and REFACTOR, not in QA.",
    ),
]


@pytest.mark.parametrize(("state", "event", "reason"), REFUSED)
def test_a_decision_that_does_not_fit_is_refused(state: LoopState, event: WorkApproved, reason: str) -> None:
    assert (refusal(state, event) or "").startswith(reason)
    with pytest.raises(IllegalTransition):
        apply(state, event)


def test_guidance_is_possible_while_work_waits() -> None:
    assert refusal(finished(), GuidanceGiven(at=LATER, by="ada", text="x")) is None


def test_an_approved_amendment_waits_for_its_proof() -> None:
    state = apply(halted_for_amendment(), APPROVED)

    assert (state.amendments[0].outcome, state.amendments[0].approved_by) == (AmendmentOutcome.APPROVED, "ada")
    assert (state.status, state.halted_by, state.halt_reason) == (
        Status.HALTED,
        HaltCause.RESET,
        "answered by ada, not resumed yet",
    )
    assert apply(state, RESUMED).amendments == state.amendments


def test_a_rejected_amendment_is_reported_to_the_agent() -> None:
    state = apply(halted_for_amendment(phase=Phase.QA), REJECTED)

    closed = state.amendments[0]
    assert (closed.outcome, closed.reasons) == (AmendmentOutcome.REFUSED, ("ada rejects it: the test is right",))
    assert state.memory.amendment == closed


def test_a_run_that_has_just_halted_goes_on_with_the_answer() -> None:
    state = apply(halted_for_amendment(), replace(APPROVED, goes_on=True))

    assert (state.status, state.halted_by) == (Status.RUNNING, None)


def test_a_session_with_another_waiting_amendment_stays_halted_for_it() -> None:
    other = replace(ASKED, request=replace(ASKED.request, test_id="tests/test_x.py::test_ac2"))

    state = apply(halted_for_amendment(ASKED, other), APPROVED)

    assert (state.halted_by, [each.outcome for each in state.amendments]) == (
        HaltCause.AMENDMENT,
        [AmendmentOutcome.APPROVED, AmendmentOutcome.WAITING],
    )
    assert [way for way, _ in ways_on(replace(state, halted_by=HaltCause.TIME))][:2] == [WayOn.APPROVE, WayOn.REJECT]


def test_the_decision_of_the_run_replaces_the_approval() -> None:
    state = apply(halted_for_amendment(), APPROVED)
    decided = replace(state.amendments[0], outcome=AmendmentOutcome.REFUSED, reasons=("it passes without the work",))

    after = apply(apply(state, RESUMED), AmendmentDecided(at=LATER, amendment=decided))

    assert (after.amendments, after.memory.amendment) == ((decided,), decided)


def test_the_prompt_after_a_turn_that_was_cut_off_shows_the_answer_of_a_person() -> None:
    state = apply(halted_for_amendment(), APPROVED)
    other = replace(ASKED, request=replace(ASKED.request, reason="another"))

    assert latest(ASKED, state) == state.amendments[0]
    assert latest(other, state) == other
    assert latest(state.amendments[0], state) == state.amendments[0]
    assert latest(None, state) is None


def test_an_answer_becomes_guidance_and_lets_the_session_go_on() -> None:
    memory = Memory(questions=("Round up or down?",))
    halted = a_state(
        phase=Phase.GREEN, status=Status.HALTED, halted_by=HaltCause.QUESTION, ended_by=Decision.BLOCKED, memory=memory
    )

    state = apply(halted, ANSWERS)
    running = apply(halted, replace(ANSWERS, goes_on=True))
    told = apply(a_state(phase=Phase.GREEN, memory=memory), ANSWERS)

    text = "Answer to the question 'Round up or down?': round down"
    assert (state.guidance, state.memory.questions, state.halted_by) == ((text,), (), HaltCause.RESET)
    assert (running.status, running.guidance) == (Status.RUNNING, (text,))
    assert (told.status, told.guidance, told.memory.questions) == (Status.RUNNING, (text,), ())
    assert next(way for way, _ in ways_on(halted)) is WayOn.ANSWER


def test_what_waits_for_a_person_has_an_id_and_its_diff() -> None:
    assert decidable(halted_for_amendment()) == (
        Decidable(
            id="1",
            kind=DecidableKind.AMENDMENT,
            title=f"the change of {TEST}",
            target=TEST,
            notes=("AC-1 says 4", "no other agent"),
            diff="-5\n+4",
        ),
    )
    work = decidable(finished())[0]
    assert (work.id, work.kind, work.tree, work.notes) == (
        "work",
        DecidableKind.WORK,
        "t",
        ("every criterion is proven",),
    )
    assert decidable(replace(finished(), unproven=("x",)))[0].notes == ("not proven: x",)
    assert decidable(in_last()) == ()


def asked(kind: RequestKind, text: str = "", target: str = "") -> Request:
    return Request(kind=kind, at=NOW, by="ada", origin="pts/1", text=text, target=target)


WHO = Asked(at=NOW, origin="pts/1")
BECOME = [
    (asked(RequestKind.APPROVE), finished(), replace(ACCEPTS, asked=WHO)),
    (asked(RequestKind.REJECT, "use integers"), finished(), replace(DECLINES, asked=WHO)),
    (
        asked(RequestKind.APPROVE, "", TEST),
        halted_for_amendment(),
        replace(APPROVED, asked=WHO, goes_on=True),
    ),
    (
        asked(RequestKind.REJECT, "the test is right", TEST),
        halted_for_amendment(),
        replace(REJECTED, asked=WHO, goes_on=True),
    ),
    (
        asked(RequestKind.ANSWER, "round down"),
        a_state(memory=Memory(questions=("?",))),
        replace(ANSWERS, asked=WHO, goes_on=True),
    ),
]


@pytest.mark.parametrize(("request_", "state", "event"), BECOME)
def test_a_request_to_decide_becomes_the_event(request_: Request, state: LoopState, event: object) -> None:
    assert events_of(request_, state, LATER) == (event,)


def test_a_request_that_no_run_reads_does_not_go_on_by_itself() -> None:
    event = control_of(asked(RequestKind.ANSWER, "x"), a_state(), LATER, goes_on=False)

    assert event == QuestionAnswered(at=LATER, by="ada", text="x", asked=WHO)


def test_a_pause_for_another_reason_is_told_in_its_words() -> None:
    assert why_paused(a_state(status=Status.PAUSED, pause_reason="user_interrupt")) == "user interrupt"


def test_a_session_is_aborted_once() -> None:
    state = apply(finished(), SessionAborted(at=LATER, by="ada"))

    assert refusal(state, SessionAborted(at=LATER, by="bob")) == "The session is aborted already."


def test_a_decision_between_two_turns_belongs_to_no_turn() -> None:
    asked = halted_for_amendment()
    approved = apply(apply(asked, APPROVED), RESUMED)
    found = replace(just_begun(a_start(), approved), tree="before", swapped_for="before", trial="a trial")
    decided = AmendmentDecided(at=LATER, amendment=replace(ASKED, outcome=AmendmentOutcome.ACCEPTED), tree="amended")

    after = cut_off_after(found, decided, apply(approved, decided))

    assert (after.decided, after.tree, after.swapped_for, after.reached) == (None, "amended", "", "amended")
