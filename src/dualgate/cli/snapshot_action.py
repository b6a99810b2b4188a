"""The action of snapshot: save the work tree, compare, restore, and delete old snapshots."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from dualgate.agents.command import local_now
from dualgate.cli.host import our_host
from dualgate.cli.options import settings_from
from dualgate.cli.output import here, say, say_document, say_json
from dualgate.cli.outside import require_person
from dualgate.core.values.notation import in_line, shown
from dualgate.core.values.vocabulary import Status
from dualgate.display.snapshots import change_lines, change_record, listing, sized, snapshot_record
from dualgate.errors import SessionMissing, SettingError
from dualgate.session.own import settle_killed_run
from dualgate.store.account import read_account
from dualgate.store.lease import undisturbed
from dualgate.store.sessions import session_folder, snapshot_store
from dualgate.workspace.catalog import NOTHING_NEEDED, Needed, Policy, Snapshot
from dualgate.workspace.differences import LENGTH_SHOWN, LINES_SHOWN, REVIEW_LENGTH, REVIEW_LINES, diff_of, mode_diff
from dualgate.workspace.saved import SavedSnapshots, chosen
from dualgate.workspace.trees import Change, difference


def open_saved() -> SavedSnapshots:
    project = here()
    largest = settings_from({}).settings.snapshots.largest_kept
    return SavedSnapshots(
        project, snapshot_store(project, os.environ), session_folder(project, os.environ), largest=largest
    )


def save_snapshot(label: str, as_json: bool) -> int:
    with open_saved() as kept:
        looked = kept.look_anew()
        made = kept.save(label or "saved by hand", local_now(), snapshots=looked)
    if as_json:
        say_json(snapshot_record(made) | {"unkept": [shown(path) for path in looked.unkept]})
        return 0
    say(f"Snapshot {made.id} is kept. Have it back with: dualgate snapshot restore {made.id}")
    for path in looked.unkept:
        say(f"  known, but not kept (too large or unreadable): {in_line(path)}")
    return 0


def list_snapshots(as_json: bool) -> int:
    with open_saved() as kept:
        held, size = kept.catalog.all(), kept.objects.size()
    if as_json:
        say_json({"snapshots": [snapshot_record(each) for each in held], "bytes": size})
    else:
        say(listing(held, size))
    return 0


def compare(before: str, after: str | None, patch: bool, path: str | None, as_json: bool) -> int:
    wanted = seen_from_root(path) if path is not None else None
    with open_saved() as kept:
        changed = _changes(kept, kept.catalog.find(before), after)
        if wanted is not None:
            changed = [each for each in changed if each[0] == wanted]
        if as_json:
            say_json(change_record(difference(changed)))
            return 0
        if wanted is None or not changed:
            _say_all(tuple(change_lines(difference(changed))) or ("Nothing changed.",))
        bounds = (LINES_SHOWN, LENGTH_SHOWN) if wanted is None else (REVIEW_LINES, REVIEW_LENGTH)
        for name, was, now in changed if patch or wanted is not None else ():
            say_document(diff_of(shown(name), kept.content(was), kept.content(now), *bounds) or mode_diff(was, now))
    return 0


def _changes(kept: SavedSnapshots, before: Snapshot, after: str | None) -> list[Change]:
    if after is not None:
        return kept.between(before, kept.catalog.find(after))
    snapshots = kept.seen_once_as(before)
    return list(snapshots.changes(before.tree, snapshots.take()))


def show_snapshot(name: str, path: str | None, as_json: bool) -> int:
    with open_saved() as kept:
        found = kept.catalog.find(name)
        snapshots = kept.seen_as(found)
        if path is not None:
            return _print_file(kept, found, path)
        entries = dict(snapshots.entries(found.tree)) | dict(kept.catalog.rest(found).files)
    if as_json:
        files = [
            {"path": shown(path), "mode": f"{entry.mode:o}", "digest": entry.digest, "kept": entry.is_kept}
            for path, entry in sorted(entries.items())
        ]
        say_json(snapshot_record(found) | {"files": files})
    else:
        _say_all([f"{found.label}, {found.at:%Y-%m-%d %H:%M:%S}", *map(in_line, sorted(entries))])
    return 0


def _print_file(kept: SavedSnapshots, found: Snapshot, path: str) -> int:
    name = seen_from_root(path)
    entry = kept.seen_as(found).entry(found.tree, name) or kept.catalog.rest(found).files.get(name)
    if entry is None or not entry.is_kept:
        problem = "is not in it" if entry is None else "was too large to keep, or could not be read"
        raise SettingError(f"'{path}' {problem} (snapshot {found.id}).", f"See 'dualgate snapshot show {found.id}'.")
    for piece in kept.objects.pieces(entry.digest):
        sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()
    return 0


def give_back(name: str, paths: Sequence[str], yes: bool, as_json: bool) -> int:
    require_person(f"snapshot restore {name}")
    named = [seen_from_root(path) for path in paths]
    with open_saved() as kept:
        kept.catalog.find(name)  # an unknown name changes nothing
    # first: a later command would restore the work of a killed step over what the person restores
    settle_killed_run(our_host(), session_folder(here(), os.environ))
    with open_saved() as kept, undisturbed(kept.root):
        target = kept.catalog.find(name)
        if not (yes or as_json) and sys.stdin.isatty() and sys.stdout.isatty():
            _confirm(kept, target, named)
        returned = kept.restore(target, named, local_now())
    record = returned.restored
    if as_json:
        failed = [{"path": shown(path), "reason": reason} for path, reason in record.failed.items()]
        undo = {"undo": returned.before.id, "undo_command": f"dualgate snapshot restore {returned.before.id}"}
        say_json({"id": target.id, "restored": [shown(path) for path in record.done], "failed": failed} | undo)
    else:
        _say_restored(target, returned.before, len(record.done), record.failed)
    return 1 if record.failed else 0


def _say_restored(target: Snapshot, before: Snapshot, count: int, failed: Mapping[str, str]) -> None:
    files = "1 file is" if count == 1 else f"{count} files are"
    say(f"{files} as in {target.id} again.")
    for path, reason in failed.items():
        say(f"  left as it is: {in_line(path)} ({reason})")
    say(f"Undo with: dualgate snapshot restore {before.id}")


def _confirm(kept: SavedSnapshots, target: Snapshot, paths: Sequence[str]) -> None:
    snapshots = kept.seen_once_as(target)
    found = difference(c for c in snapshots.changes(snapshots.take(), target.tree) if chosen(c[0], paths))
    written = len(found.created) + len(found.modified)
    click.confirm(f"Write {written} and remove {len(found.deleted)} files of {kept.root}?", abort=True)


def prune_snapshots(keep_last: int | None, keep_days: int | None, as_json: bool) -> int:
    require_person("snapshot prune")
    given = {"snapshots.keep_last": keep_last, "snapshots.keep_days": keep_days}
    policy = settings_from(given).settings.snapshots
    with open_saved() as kept, undisturbed(kept.root):
        needed = _needed(session_folder(kept.root, os.environ))
        gone, freed = kept.prune(Policy(keep_last=policy.keep_last, keep_days=policy.keep_days), local_now(), needed)
    if as_json:
        say_json({"pruned": [each.id for each in gone], "bytes_freed": freed})
    else:
        say(f"{len(gone)} snapshots are gone, {sized(freed)} are free again.")
    return 0


def _needed(folder: Path) -> Needed:
    """The snapshots that the present session needs; none if it is completed. A halted session may be reset."""
    try:
        found = read_account(folder).cut_off
    except SessionMissing:
        return NOTHING_NEEDED
    if found.state.status is Status.COMPLETED:
        return NOTHING_NEEDED
    return Needed(session=found.state.session_id, trees=found.trees)


def seen_from_root(path: str) -> str:
    """A user's path relative to the project's root. Raises SettingError if it is outside."""
    project = here()
    inside = os.path.relpath(os.path.normpath(project / path), project)
    if inside.split("/")[0] == "..":
        raise SettingError(f"'{path}' is outside of {project}.", "Give a path inside the project.")
    return inside


def _say_all(lines: Sequence[str]) -> None:
    for line in lines:
        say(line)
