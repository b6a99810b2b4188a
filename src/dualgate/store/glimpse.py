"""The files beside a journal -> Figures and Glimpse, without reading the journal: for lists of many sessions."""

import os
import re
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import msgspec

from dualgate.core.machine.controls import wait_of_next_call
from dualgate.core.record.metrics import Figures, figures_of
from dualgate.core.values.specification import CriterionStatus
from dualgate.core.values.team import Wait
from dualgate.core.values.vocabulary import PauseReason, Phase, Status
from dualgate.store.account import Account
from dualgate.store.as_left import is_as_left
from dualgate.store.atomic import opened, read_whole
from dualgate.store.codec import UNREADABLE
from dualgate.store.home import LOOP_STATE, METRICS
from dualgate.store.lines import JOURNAL

_TAIL = 1 << 20
_SEQ = re.compile(rb'"seq": ?(\d+)')
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Usage:
    tokens: int | None = None
    cost_usd: float | None = None
    calls_without_cost: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Criterion:
    state: CriterionStatus


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
    halt_reason: str | None = None
    pause_reason: str | None = None
    phases_completed: tuple[Phase, ...] = ()
    phases_forced: tuple[Phase, ...] = ()
    criteria: tuple[_Criterion, ...] = field(default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Metrics:
    """Fields of metrics.json, which is written when a turn ends and when the status changes."""

    session: Figures


@dataclass(frozen=True, slots=True, kw_only=True)
class Glimpse:
    """A session in a list: its figures, and a few more facts about its state."""

    seq: int
    figures: Figures
    halt_reason: str = ""
    pause_reason: str = ""
    completed: tuple[Phase, ...] = ()
    forced: tuple[Phase, ...] = ()
    """Phases that a person skipped."""
    criteria: tuple[CriterionStatus, ...] = ()
    wait: Wait | None = None
    """The wait before the next call; files beside a journal do not hold it."""

    @property
    def waits_for_approval(self) -> bool:
        return self.pause_reason == PauseReason.APPROVAL and self.figures.status is Status.PAUSED


def figures_beside(folder: Path) -> Figures | None:
    """The figures as of the last event; None if a file is missing, older than figures, or behind the journal."""
    found = glimpse_beside(folder)
    return found.figures if found else None


def glimpse_of(account: Account) -> Glimpse:
    state = account.state
    return Glimpse(
        seq=account.seq,
        figures=figures_of(state, account.metrics),
        halt_reason=state.halt_reason or "",
        pause_reason=state.pause_reason or "",
        completed=state.phases_completed,
        forced=state.phases_forced,
        criteria=tuple(each.state for each in state.criteria_states),
        wait=wait_of_next_call(state),
    )


def glimpse_beside(folder: Path) -> Glimpse | None:
    """A session as of its last event; None if a file is missing, older than figures, or behind the journal."""
    now, then = _read(folder / LOOP_STATE, _LoopState), _read(folder / METRICS, _Metrics)
    if now is None or then is None or now.seq != _last_seq(folder):
        return None
    return Glimpse(
        seq=now.seq,
        figures=_figures(now, then),
        halt_reason=now.halt_reason or "",
        pause_reason=now.pause_reason or "",
        completed=now.phases_completed,
        forced=now.phases_forced,
        criteria=tuple(each.state for each in now.criteria),
    )


def trusted_glimpse(folder: Path) -> Glimpse | None:
    """The same; None too if it is shown as proven, but the journal or the files may have been changed since its run."""
    found = glimpse_beside(folder)
    return None if found is not None and found.figures.proven and not is_as_left(folder) else found


def _figures(now: _LoopState, then: _Metrics) -> Figures:
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
    except (OSError, *UNREADABLE):
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
