"""Tree, command, environment and selected tests -> the cached result of their test run."""

import os
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from dualgate.core.values.suite import SuiteReport
from dualgate.processes.private import make_private, open_private

FORMAT = "1"
ENTRIES_KEPT = 200


class ResultCache:
    """Complete, trusted runs in a folder. Never raises: an unreadable or unwritable entry is a cache miss."""

    def __init__(self, folder: Path, limit: int = ENTRIES_KEPT) -> None:
        self._folder = folder
        self._limit = limit

    def find(self, tree: str, command: Sequence[str], environment: str, only: Sequence[str] = ()) -> SuiteReport | None:
        import msgspec

        path = self._folder / _key(tree, command, environment, only)
        try:
            report = msgspec.json.decode(path.read_bytes(), type=SuiteReport)
            os.utime(path)
        except (OSError, ValueError, RecursionError):
            return None
        # a file whose content does not match its name was not written by this cache
        said = (report.tree, report.command, report.environment, frozenset(report.only))
        return report if said == (tree, tuple(command), environment, frozenset(only)) and _is_evidence(report) else None

    def keep(self, report: SuiteReport) -> bool:
        """Cache a complete, trusted run, and delete the least recently used. Returns whether it was cached."""
        import msgspec

        if not _is_evidence(report):
            return False
        path = self._folder / _key(report.tree, report.command, report.environment, report.only)
        try:
            make_private(self._folder)
            part = path.with_name(f".{path.name}.{os.getpid()}")
            with open(part, "wb", opener=open_private) as file:
                file.write(msgspec.json.encode(report))
            part.replace(path)
        except (OSError, UnicodeEncodeError):
            return False
        self._make_room()
        return True

    def _make_room(self) -> None:
        with suppress(OSError):
            entries = sorted(self._folder.iterdir(), key=lambda path: path.stat().st_mtime_ns, reverse=True)
            for path in entries[self._limit :]:
                path.unlink()


def _is_evidence(report: SuiteReport) -> bool:
    """Whether a run can be reused: it is trusted and complete, and its tree and environment are known."""
    return report.trusted and report.complete and bool(report.tree and report.environment)


def _key(tree: str, command: Sequence[str], environment: str, only: Sequence[str]) -> str:
    words = ("\0".join(each) for each in ((FORMAT, tree, environment), command, sorted(set(only))))
    return sha256("\0\0".join(words).encode("utf-8", "backslashreplace")).hexdigest()
