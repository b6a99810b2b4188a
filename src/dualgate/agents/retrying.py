"""The log of a CLI at work -> the limit into which it retries by itself, so that the call can be ended early.

A CLI that sits out a limit says nothing on standard output, and may sit there for hours.
"""

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from dualgate.agents.limits import limit_in
from dualgate.core.values.answer import LIMITS, Failure

__all__ = ["Log", "RetryWatch"]

LogReader = Callable[[str], Iterable[str]]
"""The text of a log -> the errors of the attempts in it, oldest first."""
ATTEMPTS = 2
"""Attempts in a row that end at a limit, after which the next one is left to the loop."""
SOON = timedelta(seconds=30)
"""A limit that ends later than this is not sat out by the CLI."""
LOG_READ = 256 << 10
OPENING = 64 << 10
SESSION = re.compile(rb'"session_id": ?"([0-9a-f-]{36})"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """The place where a CLI logs its attempts: on standard error, or in a file of its session below `folder`."""

    errors: LogReader
    folder: Path | None = None

    def watch(self, stdout: Path, stderr: Path, now: Callable[[], datetime]) -> "RetryWatch":
        folder = self.folder
        return RetryWatch(self.errors, (lambda: _file_of(stdout, folder)) if folder else lambda: stderr, stdout, now)


def _file_of(stdout: Path, folder: Path) -> Path | None:
    session = _session_in(stdout)
    return folder / f"{session}.txt" if session else None


class RetryWatch:
    """Reads what a log says since the last sign of progress on standard output."""

    def __init__(
        self, errors: LogReader, log: Callable[[], Path | None], stdout: Path, now: Callable[[], datetime]
    ) -> None:
        self._errors = errors
        self._log = log
        self._stdout = stdout
        self._now = now
        self._heard = self._since = self._seen = 0

    def limit(self) -> Failure | None:
        """The limit that the CLI retries into; None as long as it makes progress, or may soon."""
        log = self._log()
        size, heard = (_size(log) if log else 0), _size(self._stdout)
        if heard != self._heard:
            # what the log said since the last look may have come after it
            self._heard, self._since = heard, self._seen
        if log is None or size == self._seen:
            return None
        self._seen = size
        return self._judge(_read_from(log, max(self._since, size - LOG_READ)))

    def _judge(self, text: str) -> Failure | None:
        now = self._now()
        met = [(said, named) for said in self._errors(text) if (named := limit_in(said, now)) and named.kind in LIMITS]
        if not met:
            return None
        said, named = met[-1]
        is_long = named.resets_at is not None and named.resets_at - now > SOON
        if len(met) < ATTEMPTS and not is_long:
            return None
        return Failure(kind=named.kind, message=said, resets_at=named.resets_at)


def _session_in(stdout: Path) -> str | None:
    """The session that a CLI names at the beginning of its output."""
    with suppress(OSError), stdout.open("rb") as file:
        found = SESSION.search(file.read(OPENING))
        return found[1].decode() if found else None
    return None


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _read_from(path: Path, place: int) -> str:
    with suppress(OSError), path.open("rb") as file:
        file.seek(place)
        return file.read(LOG_READ).decode("utf-8", "replace")
    return ""
