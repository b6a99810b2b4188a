"""Specifications -> jobs of the queue. Problems are named before anything is added."""

import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from dualgate.core.queue.history import queue_after
from dualgate.core.queue.needs import find_job, new_id
from dualgate.core.queue.reading import Reading, read_relations
from dualgate.core.spec.reading import read_specification
from dualgate.core.values.queue import DEFAULT_PRIORITY, Job, JobAdded, JobRemoved, Queue, QueueEvent
from dualgate.core.values.suggestion import did_you_mean
from dualgate.errors import QueueRefused, SpecError
from dualgate.fleet.queue.readings import Readings, readings_of
from dualgate.session.document import read_document
from dualgate.store.queue_file import QueueFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """The options with which specifications are added."""

    priority: int | None = None
    after: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    agent: str = ""


Taken = Callable[[str, str], Iterable[str]]
"""The path and the text of a specification -> names that its job cannot have, because worktrees hold other work."""


def add_jobs(
    file: QueueFile,
    root: Path,
    specs: Sequence[str],
    options: Added,
    by: str,
    now: Callable[[], datetime],
    taken: Taken = lambda *_: (),
) -> tuple[Queue, tuple[str, ...]]:
    """Add specifications, by their paths seen from the root; returns the queue and the ids of their jobs."""
    ids: list[str] = []

    def made(queue: Queue) -> list[QueueEvent]:
        events: list[QueueEvent] = []
        readings = Readings(root)  # each file is read once, however many are added
        for spec in specs:
            known = _known(queue, readings, root, spec)
            event = _added(queue, known, root, spec, options, by, now(), taken)
            queue = queue_after(queue, event)
            events.append(event)
            ids.append(event.id)
        _require_sound(readings, queue, ids, options.after)
        return events

    return file.change(made), tuple(ids)


def remove_jobs(
    file: QueueFile, root: Path, names: Sequence[str], by: str, now: Callable[[], datetime]
) -> tuple[Queue, tuple[Job, ...]]:
    """Remove jobs by any of their names; returns the queue and the removed jobs."""
    removed: list[Job] = []

    def made(queue: Queue) -> list[QueueEvent]:
        readings = readings_of(root, queue)
        ids = dict.fromkeys(_found(queue, readings, name) for name in names)
        removed.extend(job for job in queue.jobs if job.id in ids)
        return [JobRemoved(at=now(), by=by, id=each) for each in ids]

    return file.change(made), tuple(removed)


def _found(queue: Queue, readings: dict[str, Reading], name: str) -> str:
    found = find_job(queue.jobs, readings, name)
    if found.shared:
        raise QueueRefused(f"{found.shared[0]}.", "'dualgate queue list' lists them.")
    if not found.jobs:
        meant = did_you_mean(name, (job.id for job in queue.jobs))
        raise QueueRefused(f"There is no job '{name}' in the queue.", f"{meant}'dualgate queue list' lists them.")
    return found.jobs[0]


def _added(
    queue: Queue,
    known: Job | None,
    root: Path,
    spec: str,
    options: Added,
    by: str,
    at: datetime,
    taken: Taken,
) -> JobAdded:
    text = read_document(root, Path(spec)).text
    title = read_specification(text, spec).title
    before = known.priority if known else DEFAULT_PRIORITY
    return JobAdded(
        at=at,
        by=by,
        id=known.id if known else new_id(spec, title, (*(job.id for job in queue.jobs), *taken(spec, text))),
        spec=spec,
        priority=before if options.priority is None else options.priority,
        after=options.after or (known.after if known else ()),
        done=options.done or (known.done if known else ()),
        words=options.words or (known.words if known else ()),
        agent=options.agent or (known.agent if known else ""),
    )


def _known(queue: Queue, readings: Readings, root: Path, spec: str) -> Job | None:
    """The job of a specification: the one with its path, or with its id if the file of that one is gone."""
    if same := next((job for job in queue.jobs if job.spec == spec), None):
        return same
    spec_id = read_relations(read_document(root, Path(spec)).text).spec_id
    moved = (job for job in queue.jobs if spec_id and not (root / job.spec).exists())
    return next((job for job in moved if spec_id in (job.id, readings.of(job).spec_id)), None)


def _require_sound(readings: Readings, queue: Queue, ids: Sequence[str], after: Sequence[str]) -> None:
    problems = readings.needs(queue).problems
    for each in ids:
        if text := problems.get(each):
            raise QueueRefused(f"{each} cannot be added: {text}", _way_on(text, after))


def _way_on(problem: str, after: Sequence[str]) -> str:
    """The next step. A list after the option is one name, since names of files can have commas."""
    if given := next((each for each in after if "," in each and f"'{each}'" in problem), ""):
        names = filter(None, map(str.strip, given.split(",")))
        return f"Give the option again for each job: {' '.join(f'--after {shlex.quote(name)}' for name in names)}"
    return "Change what it names, add what it needs in the same call, or say that it is merged: --done NAME."


def require_readable(root: Path, spec: str) -> None:
    """Raise SpecError if a specification is not a file of the repository."""
    if not (root / spec).is_file():
        raise SpecError(f"There is no file {spec}.", "Give the path of a specification in this repository.")
