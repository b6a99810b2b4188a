"""Ledger -> the log, the metrics, the breaker and the rate limit: kept beside the journal, and made again from it."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from dualgate.core.machine.history import apply, begin, first_of
from dualgate.core.machine.resuming import CutOff, cut_off_after, just_begun
from dualgate.core.machine.waiting import held_up
from dualgate.core.money.hours import calls_last_hour, tokens_last_hour
from dualgate.core.money.usage import used_document
from dualgate.core.record.ledger import Ledger, enter, open_ledger
from dualgate.core.said.blocks.phase_text import emit_phase_status, log_addition, phase_status_text
from dualgate.core.said.blocks.scan import BlockKind, all_blocks, decode
from dualgate.core.values.events import CallDelayed, Event, SessionPaused, SessionStarted, TurnEnded
from dualgate.core.values.phase_status import PhaseStatus
from dualgate.core.values.state import LoopState
from dualgate.store.atomic import read_whole, refused, write_whole
from dualgate.store.codec import Record, encode_json
from dualgate.store.journal import read_journal
from dualgate.store.projections import FORMAT, write_loop_state

STATUS_LOG = "phase-status.log"
METRICS = "metrics.json"
BREAKER = "circuit-breaker.json"
RATE_LIMIT = "rate-limit.json"
BOOKS = (STATUS_LOG, METRICS, BREAKER, RATE_LIMIT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A session as its journal tells it: the state, the ledger, every record, and the number of the last event.

    All from one reading, with where the session goes on: of a long one each costs as much as all the rest of a start.
    """

    state: LoopState
    ledger: Ledger
    records: tuple[PhaseStatus, ...]
    seq: int
    cut_off: CutOff


class Books:
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


def open_books(folder: Path, started: SessionStarted, state: LoopState, seq: int) -> Books:
    """Those of a session that begins."""
    ledger, said = open_ledger(started, state)
    write_loop_state(folder, state, seq)
    _append(folder / STATUS_LOG, said)
    _write(folder, state, ledger, seq)
    return Books(folder, ledger)


def read_account(folder: Path) -> Account:
    return take_account(read_journal(folder))


def take_account(records: Iterable[Record]) -> Account:
    """What the events make of a session."""
    events = iter(records)
    first = next(events, None)
    started = first_of(first.event if first else None)
    state, seq = begin(started), 1
    ledger, said = open_ledger(started, state)
    found, told = just_begun(started, state), [*said]
    for record in events:
        before, state, seq = state, apply(state, record.event), record.seq
        ledger, said = enter(ledger, record.event, before, state)
        found = cut_off_after(found, record.event, state)
        told += said
    return Account(state=state, ledger=ledger, records=tuple(told), seq=seq, cut_off=replace(found, state=state))


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
