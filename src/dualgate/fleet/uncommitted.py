"""The files of a worktree that would be lost with it: changed, new, or copied into it and edited there."""

from pathlib import Path

from dualgate.store.worktree_records import WorktreeRecord
from dualgate.workspace.linked import changed_files, untracked_files


def uncommitted_files(record: WorktreeRecord) -> frozenset[str]:
    new = {*untracked_files(record.root)} - {*record.copied}
    edited = (each for each in record.copied if _is_edited(record.root / each, Path(record.origin) / each))
    return frozenset((*changed_files(record.root), *new, *edited))


def _is_edited(copy: Path, source: Path) -> bool:
    """Whether a copied input is not what it is in the checkout. One that cannot be compared counts as edited."""
    try:
        if copy.stat().st_size != source.stat().st_size:
            return True
        return copy.read_bytes() != source.read_bytes()
    except OSError:
        return copy.exists()
