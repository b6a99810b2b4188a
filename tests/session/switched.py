"""A session whose run was killed while it tried another tree in the work tree."""

from dualgate.core.values.suite import TrialStarted
from dualgate.session.host import Host
from dualgate.session.own import open_journal, taken_over
from dualgate.store.sessions import session_folder, snapshot_store
from dualgate.testing import NOW, a_start
from dualgate.workspace.saved import SavedSnapshots
from dualgate.workspace.worktree import WorkTree


def killed_in_trial(host: Host, old: str, work: str) -> str:
    """Leave `old` in code.py of the project, and `work` in a snapshot, whose id is returned."""
    project, code = host.project, host.project / "code.py"
    folder, start = session_folder(project, host.environment), a_start(project=str(project), prp_file="SPEC.md")
    code.write_text(old)
    with (
        taken_over(host, folder) as (lease, _),
        SavedSnapshots(project, snapshot_store(project, host.environment), folder) as saved,
    ):
        worktree = WorkTree(saved, saved.look_anew(), host.now, start.session_id)
        tried = worktree.present
        code.write_text(work)
        left = worktree.leave()
        snapshot = worktree.become(tried, "before a trial of the old tree").kept
        journal = open_journal(folder, lease, host.redactor)
        journal.append(start)
        journal.append(TrialStarted(at=NOW, label="the old tree", tree=left))
    return snapshot
