"""A session of a host that begins: the commit and the tree that its stops are compared with. Imports are few."""

from collections.abc import Mapping

from dualgate.hooks.opting import has_opted_in
from dualgate.hooks.origin import Payload, project_of, session_of
from dualgate.processes.worktrees import nearest_repository
from dualgate.store.hook_records import clear_old, read_record, record_of, write_record
from dualgate.workspace.tree_key import head_of, tree_key


def remember_start(payload: Payload, environment: Mapping[str, str]) -> None:
    """Record where a session begins. A session that is resumed keeps its first record."""
    session = session_of(payload)
    root = nearest_repository(project_of(payload, environment))
    if not session or root is None or not has_opted_in(root):
        return
    path = record_of(session, environment)
    clear_old(environment)
    if not read_record(path):
        write_record(path, {"root": str(root), "base": head_of(root), "tree": tree_key(root)})
