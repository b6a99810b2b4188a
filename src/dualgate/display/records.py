"""TurnEnded, LoopState -> the objects that `--json` prints."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from dualgate.core.machine.committing import not_made
from dualgate.core.machine.reviewing import is_self_reviewed, review_note, reviewer_of
from dualgate.core.money.usage import escalations_document, usage_document, used_document
from dualgate.core.record.halting import halt_document, halt_report, next_ways, ways_document
from dualgate.core.record.loop_document import criteria_document, findings_document
from dualgate.core.values.checks import ChecksFailed
from dualgate.core.values.events import ProvenAgain, TurnEnded
from dualgate.core.values.facts import Facts
from dualgate.core.values.specification import CriterionResult, Plan
from dualgate.core.values.spending import Used
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import short_id
from dualgate.core.values.vocabulary import Decision, Phase, Status
from dualgate.display.commits import commits_record
from dualgate.errors import ExitCode

HALT_CODES = {Decision.BLOCKED: ExitCode.BLOCKED, Decision.RATE_LIMITED: ExitCode.RATE_LIMITED}


def turn_record(turn: TurnEnded, used: Used | None = None) -> dict[str, Any]:
    """`used` is the usage of the calls in this iteration so far."""
    changes = turn.facts.observed.changes
    return {
        "phase": turn.facts.phase.value,
        "iteration": turn.facts.iteration,
        "agent": turn.agent or None,
        "decision": turn.move.decision.value,
        "gate_1": turn.verdict.gate_1,
        "gate_2": turn.verdict.gate_2,
        "reasons": list(turn.verdict.reasons),
        "warnings": list(turn.verdict.warnings),
        "tests": _tests(turn.facts),
        "tasks": tasks_record(turn.facts.observed.plan),
        "ticked": list(turn.ticked.tasks) if turn.ticked else [],
        "usage": used_document(used) if used else None,
        "changes": {
            "renamed": [list(pair) for pair in changes.renamed],
            "outputs": list(changes.outputs),
            "created": list(changes.created),
            "modified": list(changes.modified),
            "deleted": list(changes.deleted),
        },
        "violations": [asdict(violation) for violation in changes.violations],
        "amendment": asdict(turn.amendment) if turn.amendment else None,
        "rolled_back": asdict(turn.rolled_back) if turn.rolled_back else None,
        "criteria": [_criterion(each, turn.facts.suites) for each in turn.facts.observed.criteria],
        "checks": [asdict(run) for run in turn.facts.observed.checks],
        "claims": [asdict(claim) | {"holds": claim.holds} for claim in turn.facts.checked],
    }


def proven_again_record(event: ProvenAgain) -> dict[str, Any]:
    """The record of a phase that was proven without a call."""
    return turn_record(event.turn) | {"without_call": event.reason}


def held_back_record(event: ChecksFailed) -> dict[str, Any]:
    """The record of a review that broken checks hold back."""
    return {
        "phase": Phase.QA.value,
        "decision": event.move.decision.value,
        "reasons": list(event.verdict.reasons),
        "checks": [asdict(result) for result in event.results],
        "without_call": "checks that passed before any work fail",
    }


def exit_code(state: LoopState) -> ExitCode:
    """The exit code of a run, by the status of its session."""
    match state.status:
        case Status.COMPLETED:
            if not state.proven:
                return ExitCode.UNPROVEN
            return ExitCode.UNCOMMITTED if not_made(state) else ExitCode.PROVEN
        case Status.HALTED:
            return HALT_CODES.get(state.ended_by or Decision.STUCK, ExitCode.HALTED)
        case Status.PAUSED | Status.RUNNING:
            return ExitCode.PAUSED


def result_record(state: LoopState, session: str, spec_changed: bool = False) -> dict[str, Any]:
    return {
        "status": state.status.value,
        "proven": state.proven,
        "self_reviewed": is_self_reviewed(state),
        "unproven": list(state.unproven),
        "halt_reason": state.halt_reason,
        "exit_code": int(exit_code(state)),
        "ended_by": state.ended_by and state.ended_by.value,
        "phase": state.phase.value,
        "phases_completed": [phase.value for phase in state.phases_completed],
        "agent_calls": state.total_agent_calls,
        "agents": dict(state.calls_by),
        "escalations": escalations_document(state),
        "usage": usage_document(state),
        "way_on": state.way_on or None,
        "halt": halt_document(halt_report(state)),
        "next": ways_document(next_ways(state, spec_changed)),
        "touched": asdict(state.touched),
        "review": review_record(state),
        "criteria": criteria_document(state),
        "checks": [asdict(result) for result in state.check_results],
        "warnings": warning_records(state),
        "documents": documents_record(state),
        "commits": commits_record(state),
        "session_id": state.session_id,
        "session": session,
    }


def warning_records(state: LoopState) -> list[dict[str, Any]]:
    """The warnings of a session, each once, where it came last; iteration 0 is the start."""
    return [asdict(warned) for warned in state.warnings]


def documents_record(state: LoopState) -> dict[str, Any]:
    """The new and changed documents, and how many the run needs."""
    return asdict(state.documents) | {"needed": state.limits.documents, "adr_required": state.limits.adr_required}


def _criterion(result: CriterionResult, suites: Sequence[str]) -> dict[str, Any]:
    return {
        "id": result.id,
        "kind": result.kind.value,
        "state": result.state.value,
        "proof": [short_id(name, suites) for name in result.proof],
    }


def review_record(state: LoopState) -> dict[str, Any]:
    return {
        "by": reviewer_of(state),
        "note": review_note(state) or None,
        "rejections": len(state.rejections),
        "fixes": findings_document(state),
    }


def tasks_record(plan: Plan | None) -> dict[str, Any] | None:
    """None if there is no task list."""
    if plan is None:
        return None
    return {
        "file": plan.file,
        "gone": plan.is_gone,
        "done": len(plan.done),
        "open": list(plan.open),
        "unmarked": list(plan.unmarked),
    }


def _tests(facts: Facts) -> dict[str, Any]:
    seen = facts.observed
    return asdict(seen.counts) | {
        "total": seen.counts.total,
        "trusted": not seen.problems,
        "green_runs": seen.green_runs,
        "failing": [result.id for result in seen.failing],
        "red": list(seen.red),
    }
