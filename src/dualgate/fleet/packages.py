"""The installed packages of a checkout in a worktree: environments are shared, Node packages linked, others copied."""

import shutil
from pathlib import Path

from dualgate.fleet.sharing import is_shareable, leads_into, share_environment
from dualgate.store.worktree_records import WorktreeRecord
from dualgate.workspace.checkouts import link_packages


def install_packages(record: WorktreeRecord) -> None:
    """Give a worktree the packages of the checkout. Whatever is installed in the worktree later stays in it."""
    origin, root = Path(record.origin), record.root
    for path, source in record.shared.items():
        if not (root / path).exists() and (is_shareable(Path(source)) or leads_into(Path(source), origin)):
            share_environment(Path(source), root / path, origin, root)
    for path in record.linked:
        if not (root / path).exists() and (origin / path).is_dir():
            link_packages(origin, root, path)
    for path in record.duplicated:
        if not (root / path).exists() and (origin / path).is_dir():
            shutil.copytree(origin / path, root / path, symlinks=True)
