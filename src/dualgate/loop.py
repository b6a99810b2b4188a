"""turn() and run(): the only place where the rooms meet. Nothing is decided here."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from dualgate.agents.base import Agent
from dualgate.core.control import Control
from dualgate.core.facts import gather, wants_run
from dualgate.core.gates import judge, measure
from dualgate.core.history import BaselineTaken, Event, SessionFailed, SessionPaused
from dualgate.core.machine import TurnEnded, decide
from dualgate.core.prompt import plan_call
from dualgate.core.prp import Prp
from dualgate.core.response import Claim, read_response
from dualgate.core.state import LoopState
from dualgate.core.suite import SuiteReport
from dualgate.core.vocabulary import Changes, Decision, Status
from dualgate.errors import DualgateError, Interrupted, JournalDamaged, StoreFailed, SuiteUnusable
from dualgate.runners.base import Runner
from dualgate.workspace.base import Workspace

if TYPE_CHECKING:
    from jinja2 import Environment

LONGEST_DELAY = 1800.0
FIRST_LIMIT_DELAY = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rooms:
    """What a turn works with. `record` journals an event and answers with the state after it."""

    prp: Prp
    templates: "Environment"
    agent: Agent
    runner: Runner
    worktree: Workspace
    record: Callable[[Event], LoopState]
    now: Callable[[], datetime]
    retry_delay: float = 0.0


def run(state: LoopState, rooms: Rooms, control: Control) -> LoopState:
    """Turn after turn, until the work is proven, given up, or a person steps in."""
    try:
        if not state.proof.start_tree:
            state = take_baseline(rooms, control)
        while state.status is Status.RUNNING:
            control.wait(_delay(state, rooms))
            state = turn(state, rooms, control)
    except Interrupted:
        state = rooms.record(SessionPaused(at=rooms.now(), reason="user_interrupt"))
    except (JournalDamaged, StoreFailed):
        raise  # there is nowhere left to record it
    except DualgateError as error:
        rooms.record(SessionFailed(at=rooms.now(), reason=error.message))
        raise
    return state


def turn(state: LoopState, rooms: Rooms, control: Control) -> LoopState:
    """One call of the agent, what it did, what the tests say of it, and what follows."""
    call = plan_call(rooms.prp, state, rooms.templates)
    reply = rooms.agent.ask(call, control)  # returns when all that it started is gone
    claim = read_response(reply.answer, state.phase)
    changes = rooms.worktree.settle(state)  # what the agent changed, what the guard undid, the tree that is judged
    runs = run_suite(state, claim, changes, rooms, control)
    facts = gather(state, rooms.prp, claim, runs, changes)
    verdict = judge(facts)
    breaker = state.breaker.after(state.phase, measure(facts))
    move = decide(state, facts, verdict, breaker)
    proven = runs[-1].results if move.decision is Decision.NEXT_PHASE else ()
    return rooms.record(
        TurnEnded(at=rooms.now(), facts=facts, verdict=verdict, breaker=breaker, move=move, proven=proven)
    )


def take_baseline(rooms: Rooms, control: Control) -> LoopState:
    """The tests before any work, twice: what differs between the runs is flaky, what they write is theirs."""
    tree = rooms.worktree.present
    first, second = rooms.runner.run(control), rooms.runner.run(control)
    for report in (first, second):
        if not report.trusted:
            raise SuiteUnusable(
                f"The tests cannot be run as they are: {'; '.join(report.problems)}",
                f"The command was: {' '.join(report.command)}. Mend it, or give another with --test-command.",
            )
    before = {result.id: result.outcome for result in first.results}
    return rooms.record(
        BaselineTaken(
            at=rooms.now(),
            tree=tree,
            results=second.results,
            unstable=tuple(r.id for r in second.results if before.get(r.id) is not r.outcome),
            outputs=rooms.worktree.written_since(),
        )
    )


def run_suite(
    state: LoopState, claim: Claim, changes: Changes, rooms: Rooms, control: Control
) -> tuple[SuiteReport, ...]:
    """As many runs of the tests as can decide something, all of one tree."""
    runs: tuple[SuiteReport, ...] = ()
    while wants_run(state, claim, changes, runs):
        runs = (*runs, _clean_run(state, rooms, control))
    return runs


def _clean_run(state: LoopState, rooms: Rooms, control: Control) -> SuiteReport:
    """A run that left the tree as it was, but for what test runs are known to write; a void one is made once more."""
    for _attempt in range(2):
        report = rooms.runner.run(control)
        written = rooms.worktree.after_run(state.proof.outputs)
        if not written:
            break
    where = "tests must write to a temporary folder, or to one that was ignored when the run began"
    problem = (f"the work tree changed while the tests ran: {', '.join(written[:5])}; {where}",) if written else ()
    return replace(report, tree=rooms.worktree.present, problems=(*report.problems, *problem))


def _delay(state: LoopState, rooms: Rooms) -> float:
    """How long to wait before the next call: until a limit ends, or longer with every call that failed."""
    if state.limited_calls:
        left = (state.limited_until - rooms.now()).total_seconds() if state.limited_until else 0.0
        return left if left > 0 else min(LONGEST_DELAY, FIRST_LIMIT_DELAY * 2.0 ** (state.limited_calls - 1))
    if state.failed_calls:
        return min(LONGEST_DELAY, rooms.retry_delay * 2.0 ** (state.failed_calls - 1))
    return 0.0
