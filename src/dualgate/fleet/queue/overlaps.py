"""Proven jobs -> pairs of them whose branches conflict, so that a person knows before merging them."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

from dualgate.core.values.queue import Job, JobState, Overlap, Queue
from dualgate.fleet.queue.bases import commit_of, conflicts_between, contains, head_of

MOST_PAIRS = 100


def find_overlaps(root: Path, queue: Queue, needs: Mapping[str, Sequence[str]]) -> tuple[Overlap, ...]:
    """Each pair of proven jobs that conflict. A job that started from the work of another cannot conflict with it; a
    pair that a person merged does no more.
    """
    head = head_of(root)
    proven = [job for job in queue.jobs if job.state is JobState.PROVEN and job.branch]
    merged = {job.id for job in proven if contains(root, head, commit_of(root, job.branch))}
    pairs = [
        (one, other)
        for one, other in combinations(proven, 2)
        if not _is_related(one, other, needs) and not merged >= {one.id, other.id}
    ]
    found = ((one, other, conflicts_between(root, one.branch, other.branch)) for one, other in pairs[:MOST_PAIRS])
    return tuple(Overlap(jobs=(one.id, other.id), paths=paths) for one, other, paths in found if paths)


def _is_related(one: Job, other: Job, needs: Mapping[str, Sequence[str]]) -> bool:
    return other.id in _all_needs(one.id, needs) or one.id in _all_needs(other.id, needs)


def _all_needs(job_id: str, needs: Mapping[str, Sequence[str]]) -> set[str]:
    found: set[str] = set()
    left = [job_id]
    while left:
        new = [each for each in needs.get(left.pop(), ()) if each not in found]
        found.update(new)
        left += new
    return found
