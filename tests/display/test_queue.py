"""The lines of a queue for people."""

from dualgate.core.queue.document import queue_rows
from dualgate.core.queue.needs import Needs
from dualgate.core.queue.planning import Plan
from dualgate.core.values.queue import Job, JobState, Queue
from dualgate.display.queue import queue_lines


def lines(*jobs: Job) -> list[str]:
    return [line.text for line in queue_lines(queue_rows(Queue(jobs=jobs), Needs(), Plan()))]


def test_a_job_whose_id_does_not_say_its_file_is_shown_with_it() -> None:
    jobs = (
        Job(id="parser", spec="specs/parser.md", number=1),
        Job(id="log-in", spec="log in/requirements.md", number=2, state=JobState.APPROVAL),
    )

    assert lines(*jobs) == [
        "parser  queued              -",
        "log-in  waits for approval  -",
        "    log in/requirements.md",
        "    next: dualgate queue run",
        "2 jobs: 1 queued, 1 waits for approval",
    ]


def test_a_priority_is_shown_unless_it_is_the_default_one() -> None:
    jobs = (
        Job(id="parser", spec="parser.md", number=1, priority=1, branch="dualgate/parser"),
        Job(id="export", spec="export.md", number=2),
    )

    assert lines(*jobs)[:2] == [
        "parser  queued         -  dualgate/parser  priority 1",
        "export  queued         -",
    ]
