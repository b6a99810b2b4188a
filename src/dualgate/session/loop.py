"""turn() and run(): the only place where the rooms meet. The decisions are made in `dualgate.core`."""

from dataclasses import dataclass, replace

from dualgate.core.evidence.checks import usable_checks
from dualgate.core.evidence.comparison import learn
from dualgate.core.gates.breaker import breaker_after, notice_of
from dualgate.core.gates.judge import judge, measure, needs_only_block
from dualgate.core.gates.refactor import breaks_tests
from dualgate.core.machine.approving import halt_for_person, is_approved
from dualgate.core.machine.checking import held_back, with_results
from dualgate.core.machine.controls import MANUAL, rest_before_trial
from dualgate.core.machine.history import apply
from dualgate.core.machine.moves import decide, with_proof
from dualgate.core.machine.reproving import STILL_PROVEN, why_still_proven
from dualgate.core.machine.requests import ENDING, LEADING_ON, PAUSING, SKIPPING, STOPPING, is_open
from dualgate.core.machine.resuming import is_changed
from dualgate.core.money.budget import delay_before_call, halt_before_call, time_left
from dualgate.core.money.hours import full_hour
from dualgate.core.prompt.follow_up import plan_follow_up
from dualgate.core.prompt.writing import plan_call
from dualgate.core.said.follow_up import with_block_of
from dualgate.core.said.response import read_response
from dualgate.core.team.failures import with_agent
from dualgate.core.team.fallover import asked_agent, next_switch, other_reviewer
from dualgate.core.values.amendments import Amendment
from dualgate.core.values.answer import AgentCall, AgentReply
from dualgate.core.values.changes import Changes, RolledBack
from dualgate.core.values.claim import Claim
from dualgate.core.values.control import Control
from dualgate.core.values.events import (
    BaselineTaken,
    BreakerCooled,
    CallDelayed,
    Event,
    PersonEdited,
    ProvenAgain,
    QuestionAsked,
    RunSuspended,
    SessionFailed,
    SessionPaused,
    SuiteEnded,
    TurnEnded,
)
from dualgate.core.values.facts import Facts
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import SuiteReport
from dualgate.core.values.verdict import Outcome
from dualgate.core.values.vocabulary import Phase, Status
from dualgate.errors import DualgateError, Interrupted, JournalDamaged, StoreFailed, SuiteUnusable
from dualgate.session.amend import AmendmentRooms, consider, try_approved
from dualgate.session.cited import with_cited
from dualgate.session.measuring import measure_proof, measure_tree
from dualgate.session.reconfiguring import reconfigure
from dualgate.session.rooms import Rooms
from dualgate.session.ticking import tick_boxes


def run(state: LoopState, rooms: Rooms, control: Control) -> LoopState:
    """Run turns until the work is proven, the session halts, or a person steps in."""
    control = rooms.inbox.heeded(control)
    try:
        if not state.proof.start_tree:
            state = take_baseline(rooms, control)
        if rooms.cut_off is not None:
            state = turn(rooms.cut_off, rooms, control)
        while (state := _between_turns(state, rooms, control)).status is Status.RUNNING:
            state = apply_approved(_without_rest(state, rooms, control), rooms, control)
            reviewed = state.phase
            state = hold_back(state, rooms, control)
            if state.phase is not reviewed or state.status is not Status.RUNNING:
                continue
            state = call_up(state, rooms)
            if halt := halt_for_person(state, rooms.now()) or halt_before_call(state, rooms.now()):
                state = rooms.record(halt)
                break
            state = _announced(state, rooms)
            if not rooms.inbox.quiet_for(delay_before_call(state, rooms.now()), control):
                continue  # a person's request comes first
            control.check()
            if rooms.spec_edits():
                continue  # a person edited it during the wait
            state = prove_again(state, rooms, control) or turn(state, rooms, control)
    except Interrupted:
        state = _stopped(_without_rest(state, rooms, control), rooms)
    except (JournalDamaged, StoreFailed):
        raise  # the failure cannot be recorded
    except DualgateError as error:
        rooms.record(SessionFailed(at=rooms.now(), reason=error.message))
        raise
    return rooms.inbox.close(state, rooms.record, rooms.now)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A call that ended: its reply, what the agent claims, and what it changed in the work tree."""

    call: AgentCall
    reply: AgentReply
    claim: Claim
    changes: Changes


def turn(state: LoopState, rooms: Rooms, control: Control) -> LoopState:
    """One iteration: call the agent, judge its answer, and record the next move."""
    state = notice(state, rooms)
    call = plan_call(rooms.prp, state, rooms.templates, rooms.brief(state))
    state, said = call_agent(call, state, rooms, control)
    while said is not None:  # a follow-up that changes the work tree is an iteration of its own
        state, said = finish_turn(said, state, rooms, control)
    return state


def call_agent(call: AgentCall, state: LoopState, rooms: Rooms, control: Control) -> tuple[LoopState, Answered | None]:
    """Ask the agent, read its claim, and see what it changed."""
    reply = rooms.team[asked_agent(state)].ask(call, _patience(state, rooms, control))  # all its processes ended
    state = rooms.counted(state)
    claim = hear(reply, call, rooms)
    edits = edited_meanwhile(state, rooms) if reply.reads_only else None
    state = apply(state, edits) if edits else state
    changes = rooms.worktree.settle(state)  # its changes, reverted violations, the tree to judge
    changes = replace(changes, unseen=edits.edits.paths) if edits else changes
    return state, Answered(call=call, reply=reply, claim=claim, changes=changes)


def finish_turn(said: Answered, state: LoopState, rooms: Rooms, control: Control) -> tuple[LoopState, Answered | None]:
    """Run the tests, judge, and record the move; returns a follow-up that is to be judged next, if there is one."""
    plan = rooms.tasks(state.plan)
    state, settled = reconfigure(said.changes, state, rooms, control)
    said = replace(said, changes=settled)
    state, amendment = amend(state, said, rooms, control)
    changes = with_cited(replace(said.changes, tree=rooms.worktree.present), said.claim, rooms.worktree)
    measured = measure_tree(state, said.claim, changes, rooms, control, plan)
    facts = measured.facts(state, said.claim, rooms)
    state, later = follow_up(said, facts, state, rooms, control)
    if later is not None and not is_changed(later.changes):
        claim, later = with_block_of(said.claim, later.claim), None
        facts = measured.facts(state, claim, rooms)
    ticked = tick_boxes(state, facts, rooms) if later is None else None
    if ticked is not None:
        measured = measure_proof(replace(measured, plan=rooms.tasks(state.plan)), state, facts.claimed, rooms, control)
        facts = measured.facts(state, facts.claimed, rooms)
    ended = judged(state, facts, rooms)
    back = roll_back(state, ended, said.call, rooms)
    ended = replace(ended, rolled_back=back, ticked=ticked, amendment=amendment, agent=said.reply.agent)
    after = rooms.record(with_proof(ended, measured.runs))
    return after, later if after.status is Status.RUNNING else None


def follow_up(
    said: Answered, facts: Facts, state: LoopState, rooms: Rooms, control: Control
) -> tuple[LoopState, Answered | None]:
    """Ask once for the status block, if it alone is missing and a call may be made."""
    if said.reply.follows or not needs_only_block(facts, state.limits):
        return state, None
    call = plan_follow_up(state, said.call, said.reply.answer.text, said.claim, rooms.templates)
    # if a person edits during the wait, the evidence is that of another tree
    if not rooms.is_answered(call.number) and (_hold(state, "", rooms, control) or notice(state, rooms) is not state):
        return state, None
    return call_agent(call, state, rooms, control)


def hear(reply: AgentReply, call: AgentCall, rooms: Rooms) -> Claim:
    """Read the agent's claim, with secrets redacted, and record its questions."""
    heard = read_response(reply.answer, call.phase, red_may_pass=True, prompt=call.prompt, token=call.token)
    claim = rooms.redactor.value(heard)
    if claim.questions:
        rooms.record(QuestionAsked(at=rooms.now(), number=call.number, questions=claim.questions))
    return claim


def judged(state: LoopState, facts: Facts, rooms: Rooms) -> TurnEnded:
    """The verdict of the gates, the breaker after it, and the move that follows from both."""
    verdict = judge(facts, state.limits)
    notice = notice_of(facts.claimed, verdict)
    breaker = breaker_after(state.breaker, state.phase, measure(facts), state.limits, notice)
    move = decide(state, facts, verdict, breaker)
    return TurnEnded(at=rooms.now(), facts=facts, verdict=verdict, breaker=breaker, move=move)


def call_up(state: LoopState, rooms: Rooms) -> LoopState:
    """Choose the agent for the next call, and journal a switch to another agent."""
    now = rooms.now()
    if switch := next_switch(state, now):
        return rooms.record(switch)
    return with_agent(state, asked_agent(state), now)


def hold_back(state: LoopState, rooms: Rooms, control: Control) -> LoopState:
    """Run the checks on the tree to be reviewed. If one is broken, return to GREEN instead of asking the reviewer."""
    if state.phase is not Phase.QA or not usable_checks(state):
        return state
    state = notice(state, rooms)
    runs = rooms.checks.before_review(state, control)
    event = held_back(state, runs, rooms.now())
    return rooms.record(event) if event else with_results(state, runs, rooms.now())


def prove_again(state: LoopState, rooms: Rooms, control: Control) -> LoopState | None:
    """Prove a phase again after a rejection, with test runs only; None if an agent has to be asked."""
    if why_still_proven(state) is None:
        return None
    state = notice(state, rooms)
    reason = why_still_proven(state)  # a person's edits may concern this phase
    if reason is None:
        return None
    changes = rooms.worktree.settle(state)
    measured = measure_tree(state, STILL_PROVEN, changes, rooms, control)
    facts = measured.facts(state, STILL_PROVEN, rooms)
    verdict = judge(facts, state.limits)
    if verdict.outcome not in (Outcome.PASS, Outcome.WEAK):
        return None
    move = decide(state, facts, verdict, state.breaker)
    ended = TurnEnded(at=rooms.now(), facts=facts, verdict=verdict, breaker=state.breaker, move=move)
    return rooms.record(ProvenAgain(at=ended.at, reason=reason, turn=with_proof(ended, measured.runs)))


def amend(state: LoopState, said: Answered, rooms: Rooms, control: Control) -> tuple[LoopState, Amendment | None]:
    """Change a wrong frozen test if the agent asks for it, a review approves, and a test run proves it."""
    needed = _amendment_rooms(state, said.changes, rooms, control)
    needed = replace(needed, model=said.reply.answer.model or state.green_model)
    after = consider(state, said.reply.answer.text, needed, _patience(state, rooms, control))
    return after, after.amendments[-1] if len(after.amendments) > len(state.amendments) else None


def apply_approved(state: LoopState, rooms: Rooms, control: Control) -> LoopState:
    """Prove the amendments that a person approved since the last turn, and apply those that are proven."""
    if not any(map(is_approved, state.amendments)):
        return state
    state = notice(state, rooms)
    changes = rooms.worktree.settle(state)
    return try_approved(state, _amendment_rooms(state, changes, rooms, control))


def _amendment_rooms(state: LoopState, changes: Changes, rooms: Rooms, control: Control) -> AmendmentRooms:
    reviewer = other_reviewer(state, rooms.now())
    return AmendmentRooms(
        prp=rooms.prp,
        templates=rooms.templates,
        reviewer=rooms.team[reviewer] if reviewer else None,
        worktree=rooms.worktree,
        run=lambda: rooms.suites.clean(state, control),
        probe=lambda tests: rooms.probes.of_tests(tests, changes.sources, state, control),
        hold=lambda: _hold(state, reviewer or "", rooms, control),
        decided=rooms.decided,
        record=rooms.record,
        now=rooms.now,
    )


def roll_back(state: LoopState, turn: TurnEnded, call: AgentCall, rooms: Rooms) -> RolledBack | None:
    """Roll back to the last green tree if a refactoring broke tests, or tests were not rewritten as asked.

    The tree that is left is kept as a snapshot.
    """
    is_unrewritten = turn.verdict.outcome is Outcome.UNREWRITTEN
    tree = state.proof.proven_tree if is_unrewritten else state.proof.green_tree
    if tree in ("", rooms.worktree.present) or not (is_unrewritten or breaks_tests(turn.facts)):
        return None
    why = "did not rewrite tests as asked" if is_unrewritten else "broke tests"
    label = f"call {call.number} ({state.phase}) {why}"
    return rooms.worktree.become(tree, label)


def notice(state: LoopState, rooms: Rooms) -> LoopState:
    """Record edits made while no agent or test ran as a person's, so that they are never the agent's."""
    event = edited_meanwhile(state, rooms)
    return apply(state, event) if event else state  # to the state a cut-off turn began with, not the present one


def edited_meanwhile(state: LoopState, rooms: Rooms) -> PersonEdited | None:
    """Record changes of the work tree that no agent and no test can have made; None if there are none."""
    edits = rooms.worktree.edited(state)
    if edits is None:
        return None
    event = PersonEdited(at=rooms.now(), edits=edits)
    rooms.record(event)
    return event


def take_baseline(rooms: Rooms, control: Control) -> LoopState:
    """Run the tests twice before any work: differing results are flaky, files that they write are test outputs."""
    tree = rooms.worktree.present
    reports, written = [], []
    for _run in range(2):
        report = rooms.runner.run(control)
        reports.append(report)
        written.append(rooms.worktree.written_since())
        rooms.record(SuiteEnded(at=rooms.now(), report=replace(report, tree=tree)))
        if not report.trusted:
            raise _unusable(report, rooms)
    learned = learn(*reports)
    checks, outputs = rooms.checks.before_work(rooms.worktree.learned(*written), control)
    return rooms.record(
        BaselineTaken(
            at=rooms.now(),
            tree=tree,
            results=learned.results,
            unstable=learned.unstable,
            unstable_ids=learned.unstable_ids,
            outputs=outputs,
            configuration=learned.configuration,
            environment=learned.environment,
            unstable_keys=learned.unstable_keys,
            seconds=learned.seconds,
            suites=reports[-1].suites,
            after=rooms.worktree.present,
            checks=checks,
            refused=rooms.refused(result.message for result in learned.results if result.failed) or (),
        )
    )


def _unusable(report: SuiteReport, rooms: Rooms) -> SuiteUnusable:
    refused = rooms.refused((*report.problems, *(result.message for result in report.results)))
    confined = "" if refused is None else " The tests ran in the sandbox; --sandbox none runs them without it."
    return SuiteUnusable(
        f"The tests cannot be run as they are: {'; '.join((*report.problems, *(refused or ())))}",
        f"The command was: {' '.join(report.command)}. Fix it, or pass another with --test-command.{confined}",
    )


def _without_rest(state: LoopState, rooms: Rooms, control: Control) -> LoopState:
    """Journal the time that a person suspended the run for, so that it does not count."""
    seconds = control.suspended()
    return rooms.record(RunSuspended(at=rooms.now(), seconds=round(seconds, 3))) if seconds else state


def _between_turns(state: LoopState, rooms: Rooms, control: Control) -> LoopState:
    """Commit what was proven, and let a person act: requests, a cool-down, an edited specification."""
    return _paused_if_edited(_rested(_heard(rooms.commit(state, control), rooms), rooms, control), rooms)


def _heard(state: LoopState, rooms: Rooms) -> LoopState:
    """Take up requests made since the last turn; a session that has just halted may have been asked to continue."""
    if state.status is Status.RUNNING:
        return rooms.inbox.take_up(state, rooms.record, rooms.now)
    return rooms.inbox.take_up(state, rooms.record, rooms.now, LEADING_ON) if is_open(state) else state


def _stopped(state: LoopState, rooms: Rooms) -> LoopState:
    """Record a stop: by a request, which names the person, or by a signal. A halted session that waits stays halted."""
    left = rooms.worktree.leave()

    def record(event: Event) -> LoopState:
        return rooms.record(replace(event, tree=left) if isinstance(event, SessionPaused) else event)

    state = rooms.inbox.take_up(state, record, rooms.now, STOPPING)
    if state.status is not Status.RUNNING:
        return state
    return record(SessionPaused(at=rooms.now(), reason="user_interrupt"))


def _rested(state: LoopState, rooms: Rooms, control: Control) -> LoopState:
    """Wait for the cool-down of an open breaker, if one is configured, then try again; a later run may do so."""
    while (rest := rest_before_trial(state, rooms.now())) is not None and not rooms.inbox.asks_for(PAUSING):
        if rooms.inbox.quiet_for(rest, control):
            return rooms.record(BreakerCooled(at=rooms.now()))
        state = rooms.inbox.take_up(state, rooms.record, rooms.now)
    return state


def _paused_if_edited(state: LoopState, rooms: Rooms) -> LoopState:
    """Pause if a person edited the specification, and let them say whether the new or the old one counts."""
    if state.status is not Status.RUNNING or not (changes := rooms.spec_edits()):
        return state
    return rooms.record(SessionPaused(at=rooms.now(), reason=MANUAL, spec_changes=changes))


def _announced(state: LoopState, rooms: Rooms) -> LoopState:
    """Journal once that the next call waits because an hourly limit is reached."""
    wait = full_hour(state, rooms.now())
    if wait is None or (state.waiting and state.waiting.until == wait.until):
        return state
    return rooms.record(CallDelayed(at=rooms.now(), wait=wait))


def _patience(state: LoopState, rooms: Rooms, control: Control) -> Control:
    """The control for a call: the time left, and how long the agent may be silent."""
    return replace(control.within(time_left(state, rooms.now())), idle=rooms.idle_timeout)


def _hold(state: LoopState, agent: str, rooms: Rooms, control: Control) -> str:
    """Apply the limits before a call within a turn; return why it may not be made, or an empty string."""
    if halt := halt_before_call(state, rooms.now(), agent):
        return halt.reason
    _announced(state, rooms)
    while not rooms.inbox.quiet_for(delay_before_call(state, rooms.now(), agent), control, {*ENDING, *SKIPPING}):
        if rooms.inbox.asks_for(ENDING):
            return "the run is to end after this turn"
        state = rooms.inbox.take_up(state, rooms.record, rooms.now, SKIPPING)
    return ""
