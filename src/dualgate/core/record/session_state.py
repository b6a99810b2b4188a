"""LoopState, CutOff -> where a session stands: its state in a word, its present step, and what the gate needs."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from dualgate.core.gates.needs import gate_1
from dualgate.core.machine.controls import wait_of_next_call
from dualgate.core.machine.resuming import CutOff
from dualgate.core.team.fallover import asked_agent
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Status


class Standing(StrEnum):
    """The state of a session in a word, in the order of a list: sessions at work first."""

    RUNNING = "running"
    WAITING = "waiting"
    DIED = "process died"
    HALTED = "halted"
    PAUSED = "paused"
    PROVEN = "proven"
    NOT_PROVEN = "not proven"
    UNREADABLE = "unreadable"


def standing_of(status: Status | None, proven: bool, alive: bool, waits: bool = False) -> Standing:
    """The word for a session; the status of one that cannot be read is None.

    A run that waits for a limit is shown as paused in its documents, while its process lives.
    """
    match status:
        case None:
            return Standing.UNREADABLE
        case Status.COMPLETED:
            return Standing.PROVEN if proven else Standing.NOT_PROVEN
        case Status.HALTED:
            return Standing.HALTED
        case Status.PAUSED:
            return Standing.WAITING if alive else Standing.PAUSED
        case Status.RUNNING if not alive:
            return Standing.DIED
        case Status.RUNNING:
            return Standing.WAITING if waits else Standing.RUNNING


class Step(StrEnum):
    """The steps of a run."""

    BASELINE = "taking the baseline"
    CALL = "asking"
    TESTS = "running tests"
    TRIAL = "running tests on another tree"
    WAIT = "waiting"
    JUDGING = "judging the evidence"


@dataclass(frozen=True, slots=True, kw_only=True)
class Doing:
    """The step that a running session is in, by its journal."""

    step: Step
    since: datetime
    agent: str = ""
    call: int = 0
    until: datetime | None = None
    """The end of a wait."""
    reason: str = ""
    """Why it waits, or the tree that is tried."""


def doing(found: CutOff) -> Doing | None:
    """The present step; None if the session does not run."""
    state = found.state
    if state.status is not Status.RUNNING:
        return None
    since = state.last_activity
    if wait := wait_of_next_call(state):
        return Doing(step=Step.WAIT, since=since, until=wait.until, reason=wait.reason)
    calls = ((found.follow_up, found.followed), (found.reviewer, found.reviewed), (found.call, found.answered))
    pending = next((call for call, end in calls if call is not None and end is None), None)
    if pending is not None:
        agent = pending.agent or asked_agent(state)
        return Doing(step=Step.CALL, since=pending.at, agent=agent, call=pending.number)
    if found.trial:
        return Doing(step=Step.TRIAL, since=since, reason=found.trial)
    if not state.proof.start_tree:
        return Doing(step=Step.BASELINE, since=state.started_at)
    return Doing(step=Step.TESTS if found.testing else Step.JUDGING, since=since)


def current_iteration(state: LoopState) -> int:
    """The iteration that is worked on, or the last one if the session has ended."""
    return state.iteration + (state.status in (Status.RUNNING, Status.PAUSED))


def needed(state: LoopState) -> tuple[str, ...]:
    """The conditions of the gate of the phase: the reasons that kept it shut last, or its rule before any iteration."""
    if state.status not in (Status.RUNNING, Status.PAUSED):
        return ()
    return state.memory.reasons or (gate_1(state.phase, state.limits),)
