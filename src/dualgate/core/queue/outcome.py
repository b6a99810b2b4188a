"""Jobs -> the exit code of the queue: 0 only if all are proven, else the code of what needs a person most."""

from collections.abc import Collection, Sequence

from dualgate.core.values.queue import Job, JobState
from dualgate.errors import ExitCode

# what needs a person first
_CODES = (
    (JobState.FAILED, ExitCode.ERROR),
    (JobState.BLOCKED, ExitCode.BLOCKED),
    (JobState.HALTED, ExitCode.HALTED),
    (JobState.LIMITED, ExitCode.RATE_LIMITED),
    (JobState.WAITING, ExitCode.RATE_LIMITED),
    (JobState.NOT_PROVEN, ExitCode.UNPROVEN),
    (JobState.NOT_COMMITTED, ExitCode.UNCOMMITTED),
    (JobState.APPROVAL, ExitCode.PAUSED),
)
_UNFINISHED = frozenset({JobState.QUEUED, JobState.RUNNING, JobState.WAITING, JobState.PAUSED})


def queue_code(jobs: Sequence[Job], blocked: Collection[str], interrupted: bool, spent: str) -> ExitCode:
    """The exit code of a run of the queue; `spent` says why it ended before its jobs did."""
    if interrupted:
        return ExitCode.PAUSED
    states = {job.state for job in jobs}
    if blocked:
        states.add(JobState.BLOCKED)
    if spent and not states.isdisjoint(_UNFINISHED):
        states.add(JobState.HALTED)
    if code := next((code for state, code in _CODES if state in states), None):
        return code
    if all(state is JobState.PROVEN for state in states):
        return ExitCode.UNCOMMITTED if any(job.reason for job in jobs) else ExitCode.PROVEN  # no pull request
    return ExitCode.PAUSED
