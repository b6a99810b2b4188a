"""Jobs and their readings -> which job needs which. Unknown names and cycles are problems of the jobs they concern."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter

from dualgate.core.queue.reading import Reading
from dualgate.core.values.naming import work_name
from dualgate.core.values.queue import Job
from dualgate.core.values.suggestion import did_you_mean

_NOTHING = Reading()


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    by_job: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """For each job the ids of the jobs that must be proven before it starts."""
    problems: Mapping[str, str] = field(default_factory=dict)
    """Jobs that cannot start, with the reason."""


def needs_of(jobs: Sequence[Job], readings: Mapping[str, Reading]) -> Needs:
    """The needs of each job: names that a person gave, those in its text, and those of texts that name it."""
    names = _names(jobs, readings)
    found: dict[str, dict[str, None]] = {job.id: {} for job in jobs}
    problems: dict[str, list[str]] = {}
    for job in jobs:
        read = readings.get(job.id, _NOTHING)
        if read.problem:
            problems.setdefault(job.id, []).append(read.problem)
        for name in _required(job, read):
            if (needed := names.get(_key(name))) is None:
                problems.setdefault(job.id, []).append(_unknown(name, names))
            else:
                found[job.id][needed] = None
        found[job.id] |= {each_id: None for name in read.mentioned if (each_id := names.get(_key(name)))}
        for name in (*read.blocks, *read.blocks_mentioned):
            if (blocked := names.get(_key(name))) is not None:
                found[blocked][job.id] = None
    by_job = {each_id: tuple(each for each in needed if each != each_id) for each_id, needed in found.items()}
    for circle in _circles(by_job):
        for each_id in circle:
            problems.setdefault(each_id, []).append(f"these jobs need each other: {', '.join(circle)}")
    return Needs(by_job=by_job, problems={each_id: "; ".join(texts) for each_id, texts in problems.items()})


def new_id(spec: str, title: str, taken: Iterable[str]) -> str:
    """An id for a specification: the name of its work, with a number if that is taken."""
    name, used = work_name(spec, title), {_key(each) for each in taken}
    names = (name, *(f"{name}-{number}" for number in range(2, len(used) + 3)))
    return next(each for each in names if _key(each) not in used)


def find_job(jobs: Sequence[Job], readings: Mapping[str, Reading], name: str) -> str | None:
    """The id of the job that a name stands for: an id, a spec id, a path, or the name of a file."""
    return _names(jobs, readings).get(_key(name))


def _required(job: Job, read: Reading) -> Iterator[str]:
    done = {_key(name) for name in job.done}
    yield from (name for name in (*job.after, *read.needs) if _key(name) not in done)


def _names(jobs: Sequence[Job], readings: Mapping[str, Reading]) -> dict[str, str]:
    """All names of all jobs. A name of two jobs stands for the first one that has it in the better way."""
    ways = (
        lambda job: job.id,
        lambda job: readings.get(job.id, _NOTHING).spec_id,
        lambda job: job.spec,
        lambda job: job.spec.rpartition("/")[2],
        lambda job: _stem(job.spec),
    )
    found: dict[str, str] = {}
    for way in ways:
        for job in jobs:
            if name := way(job):
                found.setdefault(_key(name), job.id)
    return found


def _stem(spec: str) -> str:
    name = spec.rpartition("/")[2]
    return name.rpartition(".")[0] or name


def _key(name: str) -> str:
    return name.casefold().removeprefix("./")


def _unknown(name: str, names: Iterable[str]) -> str:
    return f"it needs '{name}', which is not in the queue. {did_you_mean(name, names)}".rstrip()


def _circles(needs: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """Jobs that need each other, in circles that have no job in common."""
    left = dict(needs)
    while True:
        try:
            TopologicalSorter(left).prepare()
        except CycleError as found:
            circle = tuple(dict.fromkeys(reversed(found.args[1])))
            yield circle
            left = {
                each_id: [each for each in needed if each not in circle]
                for each_id, needed in left.items()
                if each_id not in circle
            }
        else:
            return
