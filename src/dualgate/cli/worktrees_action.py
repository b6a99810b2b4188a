"""The action of worktrees: list them, print the folder of one, remove one and bring it back."""

import os
import shlex
from pathlib import Path

import click

from dualgate.agents.command import local_now
from dualgate.cli.host import our_host
from dualgate.cli.options import settings_from
from dualgate.cli.output import here, say, say_json
from dualgate.cli.outside import require_person
from dualgate.core.values.notation import harmless, in_line, shown
from dualgate.errors import ExitCode, WorktreeRefused
from dualgate.fleet.listing import list_worktrees as list_all
from dualgate.fleet.listing import listed_lines, listed_record
from dualgate.fleet.removing import remove, restore
from dualgate.session.own import settle_killed_run
from dualgate.store.sessions import session_folder
from dualgate.store.worktree_records import WorktreeRecord, WorktreeState, damaged_records, read_records
from dualgate.workspace.linked import read_checkout


def list_worktrees(as_json: bool) -> int:
    main = read_checkout(here()).main
    found, damaged = list_all(main, os.environ), damaged_records(main, os.environ)
    for name in damaged:
        click.echo(f"dualgate: {harmless(str(_damaged(name, damaged[name])))}", err=True)
    if as_json:
        say_json({"worktrees": [listed_record(each) for each in found]})
    else:
        lines = list(listed_lines(found))
        if not lines and not damaged:
            lines = ["There is no worktree. Make one with: dualgate run SPEC.md --worktree"]
        for line in lines:
            say(in_line(line))
    return ExitCode.PROVEN


def show_path(name: str, as_json: bool) -> int:
    record = record_there(name)
    if as_json:
        say_json({"name": name, "path": record.path, "folder": str(record.folder)})
    else:
        say(str(record.folder))
    return ExitCode.PROVEN


def remove_worktree(name: str, force: bool, as_json: bool) -> int:
    record = _asked_for("remove", name)
    if record.root == here() or record.root in here().parents:
        raise WorktreeRefused(
            f"You are in the worktree {name}.", f"Change to the checkout first: cd {record.repository}"
        )
    done = remove(record, settings_from({}).settings, os.environ, local_now(), force, _settle)
    record = done.record
    if as_json:
        say_json(
            {
                "name": name,
                "path": record.path,
                "snapshot": record.snapshot or None,
                "branch": record.branch if done.branch_kept else None,
                "kept": record.kept or None,
                "lost": [shown(path) for path in done.lost],
            }
        )
        return ExitCode.PROVEN
    is_kept = record.is_replaced
    say(f"The worktree {name} is removed: {record.path}{', which is no worktree any more, stays' if is_kept else ''}")
    if done.branch_kept:
        say(f"Its commits stay in the branch {record.branch}.")
    if record.snapshot:
        say(f"Its uncommitted work is kept as snapshot {record.snapshot}.")
    if record.kept:
        say(f"Its commits that no branch has, and its staged changes, are kept as {record.kept}.")
    say(f"Bring it back with: dualgate worktrees restore {name}")
    return ExitCode.PROVEN


def _asked_for(action: str, name: str) -> WorktreeRecord:
    """The record of a worktree that a person asks to change. Raises ControlRefused if a program of a run asks."""
    require_person(f"worktrees {action} {name}")
    record = record_named(name)
    require_person(f"worktrees {action} {name}", session=session_folder(record.folder, os.environ))
    return record


def _settle(project: Path) -> None:
    settle_killed_run(our_host(project), session_folder(project, os.environ))


def restore_worktree(name: str, as_json: bool) -> int:
    record = _asked_for("restore", name)
    done = restore(record, settings_from({}).settings, os.environ, local_now())
    record = done.record
    if as_json:
        told = {"name": name, "path": record.path, "folder": str(record.folder), "branch": record.branch}
        say_json(told | {"notes": list(done.notes)})
    else:
        say("\n".join((f"The worktree {name} is there again: {record.path}", *done.notes)))
    return ExitCode.PROVEN


def record_there(name: str) -> WorktreeRecord:
    """The record of a worktree whose folder is there. Raises WorktreeRefused if it is not."""
    record = record_named(name)
    if record.state is WorktreeState.READY and record.is_replaced:
        raise WorktreeRefused(
            f"{record.path} is no worktree of this repository any more.",
            f"Link it again with 'git worktree repair {shlex.quote(record.path)}', "
            f"or move it away and run: dualgate worktrees restore {name}",
        )
    if record.state is not WorktreeState.READY or not record.folder.is_dir():
        raise WorktreeRefused(
            f"The worktree {name} is not there any more.", f"Bring it back with: dualgate worktrees restore {name}"
        )
    return record


def record_named(name: str) -> WorktreeRecord:
    """The record of a worktree of this repository. Raises WorktreeRefused if there is none."""
    main = read_checkout(here()).main
    found = next((each for each in read_records(main, os.environ) if each.name == name), None)
    if found is None and name in (damaged := damaged_records(main, os.environ)):
        raise _damaged(name, damaged[name])
    if found is None:
        raise WorktreeRefused(f"There is no worktree {name} of this repository.", "List them with: dualgate worktrees")
    return found


def _damaged(name: str, file: Path) -> WorktreeRefused:
    return WorktreeRefused(
        f"The record of the worktree {name} is damaged: {file}.",
        "Delete that file; the folder and the branch stay, and 'git worktree list' shows them.",
    )
