"""The files beside a journal -> Figures, without reading the journal: for lists of many sessions."""

import os
import re
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import msgspec

from dualgate.core.record.metrics import Figures
from dualgate.core.values.vocabulary import Phase, Status
from dualgate.store.atomic import opened, read_whole
from dualgate.store.home import LOOP_STATE
from dualgate.store.lines import JOURNAL
from dualgate.store.projections import METRICS

_TAIL = 1 << 20
_SEQ = re.compile(rb'"seq": ?(\d+)')
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Usage:
    tokens: int | None = None
    cost_usd: float | None = None
    calls_without_cost: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _LoopState:
    """Fields of loop-state.json, which is written with each event."""

    seq: int
    status: Status
    current_phase: Phase
    current_iteration: int
    last_activity: datetime
    total_agent_calls: int
    progress: int
    usage: _Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class _Metrics:
    """Fields of metrics.json, which is written when a turn ends and when the status changes."""

    session: Figures


def figures_beside(folder: Path) -> Figures | None:
    """The figures as of the last event; None if a file is missing, older than figures, or behind the journal."""
    now, then = _read(folder / LOOP_STATE, _LoopState), _read(folder / METRICS, _Metrics)
    if now is None or then is None or now.seq != _last_seq(folder):
        return None
    return replace(
        then.session,
        status=now.status,
        phase=now.current_phase,
        iteration=now.current_iteration,
        percent=now.progress,
        calls=now.total_agent_calls,
        tokens=now.usage.tokens,
        cost_usd=now.usage.cost_usd,
        calls_without_cost=now.usage.calls_without_cost,
        last_activity=now.last_activity,
    )


def _read(path: Path, kind: type[T]) -> T | None:
    try:
        return msgspec.json.decode(read_whole(path), type=kind)
    except (OSError, msgspec.DecodeError):
        return None


def _last_seq(folder: Path) -> int | None:
    """The number of the last complete line of a journal, from its end."""
    try:
        with opened(folder / JOURNAL) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _TAIL))
            *lines, _torn = file.read().split(b"\n")
    except OSError:
        return None
    found = _SEQ.search(lines[-1], 0, 200) if lines else None
    return int(found[1]) if found else None
