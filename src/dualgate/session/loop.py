"""turn() and run(): the only place where the rooms meet. Nothing is decided here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from dualgate.agents.base import Agent
from dualgate.core.evidence.comparison import learn
from dualgate.core.evidence.facts import gather
from dualgate.core.gates.breaker import breaker_after
from dualgate.core.gates.judge import judge, measure
from dualgate.core.gates.refactor import breaks_tests
from dualgate.core.machine.controls import halt_for_person, rest_before_trial
from dualgate.core.machine.history import apply
from dualgate.core.machine.moves import decide, with_proof
from dualgate.core.machine.reproving import STILL_PROVEN, why_still_proven
from dualgate.core.machine.requests import ENDING, LEADING_ON, PAUSING, STOPPING, is_open
from dualgate.core.money.budget import delay_before_call, halt_before_call, time_left
from dualgate.core.money.hours import full_hour
from dualgate.core.prompt.writing import plan_call
from dualgate.core.said.response import read_response
from dualgate.core.secrets.redaction import Redactor
from dualgate.core.team.failures import with_agent
from dualgate.core.team.fallover import asked_agent, next_switch, other_reviewer
from dualgate.core.values.amendments import Amendment
from dualgate.core.values.answer import AgentCall, AgentReply
from dualgate.core.values.changes import RolledBack
from dualgate.core.values.claim import Claim
from dualgate.core.values.control import Control
from dualgate.core.values.events import (
    AmendmentDecided,
    BaselineTaken,
    BreakerCooled,
    CallDelayed,
    Event,
    PersonEdited,
    ProvenAgain,
    QuestionAsked,
    RunRested,
    SessionFailed,
    SessionPaused,
    SuiteEnded,
    TurnEnded,
)
from dualgate.core.values.facts import Facts
from dualgate.core.values.specification import Plan, Prp
from dualgate.core.values.state import LoopState
from dualgate.core.values.verdict import Outcome
from dualgate.core.values.vocabulary import Status
from dualgate.errors import DualgateError, Interrupted, JournalDamaged, StoreFailed, SuiteUnusable
from dualgate.runners.base import Runner
from dualgate.session.amend import AmendmentRooms, consider
from dualgate.session.suite_runs import SuiteRuns
from dualgate.store.requests import Inbox
from dualgate.workspace.base import Workspace

if TYPE_CHECKING:
    from jinja2 import Environment


def no_tasks(before: Plan | None) -> None:
    """The task list of a workflow that has none."""
    del before


def one_call_more(state: LoopState) -> LoopState:
    return replace(state, total_agent_calls=state.total_agent_calls + 1)


def nothing_decided() -> None:
    """No turn was cut off after its amendment was decided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rooms:
    """What a turn works with. `record` journals an event and answers with the state after it."""

    prp: Prp
    templates: "Environment"
    team: Mapping[str, Agent]
    """The agents by the names of the lineup."""
    runner: Runner
    worktree: Workspace
    suites: SuiteRuns
    record: Callable[[Event], LoopState]
    now: Callable[[], datetime]
    idle_timeout: float | None = None
    tasks: Callable[[Plan | None], Plan | None] = no_tasks
    """The task list as it stands in the work tree, given how it stood before."""
    cut_off: LoopState | None = None
    """The state in which a turn began that was cut off after its call: what was finished of it is not done again."""
    inbox: Inbox = field(default_factory=Inbox)
    redactor: Redactor = field(default_factory=Redactor)
    counted: Callable[[LoopState], LoopState] = one_call_more
    """The state with one call more, and with what all calls used by now."""
    decided: Callable[[], AmendmentDecided | None] = nothing_decided
    """What came of the amendment of a turn that was cut off."""


def run(state: LoopState, rooms: Rooms, control: Control) -> LoopState:
    """Turn after turn, until the work is proven, given up, or a person steps in."""
    control = rooms.inbox.heeded(control)
    try:
        if not state.proof.start_tree:
            state = take_baseline(rooms, control)
        if rooms.cut_off is not None:
            state = turn(rooms.cut_off, rooms, control)
        while (state := _rested(_heard(state, rooms), rooms, control)).status is Status.RUNNING:
            state = _without_rest(state, rooms, control)
            state = call_up(state, rooms)
            if halt := halt_for_person(state, rooms.now()) or halt_before_call(state, rooms.now()):
                state = rooms.record(halt)
                break
            state = _announced(state, rooms)
            if not rooms.inbox.quiet_for(delay_before_call(state, rooms.now()), control):
                continue  # somebody asks for something, which comes first
            control.check()
            state = prove_again(state, rooms, control) or turn(state, rooms, control)
    except Interrupted:
        state = _stopped(_without_rest(state, rooms, control), rooms)
    except (JournalDamaged, StoreFailed):
        raise  # there is nowhere left to record it
    except DualgateError as error:
        rooms.record(SessionFailed(at=rooms.now(), reason=error.message))
        raise
    return rooms.inbox.close(state, rooms.record, rooms.now)


def turn(state: LoopState, rooms: Rooms, control: Control) -> LoopState:
    """One call of the agent, what it did, what the tests say of it, and what follows."""
    state = notice(state, rooms)
    call = plan_call(rooms.prp, state, rooms.templates)
    reply = rooms.team[asked_agent(state)].ask(call, _patience(state, rooms, control))  # returns when all of it is gone
    state = rooms.counted(state)
    claim = hear(reply, call, rooms)
    changes = rooms.worktree.settle(state)  # what the agent changed, what the guard reverted, the tree that is judged
    plan = rooms.tasks(state.plan)
    state, amendment = amend(state, reply, rooms, control)
    changes = replace(changes, tree=rooms.worktree.present)
    runs = rooms.suites.decide(state, claim, changes, control)
    facts = gather(state, rooms.prp, claim, runs, changes, plan)
    ended = judged(state, facts, rooms)
    back = roll_back(state, facts, call, rooms)
    return rooms.record(with_proof(replace(ended, rolled_back=back, amendment=amendment, agent=reply.agent), runs))


def hear(reply: AgentReply, call: AgentCall, rooms: Rooms) -> Claim:
    """What the agent says, as the journal will hold it; what it asks is recorded."""
    claim = rooms.redactor.value(read_response(reply.answer, call.phase))
    if claim.questions:
        rooms.record(QuestionAsked(at=rooms.now(), number=call.number, questions=claim.questions))
    return claim


def judged(state: LoopState, facts: Facts, rooms: Rooms) -> TurnEnded:
    """The verdict of the gates, the breaker after it, and where both lead."""
    verdict = judge(facts, state.limits)
    breaker = breaker_after(state.breaker, state.phase, measure(facts), state.limits)
    move = decide(state, facts, verdict, breaker)
    return TurnEnded(at=rooms.now(), facts=facts, verdict=verdict, breaker=breaker, move=move)


def call_up(state: LoopState, rooms: Rooms) -> LoopState:
    """The agent that is to be asked next; where it is another than before, that is journaled."""
    now = rooms.now()
    if switch := next_switch(state, now):
        return rooms.record(switch)
    return with_agent(state, asked_agent(state), now)


def prove_again(state: LoopState, rooms: Rooms, control: Control) -> LoopState | None:
    """A phase that a rejection took back, by runs of the loop alone; None where an agent has to be asked."""
    if why_still_proven(state) is None:
        return None
    state = notice(state, rooms)
    reason = why_still_proven(state)  # what a person changed meanwhile may be what the phase is about
    if reason is None:
        return None
    changes = rooms.worktree.settle(state)
    runs = rooms.suites.decide(state, STILL_PROVEN, changes, control)
    facts = gather(state, rooms.prp, STILL_PROVEN, runs, changes)
    verdict = judge(facts, state.limits)
    if verdict.outcome is not Outcome.PASS:
        return None
    move = decide(state, facts, verdict, state.breaker)
    ended = TurnEnded(at=rooms.now(), facts=facts, verdict=verdict, breaker=state.breaker, move=move)
    return rooms.record(ProvenAgain(at=ended.at, reason=reason, turn=with_proof(ended, runs)))


def amend(state: LoopState, reply: AgentReply, rooms: Rooms, control: Control) -> tuple[LoopState, Amendment | None]:
    """A frozen test that is wrong is changed by the loop, once somebody else approved and the tests proved it."""
    reviewer = other_reviewer(state, rooms.now())
    needed = AmendmentRooms(
        prp=rooms.prp,
        templates=rooms.templates,
        agent=rooms.team[asked_agent(state)],
        reviewer=rooms.team[reviewer] if reviewer else None,
        worktree=rooms.worktree,
        run=lambda: rooms.suites.clean(state, control),
        hold=lambda: _hold(state, reviewer or "", rooms, control),
        decided=rooms.decided,
        record=rooms.record,
        now=rooms.now,
    )
    after = consider(state, reply.answer.text, needed, _patience(state, rooms, control))
    return after, after.amendments[-1] if len(after.amendments) > len(state.amendments) else None


def roll_back(state: LoopState, facts: Facts, call: AgentCall, rooms: Rooms) -> RolledBack | None:
    """A refactoring that breaks tests is taken back; what it was is kept as a snapshot."""
    if not state.proof.green_tree or not breaks_tests(facts):
        return None
    label = f"call {call.number} ({state.phase}) broke tests"
    return rooms.worktree.become(state.proof.green_tree, label)


def notice(state: LoopState, rooms: Rooms) -> LoopState:
    """What a person changed while nothing of ours ran is theirs, and never the agent's."""
    edits = rooms.worktree.edited(state)
    if edits is None:
        return state
    event = PersonEdited(at=rooms.now(), edits=edits)
    rooms.record(event)
    return apply(state, event)  # of a turn that was cut off: as it began, and not as it is by now


def take_baseline(rooms: Rooms, control: Control) -> LoopState:
    """The tests before any work, twice: what differs between the runs is flaky, what they write is theirs."""
    tree = rooms.worktree.present
    reports, written = [], []
    for _run in range(2):
        report = rooms.runner.run(control)
        reports.append(report)
        written.append(rooms.worktree.written_since())
        rooms.record(SuiteEnded(at=rooms.now(), report=replace(report, tree=tree)))
        if not report.trusted:
            raise SuiteUnusable(
                f"The tests cannot be run as they are: {'; '.join(report.problems)}",
                f"The command was: {' '.join(report.command)}. Mend it, or give another with --test-command.",
            )
    learned = learn(*reports)
    return rooms.record(
        BaselineTaken(
            at=rooms.now(),
            tree=tree,
            results=learned.results,
            unstable=learned.unstable,
            volatile=learned.volatile,
            outputs=rooms.worktree.learned(*written),
            configuration=learned.configuration,
            environment=learned.environment,
            shifting=learned.shifting,
            seconds=learned.seconds,
            suites=reports[-1].suites,
            after=rooms.worktree.present,
        )
    )


def _without_rest(state: LoopState, rooms: Rooms, control: Control) -> LoopState:
    """The time for which a person let everything rest is no time of the run."""
    seconds = control.rested()
    return rooms.record(RunRested(at=rooms.now(), seconds=round(seconds, 3))) if seconds else state


def _heard(state: LoopState, rooms: Rooms) -> LoopState:
    """What people asked of the run since the last turn. One that has just halted may have been asked to go on."""
    if state.status is Status.RUNNING:
        return rooms.inbox.take_up(state, rooms.record, rooms.now)
    return rooms.inbox.take_up(state, rooms.record, rooms.now, LEADING_ON) if is_open(state) else state


def _stopped(state: LoopState, rooms: Rooms) -> LoopState:
    """By a request, which says who asked, or else by a signal. A session that is halted and rests stays halted."""
    left = rooms.worktree.leave()

    def record(event: Event) -> LoopState:
        return rooms.record(replace(event, tree=left) if isinstance(event, SessionPaused) else event)

    state = rooms.inbox.take_up(state, record, rooms.now, STOPPING)
    if state.status is not Status.RUNNING:
        return state
    return record(SessionPaused(at=rooms.now(), reason="user_interrupt"))


def _rested(state: LoopState, rooms: Rooms, control: Control) -> LoopState:
    """Where a cool-down is configured, an open breaker rests and is tried once more, be it by a later run."""
    while (rest := rest_before_trial(state, rooms.now())) is not None and not rooms.inbox.asks_for(PAUSING):
        if rooms.inbox.quiet_for(rest, control):
            return rooms.record(BreakerCooled(at=rooms.now()))
        state = rooms.inbox.take_up(state, rooms.record, rooms.now)
    return state


def _announced(state: LoopState, rooms: Rooms) -> LoopState:
    """That the next call waits for a full hour is told and kept, once."""
    wait = full_hour(state, rooms.now())
    if wait is None or (state.waiting and state.waiting.until == wait.until):
        return state
    return rooms.record(CallDelayed(at=rooms.now(), wait=wait))


def _patience(state: LoopState, rooms: Rooms, control: Control) -> Control:
    """For how long a call may take and be silent, one in the middle of a turn too."""
    return replace(control.within(time_left(state, rooms.now())), idle=rooms.idle_timeout)


def _hold(state: LoopState, agent: str, rooms: Rooms, control: Control) -> str:
    """Before a call in the middle of a turn: the same as between two turns."""
    if halt := halt_before_call(state, rooms.now(), agent):
        return halt.reason
    _announced(state, rooms)
    is_quiet = rooms.inbox.quiet_for(delay_before_call(state, rooms.now(), agent), control, ENDING)
    return "" if is_quiet else "the run is to end after this turn"
