"""The action of guard: list, or revert, the changes since a snapshot that a phase does not allow."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path

from dualgate.agents.command import local_now
from dualgate.cli.host import our_host
from dualgate.cli.options import settings_from
from dualgate.cli.output import here, say, say_json
from dualgate.cli.outside import require_person
from dualgate.cli.snapshot_action import open_saved
from dualgate.core.values.changes import Violation
from dualgate.core.values.notation import in_line, split_command
from dualgate.core.values.vocabulary import AFTER_RED, Phase
from dualgate.session.furnish import guard_patterns
from dualgate.session.own import settle_killed_run
from dualgate.settings import Settings
from dualgate.store.lease import undisturbed
from dualgate.store.sessions import session_folder
from dualgate.workspace.catalog import Snapshot
from dualgate.workspace.guard import Guard, Refused, violation
from dualgate.workspace.phase_rules import Freeze
from dualgate.workspace.saved import SavedSnapshots
from dualgate.workspace.snapshots import Snapshots
from dualgate.workspace.steering.commands import Called, read_called, read_suites, usual_commands
from dualgate.workspace.worktree import GUARDED, UNDOINGS


@dataclass(frozen=True, slots=True, kw_only=True)
class _Check:
    """Compares the work tree with a proven snapshot."""

    kept: SavedSnapshots
    proven: Snapshot
    snapshots: Snapshots
    guard: Guard
    phase: Phase
    flags: Mapping[str, object]

    def refused(self) -> list[Refused]:
        """The changes that are not allowed. Reads the settings each time, since they may have been reverted."""
        tree = self.proven.tree
        frozen = tree if self.phase in AFTER_RED else None
        return self.guard.check(self.phase, tree, self.snapshots.take(), frozen, self._freeze())

    def _freeze(self) -> Freeze:
        settings = settings_from(self.flags).settings
        return Freeze(
            all_examples=True,
            called=_called(self.kept.root, settings, self._read),
            outputs=settings.guard.outputs,
            patterns=guard_patterns(settings),
        )

    def _read(self, path: str) -> bytes | None:
        entry = self.snapshots.entry(self.proven.tree, path)
        return None if entry is None else self.snapshots.content(entry)


def check_changes(phase: Phase, since: str, undo: bool, as_json: bool, flags: Mapping[str, object]) -> int:
    if undo:
        require_person("guard check --undo")
        settle_killed_run(our_host(), session_folder(here(), os.environ))
    with open_saved() as kept, undisturbed(kept.root) if undo else nullcontext():
        proven = kept.catalog.find(since)
        snapshots = kept.seen_once_as(proven)
        guard = Guard(kept.root, snapshots)
        check = _Check(kept=kept, proven=proven, snapshots=snapshots, guard=guard, phase=phase, flags=flags)
        refused = check.refused()
        before = kept.keep(snapshots, GUARDED, local_now()) if undo and refused else None
        found = _undone(check, refused) if before else [violation(phase, each) for each in refused]
    if as_json:
        undoing = {"undo": before.id} if before else {}
        say_json({"since": proven.id, "phase": phase.value, "violations": [asdict(each) for each in found]} | undoing)
    else:
        _say_found(phase, found, before)
    return 1 if found else 0


def _undone(check: _Check, refused: Sequence[Refused]) -> list[Violation]:
    """Revert, then check again: a reverted file, such as a Makefile, may have hidden that a script is frozen."""
    found: dict[str, Violation] = {}
    for _ in range(UNDOINGS):
        found |= check.guard.undo(check.phase, refused)
        refused = [each for each in check.refused() if each.edit.path not in found]
        if not refused:
            break
    return list(found.values())


def _say_found(phase: Phase, found: Sequence[Violation], before: Snapshot | None) -> None:
    for each in found:
        say(f"{in_line(each.path)}: {each.rule}{' (reverted)' if each.reverted else ''}\n{each.diff}")
    count = "1 change is" if len(found) == 1 else f"{len(found)} changes are"
    say(f"{count} not allowed in {phase}." if found else f"Nothing that {phase} does not allow.")
    if before:
        say(f"Undo with: dualgate snapshot restore {before.id}")


def _called(root: Path, settings: Settings, read: Callable[[str], bytes | None]) -> Called:
    """The files that the test commands of the settings call, else those of the usual ones of the proven tree."""
    if settings.suites and not settings.test_command:
        return read_suites(root, settings.suites.values())
    given = [split_command(settings.test_command)] if settings.test_command else usual_commands(read)
    return read_called(root, *given)
