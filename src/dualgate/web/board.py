"""The shared parts of every endpoint: the sessions, the stream, and the surroundings of this server."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from dualgate.core.secrets.redaction import Redactor
from dualgate.web.admission import Rules
from dualgate.web.feed import Feed
from dualgate.web.register import Register
from dualgate.web.watching import PACE, Pace, Watcher


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    register: Register
    feed: Feed
    watcher: Watcher
    rules: Rules
    environment: Mapping[str, str]
    redactor: Redactor
    now: Callable[[], datetime]


def make_board(
    rules: Rules,
    environment: Mapping[str, str],
    redactor: Redactor,
    now: Callable[[], datetime],
    folders: Sequence[Path] = (),
    pace: Pace = PACE,
) -> Board:
    """Call this in the event loop that serves."""
    register, feed = Register(environment, redactor, folders), Feed()
    return Board(
        register=register,
        feed=feed,
        watcher=Watcher(register, feed, pace),
        rules=rules,
        environment=environment,
        redactor=redactor,
        now=now,
    )
