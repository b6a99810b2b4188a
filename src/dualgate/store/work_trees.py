"""A project -> the session folders of its work trees: its own, and those of the worktrees that dualgate made."""

from collections.abc import Mapping
from pathlib import Path

from dualgate.processes.worktrees import LINK, main_work_tree
from dualgate.store.sessions import session_folder
from dualgate.store.worktree_records import read_records


def session_folders(project: Path, environment: Mapping[str, str]) -> tuple[Path, ...]:
    """The session folder of a project, then those of the same project in other work trees, removed ones too."""
    own = session_folder(project, environment)
    root = next((each for each in (project, *project.parents) if (each / LINK).exists()), None)
    if root is None or environment.get("PRP_SESSION_DIR"):
        return (own,)
    main, inside = main_work_tree(root) or root, project.relative_to(root)
    made = [each.folder for each in read_records(main, environment) if Path(each.project) == inside]
    return tuple(dict.fromkeys((own, *(session_folder(each, environment) for each in (main / inside, *made)))))
