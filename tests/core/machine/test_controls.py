from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from dualgate.core.gates.breaker import breaker_after
from dualgate.core.gates.halts import HALTS
from dualgate.core.machine.approving import halt_for_person
from dualgate.core.machine.controls import (
    ControlEvent,
    refusal,
    start_over,
    steps_to,
    trial_after,
    ways_on,
)
from dualgate.core.machine.history import apply
from dualgate.core.machine.phases import STATUS_MOVES
from dualgate.core.machine.resuming import can_go_on
from dualgate.core.values.amendments import Amendment, AmendmentOutcome, AmendmentRequest
from dualgate.core.values.answer import Trouble
from dualgate.core.values.approvals import AmendmentAnswered, QuestionAnswered
from dualgate.core.values.changes import Changes
from dualgate.core.values.events import (
    BreakerCooled,
    GuidanceGiven,
    GuidanceWithdrawn,
    PhaseSkipped,
    SessionAborted,
    SessionReset,
    SessionResumed,
    TreeSettled,
)
from dualgate.core.values.limits import Limits
from dualgate.core.values.reviews import Finding, FindingState, Reviews
from dualgate.core.values.specification import CriterionState, CriterionStatus, Kind
from dualgate.core.values.state import Attempt, LoopState, Memory, PhaseVisit, Proof
from dualgate.core.values.team import Lineup
from dualgate.core.values.verdict import Breaker, Marks
from dualgate.core.values.vocabulary import PHASES, BreakerState, Decision, HaltCause, Phase, Status, WayOn, Workflow
from dualgate.errors import IllegalTransition
from dualgate.testing import NOW, a_fix, a_state

LATER = NOW + timedelta(hours=1)
RESET = SessionReset(at=LATER, by="ada")
GUIDED = GuidanceGiven(at=LATER, by="ada", text="")
WITHDRAWN = GuidanceWithdrawn(at=LATER, by="ada")
SKIPS = {phase: PhaseSkipped(at=LATER, by="ada", phase=phase) for phase in Phase}
OPEN = Breaker(state=BreakerState.OPEN, no_progress=3, same_error=1, best=Marks(passing=4), last_error="e")


def halted(**values: object) -> LoopState:
    visits = (PhaseVisit(phase=Phase.GREEN, started_at=NOW, iterations=3),)
    defaults = {
        "phase": Phase.GREEN,
        "iteration": 3,
        "status": Status.HALTED,
        "ended_by": Decision.STUCK,
        "visits": visits,
    }
    return a_state(**{**defaults, "halt_reason": "GREEN: no progress", "breaker": OPEN, **values})


def test_a_reset_closes_the_breaker_and_stays_halted_until_somebody_resumes() -> None:
    state = apply(halted(failed_calls=6, empty_calls=2, blocked=1, limited_calls=1, limited_until=NOW), RESET)

    assert (state.status, state.halt_reason) == (Status.HALTED, "reset by ada, not resumed yet")
    assert (state.halted_by, state.ended_by) == (HaltCause.RESET, None)
    assert ways_on(state)[0] == (WayOn.RESUME, "dualgate resume")
    assert apply(state, RESUMED).status is Status.RUNNING
    assert (state.breaker.state, state.breaker.no_progress, state.breaker.same_error) == (BreakerState.CLOSED, 0, 0)
    assert state.breaker.best == OPEN.best
    assert (
        state.failures.failed_calls,
        state.failures.empty_calls,
        state.failures.blocked,
        state.failures.limited_calls,
    ) == (0, 0, 0, 0)
    assert (state.phase, state.iteration) == (Phase.GREEN, 3)


def test_guidance_is_kept_until_a_person_withdraws_it() -> None:
    state = apply(halted(), replace(RESET, guidance="use a queue"))

    assert apply(state, replace(RESET, guidance="or a list")).guidance == ("use a queue", "or a list")
    assert apply(state, RESET).guidance == ("use a queue",)
    skipped = apply(state, PhaseSkipped(at=LATER, by="ada", phase=Phase.GREEN))
    assert skipped.guidance == ("use a queue",)
    both = apply(skipped, replace(GUIDED, text="or a list"))
    assert apply(both, replace(WITHDRAWN, text="use a queue")).guidance == ("or a list",)
    assert apply(both, WITHDRAWN).guidance == ()


def test_guidance_that_is_not_in_force_cannot_be_withdrawn() -> None:
    assert refusal(halted(), WITHDRAWN) == "No guidance is in force."
    assert refusal(halted(guidance=("a",)), replace(WITHDRAWN, text="b")) == "That guidance is not in force."
    assert refusal(halted(guidance=("a",)), replace(WITHDRAWN, text="a")) is None


SPENT = [
    ({"ended_by": Decision.MAX_ITERATIONS, "iteration": 100}, "iteration", 0),
    ({"ended_by": Decision.BUDGET_EXHAUSTED, "seconds_worked": 9.0}, "seconds_worked", 0.0),
    ({"ended_by": Decision.BUDGET_EXHAUSTED, "seconds_worked": 9.0, "way_on": "x"}, "seconds_worked", 9.0),
    (
        {"ended_by": Decision.BUDGET_EXHAUSTED, "seconds_worked": 9.0, "trouble": Trouble.BUDGET},
        "seconds_worked",
        9.0,
    ),
    ({"ended_by": Decision.BUDGET_EXHAUSTED, "way_on": "dualgate resume …"}, "way_on", ""),
    ({"qa_attempts": 4}, "qa_attempts", 0),
    ({"qa_attempts": 2}, "qa_attempts", 2),
]


@pytest.mark.parametrize(("values", "field", "after"), SPENT)
def test_what_was_spent_is_given_anew(values: dict[str, object], field: str, after: object) -> None:
    assert getattr(apply(halted(**values), RESET), field) == after


def test_a_paused_session_can_be_given_guidance_too() -> None:
    state = apply(halted(status=Status.PAUSED), replace(RESET, guidance="smaller steps"))

    assert (state.status, state.guidance) == (Status.PAUSED, ("smaller steps",))


def test_a_skipped_phase_is_forced_and_the_next_one_begins() -> None:
    before = halted(memory=Memory(reasons=("1 failing",)), attempts=(Attempt(iteration=3),))

    state = apply(before, PhaseSkipped(at=LATER, by="ada", phase=Phase.GREEN))

    assert (state.phase, state.iteration, state.status) == (Phase.REFACTOR, 0, Status.HALTED)
    assert (state.halted_by, state.halt_reason) == (HaltCause.RESET, "GREEN was skipped by ada, not resumed yet")
    assert (state.phases_forced, state.phases_completed) == ((Phase.GREEN,), ())
    assert (state.breaker.state, state.breaker.best) == (BreakerState.CLOSED, OPEN.best)
    assert (state.memory, state.attempts) == (Memory(), ())
    green, refactor = state.visits
    assert (green.completed_at, green.exit_reason) == (LATER, "Skipped by ada, not proven")
    assert refactor.started_at == LATER


def test_a_phase_that_was_visited_before_keeps_its_start() -> None:
    visits = tuple(PhaseVisit(phase=phase, started_at=NOW) for phase in (Phase.GREEN, Phase.REFACTOR))

    state = apply(halted(visits=visits), PhaseSkipped(at=LATER, by="ada", phase=Phase.GREEN))

    assert [visit.started_at for visit in state.visits] == [NOW, NOW]


def test_the_last_phase_skipped_completes_and_proves_nothing() -> None:
    state = apply(halted(phase=Phase.QA), PhaseSkipped(at=LATER, by="ada", phase=Phase.QA))

    assert (state.status, state.proven, state.ended_by) == (Status.COMPLETED, False, Decision.PROJECT_COMPLETE)
    assert (state.pause_reason, state.halt_reason, state.halted_by) == (None, None, None)


def test_every_status_that_a_control_writes_is_a_legal_move_from_the_one_before() -> None:
    for phase in PHASES[Workflow.TDD]:
        for status in (Status.RUNNING, Status.PAUSED, Status.HALTED):
            for control in (RESET, replace(RESET, goes_on=True), SessionAborted(at=LATER, by="ada"), SKIPS[phase]):
                state = halted(status=status, phase=phase)
                for event in steps_to(state, control):
                    after = apply(state, event)
                    assert after.status is state.status or (state.status, after.status) in STATUS_MOVES
                    state = after


def test_a_session_that_is_given_up_stays_halted_until_it_is_reset() -> None:
    state = apply(halted(status=Status.PAUSED), SessionAborted(at=LATER, by="ada"))

    assert (state.status, state.halt_reason, state.ended_by) == (Status.HALTED, "aborted by ada", Decision.ABORTED)
    assert can_go_on(apply(state, RESET))


def test_the_four_ways_on_from_a_halt_are_named() -> None:
    ways = dict(ways_on(halted()))

    assert list(ways) == [WayOn.RESET, WayOn.GUIDE, WayOn.SKIP, WayOn.ABORT]
    assert ways[WayOn.RESET] == "dualgate resume --reset"
    assert ways[WayOn.GUIDE] == "dualgate resume --reset --guidance 'TEXT'"
    assert ways[WayOn.SKIP] == "dualgate skip GREEN"
    assert ways_on(a_state()) == ()


ASKED = Amendment(
    outcome=AmendmentOutcome.WAITING, request=AmendmentRequest(test_id="test_a", reason="it is wrong", diff="")
)
ANSWER = AmendmentAnswered(at=LATER, by="ada", test_id="test_a", approved=False, reason="it is right")
RESUMED = SessionResumed(at=LATER, by="ada", limits=Limits())
PHASES_OF = [(workflow, phase) for workflow, phases in PHASES.items() for phase in phases]


def goes_on(state: LoopState) -> bool:
    """Whether a resume continues, and a person is not asked the same again."""
    return can_go_on(state) and halt_for_person(apply(state, RESUMED), LATER) is None


def is_accepted(state: LoopState, event: ControlEvent) -> bool:
    return refusal(state, event) is None and apply(state, event).status is not Status.RUNNING


ACCEPTED: dict[WayOn, Callable[[LoopState], bool]] = {
    WayOn.RESUME: goes_on,
    WayOn.RAISE: goes_on,
    WayOn.RESPEC: goes_on,
    WayOn.KEEP_SPEC: goes_on,
    WayOn.RESET: lambda state: is_accepted(state, RESET) and goes_on(apply(state, RESET)),
    WayOn.GUIDE: lambda state: is_accepted(state, replace(RESET, guidance="TEXT")),
    WayOn.SKIP: lambda state: is_accepted(state, PhaseSkipped(at=LATER, by="ada", phase=state.phase)),
    WayOn.ABORT: lambda state: (
        state.ended_by is not Decision.ABORTED and is_accepted(state, SessionAborted(at=LATER, by="ada"))
    ),
    WayOn.START: lambda state: state.ended_by is Decision.ABORTED,
    WayOn.APPROVE: lambda state: is_accepted(state, replace(ANSWER, approved=True)),
    WayOn.REJECT: lambda state: is_accepted(state, ANSWER),
    WayOn.ANSWER: lambda state: is_accepted(state, QuestionAnswered(at=LATER, by="ada", text="TEXT")),
}


@pytest.mark.parametrize("spec_changed", [False, True])
@pytest.mark.parametrize("has_baseline", [False, True])
@pytest.mark.parametrize("cause", HaltCause)
def test_every_way_on_that_is_offered_works_now(cause: HaltCause, has_baseline: bool, spec_changed: bool) -> None:
    for workflow, phase in PHASES_OF:
        state = halted(
            workflow=workflow,
            phase=phase,
            halted_by=cause,
            ended_by=HALTS[cause].decision,
            way_on="dualgate resume --max-tokens 9" if WayOn.RAISE in HALTS[cause].ways else "",
            amendments=(ASKED,) if cause is HaltCause.AMENDMENT else (),
            memory=Memory(questions=("?",) if cause is HaltCause.QUESTION else ()),
            proof=Proof(start_tree="t" if has_baseline else "", red_tree="r" if has_baseline else ""),
        )

        ways = ways_on(state, spec_changed)

        assert [way for way, _ in ways if not ACCEPTED[way](state)] == []
        assert ways
        assert (cause is HaltCause.ABORTED) == (WayOn.ABORT not in dict(ways))
        resumes = [command for _, command in ways if command.startswith("dualgate resume")]
        assert all(("--respec" in command or "--keep-spec" in command) is spec_changed for command in resumes)
        assert WayOn.SKIP not in dict(ways) or has_baseline or cause is not HaltCause.ENVIRONMENT


def test_after_an_abort_a_new_run_and_a_reset_are_offered() -> None:
    state = apply(halted(status=Status.PAUSED), SessionAborted(at=LATER, by="ada"))

    assert ways_on(state) == ((WayOn.START, "dualgate run PRP.md --fresh"), (WayOn.RESET, "dualgate resume --reset"))


STARTS = [
    (("claude",), "SPEC.md", "dualgate run SPEC.md --agent claude --fresh"),
    (("claude:opus", "codex"), "my spec.md", "dualgate run 'my spec.md' --agent claude:opus --fresh"),
    (("./agent.sh --fast",), "SPEC.md", "dualgate run SPEC.md --agent-command './agent.sh --fast' --fresh"),
    (("claude",), "(command line)", ""),
]


@pytest.mark.parametrize(("agents", "spec", "command"), STARTS)
def test_a_session_starts_over_with_its_specification_and_agent(
    agents: tuple[str, ...], spec: str, command: str
) -> None:
    assert start_over(a_state(lineup=Lineup(every=agents), prp_file=spec)) == command


def test_a_session_whose_process_died_is_resumed_or_started_over() -> None:
    assert ways_on(a_state()) == ways_on(a_state(status=Status.COMPLETED)) == ()
    assert [way for way, _ in ways_on(a_state(), is_alive=False)] == [WayOn.RESUME, WayOn.START]
    unfiled = a_state(prp_file="(standard input)")
    assert [way for way, _ in ways_on(unfiled, is_alive=False)] == [WayOn.RESUME]


def test_a_paused_session_goes_on_with_a_resume_that_names_the_specification_where_it_was_edited() -> None:
    paused = a_state(status=Status.PAUSED)

    assert ways_on(paused) == ((WayOn.RESUME, "dualgate resume"),)
    assert [command for _, command in ways_on(paused, spec_changed=True)] == [
        "dualgate resume --respec",
        "dualgate resume --keep-spec",
    ]


def test_a_budget_is_raised_together_with_the_choice_of_the_specification() -> None:
    spent = halted(halted_by=HaltCause.BUDGET, ended_by=Decision.BUDGET_EXHAUSTED, way_on="dualgate resume --budget 2")

    assert ways_on(spent, spec_changed=True)[0] == (WayOn.RESPEC, "dualgate resume --budget 2 --respec")


@pytest.mark.parametrize("event", [RESUMED, RESET])
def test_a_person_who_goes_on_has_answered_about_the_test(event: SessionResumed | SessionReset) -> None:
    state = halted(halted_by=HaltCause.AMENDMENT, amendments=(ASKED,), memory=Memory(amendment=ASKED))

    again = apply(state, event)

    assert again.amendments[-1].outcome is AmendmentOutcome.REFUSED
    assert again.memory.amendment == again.amendments[-1]
    assert apply(replace(state, memory=Memory()), event).memory.amendment is None
    assert apply(replace(state, status=Status.PAUSED), event).amendments == (ASKED,)


@pytest.mark.parametrize("ended_by", [None, Decision.BLOCKED, Decision.RATE_LIMITED])
def test_what_a_person_has_mended_goes_on_without_a_reset(ended_by: Decision | None) -> None:
    assert ways_on(halted(ended_by=ended_by))[0] == (WayOn.RESUME, "dualgate resume")


def test_what_does_not_fit_is_refused_with_a_reason() -> None:
    assert refusal(a_state(status=Status.COMPLETED), RESET) == "The session is completed."
    wrong = PhaseSkipped(at=LATER, by="ada", phase=Phase.QA)
    assert refusal(halted(), wrong) == "The session is in GREEN, not in QA."
    with pytest.raises(IllegalTransition, match="is not possible now"):
        apply(halted(), wrong)


def test_an_open_breaker_rests_only_where_that_is_configured_and_only_once() -> None:
    state = halted(limits=Limits(cooldown=60.0))

    assert trial_after(halted()) is None
    assert trial_after(state) == 60.0
    tried = apply(state, BreakerCooled(at=LATER))
    assert (tried.status, tried.breaker.state) == (Status.RUNNING, BreakerState.HALF_OPEN)
    failed_trial = breaker_after(tried.breaker, Phase.GREEN, Marks(passing=4), state.limits)
    assert (failed_trial.state, failed_trial.on_trial) == (BreakerState.OPEN, True)
    assert trial_after(replace(state, breaker=failed_trial)) is None
    moved = breaker_after(tried.breaker, Phase.GREEN, Marks(passing=5), state.limits)
    assert (moved.state, moved.on_trial) == (BreakerState.CLOSED, False)


def test_tests_are_frozen_as_they_stand_where_red_is_skipped() -> None:
    changes = Changes(tree="as it stands")
    red = apply(a_state(), TreeSettled(at=LATER, changes=changes))

    skipped = apply(red, PhaseSkipped(at=LATER, by="ada", phase=Phase.RED))

    assert (skipped.proof.proven_tree, skipped.proof.proven) == ("as it stands", None)
    proven = halted(proof=Proof(proven_tree="red"), tree="later")
    assert apply(proven, PhaseSkipped(at=LATER, by="ada", phase=Phase.GREEN)).proof.proven_tree == "red"


def test_a_reset_after_too_many_rejections_leads_to_those_who_fix_the_findings() -> None:
    open_finding = Finding(request=a_fix(), state=FindingState.OPEN, review=1)
    met = CriterionState(id="AC-1", text="x", kind=Kind.REVIEW, state=CriterionStatus.MET, proof=("a.py:1",))
    halted = a_state(
        phase=Phase.QA,
        status=Status.HALTED,
        halted_by=HaltCause.REJECTIONS,
        ended_by=Decision.STUCK,
        phases_completed=(Phase.RED, Phase.GREEN, Phase.REFACTOR, Phase.DOCUMENT),
        reviews=Reviews(count=1, findings=(open_finding,)),
        criteria_states=(met,),
        visits=(PhaseVisit(phase=Phase.GREEN, started_at=NOW, completed_at=NOW),),
    )

    fixing = apply(halted, SessionReset(at=NOW, by="ann", goes_on=True, returns=True))
    older = apply(halted, SessionReset(at=NOW, by="ann", goes_on=True))

    assert (fixing.phase, fixing.phases_completed, fixing.status) == (Phase.GREEN, (Phase.RED,), Status.RUNNING)
    assert fixing.criteria_states[0].state is CriterionStatus.NOT_REVIEWED
    assert older.phase is Phase.QA
