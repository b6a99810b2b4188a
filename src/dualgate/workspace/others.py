"""Folders of a work tree that other runs own: nothing in them is ever reverted."""

from collections.abc import Callable, Iterable
from pathlib import Path


class OtherTrees:
    """The folders below a work tree in which another run was seen alive. They stay its own after that run ended."""

    def __init__(self, root: Path, find: Callable[[], Iterable[Path]] = tuple) -> None:
        self._root = root
        self._find = find
        self._seen: tuple[str, ...] = ()

    def look(self) -> None:
        """Look for runs that began since the last look."""
        found = {f"{place.relative_to(self._root).as_posix()}/" for place in self._find()}
        self._seen = tuple(sorted({*self._seen, *found}))

    def own(self, path: str) -> bool:
        return path.startswith(self._seen)
