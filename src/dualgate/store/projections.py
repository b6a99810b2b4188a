"""Journal -> the documents and the log beside it, updated with each event and rebuilt from the journal if lost."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from dualgate.core.gates.progress import overall_progress
from dualgate.core.machine.controls import as_documented, wait_of_next_call
from dualgate.core.money.hours import calls_last_hour, tokens_last_hour
from dualgate.core.money.usage import usage_document, used_document
from dualgate.core.record.loop_document import criteria_document, findings_document
from dualgate.core.record.metrics import Metrics, figures_of
from dualgate.core.said.blocks.phase_text import emit_phase_status, log_addition, phase_status_text
from dualgate.core.said.blocks.scan import BlockKind, all_blocks, decode
from dualgate.core.values.events import CallDelayed, Event, SessionPaused, SessionReset, SessionStarted, TurnEnded
from dualgate.core.values.phase_status import PhaseStatus
from dualgate.core.values.state import LoopState, PhaseVisit
from dualgate.processes.private import open_private
from dualgate.store.account import Account, account_after, begun, checkpoint_of, read_account, take_account
from dualgate.store.atomic import read_whole, refused, write_whole
from dualgate.store.checkpoint import LogMark, encode_checkpoint, is_due
from dualgate.store.codec import encode_json
from dualgate.store.home import LOOP_STATE, METRICS
from dualgate.store.reading import read_journal
from dualgate.store.seals import digest_of, running_digest

FORMAT = 1
STATUS_LOG = "phase-status.log"
BREAKER = "circuit-breaker.json"
RATE_LIMIT = "rate-limit.json"
PROJECTIONS = (STATUS_LOG, METRICS, BREAKER, RATE_LIMIT)


class Projections:
    """Writes the files beside the journal: state and log with each event, the others when a turn or the run ends."""

    def __init__(self, folder: Path, account: Account) -> None:
        self._folder = folder
        self._account = account
        self._rows = [encode_json(row) for row in account.metrics.rows]  # all rows are written again after every turn
        self._last_checkpoint = account.checkpoint.seq if account.checkpoint else 0
        log = _read_log(folder / STATUS_LOG)
        self._log, self._log_size = running_digest(log), len(log)

    def enter(self, event: Event, before: LoopState, after: LoopState, seq: int) -> None:
        self._account = account_after(self._account, event, after, seq)
        write_loop_state(self._folder, after, seq)
        self._add_to_log(self._account.records)
        writes_all = isinstance(event, TurnEnded | SessionPaused | SessionReset | CallDelayed)
        if writes_all or before.status is not after.status:
            metrics = self._account.metrics
            self._rows += [encode_json(row) for row in metrics.rows[len(self._rows) :]]
            _write(self._folder, after, metrics, seq, self._rows)

    def due_checkpoint(self, digest: str) -> bytes | None:
        """A checkpoint at the last event, whose line has this digest; None if no checkpoint is due or possible."""
        if not is_due(self._account.seq, self._last_checkpoint):
            return None
        log = LogMark(size=self._log_size, digest=self._log.hexdigest())
        made = checkpoint_of(self._account, digest, log)
        if made is None:
            return None
        self._last_checkpoint = made.seq
        return encode_checkpoint(made)

    def _add_to_log(self, records: Sequence[PhaseStatus]) -> None:
        added = _append(self._folder / STATUS_LOG, records)
        self._log.update(added)
        self._log_size += len(added)


def open_projections(folder: Path, started: SessionStarted) -> Projections:
    """Write the files of a new session, and return their writer."""
    account = begun(started)
    bring_up(folder, account)
    return Projections(folder, account)


def rebuild(folder: Path) -> Account:
    """Rebuild every file beside the journal. For the owner of the session, before it appends."""
    account = read_account(folder)
    bring_up(folder, account)
    return account


def bring_up(folder: Path, account: Account) -> None:
    """Write every file beside the journal."""
    write_loop_state(folder, account.state, account.seq)
    _write(folder, account.state, account.metrics, account.seq)
    if not _bring_up_log(folder / STATUS_LOG, account):
        _bring_up_log(folder / STATUS_LOG, take_account(read_journal(folder)))


def _metrics_document(state: LoopState, metrics: Metrics, seq: int) -> dict[str, Any]:
    """The metrics document without its rows."""
    used = used_document(state.spending.total)
    return {
        "format": FORMAT,
        "seq": seq,
        "session_id": state.session_id,
        "calls": state.total_agent_calls,
        "iterations": sum(visit.iterations for visit in state.visits),
        "agent_seconds": round(metrics.agent_seconds, 3),
        "test_seconds": round(metrics.test_seconds, 3),
        "tokens": used["tokens"],
        "cost_usd": used["cost_usd"],
        "usage": used,
        "session": figures_of(state, metrics),
    }


def metrics_document(account: Account) -> dict[str, Any]:
    """The whole document, as `metrics.json` holds it."""
    document = _metrics_document(account.state, account.metrics, account.seq) | {"rows": account.metrics.rows}
    plain: dict[str, Any] = msgspec.json.decode(encode_json(document))
    return plain


def _breaker_document(state: LoopState, metrics: Metrics, seq: int) -> dict[str, Any]:
    breaker = state.breaker
    return {
        "format": FORMAT,
        "seq": seq,
        "session_id": state.session_id,
        "phase": state.phase,
        "state": breaker.state,
        "no_progress": breaker.no_progress,
        "same_error": breaker.same_error,
        "blocked": breaker.blocked or None,
        "half_open_after": state.limits.half_open_after,
        "thresholds": state.limits.of(state.phase),
        "all_thresholds": state.limits.thresholds,
        "cooldown": state.limits.cooldown,
        "history": metrics.breaker_changes,
    }


def _rate_limit_document(state: LoopState, seq: int) -> dict[str, Any]:
    """Calls and tokens in the hour before the last event, and the limit that the run is waiting for."""
    now, waiting = state.last_activity, wait_of_next_call(state)
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


def _write(folder: Path, state: LoopState, metrics: Metrics, seq: int, rows: Sequence[bytes] | None = None) -> None:
    """Write metrics, breaker and rate limit; `rows` are the encoded metric rows, if known."""
    lines = [encode_json(row) for row in metrics.rows] if rows is None else rows
    head = _indented(_metrics_document(state, metrics, seq)).removesuffix(b"\n}\n")
    listed = b",\n    ".join(lines)
    write_whole(folder / METRICS, b"".join((head, b',\n  "rows": [\n    ', listed, b"\n  ]\n}\n")))
    write_whole(folder / BREAKER, _indented(_breaker_document(state, metrics, seq)))
    write_whole(folder / RATE_LIMIT, _indented(_rate_limit_document(state, seq)))


def _indented(document: dict[str, Any]) -> bytes:
    return msgspec.json.format(encode_json(document), indent=2) + b"\n"


def _append(path: Path, records: Sequence[PhaseStatus]) -> bytes:
    """Append records to the log, and return the bytes written."""
    if not records:
        return b""
    try:
        with open(path, "ab+", opener=open_private) as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - 2))
            tail = log.read().decode("utf-8", "replace")
            additions = []
            for record in records:
                additions.append(log_addition(tail, record))
                tail = additions[-1][-2:]
            written = "".join(additions).encode()
            log.write(written)
    except OSError as error:
        raise refused(path, error) from error
    return written


def _bring_up_log(path: Path, account: Account) -> bool:
    """Append missing records, and rewrite a log that contradicts the journal. Returns False if that needs the records
    before the checkpoint."""
    found = _read_log(path)
    mark = account.checkpoint.log if account.checkpoint else LogMark(size=0, digest=digest_of(b""))
    if digest_of(found[: mark.size]) != mark.digest:
        return False
    expected = [phase_status_text(record) for record in account.records]
    if not mark.size and found == "\n\n".join(expected).encode() + b"\n":
        return True
    present = [block.raw for block in all_blocks(decode(found[mark.size :]), BlockKind.PRP_PHASE_STATUS)]
    if present == expected[: len(present)]:
        _append(path, account.records[len(present) :])
    elif not mark.size:
        write_whole(path, "\n\n".join(map(emit_phase_status, account.records)).encode() + b"\n")
    else:
        return False
    return True


def _read_log(path: Path) -> bytes:
    try:
        return read_whole(path)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise refused(path, error) from error


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
        **({"criteria": criteria_document(state)} if state.criteria_states else {}),
        **({"findings": findings_document(state)} if state.reviews.findings else {}),
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
