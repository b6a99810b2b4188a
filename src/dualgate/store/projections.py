"""Journal -> the documents and the log beside it: views that are written as events come, and made again from it."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from dualgate.core.gates.progress import overall_progress
from dualgate.core.machine.waiting import as_documented, held_up
from dualgate.core.money.hours import calls_last_hour, tokens_last_hour
from dualgate.core.money.usage import usage_document, used_document
from dualgate.core.record.ledger import Ledger, enter, open_ledger
from dualgate.core.said.blocks.log import log_addition
from dualgate.core.said.blocks.phase_text import emit_phase_status, phase_status_text
from dualgate.core.said.blocks.scan import BlockKind, all_blocks, decode
from dualgate.core.values.events import CallDelayed, Event, SessionPaused, SessionStarted, TurnEnded
from dualgate.core.values.phase_status import PhaseStatus
from dualgate.core.values.state import LoopState, PhaseVisit
from dualgate.store.account import Account, read_account
from dualgate.store.atomic import read_whole, refused, write_whole
from dualgate.store.codec import encode_json

FORMAT = 1
LOOP_STATE = "loop-state.json"

STATUS_LOG = "phase-status.log"
METRICS = "metrics.json"
BREAKER = "circuit-breaker.json"
RATE_LIMIT = "rate-limit.json"
PROJECTIONS = (STATUS_LOG, METRICS, BREAKER, RATE_LIMIT)


class Projections:
    """The files beside the journal, written as events come: the log at once, the others when a turn or the run ends."""

    def __init__(self, folder: Path, ledger: Ledger) -> None:
        self._folder = folder
        self._ledger = ledger
        self._rows = [encode_json(row) for row in ledger.rows]  # each is written anew after every turn

    def enter(self, event: Event, before: LoopState, after: LoopState, seq: int) -> None:
        self._ledger, said = enter(self._ledger, event, before, after)
        write_loop_state(self._folder, after, seq)
        _append(self._folder / STATUS_LOG, said)
        if isinstance(event, TurnEnded | SessionPaused | CallDelayed) or before.status is not after.status:
            self._rows += [encode_json(row) for row in self._ledger.rows[len(self._rows) :]]
            _write(self._folder, after, self._ledger, seq, self._rows)


def open_projections(folder: Path, started: SessionStarted, state: LoopState, seq: int) -> Projections:
    """Those of a session that begins."""
    ledger, said = open_ledger(started, state)
    write_loop_state(folder, state, seq)
    _append(folder / STATUS_LOG, said)
    _write(folder, state, ledger, seq)
    return Projections(folder, ledger)


def rebuild(folder: Path) -> Account:
    """Bring every file beside the journal up to it; for whoever owns the session, before anything is added."""
    account = read_account(folder)
    bring_up(folder, account)
    return account


def bring_up(folder: Path, account: Account) -> None:
    """Write every file beside the journal as an account of it says."""
    write_loop_state(folder, account.state, account.seq)
    _write(folder, account.state, account.ledger, account.seq)
    _mend(folder / STATUS_LOG, account.records)


def _metrics_document(state: LoopState, ledger: Ledger, seq: int) -> dict[str, Any]:
    """All but the rows themselves."""
    used = used_document(state.spending.total)
    return {
        "format": FORMAT,
        "seq": seq,
        "session_id": state.session_id,
        "calls": state.total_agent_calls,
        "iterations": sum(visit.iterations for visit in state.visits),
        "agent_seconds": round(ledger.agent_seconds, 3),
        "test_seconds": round(ledger.test_seconds, 3),
        "tokens": used["tokens"],
        "cost_usd": used["cost_usd"],
        "usage": used,
    }


def _breaker_document(state: LoopState, ledger: Ledger, seq: int) -> dict[str, Any]:
    breaker = state.breaker
    return {
        "format": FORMAT,
        "seq": seq,
        "session_id": state.session_id,
        "phase": state.phase,
        "state": breaker.state,
        "no_progress": breaker.no_progress,
        "same_error": breaker.same_error,
        "half_open_after": state.limits.half_open_after,
        "thresholds": state.limits.of(state.phase),
        "all_thresholds": state.limits.thresholds,
        "cooldown": state.limits.cooldown,
        "history": ledger.shifts,
    }


def _rate_limit_document(state: LoopState, seq: int) -> dict[str, Any]:
    """The hour before the last event, and what is waited for."""
    now, waiting = state.last_activity, held_up(state)
    return {
        "format": FORMAT,
        "seq": seq,
        "session_id": state.session_id,
        "at": now,
        "calls_last_hour": calls_last_hour(state, now),
        "max_calls_per_hour": state.limits.max_calls_per_hour,
        "tokens_last_hour": tokens_last_hour(state, now),
        "max_tokens_per_hour": state.limits.max_tokens_per_hour,
        "waiting_until": waiting.until if waiting else state.failures.limited_until,
        "reason": waiting.reason if waiting else None,
        "limited_calls": state.failures.limited_calls,
    }


def _write(folder: Path, state: LoopState, ledger: Ledger, seq: int, rows: Sequence[bytes] | None = None) -> None:
    """`rows` are those of the metrics as they are written, where they are known already."""
    lines = [encode_json(row) for row in ledger.rows] if rows is None else rows
    metrics = _indented(_metrics_document(state, ledger, seq)).removesuffix(b"\n}\n")
    listed = b",\n    ".join(lines)
    write_whole(folder / METRICS, b"".join((metrics, b',\n  "rows": [\n    ', listed, b"\n  ]\n}\n")))
    write_whole(folder / BREAKER, _indented(_breaker_document(state, ledger, seq)))
    write_whole(folder / RATE_LIMIT, _indented(_rate_limit_document(state, seq)))


def _indented(document: dict[str, Any]) -> bytes:
    return msgspec.json.format(encode_json(document), indent=2) + b"\n"


def _append(path: Path, records: Sequence[PhaseStatus]) -> None:
    if not records:
        return
    try:
        with path.open("ab+") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - 2))
            tail = log.read().decode("utf-8", "replace")
            for record in records:
                addition = log_addition(tail, record)
                log.write(addition.encode())
                tail = addition[-2:]
    except OSError as error:
        raise refused(path, error) from error


def _mend(path: Path, records: Sequence[PhaseStatus]) -> None:
    """Append what is missing. A log that says something else than the journal is written anew."""
    try:
        found = read_whole(path)
    except FileNotFoundError:
        found = b""
    except OSError as error:
        raise refused(path, error) from error
    expected = [phase_status_text(record) for record in records]
    if found == "\n\n".join(expected).encode() + b"\n":
        return
    present = [block.raw for block in all_blocks(decode(found), BlockKind.PRP_PHASE_STATUS)]
    if present != expected[: len(present)]:
        write_whole(path, "\n\n".join(map(emit_phase_status, records)).encode() + b"\n")
    else:
        _append(path, records[len(present) :])


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
