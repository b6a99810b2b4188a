"""LoopState, Facts, Verdict, Breaker -> Move: the next phase and status after one iteration, by tables.

Three machines run side by side. The *phase* goes along PHASES when both gates are open, and along RETURNS when a review
rejects or tests are rewritten. The *status* moves along STATUS_MOVES (the tables are in phases.py). The *breaker*
(gates/breaker.py) moves by measured progress. They couple in three places: a run halts for the causes of
gates/halts.py, an open breaker among them; before that, the agents of team/escalation.py take over, each with the
breaker's counts begun again; and a phase that is entered starts with a closed breaker.
"""

from collections.abc import Sequence
from textwrap import shorten

from dualgate.core.evidence.examine import whole_runs
from dualgate.core.gates.asked_fixes import fixes_asked
from dualgate.core.gates.halts import decision_of
from dualgate.core.gates.reactions import Ended, exhausted, given_up, response_to, waited_enough
from dualgate.core.machine.phases import RETURNS, phase_after
from dualgate.core.said.amendment_requests import person_needed
from dualgate.core.said.findings import path_of
from dualgate.core.said.review import NO_FILE
from dualgate.core.team.escalation import ESCALATED, next_step, tried
from dualgate.core.team.fallover import has_next
from dualgate.core.values.events import TurnEnded
from dualgate.core.values.facts import Facts
from dualgate.core.values.fix_request import FixRequest
from dualgate.core.values.notation import listed
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import SuiteReport
from dualgate.core.values.verdict import Breaker, Move, Outcome, Verdict
from dualgate.core.values.vocabulary import (
    Approve,
    BreakerState,
    Decision,
    HaltCause,
    Phase,
    Status,
    WorkStatus,
)
from dualgate.errors import IllegalTransition

FINDINGS_NAMED = 5
FINDING_LENGTH = 120


def decide(state: LoopState, facts: Facts, verdict: Verdict, breaker: Breaker) -> Move:
    """Return the move that follows from a verdict."""
    if state.status is not Status.RUNNING:
        raise IllegalTransition(f"a loop that is {state.status} was asked to move")
    match verdict.outcome:
        case Outcome.PASS:
            return _advance(state)
        case Outcome.WEAK:
            return Move(decision=Decision.REWRITE_TESTS, phase=_returning(state.phase, verdict.outcome))
        case Outcome.UNREWRITTEN:
            return Move(decision=Decision.KEEP_TESTS, phase=_returning(state.phase, verdict.outcome))
        case Outcome.REJECT:
            return reject(state, verdict, fixes_asked(facts))
        case Outcome.BLOCK:
            return _blocked(state, facts)
        case Outcome.LIMITED:
            return _limited(state, facts)
        case Outcome.RETRY:
            return _asked(state, facts) or _retry(state, facts)
        case Outcome.STUCK:
            same = (HaltCause.SAME_ANSWER, f"the same error in the last answers: {facts.claimed.error}")
            return _asked(state, facts) or _escalate(state, same) or _halt(state, _with_tried(state, same))
        case Outcome.STAY:
            return _asked(state, facts) or _stay(state, verdict, breaker)


def with_proof(turn: TurnEnded, runs: Sequence[SuiteReport]) -> TurnEnded:
    """If the phase passed, add its last whole run to the turn; later runs are compared with it."""
    if turn.move.decision not in (Decision.NEXT_PHASE, Decision.REWRITE_TESTS):
        return turn
    whole = whole_runs(runs)[-1]
    return replace(
        turn,
        proven=whole.results,
        configuration=whole.configuration,
        environment=whole.environment,
        suites=whole.suites,
    )


def _advance(state: LoopState) -> Move:
    following = phase_after(state.phase)
    if following is None and state.limits.approve is Approve.HUMAN:
        return Move(decision=Decision.AWAIT_APPROVAL, phase=state.phase, status=Status.PAUSED)
    if following is None:
        return Move(decision=Decision.PROJECT_COMPLETE, phase=state.phase, status=Status.COMPLETED)
    return Move(decision=Decision.NEXT_PHASE, phase=following)


def reject(state: LoopState, verdict: Verdict, asked: Sequence[FixRequest] = ()) -> Move:
    """Return to the phase that can fix what was found, or halt after too many returns."""
    returns_to = _returning(state.phase, Outcome.REJECT)
    if state.qa_attempts >= state.limits.qa_returns:
        halt = _halt(state, (HaltCause.REJECTIONS, f"QA rejected {state.qa_attempts + 1} times"), verdict)
        return replace(halt, halt_reason=f"{halt.halt_reason}{_open_findings(asked)}")
    return Move(decision=Decision.REJECTED, phase=returns_to)


def _returning(phase: Phase, outcome: Outcome) -> Phase:
    if (phase, outcome) not in RETURNS:
        raise IllegalTransition(f"{phase} has no transition for the outcome {outcome}")
    return RETURNS[phase, outcome]


def _open_findings(asked: Sequence[FixRequest]) -> str:
    """The findings that the last review leaves open, for the reason of a halt."""
    placed = [request for request in asked if request.file != NO_FILE]
    named = (
        f"{r.id} {path_of(r)}, {r.location}: {shorten(r.description, FINDING_LENGTH, placeholder=' …')}" for r in placed
    )
    return f"; open: {listed(named, FINDINGS_NAMED, '; ')}" if placed else ""


def _blocked(state: LoopState, facts: Facts) -> Move:
    """Try the next agent if the cause is this agent's login, account or permissions; else halt."""
    ended = given_up(facts.claimed.failure) if facts.claimed.failure else (HaltCause.BLOCKED, _why_blocked(facts))
    return _give_up(state, ended) if _is_agents_own(facts) else _halt(state, ended)


def _why_blocked(facts: Facts) -> str:
    claim = facts.claimed
    said = claim.recommendation or "the agent says it is blocked"
    return f"{said} (refused: {', '.join(claim.denied)}; {claim.allowed_by})" if claim.allowed_by else said


def _is_agents_own(facts: Facts) -> bool:
    """Whether the problem lies in this agent alone and not in the work."""
    claim, left_work = facts.claimed, bool(facts.observed.changes.paths)
    if claim.failure:
        return response_to(claim.failure, left_work) is not None
    return claim.status is WorkStatus.BLOCKED and bool(claim.denied) and not left_work


def _limited(state: LoopState, facts: Facts) -> Move:
    if ended := waited_enough(facts.claimed.failure, state.failures, state.limits):
        return _give_up(state, ended)
    return Move(decision=Decision.RATE_LIMITED, phase=state.phase)


def _retry(state: LoopState, facts: Facts) -> Move:
    failure = facts.claimed.failure
    if failure and (ended := exhausted(failure, state.failures, state.limits)):
        return _give_up(state, ended)
    return Move(decision=Decision.RETRY, phase=state.phase)


def _give_up(state: LoopState, ended: Ended) -> Move:
    """Give up on this agent: ask the next one, or halt if there is none."""
    cause, reason = ended
    if has_next(state):
        return Move(decision=Decision.RETRY, phase=state.phase, gives_up=reason)
    before = "".join(f"; {name} before it: {out.reason}" for name, out in state.outs.items())
    return replace(_halt(state, (cause, f"{reason}{before}")), gives_up=reason)


def _asked(state: LoopState, facts: Facts) -> Move | None:
    """Halt if the agent asks a question and `halt_on_question` is set."""
    if not facts.claimed.questions or not state.limits.halt_on_question:
        return None
    return _halt(state, (HaltCause.QUESTION, f"the agent asks: {' / '.join(facts.claimed.questions)}"))


def _stay(state: LoopState, verdict: Verdict, breaker: Breaker) -> Move:
    if breaker.state is BreakerState.OPEN:
        ended = _why_open(state, breaker)
        return _escalate(state, ended) or _halt(state, _with_tried(state, ended), verdict)
    if _is_last(state):
        return _halt(state, (HaltCause.ITERATIONS, f"{state.max_iterations} iterations were not enough"), verdict)
    return Move(decision=Decision.CONTINUE, phase=state.phase)


def _is_last(state: LoopState) -> bool:
    return state.iteration + 1 >= state.max_iterations


def _escalate(state: LoopState, ended: Ended) -> Move | None:
    """Let the next configured model or agent take over instead of halting; None if none is left, or no iteration."""
    cause, reason = ended
    agent = next_step(state)
    if cause not in ESCALATED or not agent or _is_last(state):
        return None
    return Move(decision=Decision.ESCALATE, phase=state.phase, escalates_to=agent, why_escalated=reason)


def _with_tried(state: LoopState, ended: Ended) -> Ended:
    """The reason of a halt with the agents that took over before it."""
    cause, reason = ended
    names = tried(state)
    return (cause, f"{reason}, also with {listed(names)}") if names else ended


def _why_open(state: LoopState, breaker: Breaker) -> Ended:
    if breaker.no_progress >= state.limits.of(state.phase).no_progress:
        return HaltCause.NO_PROGRESS, f"no progress in {breaker.no_progress} iterations"
    return HaltCause.SAME_ERROR, f"the same error in {breaker.same_error} iterations"


def _halt(state: LoopState, ended: Ended, verdict: Verdict | None = None) -> Move:
    cause, reason = ended
    details = f": {'; '.join(verdict.reasons)}" if verdict and verdict.reasons else ""
    asked = person_needed(state)
    return Move(
        decision=decision_of(cause),
        phase=state.phase,
        status=Status.HALTED,
        cause=cause,
        halt_reason=f"{state.phase}: {reason}{details}{f'; {asked}' if asked else ''}",
    )
