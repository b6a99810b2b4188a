"""LoopState -> loop-state.json: a view of the journal in the documented form, made anew whenever the state changes."""

from pathlib import Path
from typing import Any

import msgspec

from dualgate.core.gates.progress import overall_progress
from dualgate.core.machine.waiting import as_documented
from dualgate.core.money.usage import usage_document
from dualgate.core.values.state import LoopState, PhaseVisit
from dualgate.store.atomic import write_whole
from dualgate.store.codec import encode_json

FORMAT = 1
LOOP_STATE = "loop-state.json"


def loop_state_document(state: LoopState, seq: int) -> dict[str, Any]:
    state = as_documented(state)
    return {
        "format": FORMAT,
        "seq": seq,
        "session_id": state.session_id,
        "prp_file": state.prp_file,
        "started_at": state.started_at.isoformat(),
        "current_phase": state.phase.value,
        "current_iteration": state.iteration,
        "last_activity": state.last_activity.isoformat(),
        "status": state.status.value,
        "halt_reason": state.halt_reason,
        "pause_reason": state.pause_reason,
        "paused_at": state.paused_at and state.paused_at.isoformat(),
        "phases_completed": [phase.value for phase in state.phases_completed],
        "phase_history": {visit.phase.value: _visit(visit) for visit in state.visits},
        "error_history": [
            {
                "timestamp": entry.at.isoformat(),
                "phase": entry.phase.value,
                "iteration": entry.iteration,
                "error": entry.error,
                "hash": entry.hash,
            }
            for entry in state.errors
        ],
        "rejections": [{"timestamp": entry.at.isoformat(), "reason": entry.reason} for entry in state.rejections],
        "qa_attempts": state.qa_attempts,
        "green_model": state.green_model,
        "total_agent_calls": state.total_agent_calls,
        "phases_forced": [phase.value for phase in state.phases_forced],
        "progress": overall_progress(state),
        "usage": usage_document(state),
    }


def write_loop_state(folder: Path, state: LoopState, seq: int) -> None:
    encoded = encode_json(loop_state_document(state, seq))
    write_whole(folder / LOOP_STATE, msgspec.json.format(encoded, indent=2) + b"\n")


def _visit(visit: PhaseVisit) -> dict[str, Any]:
    return {
        "started_at": visit.started_at.isoformat(),
        "completed_at": visit.completed_at and visit.completed_at.isoformat(),
        "iterations": visit.iterations,
        "exit_reason": visit.exit_reason,
    }
