"""Run a queue: start what the plan says, watch the journals of the jobs, and pause them when the queue must stop.

Every change is an event of the queue's file before or as it happens, so a killed queue goes on where it was.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from dualgate.core.queue.account import ALL_ENDED
from dualgate.core.queue.budget import Budget
from dualgate.core.queue.history import job_named
from dualgate.core.queue.needs import Needs
from dualgate.core.queue.planning import Plan, Policy, all_waiting, plan
from dualgate.core.values.control import Control
from dualgate.core.values.queue import Job, JobState, JobStood, Queue, QueueEnded, QueueEvent
from dualgate.core.values.vocabulary import Status
from dualgate.errors import DualgateError, Interrupted, JournalDamaged
from dualgate.fleet.queue.budgeting import BudgetOfRun, Opening
from dualgate.fleet.queue.launching import Launcher
from dualgate.fleet.queue.observing import Sessions
from dualgate.fleet.queue.preparing import Begun, Preparing, Submit
from dualgate.fleet.queue.readings import Readings
from dualgate.fleet.queue.starting import Starter
from dualgate.store.queue_file import QueueFile

LOOK_SECONDS = 0.5
"""Between two looks at the jobs. A look that finds their journals unchanged reads little."""
STOP_SECONDS = 60.0
"""Time for the processes of jobs to pause their sessions; then they are killed, which their sessions survive."""
MOST_DEATHS = 2
"""How often a job is started again in one run of the queue after its process was killed."""
INTERRUPTED = "stopped by you"
_REOPENED = frozenset({JobState.FAILED, JobState.BLOCKED})
_EXIT_NEEDS_PERSON = 4
_PAUSED_CODE = 130


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueHost:
    """Everything that a run of the queue gets from its caller."""

    root: Path
    file: QueueFile
    launcher: Launcher
    observer: Sessions
    starter: Starter
    now: Callable[[], datetime]
    wait: Callable[[float], object]
    """Waits for this many seconds; used while jobs are stopped."""
    tell: Callable[[str], None]
    submit: Submit
    """Starts a job, beside the loop or at once."""
    by: str
    pid: int
    all_wait: Callable[[Queue, Needs, Plan], None]
    """Called when every job that could run begins to wait for a limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    policy: Policy
    budget: Budget
    retry: bool = False
    """Whether blocked jobs that need no reset are resumed."""
    new_budget: bool = False
    """Whether the budget begins again, though an earlier run has used a part of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    queue: Queue
    needs: Needs
    plan: Plan
    reason: str
    interrupted: bool = False
    spent: str = ""


def run_queue(host: QueueHost, options: Options, control: Control) -> Ended:
    """Work on the queue until nothing can start any more, a budget is spent, or a person stops it."""
    return _Run(host, options, control).to_the_end()


class _Run:
    def __init__(self, host: QueueHost, options: Options, control: Control) -> None:
        self._host = host
        self._options = options
        self._control = control
        self._held: dict[str, str] = {}
        self._deaths: dict[str, int] = {}
        self._begun: set[str] = set()
        self._reopened: set[str] = set()
        self._known: dict[str, Job] = {}
        self._seen_alive: frozenset[str] = frozenset()
        self._paused_by_queue: set[str] = set()
        self._giving_way: set[str] = set()
        self._budget = BudgetOfRun(host.file, options.budget, options.new_budget, host.now, host.tell)
        self._preparing = Preparing(host.submit, control)
        self._readings = Readings(host.root)
        self._told = ""
        self._all_waited = False

    def to_the_end(self) -> Ended:
        self._look()  # what jobs used before the start, by a person for example, is not of its budget
        self._budget.record_start(self._host.by, self._host.pid)
        self._reopen()
        spent_text, interrupted = "", False
        try:
            spent_text = self._until_over()
        except Interrupted:
            interrupted = True
        except DualgateError:
            self._stop_known()  # nobody would watch their budget
            raise
        self._stop_all()
        reason = INTERRUPTED if interrupted else spent_text or ALL_ENDED
        if self._host.file.forgeries:
            reason += "; a program changed the file of the queue, which was reverted"
        queue = self._host.file.append(QueueEnded(at=self._host.now(), reason=reason))
        needs, planned = self._planned(queue)
        return Ended(queue=queue, needs=needs, plan=planned, reason=reason, interrupted=interrupted, spent=spent_text)

    def _until_over(self) -> str:
        """Returns why the queue ended before its jobs; empty if nothing is left to start."""
        while True:
            self._control.check()
            queue = self._look()
            match self._budget.opening(now := self._host.now()):
                case Opening.OPEN:
                    queue = self._budget.begin_with_hours(queue, now)
                    if reason := self._budget.spent(queue, len(self._alive(queue))):
                        return reason
                    if self._step(queue):
                        return ""
                case Opening.OVER:
                    return f"the hours of the queue ({self._options.budget.hours}) are over"
                case Opening.LATER:
                    self._pause_outside_hours(queue)
                    self._say(self._budget.waits_for_hours(now))
            self._control.wait(LOOK_SECONDS)

    def _pause_outside_hours(self, queue: Queue) -> None:
        """Pause jobs that outlived a killed queue, or that run when the clock is set back."""
        for job in queue.jobs:
            if job.id not in self._paused_by_queue and self._host.launcher.is_alive(job):
                self._paused_by_queue.add(job.id)
                self._begun.discard(job.id)
                self._host.tell(f"{job.id}: paused outside the hours of the queue")
                self._host.launcher.stop(job)

    def _step(self, queue: Queue) -> bool:
        """Start and pause jobs by the plan; returns whether nothing is left to do."""
        needs, planned = self._planned(queue)
        alive = self._alive(queue)
        for each in planned.pause:
            self._give_way(_job(queue, each))
        for each in planned.hold:
            self._hold(_job(queue, each))
        for each in planned.start:
            self._start(queue, _job(queue, each), needs)
        for event in self._preparing.ended():
            self._started(event)
        all_wait = all_waiting(queue.jobs, planned, alive)
        if all_wait and not self._all_waited:
            self._host.all_wait(queue, needs, planned)
        self._all_waited = all_wait
        return planned.is_over and not alive

    def _give_way(self, job: Job) -> None:
        """Pause a job that waits for a limit, whose place another one can use."""
        if job.id not in self._giving_way:
            self._giving_way.add(job.id)
            self._host.tell(f"{job.id}: waits for a limit; its place goes to another job")
            self._host.launcher.stop(job)

    def _hold(self, job: Job) -> None:
        """Pause a job for the reserve of the person. The plan says when it goes on."""
        if job.id not in self._paused_by_queue and job.id not in self._preparing:
            self._paused_by_queue.add(job.id)
            self._begun.discard(job.id)
            self._host.tell(f"{job.id}: paused, because its agent reached your reserve")
            self._host.launcher.stop(job)

    def _start(self, queue: Queue, job: Job, needs: Needs) -> None:
        needed = needs.by_job.get(job.id, ())
        if needed and not job.starts:
            self._host.tell(f"{job.id}: merging and verifying {', '.join(needed)}")
        self._preparing.begin(job.id, lambda control: self._host.starter.start(queue, job, needed, control))

    def _started(self, event: Begun) -> None:
        if isinstance(event, JobStood):
            self._record(event)
            return
        self._begun.add(event.id)
        self._paused_by_queue.discard(event.id)
        self._giving_way.discard(event.id)
        self._reopened.discard(event.id)
        job = job_named(self._host.file.read(), event.id)
        self._host.tell(f"{event.id}: {'resumed' if job and job.starts > 1 else 'started'}")

    def _planned(self, queue: Queue) -> tuple[Needs, Plan]:
        needs = self._readings.needs(queue)
        held = {each: text for each, text in self._held.items() if job_named(queue, each)}
        needs = Needs(by_job=needs.by_job, problems={**held, **needs.problems})
        return needs, plan(queue.jobs, needs, self._options.policy, self._host.now(), self._alive(queue))

    def _alive(self, queue: Queue) -> list[str]:
        """The jobs that ran at the last look; how one stands that ended since is not known before the next look."""
        return [job.id for job in queue.jobs if job.id in self._preparing or job.id in self._seen_alive]

    def _look(self) -> Queue:
        """The queue as it is now, with what changed in the sessions of its jobs; removed jobs are stopped."""
        queue = self._host.file.read()
        self._seen_alive = frozenset(job.id for job in queue.jobs if self._host.launcher.is_alive(job))
        events = [event for job in queue.jobs if (event := self._seen(job, job.id in self._seen_alive))]
        if events:
            for event in events:
                self._tell_standing(event)
            queue = self._host.file.append(*events)
        for gone in self._known.keys() - {job.id for job in queue.jobs}:
            removed = self._known.pop(gone)
            paused = ", and is paused" if self._host.launcher.is_alive(removed) else ""
            self._host.tell(f"{gone}: removed from the queue{paused}")
            self._host.launcher.stop(removed)
        self._known |= {job.id: job for job in queue.jobs}
        return queue

    def _seen(self, job: Job, alive: bool) -> JobStood | None:
        """How a job stands, if that differs from what the queue's file says."""
        if not job.starts or job.id in self._reopened or job.id in self._preparing:
            return None
        if alive and job.id in self._giving_way:
            return None  # it is paused already, or about to be, and waits for the end of its limit
        try:
            found = self._host.observer.stood(job, alive, self._host.now())
        except JournalDamaged as error:
            found = self._failure(job, error.message)
        if not alive:
            found = self._after_end(job, found)
        return found if found and _differs(job, found) else None

    def _after_end(self, job: Job, found: JobStood | None) -> JobStood | None:
        """How a job stands whose process is gone: one that did not end by itself may be started again."""
        code, is_ours = self._host.launcher.exit_code(job), job.id in self._begun
        self._begun.discard(job.id)
        if found is None:
            return self._without_session(job, code) if is_ours or job.state is JobState.RUNNING else None
        if found.state is not JobState.PAUSED:
            return found
        if job.state is JobState.WAITING and job.until:
            return None  # paused by us, for the time of a limit
        if is_ours:
            return self._paused(job, found, code)
        return found

    def _paused(self, job: Job, found: JobStood, code: int | None) -> JobStood:
        """A session that is paused, though the queue did not ask for it."""
        seen = self._host.observer.seen(job)
        is_recorded = seen is not None and seen.state.status is Status.PAUSED
        if code is not None and code not in (_PAUSED_CODE, 0) and code > 0:
            self._held[job.id] = f"it could not be resumed: {self._host.launcher.said(job)}"
        elif is_recorded:
            self._held[job.id] = "a person paused it"
        else:
            self._deaths[job.id] = self._deaths.get(job.id, 0) + 1
            if self._deaths[job.id] > MOST_DEATHS:
                self._held[job.id] = f"its process was killed {self._deaths[job.id]} times"
        return found

    def _without_session(self, job: Job, code: int | None) -> JobStood:
        """A process that ended before it began a session; one of a killed queue is simply started again."""
        if code is None:
            return JobStood(at=self._host.now(), id=job.id, state=JobState.QUEUED)
        if code < 0:
            self._deaths[job.id] = self._deaths.get(job.id, 0) + 1
            if self._deaths[job.id] <= MOST_DEATHS:
                return JobStood(at=self._host.now(), id=job.id, state=JobState.QUEUED)
        failure = self._failure(job, self._host.launcher.said(job) or f"its command exits with {code}")
        return failure if code != _EXIT_NEEDS_PERSON else _as_blocked(failure)

    def _failure(self, job: Job, reason: str) -> JobStood:
        return JobStood(at=self._host.now(), id=job.id, state=JobState.FAILED, reason=reason, use=job.use)

    def _reopen(self) -> None:
        """Before the first step: what an earlier run could not start or resume is tried once more."""
        host = self._host

        def reopened(queue: Queue) -> list[QueueEvent]:
            found: list[QueueEvent] = []
            for job in queue.jobs:
                is_open = job.state in _REOPENED and not (job.starts and _has_session(host.observer, job))
                resumes = job.state not in (JobState.QUEUED, JobState.PROVEN, JobState.NOT_PROVEN)
                if is_open:
                    found.append(JobStood(at=host.now(), id=job.id, state=JobState.QUEUED, use=job.use))
                elif resumes and not host.launcher.is_alive(job) and host.observer.resumable(job, self._options.retry):
                    self._reopened.add(job.id)
                    found.append(JobStood(at=host.now(), id=job.id, state=JobState.PAUSED, use=job.use))
            return found

        host.file.change(reopened)

    def _stop_all(self) -> None:
        """Pause all jobs that run, and wait until their processes are gone."""
        for event in self._preparing.stop():
            self._started(event)
        queue = self._host.file.read()
        stopped = [job for job in queue.jobs if self._host.launcher.is_alive(job)]
        if stopped:
            self._host.tell(f"pausing {', '.join(job.id for job in stopped)}")
        for job in stopped:
            self._begun.discard(job.id)
            self._host.launcher.stop(job)
        waited = 0.0
        while any(self._host.launcher.is_alive(job) for job in stopped) and waited < STOP_SECONDS:
            self._host.wait(LOOK_SECONDS)
            waited += LOOK_SECONDS
        for job in stopped:
            if self._host.launcher.is_alive(job):
                self._host.launcher.kill(job)
        self._look()

    def _stop_known(self) -> None:
        """Pause all jobs without the queue's file, which cannot be read or written."""
        alive = [job for job in self._known.values() if self._host.launcher.is_alive(job)]
        if alive:
            self._host.tell(f"pausing {', '.join(job.id for job in alive)}: the queue cannot go on")
        for job in alive:
            self._host.launcher.stop(job)

    def _record(self, event: JobStood) -> None:
        self._tell_standing(event)
        self._host.file.append(event)

    def _tell_standing(self, event: JobStood) -> None:
        if event.state is not JobState.RUNNING:
            self._say(f"{event.id}: {event.state}{f' ({event.reason})' if event.reason else ''}")

    def _say(self, text: str) -> None:
        if text != self._told:
            self._told = text
            self._host.tell(text)


def _job(queue: Queue, job_id: str) -> Job:
    found = job_named(queue, job_id)
    assert found is not None
    return found


def _has_session(observer: Sessions, job: Job) -> bool:
    try:
        return observer.seen(job) is not None
    except JournalDamaged:
        return True


def _differs(job: Job, found: JobStood) -> bool:
    kept = (found.reports or job.reports, found.commit or job.commit)
    seen = (found.state, found.reason, found.until, found.use, found.way_on, *kept)
    return (job.state, job.reason, job.until, job.use, job.way_on, job.reports, job.commit) != seen


def _as_blocked(failure: JobStood) -> JobStood:
    return JobStood(at=failure.at, id=failure.id, state=JobState.BLOCKED, reason=failure.reason, use=failure.use)
