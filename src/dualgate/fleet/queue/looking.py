"""The queue of a repository as it is now, by the journals of its jobs. Nothing is written, started or stopped."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from dualgate.core.queue.document import Row, queue_rows
from dualgate.core.queue.history import queue_after
from dualgate.core.queue.planning import Plan, Policy, plan
from dualgate.core.secrets.redaction import Redactor
from dualgate.core.values.queue import JobState, Queue
from dualgate.errors import JournalDamaged
from dualgate.fleet.queue.observing import Observer, is_running
from dualgate.fleet.queue.readings import current_needs
from dualgate.fleet.queue.repository import Repository


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    queue: Queue
    rows: tuple[Row, ...]
    plan: Plan


def look_at(
    queue: Queue, repository: Repository, environment: Mapping[str, str], redactor: Redactor, now: datetime
) -> View:
    alive = [job.id for job in queue.jobs if is_running(repository.main, job, environment)]
    queue = _observed(queue, Observer(repository.main, environment, redactor), alive, now)
    needs = current_needs(repository.project, queue)
    planned = plan(queue.jobs, needs, Policy(), now, alive)
    return View(queue=queue, rows=queue_rows(queue, needs, planned, alive), plan=planned)


def _observed(queue: Queue, observer: Observer, alive: list[str], now: datetime) -> Queue:
    """The queue with its jobs as their sessions are; a job that the queue paused for a limit stays as it is."""
    for job in queue.jobs:
        if not job.starts:
            continue
        try:
            found = observer.stood(job, job.id in alive, now)
        except JournalDamaged:
            continue
        if found and not (found.state is JobState.PAUSED and job.state is JobState.WAITING):
            queue = queue_after(queue, found)
    return queue
