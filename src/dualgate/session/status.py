"""The session of a project -> the object of `dualgate status --json`."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dualgate.core.machine.controls import wait_of_next_call
from dualgate.core.machine.reviewing import is_self_reviewed
from dualgate.core.money.usage import escalations_document
from dualgate.core.record.halting import halt_document, halt_report, next_ways, ways_document
from dualgate.core.record.run_facts import still_needed
from dualgate.core.record.session_state import current_iteration, doing, standing_of
from dualgate.core.record.status_document import breaker_document, counts_document, doing_document
from dualgate.core.team.fallover import asked_agent
from dualgate.core.values.events import SessionStarted
from dualgate.display.commits import commits_record
from dualgate.display.records import documents_record, review_record, warning_records
from dualgate.session.killed_steps import KilledStep, killed_step
from dualgate.store.account import Account
from dualgate.store.journal import incomplete_line
from dualgate.store.lease import owner_of
from dualgate.store.projections import loop_state_document
from dualgate.store.reading import first_record
from dualgate.store.reports import last_report


def status_record(
    project: Path, folder: Path, account: Account, changes: tuple[str, ...], environment: Mapping[str, str]
) -> dict[str, Any]:
    """The state of the present session of a project; `changes` are those of its specification since it began."""
    owner = owner_of(project, environment)
    return owned_status(folder, account, changes, owner, killed_of(project, account, owner is not None, environment))


def owned_status(
    folder: Path,
    account: Account,
    changes: tuple[str, ...] = (),
    owner: Mapping[str, Any] | None = None,
    killed: KilledStep | None = None,
) -> dict[str, Any]:
    """The state of any session. `owner` is the record of the run that is at work in it; None if there is no run."""
    state, is_alive = account.state, owner is not None
    waits = wait_of_next_call(state) is not None
    added = {
        "standing": standing_of(state.status, state.proven, is_alive, waits).value,
        "iteration": current_iteration(state),
        "max_iterations": state.max_iterations,
        "phase_progress": account.metrics.view.progress,
        "tests": counts_document(account.metrics.view.tests),
        "breaker": breaker_document(state),
        "doing": doing_document(doing(account.cut_off) if is_alive else None),
        "needed": list(still_needed(state, account.metrics.view)),
        "halt": halt_document(halt_report(state)),
        "next": ways_document(next_ways(state, bool(changes), is_alive)),
        "workflow": state.workflow.value,
        "proven": state.proven,
        "self_reviewed": is_self_reviewed(state),
        "unproven": list(state.unproven),
        "documents": documents_record(state),
        "alive": is_alive,
        "owner": dict(owner) if owner else None,
        "agent": asked_agent(state) or None,
        "agents": dict(state.calls_by),
        "escalations": escalations_document(state),
        "session": str(folder),
        "worktree_of": _worktree_of(folder) or None,
        "report": str(report) if (report := last_report(folder)) else None,
        "spec_changed": bool(changes),
        "spec_changes": list(changes),
        "review": review_record(state),
        "warnings": warning_records(state),
        "guidance": list(state.guidance),
        "blocked": state.breaker.blocked or None,
        "journal_problem": None if is_alive else incomplete_line(folder) or None,
        "killed_step": asdict(killed) if killed else None,
        "commits": commits_record(state),
    }
    return loop_state_document(state, account.seq) | added


def _worktree_of(folder: Path) -> str:
    """The repository whose worktree a session works in, as its journal says; empty if it works in none."""
    first = first_record(folder)
    return first.event.worktree_of if first and isinstance(first.event, SessionStarted) else ""


def killed_of(project: Path, account: Account, is_running: bool, environment: Mapping[str, str]) -> KilledStep | None:
    """The step in which a run was killed; None if one is at work."""
    return None if is_running else killed_step(account.cut_off, project, environment)
