"""LoopState, Event -> LoopState: compute the state from events, the same way live and on replay."""

from datetime import datetime
from typing import Any

from dualgate.core.evidence.amendment import with_amendment
from dualgate.core.evidence.checks import first_results
from dualgate.core.evidence.configuring import with_configuration
from dualgate.core.evidence.judged_trees import judged_after
from dualgate.core.evidence.run_outputs import attributed, reminders, with_kept_outputs, with_outputs
from dualgate.core.gates.breaker import entering, unblocked
from dualgate.core.gates.build import why_unproven
from dualgate.core.gates.judge import measure
from dualgate.core.machine.approving import latest, unfinished, with_decided
from dualgate.core.machine.check_findings import with_broken
from dualgate.core.machine.checking import check_changes
from dualgate.core.machine.committing import log_after, retried
from dualgate.core.machine.controls import NO_HALT, ControlEvent, answered, controlled, trial_after
from dualgate.core.machine.counting import (
    ERROR_LENGTH,
    attempts_after,
    errors_after,
    refused_warning,
    reviewer_call_changes,
    warnings_after,
    with_call,
)
from dualgate.core.machine.criteria import adopted_states, states_after
from dualgate.core.machine.noting import notes_after
from dualgate.core.machine.phases import entered, first_phase, move_status, send_back
from dualgate.core.machine.proving import (
    baseline_proof,
    moved_by_person,
    proof_after,
    why_without_proof,
    with_asked,
    with_learned,
)
from dualgate.core.machine.respec import respecified
from dualgate.core.machine.reviewing import call_changes, model_changes, with_review_context, with_touched
from dualgate.core.machine.rewriting import from_rewriting, to_rewriting
from dualgate.core.money.spending import call_ended, call_started
from dualgate.core.spec.identity import retired_after
from dualgate.core.spec.task_memory import edited_by_person
from dualgate.core.team.escalation import escalated
from dualgate.core.team.failures import after_person, switched
from dualgate.core.team.fallover import in_charge
from dualgate.core.team.limit_reports import with_report
from dualgate.core.values import events
from dualgate.core.values.amendments import AmendmentDecided, AmendmentTried, why_self_approved
from dualgate.core.values.changes import Attribution
from dualgate.core.values.checks import CheckEnded, CheckRun, ChecksFailed, CheckStarted
from dualgate.core.values.commits import CommitEvent, ProvenTree
from dualgate.core.values.configuring import ConfigurationDecided
from dualgate.core.values.control import RequestRefused
from dualgate.core.values.events import Event, SessionStarted, TurnEnded
from dualgate.core.values.probes import ProbesEnded, ProbesStarted
from dualgate.core.values.replacing import replace
from dualgate.core.values.specification import Plan
from dualgate.core.values.state import LoopState, Memory, PhaseVisit, Proof, Rejection, Warned
from dualgate.core.values.suite import CaseOutcome, SuiteReport, TrialEnded, TrialStarted
from dualgate.core.values.team import AgentSwitched
from dualgate.core.values.verdict import Marks, Move, Outcome, is_no_iteration
from dualgate.core.values.vocabulary import Decision, HaltCause, PauseReason, Phase, Status
from dualgate.errors import IllegalTransition, JournalDamaged


def first_of(event: Event | None) -> SessionStarted:
    """The first event of a journal, which must be the start of a session."""
    if not isinstance(event, SessionStarted):
        raise JournalDamaged(
            "The journal does not begin with the start of a session.", "Start over with: dualgate run SPEC …"
        )
    return event


def begin(event: SessionStarted) -> LoopState:
    first = first_phase(event.workflow)
    most = event.limits.max_iterations if event.max_iterations is None else event.max_iterations
    return LoopState(
        session_id=event.session_id,
        prp_file=event.prp_file,
        started_at=event.at,
        last_activity=event.at,
        workflow=event.workflow,
        phase=first,
        limits=replace(event.limits, max_iterations=most),
        visits=(PhaseVisit(phase=first, started_at=event.at),),
        reviewer=event.reviewer,
        lineup=event.lineup,
        plan=event.plan,
        criteria_states=event.criteria,
        answers=event.answers,
        approved=event.approved,
        checks=event.checks,
        warnings=tuple(Warned(phase=first, iteration=0, text=text) for text in _left_out(event)),
    )


def _left_out(event: SessionStarted) -> tuple[str, ...]:
    """Notes on tests and prompts that were found in the project and are not used."""
    return (*(f"not run: {note}" for note in event.notes), *(f"not used: {text}" for text in event.unused))


def apply(state: LoopState, event: Event) -> LoopState:
    # after a crash the end of the work is unknown, so the time until the resume is not counted as work
    worked = state.seconds_worked if isinstance(event, events.SessionResumed) else _worked(state, event.at)
    if isinstance(event, events.Step):
        return _stepped(state, event, worked)
    return _happened(replace(state, last_activity=event.at, seconds_worked=worked), event)


def _happened(state: LoopState, event: events.Happening) -> LoopState:
    if isinstance(event, ControlEvent):
        return controlled(state, event)
    if isinstance(event, ConfigurationDecided):
        return replace(state, proof=with_configuration(state.proof, event))
    if isinstance(event, CommitEvent):
        return log_after(state, event)
    match event:
        case SessionStarted():
            raise IllegalTransition("a session was started twice")
        case events.BaselineTaken():
            touched = _touched(state, tests=event.outputs)
            breaker, results = entering(_starting_marks(event, state.plan)), first_results(state.checks, event.checks)
            judged = judged_after(state, event.after or event.tree, state.plan)
            state = replace(state, breaker=breaker, touched=touched, check_results=results, judged=judged)
            return replace(state, proof=baseline_proof(event))
        case events.PersonEdited():
            proof = moved_by_person(state.proof, event.edits)
            reviews = with_touched(state.reviews, event.edits.paths)
            plan = edited_by_person(state.plan, event.edits.paths)
            touched = _touched(state, person=event.edits.paths)
            return replace(state, touched=touched, proof=proof, reviews=reviews, plan=plan)
        case AgentSwitched():
            return switched(state, event)
        case AmendmentDecided():
            return replace(with_decided(state, event.amendment), proof=with_amendment(state.proof, event))
        case TurnEnded():
            return _with_turn(state, event)
        case ChecksFailed():
            return _held_back(state, event)
        case events.ProvenAgain():
            learned = with_learned(state.proof, event.turn)
            states = states_after(state.criteria_states, event.turn.facts.observed.criteria)
            warnings = warnings_after(state.warnings, event.turn)
            state = replace(state, proof=learned, memory=Memory(), criteria_states=states, warnings=warnings)
            return _with_move(state, event.turn)
        case events.SessionPaused() | events.SessionResumed() | events.SessionFailed() | events.SessionHalted():
            return _paused_resumed_or_halted(state, event)
        case events.RunSuspended():
            return replace(state, seconds_worked=max(0.0, state.seconds_worked - event.seconds))


def _stepped(state: LoopState, event: events.Step, worked: float) -> LoopState:
    """Apply one step of a turn. Most events are steps, so the state is replaced only once."""
    return replace(state, last_activity=event.at, seconds_worked=worked, **_step_changes(state, event))


def _step_changes(state: LoopState, event: events.Step) -> dict[str, Any]:
    match event:
        case events.CallDelayed():
            return {"waiting": event.wait}
        case events.CallStarted():
            apart = _is_escalated(state, event.agent)
            spending = call_started(state.spending, state.phase, event.iteration, event.at, apart)
            return {"spending": spending, "waiting": None} | call_changes(state, event)
        case events.CallEnded():
            apart, prices = _is_escalated(state, event.agent), state.limits.prices
            spending = call_ended(
                state.spending, state.phase, state.iteration + 1, event.answer, event.at, prices, apart
            )
            reports = with_report(state.limit_reports, event)
            counted = {"spending": spending, "limit_reports": reports}
            return counted | model_changes(state, event) | reviewer_call_changes(state, event)
        case events.CallInterrupted():
            return {"touched": _touched(state, agent=event.paths)}
        case events.TreeSettled():
            changes = event.changes
            touched = _touched(state, agent=changes.paths, tests=changes.outputs, commits=changes.commits)
            return {"touched": touched, "tree": changes.tree, "proof": with_outputs(state.proof, changes.learned)}
        case events.SuiteEnded():
            return _written(state, event.report)
        case CheckEnded():
            return _written(state, event.check) | check_changes(state, event)
        case ProbesStarted() | ProbesEnded():
            return {}
        case events.SuiteStarted() | CheckStarted() | events.QuestionAsked() | events.LeftoversEnded():
            return {}
        case RequestRefused():
            return refused_warning(state, event)
        case AmendmentTried() | TrialStarted() | TrialEnded():
            return {}


def _is_escalated(state: LoopState, agent: str) -> bool:
    """Whether a call is one of the agent that took over for lack of progress."""
    return bool(agent) and agent == in_charge(state)


def _written(state: LoopState, run: SuiteReport | CheckRun) -> dict[str, Any]:
    touched = _touched(state, tests=run.written)
    if not run.outputs:
        return {"touched": touched}
    return {"touched": attributed(touched, run.outputs), "proof": with_outputs(state.proof, run.outputs)}


def _paused_resumed_or_halted(
    state: LoopState, event: events.SessionPaused | events.SessionResumed | events.SessionFailed | events.SessionHalted
) -> LoopState:
    match event:
        case events.SessionPaused():
            status = move_status(state.status, Status.PAUSED)
            return replace(state, status=status, pause_reason=event.reason, paused_at=event.at)
        case events.SessionResumed():
            return _resumed(state, event)
        case events.SessionFailed():
            status = move_status(state.status, Status.HALTED)
            return replace(state, status=status, halt_reason=event.reason, halted_by=HaltCause.ENVIRONMENT)
        case events.SessionHalted():
            status = move_status(state.status, Status.HALTED)
            halted = replace(state, status=status, halt_reason=event.reason, way_on=event.way_on)
            return replace(halted, ended_by=event.decision, halted_by=event.cause)


def _resumed(state: LoopState, event: events.SessionResumed) -> LoopState:
    """Reset the failure counts a person could have fixed; a cooling breaker keeps cooling."""
    state = unfinished(state)
    if event.lineup not in (None, state.lineup):
        state = replace(state, lineup=event.lineup, chosen={})
    state = replace(_with_spec(state, event), commits=retried(state.commits))
    approved = tuple(dict.fromkeys((*state.approved, *event.approved)))
    checks = {check.command: check for check in (*event.checks, *state.checks)}
    state = replace(state, answers={**state.answers, **event.answers}, approved=approved, checks=(*checks.values(),))
    state = replace(state, proof=with_kept_outputs(state.proof, event.outputs))
    if trial_after(state) is not None and not event.reopens:
        return replace(state, limits=event.limits, proof=replace(state.proof, environment=""))
    if state.status is not Status.RUNNING:  # still running after a crash: no person has fixed anything
        state = after_person(answered(state))
        state = replace(state, breaker=unblocked(state.breaker, state.phase, state.limits))
    state = respecified(state, event.respec) if event.respec else state
    return replace(
        state,
        status=move_status(state.status, Status.RUNNING),
        limits=event.limits,
        # another terminal has other variables, so the environment is measured again
        proof=replace(state.proof, environment=""),
        pause_reason=None,
        paused_at=None,
        waiting=None,
        **NO_HALT,
    )


def _with_spec(state: LoopState, event: events.SessionResumed) -> LoopState:
    """Take over the criteria of an adopted specification, and remember one that a person declined."""
    if event.prp_text is None:
        states = state.criteria_states or event.criteria
        return replace(state, criteria_states=states, declined_spec=event.declined or state.declined_spec)
    before = state.criteria_states
    dropped, reopened = (event.respec.dropped, event.respec.reopened) if event.respec else ((), ())
    return replace(
        state,
        criteria_states=adopted_states(state, event.criteria, reopened),
        retired_ids=retired_after((*state.retired_ids, *(each.id for each in before), *dropped), event.criteria),
        declined_spec="",
    )


def _worked(state: LoopState, now: datetime) -> float:
    """Seconds worked before this event; a clock that was set back subtracts nothing."""
    since = (now - state.last_activity).total_seconds() if state.status is Status.RUNNING else 0.0
    return state.seconds_worked + max(0.0, since)


def _touched(state: LoopState, **paths: tuple[str, ...]) -> Attribution:
    known = state.touched
    joined = {
        who: tuple(sorted({*getattr(known, who), *more}))
        for who, more in paths.items()
        if not {*more}.issubset(getattr(known, who))
    }
    return replace(known, **joined) if joined else known


def _starting_marks(event: events.BaselineTaken, plan: Plan | None) -> Marks:
    passing = sum(result.outcome is CaseOutcome.PASSED for result in event.results)
    return Marks(passing=passing, ticked=len(plan.done) if plan else 0)


def _with_turn(state: LoopState, turn: TurnEnded) -> LoopState:
    retried = is_no_iteration(turn.verdict, turn.move)
    proof = with_learned(state.proof, turn)
    if proof.rewriting and not retried:
        proof = replace(proof, rewrites=proof.rewrites + 1)
    state = with_review_context(replace(with_call(state, turn, retried), proof=proof), turn)
    if retried:
        # a failed call is no iteration, but its violations are still reported to the agent
        violations = turn.facts.observed.changes.violations or state.memory.violations
        questions = turn.facts.claimed.questions or state.memory.questions
        state = replace(state, memory=replace(state.memory, violations=violations, questions=questions))
    else:
        errors, attempts = errors_after(state, turn), attempts_after(state, turn)
        memory = replace(_remembered(turn, proof), amendment=latest(turn.amendment, state))
        state = replace(state, breaker=turn.breaker, memory=memory, errors=errors, attempts=attempts)
        state = replace(state, notes=notes_after(state, turn), proof=with_asked(state.proof, turn))
    if turn.verdict.outcome is Outcome.REJECT:
        state = _rejected(state, turn)
    state = replace(state, documents=turn.facts.observed.changes.document_count)
    seen = turn.facts.observed
    state = replace(state, judged=judged_after(state, seen.changes.tree, seen.plan))
    return _ended(_with_move(state, turn), turn.move)


def _held_back(state: LoopState, event: ChecksFailed) -> LoopState:
    """Return to GREEN, or halt, as after a rejection, and with a finding for each broken check."""
    reviews = replace(with_broken(state.reviews, event.results, event.at), touched=())
    state = _rejected(replace(state, reviews=reviews, memory=Memory(reasons=event.verdict.reasons)), event)
    if event.move.decision is Decision.REJECTED:
        state = send_back(state, event.move.phase, event.at, replace(state.breaker.best, error="", place=""))
    return _ended(state, event.move)


def _ended(state: LoopState, move: Move) -> LoopState:
    if move.status is Status.PAUSED:
        status = move_status(state.status, move.status)
        return replace(state, status=status, pause_reason=PauseReason.APPROVAL, paused_at=state.last_activity)
    return replace(
        state,
        status=move_status(state.status, move.status),
        halt_reason=move.halt_reason,
        ended_by=move.decision if move.status is not Status.RUNNING else None,
        halted_by=move.cause,
    )


def _with_move(state: LoopState, turn: TurnEnded) -> LoopState:
    match turn.move.decision:
        case Decision.NEXT_PHASE:
            marks = measure(replace(turn.facts, phase=turn.move.phase))
            return entered(_completed(state, turn), turn.move.phase, turn.at, marks)
        case Decision.PROJECT_COMPLETE:
            return _completed(state, turn)
        case Decision.ESCALATE:
            return escalated(state, turn)
        case Decision.AWAIT_APPROVAL:
            tree = turn.ticked.tree if turn.ticked else turn.facts.observed.changes.tree
            return replace(_completed(state, turn), finished_tree=tree)
        case Decision.REWRITE_TESTS:
            return to_rewriting(state, turn, proof_after(state, turn))
        case Decision.KEEP_TESTS:
            return from_rewriting(state, turn)
        case Decision.REJECTED:
            return send_back(state, turn.move.phase, turn.at, measure(replace(turn.facts, phase=turn.move.phase)))
        case _:
            return state


def _completed(state: LoopState, turn: TurnEnded) -> LoopState:
    visits = tuple(
        replace(visit, completed_at=turn.at, exit_reason="Dual-Gate satisfied") if visit.phase is state.phase else visit
        for visit in state.visits
    )
    proof = proof_after(state, turn)
    attempts = 0 if state.phase is Phase.QA else state.qa_attempts
    completed = (*state.phases_completed, state.phase)
    unproven = why_unproven(turn.facts) if state.phase is Phase.BUILD else why_without_proof(turn.facts, proof)
    unproven = (*unproven, *why_self_approved(state.amendments))
    commits = replace(
        state.commits, proven=ProvenTree(phase=state.phase, tree=proof.proven_tree, start=proof.start_tree)
    )
    state = replace(state, visits=visits, proof=proof, phases_completed=completed, commits=commits)
    return replace(state, qa_attempts=attempts, unproven=unproven)


def _rejected(state: LoopState, event: TurnEnded | ChecksFailed) -> LoopState:
    """Count and keep every rejection, including one that halts the run."""
    rejection = Rejection(at=event.at, reason="; ".join(event.verdict.reasons)[:ERROR_LENGTH])
    return replace(state, qa_attempts=state.qa_attempts + 1, rejections=(*state.rejections, rejection))


def _remembered(turn: TurnEnded, proof: Proof) -> Memory:
    return Memory(
        reasons=(*turn.verdict.reasons, *reminders(turn.facts.observed.failing, proof)),
        failing=turn.facts.observed.failing,
        violations=turn.facts.observed.changes.violations,
        false_claims=tuple(c.sentence for c in turn.facts.checked if not c.holds),
        uncovered=turn.facts.observed.uncovered if turn.facts.phase is Phase.RED else (),
        questions=turn.facts.claimed.questions,
        needs_diagnosis=turn.facts.claimed.report.needs_diagnosis,
        rolled_back=turn.rolled_back,
    )
