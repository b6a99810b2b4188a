"""The shared parts of every endpoint: the sessions, the stream, and the surroundings of this server."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from dualgate.core.secrets.redaction import Redactor
from dualgate.store.sessions import SNAPSHOTS
from dualgate.web.admission import Counter, Rules
from dualgate.web.feed import Feed
from dualgate.web.register import Entry, Register
from dualgate.web.stories import Stories
from dualgate.web.streaming import MOST_STREAMS, Streams
from dualgate.web.watching import PACE, Pace, Watcher

if TYPE_CHECKING:
    from dualgate.session.reporting import ReportSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    register: Register
    feed: Feed
    watcher: Watcher
    stories: Stories
    streams: Streams
    rules: Rules
    counter: Counter
    environment: Mapping[str, str]
    redactor: Redactor
    now: Callable[[], datetime]

    def environment_of(self, entry: Entry) -> dict[str, str]:
        """The environment of commands that reach a session: its snapshots may be beside it or in the home folder."""
        kept = {name: value for name, value in self.environment.items() if name != "PRP_SESSION_DIR"}
        return kept | ({"PRP_SESSION_DIR": str(entry.top)} if (entry.top / SNAPSHOTS).exists() else {})

    def source_of(self, entry: Entry) -> "ReportSource":
        from dualgate.session.reporting import ReportSource  # the overview needs no report

        return ReportSource(
            folder=entry.folder,
            project=Path(entry.seen.summary.project),
            environment=self.environment_of(entry),
            redactor=self.redactor,
            archived=entry.archived,
        )


def make_board(
    rules: Rules,
    environment: Mapping[str, str],
    redactor: Redactor,
    now: Callable[[], datetime],
    folders: Sequence[Path] = (),
    pace: Pace = PACE,
    most_streams: int = MOST_STREAMS,
) -> Board:
    """Call this in the event loop that serves."""
    register, feed = Register(environment, redactor, folders), Feed()
    return Board(
        register=register,
        feed=feed,
        watcher=Watcher(register, feed, pace),
        stories=Stories(redactor),
        streams=Streams(feed, most_streams),
        rules=rules,
        counter=Counter(),
        environment=environment,
        redactor=redactor,
        now=now,
    )
