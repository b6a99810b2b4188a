"""Remove Python's bytecode of restored files: it matches any source of the same size and second."""

from collections.abc import Iterable
from contextlib import suppress
from glob import escape
from pathlib import Path, PurePosixPath

CACHE = "__pycache__"


def forget_bytecode(root: Path, paths: Iterable[str]) -> None:
    """Remove the bytecode of these paths. No link is followed."""
    for path in paths:
        source = PurePosixPath(path)
        folder = root / source.parent / CACHE
        if source.suffix != ".py" or any(each.is_symlink() for each in (folder, *folder.parents)[: len(source.parts)]):
            continue
        with suppress(OSError):
            for bytecode in [*folder.glob(f"{escape(source.stem)}.*.pyc")]:
                bytecode.unlink()
