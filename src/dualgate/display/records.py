"""TurnEnded, LoopState -> the objects that `--json` prints."""

from dataclasses import asdict
from typing import Any

from dualgate.core.facts import Facts
from dualgate.core.machine import TurnEnded
from dualgate.core.state import LoopState
from dualgate.errors import ExitCode


def turn_record(turn: TurnEnded) -> dict[str, Any]:
    changes = turn.facts.observed.changes
    return {
        "phase": turn.facts.phase.value,
        "iteration": turn.facts.iteration,
        "decision": turn.move.decision.value,
        "gate_1": turn.verdict.gate_1,
        "gate_2": turn.verdict.gate_2,
        "reasons": list(turn.verdict.reasons),
        "warnings": list(turn.verdict.warnings),
        "tests": _tests(turn.facts),
        "changes": {
            "created": list(changes.created),
            "modified": list(changes.modified),
            "deleted": list(changes.deleted),
        },
        "violations": [asdict(violation) for violation in changes.violations],
        "claims": [asdict(claim) | {"holds": claim.holds} for claim in turn.facts.checked],
    }


def result_record(state: LoopState, exit_code: ExitCode, session: str) -> dict[str, Any]:
    return {
        "status": state.status.value,
        "proven": state.proven,
        "halt_reason": state.halt_reason,
        "exit_code": int(exit_code),
        "ended_by": state.ended_by and state.ended_by.value,
        "phase": state.phase.value,
        "phases_completed": [phase.value for phase in state.phases_completed],
        "agent_calls": state.total_agent_calls,
        "session_id": state.session_id,
        "session": session,
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
