"""Jobs and their readings -> which job needs which. Unknown names and cycles are problems of the jobs they concern."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter

from dualgate.core.queue.names import Meant, Names
from dualgate.core.queue.reading import Reading
from dualgate.core.values.naming import work_name
from dualgate.core.values.queue import Job

_NOTHING = Reading()


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    by_job: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """For each job the ids of the jobs that must be proven before it starts."""
    problems: Mapping[str, str] = field(default_factory=dict)
    """Jobs that cannot start, with the reason."""


def needs_of(jobs: Sequence[Job], readings: Mapping[str, Reading]) -> Needs:
    """The needs of each job: names that a person gave, those in its text, and those of texts that name it."""
    names = Names(jobs, readings)
    found: dict[str, dict[str, None]] = {job.id: {} for job in jobs}
    problems: dict[str, dict[str, None]] = {}
    for job in jobs:
        read = readings.get(job.id, _NOTHING)
        meant = [names.find(name) for name in _not_done(job, job.after)]
        meant += [names.declared(name, job) for name in _not_done(job, read.needs)]
        wrong = [read.problem] if read.problem else []
        wrong += [text for each in meant for text in names.problems(each)]
        if wrong:
            problems.setdefault(job.id, {}).update(dict.fromkeys(wrong))
        mentioned = (each for name in read.mentioned for each in names.mentioned(name, job))
        found[job.id] |= dict.fromkeys((*(each for one in meant for each in one.jobs), *mentioned))
        for name in (*read.blocks, *read.blocks_mentioned):
            for blocked in names.mentioned(name, job):
                found[blocked][job.id] = None
    done = {job.id: {job.id, *(each for name in job.done for each in names.find(name).jobs)} for job in jobs}
    by_job = {each_id: tuple(each for each in needed if each not in done[each_id]) for each_id, needed in found.items()}
    for circle in _circles(by_job):
        for each_id in circle:
            problems.setdefault(each_id, {})[f"these jobs need each other: {', '.join(circle)}"] = None
    return Needs(by_job=by_job, problems={each_id: "; ".join(texts) for each_id, texts in problems.items()})


def new_id(spec: str, title: str, taken: Iterable[str]) -> str:
    """An id for a specification: the name of its work, with a number if that is taken."""
    name, used = work_name(spec, title), {_key(each) for each in taken}
    names = (name, *(f"{name}-{number}" for number in range(2, len(used) + 3)))
    return next(each for each in names if _key(each) not in used)


def find_job(jobs: Sequence[Job], readings: Mapping[str, Reading], name: str) -> Meant:
    """The job that a name stands for: an id, a spec id, a path, the name of a file, or a title."""
    return Names(jobs, readings).find(name)


def _not_done(job: Job, names: Iterable[str]) -> Iterator[str]:
    """Names without those that a person says are done."""
    done = {_key(name) for name in job.done}
    return (name for name in names if not done & {_key(name), _key(name.strip("`")), *map(_key, name.split()[:1])})


def _key(name: str) -> str:
    return name.casefold().removeprefix("./")


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
