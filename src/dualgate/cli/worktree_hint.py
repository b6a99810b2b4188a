"""Name the worktrees in which runs of a repository are active, to a person who looks for a run in the checkout."""

import os

from dualgate.cli.output import here
from dualgate.core.values.notation import listed
from dualgate.languages.worktrees import main_work_tree
from dualgate.store.owners import is_owned
from dualgate.store.worktree_records import WorktreeRecord, WorktreeState, read_records
from dualgate.workspace.git import nearest_repository


def worktree_hint() -> str:
    """The worktrees of this repository in which a run is active, with the way to them; empty if there is none."""
    project = here()
    root = nearest_repository(project)
    records = read_records(main_work_tree(root) or root, os.environ) if root else []
    names = [each.name for each in records if each.folder != project and _is_running(each)]
    return f"A run works in the worktree {listed(names)}: dualgate status --worktree {names[0]}" if names else ""


def _is_running(record: WorktreeRecord) -> bool:
    return record.state is WorktreeState.READY and record.folder.is_dir() and is_owned(record.folder)
