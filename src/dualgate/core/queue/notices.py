"""A moment of a queue -> the JSON object that webhooks and commands receive."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from dualgate.core.queue.document import queue_schema
from dualgate.core.values.queue import Queue
from dualgate.core.values.shapes import MOMENT, SOME_TEXT, Schema, closed, list_of, words
from dualgate.core.values.vocabulary import QUEUE_MOMENTS, Moment

FORMAT = 1


def queue_notice_document(
    moment: Moment, lines: Sequence[str], at: datetime, project: str, queue: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "moment": moment.value,
        "text": f"dualgate: {lines[0]}",
        "lines": list(lines),
        "at": at.isoformat(),
        "project": project,
        "queue": dict(queue),
    }


def queue_notice_schema() -> Schema:
    return closed(
        {
            "format": {"const": FORMAT},
            "moment": words(sorted(QUEUE_MOMENTS)),
            "text": SOME_TEXT,
            "lines": list_of(SOME_TEXT),
            "at": MOMENT,
            "project": SOME_TEXT,
            "queue": queue_schema(),
        }
    )


def moment_of_end(interrupted: bool, spent: str) -> Moment | None:
    """The moment at which a run of the queue ended; None if a person stopped it, who knows."""
    if interrupted:
        return None
    return Moment.QUEUE_PAUSED if spent else Moment.QUEUE_ENDED


def is_news(before: Queue, after: Queue) -> bool:
    """Whether a run of the queue changed anything: a service may start one again and again with a spent budget."""
    if not after.jobs:
        return False
    was, now = ([(job.id, job.state, job.starts, job.reason) for job in each.jobs] for each in (before, after))
    return was != now or before.ended != after.ended
