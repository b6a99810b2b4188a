"""What guard does: what a phase does not allow of what changed since a snapshot."""

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path

from dualgate.agents.command import local_now
from dualgate.cli.build import guard_patterns
from dualgate.cli.options import settings_from
from dualgate.cli.output import say, say_json
from dualgate.cli.snapshots import shelf
from dualgate.core.commands import split_command
from dualgate.core.vocabulary import Phase
from dualgate.settings import Settings
from dualgate.store.sessions import undisturbed
from dualgate.workspace.guard import AFTER_RED, Freeze
from dualgate.workspace.guarding import Guard, violation
from dualgate.workspace.steering import read_called


def check_changes(phase: Phase, since: str, undo: bool, as_json: bool, flags: Mapping[str, object]) -> int:
    settings = settings_from(flags).settings
    with shelf() as kept, undisturbed(kept.root) if undo else nullcontext():
        proven = kept.catalog.find(since)
        snapshots = kept.seen_as(proven)
        guarding = Guard(kept.root, snapshots)
        after = snapshots.take()
        frozen = proven.tree if phase in AFTER_RED else None
        refused = guarding.check(phase, proven.tree, after, frozen, _freeze(kept.root, settings))
        found = [violation(phase, each) for each in refused]
        if undo and refused:
            kept.keep(snapshots, "before the guard", local_now())
            found = list(guarding.undo(phase, refused).values())
    if as_json:
        say_json({"since": proven.id, "phase": phase.value, "violations": [asdict(each) for each in found]})
    else:
        for each in found:
            say(f"{each.path}: {each.rule}{' (undone)' if each.undone else ''}\n{each.diff}")
        say(f"{len(found)} changes are not allowed in {phase}." if found else f"Nothing that {phase} does not allow.")
    return 1 if found else 0


def _freeze(project: Path, settings: Settings) -> Freeze:
    command = split_command(settings.test_command) if settings.test_command else ()
    called = read_called(project, command)
    return Freeze(all_examples=True, called=called, outputs=settings.guard.outputs, patterns=guard_patterns(settings))
