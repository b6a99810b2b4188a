"""Name the worktrees with sessions of a repository, to a person who looks for a session in the checkout."""

import os
from collections.abc import Iterator

from dualgate.cli.output import here
from dualgate.core.values.notation import listed
from dualgate.processes.worktrees import main_work_tree, nearest_repository
from dualgate.store.archive import has_journal
from dualgate.store.owners import is_owned
from dualgate.store.sessions import session_folder
from dualgate.store.worktree_records import WorktreeRecord, WorktreeState, read_records


def worktree_hint() -> str:
    """The worktrees of this repository in which a run is active, with the way to them; empty if there is none."""
    names = [each.name for each in _others() if is_owned(each.folder)]
    return f"A run works in the worktree {listed(names)}: dualgate status --worktree {names[0]}" if names else ""


def session_hint() -> str:
    """The same; without an active run, the worktrees whose session has ended or waits, the last one first."""
    if running := worktree_hint():
        return running
    found = [each for each in _others() if has_journal(session_folder(each.folder, os.environ))]
    names = [each.name for each in sorted(found, key=lambda each: each.made, reverse=True)]
    return f"The worktree {listed(names)} has a session: dualgate status --worktree {names[0]}" if names else ""


def _others() -> Iterator[WorktreeRecord]:
    """The worktrees of this repository that are there, without the one of this folder."""
    project = here()
    root = nearest_repository(project)
    for each in read_records(main_work_tree(root) or root, os.environ) if root else []:
        if each.folder != project and each.state is WorktreeState.READY and each.folder.is_dir():
            yield each
