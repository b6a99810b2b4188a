"""LoopState, control event -> LoopState: reset, skip, abort, guidance, and the end of a cool-down.

A halted session that a person resets stays `halted`, for the cause RESET, until somebody resumes it: STATUS_MOVES has
no move from `halted` to `paused`.
"""

import re
import shlex
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from dualgate.core.gates.halts import DECIDED, HALTS, Halt
from dualgate.core.machine.approving import (
    APPROVE_COMMAND,
    FINISHED,
    REJECT_COMMAND,
    PersonsDecision,
    answer_text,
    decisions_open,
    sent_back,
    unfinished,
    waits_for_approval,
    why_undecidable,
    with_answer,
)
from dualgate.core.machine.phases import RETURNS, enter_phase, move_status, phase_after, send_back
from dualgate.core.money.hours import full_hour
from dualgate.core.said.amendment_requests import waiting
from dualgate.core.team.failures import failures_of, reset_failures, without_waits
from dualgate.core.team.fallover import asked_agent, delay_of
from dualgate.core.team.pace import ready_at
from dualgate.core.values.amendments import AmendmentOutcome
from dualgate.core.values.answer import Trouble
from dualgate.core.values.approvals import AmendmentAnswered, QuestionAnswered, WorkApproved, WorkRejected
from dualgate.core.values.control import WaitSkipped
from dualgate.core.values.events import (
    BreakerCooled,
    Event,
    GuidanceGiven,
    GuidanceWithdrawn,
    PhaseSkipped,
    SessionAborted,
    SessionPaused,
    SessionReset,
)
from dualgate.core.values.replacing import replace
from dualgate.core.values.specification import NOT_A_FILE
from dualgate.core.values.state import LoopState, Memory, PhaseVisit
from dualgate.core.values.team import Wait
from dualgate.core.values.verdict import Outcome
from dualgate.core.values.vocabulary import BreakerState, Decision, HaltCause, PauseReason, Status, WayOn
from dualgate.errors import IllegalTransition

MANUAL = "manual"
TEST_STANDS = "a person was asked and continued: the test counts as it is in the work tree now"
NO_HALT: Mapping[str, Any] = {"halt_reason": None, "ended_by": None, "halted_by": None, "way_on": ""}
"""Values that clear a halt when the session continues."""
_NO_STOP: Mapping[str, Any] = {**NO_HALT, "pause_reason": None, "paused_at": None}


ControlEvent = (
    SessionReset | PhaseSkipped | SessionAborted | GuidanceGiven | GuidanceWithdrawn | WaitSkipped | BreakerCooled
    | PersonsDecision
)  # fmt: skip


_COMMANDS = {
    WayOn.RESUME: "dualgate resume",
    WayOn.RESET: "dualgate resume --reset",
    WayOn.GUIDE: "dualgate resume --reset --guidance 'TEXT'",
    WayOn.ABORT: "dualgate abort",
    WayOn.APPROVE: APPROVE_COMMAND,
    WayOn.REJECT: REJECT_COMMAND,
    WayOn.ANSWER: "dualgate answer 'TEXT'",
}
_GOES_ON = (WayOn.RESUME, WayOn.RAISE)
_NAMED_AGENT = re.compile(r"[a-z][a-z0-9_-]*(?::\S+)?")
"""The name of an agent, with its model or script; everything else is a command."""
_RESETS = (WayOn.RESET, WayOn.GUIDE)


def ways_on(state: LoopState, spec_changed: bool = False, is_alive: bool = True) -> tuple[tuple[WayOn, str], ...]:
    """List the ways to continue after a halt, a pause or a crash that work now, each with its command.

    `spec_changed`: a person edited the specification, and has not said yet whether the new or the old one counts.
    `is_alive`: whether a process works on the session; a running session without one died.
    """
    commands = _COMMANDS | {
        WayOn.RAISE: state.way_on,
        WayOn.SKIP: f"dualgate skip {state.phase}",
        WayOn.START: start_over(state),
    }
    ways = _ways_of(state, is_alive)
    open_ways = [(way, commands[way]) for way in ways if commands[way] and _is_possible(state, way)]
    return tuple(each for way, command in open_ways for each in _by_spec(way, command, spec_changed))


def _ways_of(state: LoopState, is_alive: bool) -> tuple[WayOn, ...]:
    match state.status:
        case Status.HALTED:
            return tuple(dict.fromkeys((*decisions_open(state), *halt_of(state).ways)))
        case Status.PAUSED:
            return (*DECIDED, WayOn.ABORT) if waits_for_approval(state) else (WayOn.RESUME,)
        case Status.RUNNING:
            return () if is_alive else (WayOn.RESUME, WayOn.START)
        case Status.COMPLETED:
            return ()


def start_over(state: LoopState) -> str:
    """The command that starts over with the same specification and agent; empty if the specification has no file."""
    if state.prp_file.startswith(NOT_A_FILE):
        return ""
    agent = next(iter(state.lineup.every), "")
    flag = "--agent" if _NAMED_AGENT.fullmatch(agent) else "--agent-command"
    words = ["dualgate", "run", state.prp_file, *([flag, agent] if agent else []), "--fresh"]
    return shlex.join(words)


def _is_possible(state: LoopState, way: WayOn) -> bool:
    """Whether a way leads anywhere: without a baseline there is no phase to skip yet."""
    match way:
        case WayOn.SKIP:
            return state.halted_by is not HaltCause.ENVIRONMENT or bool(state.proof.start_tree)
        case WayOn.APPROVE | WayOn.REJECT | WayOn.ANSWER:
            return way in decisions_open(state)
        case _:
            return True


def _by_spec(way: WayOn, command: str, spec_changed: bool) -> tuple[tuple[WayOn, str], ...]:
    if spec_changed and way in _RESETS:
        return ((way, f"{command} --respec"),)
    if not spec_changed or way not in _GOES_ON:
        return ((way, command),)
    return ((WayOn.RESPEC, f"{command} --respec"), (WayOn.KEEP_SPEC, f"{command} --keep-spec"))


def refusal(state: LoopState, event: ControlEvent) -> str | None:
    """Why a command cannot apply to the session; None if it can."""
    if state.status is Status.COMPLETED:
        return "The session is completed."
    if isinstance(event, SessionAborted) and state.ended_by is Decision.ABORTED:
        return "The session is aborted already."
    if isinstance(event, PhaseSkipped) and event.phase is not state.phase:
        return f"The session is in {state.phase}, not in {event.phase}."
    if isinstance(event, SessionReset | PhaseSkipped) and waits_for_approval(state):
        return FINISHED
    if isinstance(event, PersonsDecision):
        return why_undecidable(state, event)
    if isinstance(event, GuidanceWithdrawn) and not _withdrawn(state, event):
        return "That guidance is not in force." if event.text else "No guidance is in force."
    if isinstance(event, WaitSkipped) and not _is_waiting(state, event):
        return "The run is not waiting."
    return None


def _is_waiting(state: LoopState, event: WaitSkipped) -> bool:
    """Whether there is a wait to skip, and it began before the person asked: a later one is for them to see first."""
    if event.asked and state.turned_at and event.asked.at < state.turned_at:
        return False
    agents = (asked_agent(state), *state.lineup.everybody)
    is_delayed = any(delay_of(state, event.at, agent) for agent in agents)
    return is_delayed or bool(rest_before_trial(state, event.at) or full_hour(state, event.at))


def steps_to(state: LoopState, event: ControlEvent) -> tuple[Event, ...]:
    """Return the events that carry out a control by legal changes of the status: the control, or a step before it."""
    match event:
        case SessionAborted() if state.status is Status.RUNNING:
            return SessionPaused(at=event.at, reason=MANUAL, by=event.by, asked=event.asked), event
        case PhaseSkipped() if state.status is not Status.RUNNING and phase_after(event.phase) is None:
            return SessionReset(at=event.at, by=event.by, goes_on=True, asked=event.asked), event
        case _:
            return (event,)


def controlled(state: LoopState, event: ControlEvent) -> LoopState:
    if reason := refusal(state, event):
        raise IllegalTransition(f"the request is not possible now: {reason}")
    match event:
        case SessionReset():
            return _reset(_returned(state, event), event)
        case PhaseSkipped():
            return _skipped(state, event)
        case SessionAborted():
            status = move_status(state.status, Status.HALTED)
            reason = f"aborted by {event.by}"
            return replace(
                unfinished(state),
                status=status,
                halt_reason=reason,
                ended_by=Decision.ABORTED,
                halted_by=HaltCause.ABORTED,
                way_on="",
            )
        case GuidanceGiven():
            return _with_guidance(state, event.text)
        case GuidanceWithdrawn():
            withdrawn = _withdrawn(state, event)
            return replace(state, guidance=tuple(text for text in state.guidance if text not in withdrawn))
        case WaitSkipped():
            return _without_wait(state)
        case BreakerCooled():
            return _half_opened(state)
        case AmendmentAnswered() | WorkApproved() | WorkRejected() | QuestionAnswered():
            return _decided(state, event)


def _decided(state: LoopState, event: PersonsDecision) -> LoopState:
    match event:
        case AmendmentAnswered():
            answer = with_answer(state, event)
            is_over = state.halted_by is HaltCause.AMENDMENT and not waiting(answer)
            return _after_answer(answer, event) if is_over else answer
        case QuestionAnswered():
            answer = replace(state, memory=replace(state.memory, questions=()))
            if state.halted_by is HaltCause.QUESTION:
                answer = _after_answer(answer, event)
            return _with_guidance(answer, answer_text(state, event))
        case WorkApproved():
            done = move_status(_running(state).status, Status.COMPLETED)
            approved = {"status": done, "ended_by": Decision.PROJECT_COMPLETE, "approved_by": event.by}
            return replace(state, **{**_NO_STOP, "finished_tree": "", **approved})
        case WorkRejected():
            back = _with_guidance(sent_back(state, event), event.reason)
            return replace(back, pause_reason=MANUAL, paused_at=event.at)


def _after_answer(state: LoopState, event: AmendmentAnswered | QuestionAnswered) -> LoopState:
    """The state of a halted session whose question to a person is answered: its counts begin again."""
    after = _reset(state, SessionReset(at=event.at, by=event.by, goes_on=event.goes_on))
    return after if event.goes_on else replace(after, halt_reason=f"answered by {event.by}, not resumed yet")


def trial_after(state: LoopState) -> float | None:
    """Seconds an open breaker cools before one trial iteration; None if a person decides."""
    is_open = state.ended_by is Decision.STUCK and state.breaker.state is BreakerState.OPEN
    return state.limits.cooldown if is_open and not state.breaker.on_trial else None


def _reset(state: LoopState, event: SessionReset) -> LoopState:
    """Restart every count that leads to a halt; proof and history stay."""
    fresh = replace(
        reset_failures(_running(state) if event.goes_on else _at_rest(state, event)),
        breaker=replace(
            state.breaker,
            state=BreakerState.CLOSED,
            no_progress=0,
            same_error=0,
            last_error="",
            on_trial=False,
            blocked="",
        ),
        qa_attempts=0 if state.qa_attempts > state.limits.qa_returns else state.qa_attempts,
        iteration=0 if state.ended_by is Decision.MAX_ITERATIONS else state.iteration,
        seconds_worked=0.0 if _is_out_of_time(state) else state.seconds_worked,
    )
    return _with_guidance(fresh, event.guidance)


def _returned(state: LoopState, event: SessionReset) -> LoopState:
    """Back to the phase that fixes what the reviews found, if too many of them rejected the work."""
    if not event.returns or state.halted_by is not HaltCause.REJECTIONS or not state.reviews.open:
        return state
    return send_back(
        state, RETURNS[state.phase, Outcome.REJECT], event.at, replace(state.breaker.best, error="", place="")
    )


def _is_out_of_time(state: LoopState) -> bool:
    """Whether time ran out. A reset renews time; budgets are raised by name, an agent's own budget elsewhere."""
    if state.halted_by is not None:
        return state.halted_by is HaltCause.TIME
    is_agents_own = state.failures.trouble is Trouble.BUDGET
    return state.ended_by is Decision.BUDGET_EXHAUSTED and not (state.way_on or is_agents_own)


def _skipped(state: LoopState, event: PhaseSkipped) -> LoopState:
    visits = tuple(
        replace(visit, completed_at=event.at, exit_reason=f"Skipped by {event.by}, not proven")
        if visit.phase is event.phase
        else visit
        for visit in state.visits
    )
    forced = (*state.phases_forced, event.phase)
    fresh = replace(
        _reset(state, SessionReset(at=event.at, by=event.by, goes_on=event.goes_on)),
        visits=visits,
        phases_forced=forced,
    )
    if not state.proof.proven_tree:
        # no test was proven, but tests must not be bent to fit the code: freeze them in their current form
        fresh = replace(fresh, proof=replace(state.proof, proven_tree=state.tree))
    target = phase_after(event.phase)
    if target is None:
        done = move_status(_running(state).status, Status.COMPLETED)
        ended = {**_NO_STOP, "ended_by": Decision.PROJECT_COMPLETE}
        return replace(fresh, status=done, **ended)
    if fresh.visit(target) is None:
        fresh = replace(fresh, visits=(*visits, PhaseVisit(phase=target, started_at=event.at)))
    if fresh.status is Status.HALTED:
        fresh = replace(fresh, halt_reason=f"{event.phase} was skipped by {event.by}, not resumed yet")
    return enter_phase(replace(fresh, memory=Memory(), attempts=()), target, state.breaker.best)


def _with_guidance(state: LoopState, text: str) -> LoopState:
    """Add guidance unless it was given before."""
    return replace(state, guidance=(*state.guidance, text)) if text and text not in state.guidance else state


def _withdrawn(state: LoopState, event: GuidanceWithdrawn) -> tuple[str, ...]:
    """The texts in force that an event withdraws."""
    return tuple(text for text in state.guidance if event.text in ("", text))


def answered(state: LoopState) -> LoopState:
    """Close the amendments that a person was asked about: they went on, so the tests count as they are now."""
    asked = waiting(state)
    if not asked or state.status is not Status.HALTED:
        return state
    closed = {each: replace(each, outcome=AmendmentOutcome.REFUSED, reasons=(TEST_STANDS,)) for each in asked}
    told = state.memory.amendment
    memory = replace(state.memory, amendment=closed.get(told, told)) if told else state.memory
    return replace(state, amendments=tuple(closed.get(each, each) for each in state.amendments), memory=memory)


def _running(state: LoopState) -> LoopState:
    state = answered(state)
    status = move_status(state.status, Status.RUNNING)
    return replace(state, status=status, **_NO_STOP)


def _at_rest(state: LoopState, event: SessionReset) -> LoopState:
    """Wait for a resume: a halted session stays halted, another one is paused."""
    running = _running(state)
    if state.status is Status.HALTED:
        reason = f"reset by {event.by}, not resumed yet"
        return replace(running, status=Status.HALTED, halted_by=HaltCause.RESET, halt_reason=reason)
    return replace(running, status=move_status(running.status, Status.PAUSED), pause_reason=MANUAL, paused_at=event.at)


def _without_wait(state: LoopState) -> LoopState:
    """End every wait: of a cool-down, of agents that met a limit or failed, and of an hour that is full."""
    state = _half_opened(state) if trial_after(state) is not None else state
    return replace(without_waits(state), waiting=None, spending=replace(state.spending, recent=()))


def _half_opened(state: LoopState) -> LoopState:
    """Half open: progress closes the breaker, anything else opens it for good."""
    threshold = state.limits.of(state.phase)
    breaker = replace(
        state.breaker,
        state=BreakerState.HALF_OPEN,
        no_progress=min(state.breaker.no_progress, threshold.no_progress - 1),
        same_error=min(state.breaker.same_error, threshold.same_error - 1),
        on_trial=True,
    )
    status = move_status(state.status, Status.RUNNING)
    return replace(state, status=status, breaker=breaker, **NO_HALT)


def halt_of(state: LoopState) -> Halt:
    """Return the row of HALTS for a halted session; old sessions have no cause, so the first that fits."""
    if state.halted_by is not None:
        return HALTS[state.halted_by]
    fitting = (halt for halt in HALTS.values() if halt.decision is state.ended_by)
    return HALTS[HaltCause.BUDGET] if state.way_on else next(fitting)


def rest_before_trial(state: LoopState, now: datetime) -> float | None:
    """Seconds left of an open breaker's cool-down before one trial iteration; None if a person decides."""
    rest = trial_after(state)
    if rest is None:
        return None
    passed = (now - state.turned_at).total_seconds() if state.turned_at else 0.0
    return min(rest, max(0.0, rest - passed))  # never longer than the whole cool-down, even if the clock was set back


def wait_of_next_call(state: LoopState) -> Wait | None:
    """The wait before the next call: for an hourly limit, or for a limit of the agent to ask."""
    if state.status is not Status.RUNNING or state.waiting:
        return state.waiting
    agent = asked_agent(state)
    failures = failures_of(state, agent)
    until = ready_at(failures, state.limits, state.session_id) if failures.limited_calls else None
    if until is None or until <= state.last_activity:
        return None
    return Wait(until=until, reason=f"a limit of {agent or 'the agent'} was met", setting="")


def as_documented(state: LoopState) -> LoopState:
    """Show a run that is waiting for a limit as paused, as document 001 defines it, though it continues by itself."""
    if state.status is not Status.RUNNING or wait_of_next_call(state) is None:
        return state
    since = state.turned_at or state.last_activity
    return replace(state, status=Status.PAUSED, pause_reason=PauseReason.RATE_LIMIT, paused_at=since)
