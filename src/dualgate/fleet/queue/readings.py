"""The specifications of a queue, as their files are now -> what each says about the others, and its problems."""

from pathlib import Path

from dualgate.core.queue.needs import Needs, needs_of
from dualgate.core.queue.reading import Reading, read_relations
from dualgate.core.values.queue import Job, JobState, Queue
from dualgate.errors import SpecError
from dualgate.session.document import read_document


def read_job(root: Path, job: Job) -> Reading:
    """The relations of a job. A specification that is missing is a problem only before its job has started."""
    try:
        text = read_document(root, Path(job.spec)).text
    except SpecError as error:
        is_begun = job.state is not JobState.QUEUED and job.state is not JobState.FAILED
        return Reading() if is_begun else Reading(problem=f"its specification is missing: {error.message}")
    return read_relations(text, job.spec)


def readings_of(root: Path, queue: Queue) -> dict[str, Reading]:
    return {job.id: read_job(root, job) for job in queue.jobs}


def current_needs(root: Path, queue: Queue) -> Needs:
    return needs_of(queue.jobs, readings_of(root, queue))
