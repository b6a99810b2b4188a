"""Restore the work tree that a killed step left: one that was switched for a trial, or half rolled back.

Every command that takes over a work tree does this first, so that no work is lost from sight.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dualgate.core.machine.resuming import CutOff
from dualgate.core.values.changes import RolledBack
from dualgate.core.values.events import Event
from dualgate.core.values.notation import in_line, listed
from dualgate.core.values.suite import TrialEnded
from dualgate.session.host import Host
from dualgate.store.sessions import snapshot_store
from dualgate.workspace.saved import SavedSnapshots
from dualgate.workspace.worktree import GoesOn, WorkTree

TRIAL = "a trial that was cut off"
ROLL_BACK = "a roll-back that was cut off"


@dataclass(frozen=True, slots=True, kw_only=True)
class KilledStep:
    """A step that was killed while the work tree was not as the session knows it."""

    name: str
    snapshot: str
    """The snapshot that holds the work; empty if the work tree had not been changed yet."""


def may_be_switched(found: CutOff) -> bool:
    """Whether a step was killed that switches the work tree, as far as the journal tells."""
    return bool(found.swapped_for) or _may_be_rolling_back(found)


def restore_work(host: Host, folder: Path, found: CutOff) -> tuple[Event, ...]:
    """Restore the work of a killed step in the work tree, and report how to undo that. Return the events to record."""
    if not may_be_switched(found):
        return ()
    with SavedSnapshots(host.project, snapshot_store(host.project, host.environment), folder) as saved:
        first = saved.catalog.first_of(found.started.session_id)
        if first is None or not saved.objects.has(found.tree):
            host.tell(f"{TRIAL if found.swapped_for else ROLL_BACK}: the snapshot of the work is gone")
            return ()
        goes_on = GoesOn(measured_from=found.measured_from, reached=found.reached)
        session = found.started.session_id
        worktree = WorkTree(saved, saved.seen_as(first), host.now, session, goes_on=goes_on)
        back = restored_tree(found, worktree)
    if back is not None:
        tell_restored(host, back)
    return (TrialEnded(at=host.now(), label=found.trial or TRIAL, tree=found.swapped_for),) if found.swapped_for else ()


def restored_tree(found: CutOff, worktree: WorkTree) -> RolledBack | None:
    """Restore the tree of a trial or roll-back that was cut off; None if there is nothing to restore."""
    if found.swapped_for:
        return worktree.become(found.swapped_for, f"as {TRIAL} left it")
    if not _may_be_rolling_back(found):
        return None
    proof = found.state.proof
    targets = (proof.green_tree, proof.proven_tree if proof.rewriting else "")
    if any(tree and worktree.is_between(found.tree, tree) for tree in targets):
        return worktree.become(found.tree, ROLL_BACK)
    return None


def tell_restored(host: Host, back: RolledBack) -> None:
    """Report the restored files, and how to undo that."""
    if back.paths:
        host.tell(
            f"restored the work that a killed step had switched for another tree: {listed(map(in_line, back.paths))}; "
            f"undo with: dualgate snapshot restore {back.kept}"
        )
    if back.left:
        host.tell(f"could not be restored: {listed(map(in_line, back.left))}; see: dualgate snapshot list")


def killed_step(found: CutOff, project: Path, environment: Mapping[str, str]) -> KilledStep | None:
    """The killed step of a session that nobody runs, and the snapshot of its work. Nothing is changed."""
    store = snapshot_store(project, environment)
    if not may_be_switched(found) or not store.exists():
        return None
    with SavedSnapshots(project, store) as saved:
        held = [each for each in saved.catalog.all() if each.session == found.started.session_id]
    if found.swapped_for:
        snapshot = next((each.id for each in reversed(held) if each.tree == found.swapped_for), "")
        return KilledStep(name=TRIAL, snapshot=snapshot)
    label = f"call {found.call.number} (" if found.call else ""
    begun = [each.id for each in held if each.label.startswith(label) and "tests" in each.label]
    return KilledStep(name=ROLL_BACK, snapshot=begun[-1]) if label and begun else None


def killed_sentence(step: KilledStep) -> str:
    """A killed step in words, with the snapshot that holds the work."""
    if not step.snapshot:
        return f"{step.name}, before it changed the work tree"
    return (
        f"{step.name}: the work tree is not as the session left it. Your work is in snapshot {step.snapshot}; "
        "the next command that takes the session over restores it first"
    )


def _may_be_rolling_back(found: CutOff) -> bool:
    """Whether the run may have died between a roll-back and its event; a resume repeats and records it."""
    is_tried = bool(found.answered and found.runs) and not (found.testing or found.paused_tree or found.follow_up)
    return is_tried and bool(found.state.proof.green_tree or found.state.proof.rewriting)
