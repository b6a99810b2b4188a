"""LoopState, TurnEnded -> the parts of a turn kept for the reviewer and for the agent that fixes findings."""

from collections.abc import Iterable
from typing import Any

from dualgate.core.gates.asked_fixes import fixes_asked, placed_fixes
from dualgate.core.gates.qa import why_again
from dualgate.core.machine.check_findings import with_broken
from dualgate.core.said.findings import advised, minor_fixes, reviewed
from dualgate.core.team.failures import counts_of
from dualgate.core.team.fallover import authors, candidates
from dualgate.core.values.events import CallEnded, CallStarted, TurnEnded
from dualgate.core.values.facts import Facts
from dualgate.core.values.fix_request import FixRequest
from dualgate.core.values.replacing import replace
from dualgate.core.values.reviews import Reviews
from dualgate.core.values.state import LoopState, ReviewContext
from dualgate.core.values.verdict import Outcome
from dualgate.core.values.vocabulary import Phase, Workflow

KEPT = 50
MODELS = {Phase.GREEN: "green_model", Phase.QA: "qa_model"}
SAME_AGENT = "no other agent is configured for the review, so the one that did the work reviews it"
SAME_AGENT_AFTER = "the agent that did the work reviews it, because no other agent can be asked"


def with_review_context(state: LoopState, turn: TurnEnded) -> LoopState:
    """Add a turn to the context of the reviewer; a QA turn also to the reviews."""
    changes = turn.facts.observed.changes
    reviews = with_touched(state.reviews, changes.paths)
    if turn.facts.phase is Phase.QA:
        reviews = _after_review(state.reviews, turn, turn.agent or state.qa_agent)
    return replace(
        state, reviews=reviews, review_context=_context(state.review_context, turn), writers=_writers(state, turn)
    )


def _writers(state: LoopState, turn: TurnEnded) -> tuple[str, ...]:
    """Agents that wrote code in GREEN; a failed call without changes does not count."""
    is_work = turn.facts.claimed.failure is None or turn.facts.observed.changes.paths
    if turn.facts.phase is not Phase.GREEN or not turn.agent or not is_work:
        return state.writers
    return (*(name for name in state.writers if name != turn.agent), turn.agent)


def with_touched(reviews: Reviews, paths: Iterable[str]) -> Reviews:
    """Add changed paths since the last review; before the first review nothing is kept."""
    if not reviews.count and not reviews.findings:
        return reviews
    return replace(reviews, touched=tuple(sorted({*reviews.touched, *paths})))


def call_changes(state: LoopState, event: CallStarted) -> dict[str, Any]:
    """Count one call. A reviewer asked about a test in the middle of a turn does not become the working agent."""
    changes: dict[str, Any] = {"total_agent_calls": event.number}
    if not event.agent:
        return changes
    changes["calls_by"] = {**state.calls_by, event.agent: state.calls_by.get(event.agent, 0) + 1}
    if event.phase is not state.phase:
        return changes
    if event.phase is Phase.QA:
        changes["qa_agent"] = event.agent
    return changes | counts_of(state, event.agent, event.at)


def model_changes(state: LoopState, event: CallEnded) -> dict[str, Any]:
    """Record the model that wrote the code or reviews it, if the agent reports one."""
    model, phase = event.answer.model, event.phase or state.phase
    took_over = event.agent not in ("", *state.writers[-1:]) and event.answer.failure is None
    if phase is Phase.GREEN and took_over:
        return {MODELS[phase]: model}  # do not keep the previous agent's model
    return {MODELS[phase]: model} if model and phase in MODELS else {}


def reviewer_of(state: LoopState) -> str | None:
    """Return the agent that reviews; None if it also wrote the code."""
    if not state.lineup.every:
        return state.reviewer
    agent = state.qa_agent or candidates(replace(state, phase=Phase.QA))[0]
    return None if agent in authors(state) else agent


def is_self_reviewed(state: LoopState) -> bool:
    """Whether the run passed its review, and the agent that wrote the code made it."""
    is_reviewed = state.workflow is Workflow.TDD and Phase.QA in state.phases_completed
    return is_reviewed and reviewer_of(state) is None


def review_note(state: LoopState) -> str:
    """Why the review is not independent of the author; empty if it is."""
    if state.workflow is Workflow.RALPH:
        return ""  # RALPH has no review
    if reviewer_of(state) is None:
        others = [f"{name}: {out.reason}" for name, out in state.outs.items() if name not in authors(state)]
        return f"{SAME_AGENT_AFTER} ({'; '.join(others)})" if others else SAME_AGENT
    if state.qa_model and state.qa_model == state.green_model:
        return f"the review is made by {state.qa_model}, the model that wrote the code"
    return ""


def _after_review(reviews: Reviews, turn: TurnEnded, by: str) -> Reviews:
    facts, asked = turn.facts, fixes_asked(turn.facts)
    report = facts.claimed.report
    minor = minor_fixes(report.minor, (*report.findings, *asked), reviews.findings)
    weighed = replace(facts.weighed, advice=(*facts.weighed.advice, *minor))
    tree = facts.observed.changes.tree
    match turn.verdict.outcome:
        case Outcome.PASS:
            return reviewed(reviews, weighed, tree, rejected=False, by=by, at=turn.at)
        case Outcome.REJECT:
            # after a rejection that names no place, the next review may find anything
            tree = tree if {*asked} <= {*placed_fixes(facts)} else reviews.tree
            after = reviewed(reviews, replace(weighed, counting=asked), tree, rejected=True, by=by, at=turn.at)
            return with_broken(after, facts.observed.broken_checks, turn.at)
        case _:
            again = why_again(facts) if turn.verdict.outcome is Outcome.STAY else ()
            kept = _kept_reasons(reviews, facts, asked) if again else ()
            weighed = replace(facts.weighed, advice=(*facts.weighed.advice, *kept))
            after = advised(reviews, weighed, by, turn.at)
            return replace(after, asked=tuple(dict.fromkeys((*reviews.asked, *again))))


def _kept_reasons(reviews: Reviews, facts: Facts, asked: tuple[FixRequest, ...]) -> tuple[FixRequest, ...]:
    """Reasons of a review that is asked for again, so that they leave a trace; findings that are open stay open."""
    if facts.claimed.review is None or facts.claimed.report.findings:
        return ()
    places = {(request.file, request.location) for request in (*placed_fixes(facts), *reviews.open)}
    return tuple(fix for fix in asked if (fix.file, fix.location) not in places)


def _context(before: ReviewContext, turn: TurnEnded) -> ReviewContext:
    changes, phase = turn.facts.observed.changes, turn.facts.phase
    violations = (f"{phase}: {violation.path}: {violation.rule}" for violation in changes.violations)
    claims = (f"{phase}: {checked.sentence}" for checked in turn.facts.checked if not checked.holds)
    return ReviewContext(
        added=changes.added,
        rewritten=changes.rewritten,
        violations=_last(before.violations, violations),
        false_claims=_last(before.false_claims, claims),
        notes=_last(before.notes, (f"{phase}: {note}" for note in (*changes.notes, *_noted(turn.facts)))),
        watching=turn.facts.observed.watching,
    )


def _noted(facts: Facts) -> list[str]:
    """Notes of a turn without sources that look at tests, which the reviewer sees as they are now."""
    return [note for note in facts.observed.notes if note not in facts.observed.watching]


def _last(before: tuple[str, ...], more: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*before, *more)))[-KEPT:]
