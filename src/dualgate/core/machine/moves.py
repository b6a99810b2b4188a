"""LoopState, TurnEnded -> LoopState: every move of the loop, as tables.

Three machines run side by side. The *phase* moves along NEXT by what the gates say. The *status* moves along
STATUS_MOVES. The *breaker* (breaker.py) moves by measured progress. They couple in two places only: an open breaker
or a limit, met while the phase stays where it is, halts; and a phase that is entered starts with a closed breaker.
"""

from dualgate.core.evidence.facts import past_of
from dualgate.core.gates.breaker import entering
from dualgate.core.gates.build import build_exit
from dualgate.core.gates.reactions import exhausted, response_to, waited_enough
from dualgate.core.team.bench import in_new_phase
from dualgate.core.team.fallover import has_next
from dualgate.core.values.facts import Facts
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import LoopState
from dualgate.core.values.verdict import Breaker, BreakerState, Marks, Move, Outcome, Verdict
from dualgate.core.values.vocabulary import Decision, Phase, Status, Workflow, WorkStatus
from dualgate.errors import IllegalTransition

FIRST_PHASE = {Workflow.TDD: Phase.RED, Workflow.RALPH: Phase.BUILD}

NEXT: dict[tuple[Phase, Outcome], Phase | Status] = {
    (Phase.RED, Outcome.PASS): Phase.GREEN,
    (Phase.RED, Outcome.STAY): Phase.RED,
    (Phase.RED, Outcome.RETRY): Phase.RED,
    (Phase.RED, Outcome.LIMITED): Phase.RED,
    (Phase.RED, Outcome.BLOCK): Status.HALTED,
    (Phase.GREEN, Outcome.PASS): Phase.REFACTOR,
    (Phase.GREEN, Outcome.STAY): Phase.GREEN,
    (Phase.GREEN, Outcome.RETRY): Phase.GREEN,
    (Phase.GREEN, Outcome.LIMITED): Phase.GREEN,
    (Phase.GREEN, Outcome.BLOCK): Status.HALTED,
    (Phase.REFACTOR, Outcome.PASS): Phase.DOCUMENT,
    (Phase.REFACTOR, Outcome.STAY): Phase.REFACTOR,
    (Phase.REFACTOR, Outcome.RETRY): Phase.REFACTOR,
    (Phase.REFACTOR, Outcome.LIMITED): Phase.REFACTOR,
    (Phase.REFACTOR, Outcome.BLOCK): Status.HALTED,
    (Phase.DOCUMENT, Outcome.PASS): Phase.QA,
    (Phase.DOCUMENT, Outcome.STAY): Phase.DOCUMENT,
    (Phase.DOCUMENT, Outcome.RETRY): Phase.DOCUMENT,
    (Phase.DOCUMENT, Outcome.LIMITED): Phase.DOCUMENT,
    (Phase.DOCUMENT, Outcome.BLOCK): Status.HALTED,
    (Phase.QA, Outcome.PASS): Status.COMPLETED,
    (Phase.QA, Outcome.REJECT): Phase.GREEN,
    (Phase.QA, Outcome.STAY): Phase.QA,
    (Phase.QA, Outcome.RETRY): Phase.QA,
    (Phase.QA, Outcome.LIMITED): Phase.QA,
    (Phase.QA, Outcome.BLOCK): Status.HALTED,
    (Phase.BUILD, Outcome.PASS): Status.COMPLETED,
    (Phase.BUILD, Outcome.STAY): Phase.BUILD,
    (Phase.BUILD, Outcome.RETRY): Phase.BUILD,
    (Phase.BUILD, Outcome.LIMITED): Phase.BUILD,
    (Phase.BUILD, Outcome.BLOCK): Status.HALTED,
}

STATUS_MOVES: frozenset[tuple[Status, Status]] = frozenset(
    {
        (Status.RUNNING, Status.PAUSED),
        (Status.RUNNING, Status.COMPLETED),
        (Status.RUNNING, Status.HALTED),
        (Status.PAUSED, Status.RUNNING),
        (Status.PAUSED, Status.HALTED),
        (Status.HALTED, Status.RUNNING),
    }
)

# A rejection takes back what came after the tests were proven.
UNPROVEN_BY_REJECTION = frozenset({Phase.GREEN, Phase.REFACTOR, Phase.DOCUMENT})


def decide(state: LoopState, facts: Facts, verdict: Verdict, breaker: Breaker) -> Move:
    """What follows from a verdict."""
    if state.status is not Status.RUNNING:
        raise IllegalTransition(f"a loop that is {state.status} was asked to move")
    target = NEXT.get((state.phase, verdict.outcome))
    match target:
        case None:
            raise IllegalTransition(f"{state.phase} has no move for {verdict.outcome}")
        case _ if state.phase is Phase.BUILD:
            return _build(state, facts, breaker)
        case Status.COMPLETED:
            return Move(decision=Decision.PROJECT_COMPLETE, phase=state.phase, status=Status.COMPLETED)
        case Status():
            return _blocked(state, facts)
        case Phase() if verdict.outcome is Outcome.REJECT:
            return _reject(state, target, verdict)
        case Phase() if target is not state.phase:
            return Move(decision=Decision.NEXT_PHASE, phase=target)
        case Phase() if verdict.outcome is Outcome.LIMITED:
            return _limited(state, facts)
        case Phase() if verdict.outcome is Outcome.RETRY:
            return _retry(state, facts)
        case Phase():
            return _stay(state, facts, verdict, breaker)


def move_status(before: Status, after: Status) -> Status:
    """The new status, if the pair is legal."""
    if before is not after and (before, after) not in STATUS_MOVES:
        raise IllegalTransition(f"status cannot go from {before} to {after}")
    return after


def enter(state: LoopState, phase: Phase, marks: Marks) -> LoopState:
    """A phase begins: iterations from zero, breaker closed, and nobody out for what was the work of another."""
    return replace(in_new_phase(state), phase=phase, iteration=0, breaker=entering(marks))


# where a decision of the analyzer ends the loop; every other goes on
BUILD_ENDS = {
    Decision.PROJECT_COMPLETE: Status.COMPLETED,
    Decision.BLOCKED: Status.HALTED,
    Decision.STUCK: Status.HALTED,
    Decision.MAX_ITERATIONS: Status.HALTED,
    Decision.BUDGET_EXHAUSTED: Status.HALTED,
}


def _build(state: LoopState, facts: Facts, breaker: Breaker) -> Move:
    """BUILD moves by the analyzer's decision, which knows of the breaker and of the iterations that are left."""
    found = build_exit(facts, state.limits, breaker)
    if found.decision is Decision.RATE_LIMITED:
        return _limited(state, facts)
    if found.decision is not Decision.PROJECT_COMPLETE and (asked := _asked(state, facts)):
        return asked
    status = BUILD_ENDS.get(found.decision, Status.RUNNING)
    if status is Status.HALTED and _is_agents_own(facts):
        return _given_up(state, found.decision, "; ".join(found.reasons))
    reason = f"{state.phase}: {'; '.join(found.reasons)}" if status is Status.HALTED else None
    return Move(decision=found.decision, phase=state.phase, status=status, halt_reason=reason)


def _reject(state: LoopState, target: Phase, verdict: Verdict) -> Move:
    if state.qa_attempts >= state.limits.qa_returns:
        return _halt(state, Decision.STUCK, f"QA rejected {state.qa_attempts + 1} times", verdict)
    return Move(decision=Decision.REJECTED, phase=target)


def _why_blocked(facts: Facts) -> str:
    claim = facts.claimed
    if claim.failure:
        return claim.failure.sentence
    said = claim.recommendation or "the agent says it is blocked"
    return f"{said} (refused: {', '.join(claim.denied)}; {claim.allowed_by})" if claim.allowed_by else said


def _blocked(state: LoopState, facts: Facts) -> Move:
    """Another agent may go on where this one's login, account or permissions are the matter, but not where it asks."""
    ends = _given_up if _is_agents_own(facts) else _halt
    return ends(state, Decision.BLOCKED, _why_blocked(facts))


def _is_agents_own(facts: Facts) -> bool:
    """Whether what went wrong is a matter of this agent alone, and not of the work."""
    claim, left_work = facts.claimed, bool(facts.observed.changes.paths)
    if claim.failure:
        return response_to(claim.failure, left_work) is not None
    return claim.status is WorkStatus.BLOCKED and bool(claim.denied) and not left_work


def _given_up(state: LoopState, decision: Decision, reason: str) -> Move:
    """This agent's part is over: the next one is asked, or where there is none the run ends."""
    if has_next(state):
        return Move(decision=Decision.RETRY, phase=state.phase, gives_up=reason)
    before = "".join(f"; {name} before it: {out.reason}" for name, out in state.outs.items())
    return replace(_halt(state, decision, f"{reason}{before}"), gives_up=reason)


def _asked(state: LoopState, facts: Facts) -> Move | None:
    """The end of a run whose agent asks something, where that is wanted."""
    if not facts.claimed.questions or not state.limits.halt_on_question:
        return None
    return _halt(state, Decision.BLOCKED, f"the agent asks: {' / '.join(facts.claimed.questions)}")


def _limited(state: LoopState, facts: Facts) -> Move:
    if ended := waited_enough(facts.claimed.failure, past_of(state), state.limits):
        return _given_up(state, *ended)
    return Move(decision=Decision.RATE_LIMITED, phase=state.phase)


def _retry(state: LoopState, facts: Facts) -> Move:
    if asked := _asked(state, facts):
        return asked
    failure = facts.claimed.failure
    if failure and (ended := exhausted(failure, past_of(state), state.limits)):
        return _given_up(state, *ended)
    return Move(decision=Decision.RETRY, phase=state.phase)


def _stay(state: LoopState, facts: Facts, verdict: Verdict, breaker: Breaker) -> Move:
    if asked := _asked(state, facts):
        return asked
    if breaker.state is BreakerState.OPEN:
        stalled = breaker.no_progress >= state.limits.of(state.phase).no_progress
        count, what = (breaker.no_progress, "no progress") if stalled else (breaker.same_error, "the same error")
        return _halt(state, Decision.STUCK, f"{what} in {count} iterations", verdict)
    if state.iteration + 1 >= state.max_iterations:
        return _halt(state, Decision.MAX_ITERATIONS, f"{state.max_iterations} iterations were not enough", verdict)
    return Move(decision=Decision.CONTINUE, phase=state.phase)


def _halt(state: LoopState, decision: Decision, reason: str, verdict: Verdict | None = None) -> Move:
    details = f": {'; '.join(verdict.reasons)}" if verdict and verdict.reasons else ""
    return Move(
        decision=decision,
        phase=state.phase,
        status=Status.HALTED,
        halt_reason=f"{state.phase}: {reason}{details}",
    )
