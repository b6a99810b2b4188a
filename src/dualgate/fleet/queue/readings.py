"""The specifications of a queue, as their files are now -> the relations and the problems of each."""

from pathlib import Path

from dualgate.core.queue.needs import Needs, needs_of
from dualgate.core.queue.reading import Reading, read_relations
from dualgate.core.values.queue import Job, JobState, Queue
from dualgate.errors import SpecError
from dualgate.session.document import read_document
from dualgate.store.atomic import marks_of


class Readings:
    """Reads the files of specifications, each again only if it changed."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[str, tuple[tuple[int, ...], Reading]] = {}
        self._needs: tuple[object, Needs] | None = None

    def needs(self, queue: Queue) -> Needs:
        """The needs of all jobs, found again only if a job or a file changed: a queue asks twice a second."""
        read = {job.id: self.of(job) for job in queue.jobs}
        given = tuple((job.id, job.spec, job.after, job.done, read[job.id]) for job in queue.jobs)
        if self._needs is None or self._needs[0] != given:
            self._needs = given, needs_of(queue.jobs, read)
        return self._needs[1]

    def of(self, job: Job) -> Reading:
        """The relations of a job. A specification that is missing is a problem only before its job has started."""
        try:
            marks = marks_of((self._root / job.spec).stat())
            known = self._known.get(job.spec)
            if known is None or known[0] != marks:
                text = read_document(self._root, Path(job.spec)).text
                known = self._known[job.spec] = (marks, read_relations(text))
        except (OSError, SpecError):
            if job.starts and job.state is not JobState.FAILED:
                return Reading()
            return Reading(problem=f"its specification {job.spec} is missing or cannot be read")
        return known[1]


def readings_of(root: Path, queue: Queue) -> dict[str, Reading]:
    readings = Readings(root)
    return {job.id: readings.of(job) for job in queue.jobs}


def current_needs(root: Path, queue: Queue) -> Needs:
    return Readings(root).needs(queue)
