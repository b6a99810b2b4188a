"""Start one job: find the commit that it begins from, and the words of its command."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from dualgate.core.queue.budget import Hourly
from dualgate.core.queue.history import job_named
from dualgate.core.values.control import Control
from dualgate.core.values.queue import Base, BaseMade, Job, JobStarted, JobState, JobStood, Queue
from dualgate.errors import DualgateError, JournalDamaged
from dualgate.fleet.queue.bases import Part, Verdict, commit_of, contains, head_of, make_base
from dualgate.fleet.queue.launching import Launcher
from dualgate.fleet.queue.observing import Sessions
from dualgate.session.spec_file import read_spec_file
from dualgate.store.queue_file import QueueFile

FOREIGN = "the worktree {} holds other work; remove the job and add it again, so that it gets another name"
Verify = Callable[[str, str, Control], Verdict]


@dataclass(frozen=True, slots=True, kw_only=True)
class Starter:
    root: Path
    file: QueueFile
    launcher: Launcher
    observer: Sessions
    verify: Verify
    now: Callable[[], datetime]
    share: Hourly
    accept_unproven: bool = False

    def start(self, queue: Queue, job: Job, needs: Sequence[str], control: Control) -> JobStarted | JobStood:
        """Start or resume a job; a JobStood, not yet recorded, says why that is not possible."""
        try:
            resumes = self.observer.seen(job) is not None
        except JournalDamaged as error:
            return self._stood(job, JobState.BLOCKED, error.message)
        # what the queue has not started may be anybody's
        if resumes and not job.starts and not self.observer.is_own(job, read_spec_file(self.root / job.spec) or ""):
            return self._stood(job, JobState.BLOCKED, FOREIGN.format(job.id))
        if resumes:
            words = ["resume", "--worktree", job.id, "--plain", *self._limits()]
        else:
            base = self._base(queue, job, needs, control)
            if base.reason:
                return self._stood(job, JobState.BLOCKED, base.reason, base.way_on)
            words = self._run_words(job, base)
        started = JobStarted(at=self.now(), id=job.id)
        queue = self.file.change(lambda queue: [started] if job_named(queue, job.id) else [])
        if job_named(queue, job.id) is None:
            return self._stood(job, JobState.FAILED, "it was removed from the queue")
        try:
            self.launcher.start(job, words, self.root)
        except DualgateError as error:
            return self._stood(job, JobState.FAILED, error.message)
        return started

    def _run_words(self, job: Job, base: Base) -> list[str]:
        start = ["--from", base.commit] if base.commit else []
        return [
            *("run", job.spec, "--worktree", job.id, *start, "--commit", "run", "--plain"),
            *self._limits(),
            *job.words,
        ]

    def _limits(self) -> list[str]:
        calls, tokens = self.share.calls, self.share.tokens
        return [
            *(["--max-calls-per-hour", str(calls)] if calls is not None else []),
            *(["--max-tokens-per-hour", str(tokens)] if tokens is not None else []),
        ]

    def _base(self, queue: Queue, job: Job, needs: Sequence[str], control: Control) -> Base:
        """The commit to start from; it is made and verified once, and again if one of its parts changed."""
        if not needs:
            return Base()
        head = head_of(self.root)
        parts = [self._part(queue, each, head) for each in needs]
        if missing := [part for part in parts if not part.commit]:
            return _gone(job, missing)
        if empty := [part.job for part in parts if part.commit == part.start]:
            return _uncommitted([each for name in empty if (each := job_named(queue, name))])
        if job.base and job.base.commit and job.base.parts == (head, *(part.commit for part in parts)):
            return job.base
        base = make_base(
            self.root, head, parts, lambda one, other: self.verify(one, other, control), self.accept_unproven
        )
        self.file.append(BaseMade(at=self.now(), id=job.id, base=base))
        return base

    def _part(self, queue: Queue, job_id: str, head: str) -> Part:
        job = job_named(queue, job_id)
        branch = job.branch if job else ""
        start = self.observer.start_of(job) if job else ""
        commit = commit_of(self.root, branch) if branch else ""
        if job and not commit and job.commit and contains(self.root, head, job.commit):
            commit = job.commit  # a person merged the branch, then deleted it
        return Part(job=job_id, branch=branch, commit=commit, start=start)

    def _stood(self, job: Job, state: JobState, reason: str, way_on: str = "") -> JobStood:
        return JobStood(at=self.now(), id=job.id, state=state, reason=reason, use=job.use, way_on=way_on)


def _uncommitted(jobs: Sequence[Job]) -> Base:
    """There is no base, because work that is not proven is not committed: a person does that, who accepts it."""
    words = [("git", "-C", job.worktree, *rest) for job in jobs for rest in (("add", "-A"), ("commit", "-m", job.id))]
    return Base(
        reason=f"the work of {', '.join(job.id for job in jobs)} is not committed; commit it in its worktree",
        way_on=" && ".join(map(shlex.join, words)),
    )


def _gone(job: Job, parts: Sequence[Part]) -> Base:
    """There is no base, because branches with work that a job needs were deleted."""
    branches = ", ".join(part.branch or f"the branch of {part.job}" for part in parts)
    done = [word for name in (*job.done, *(part.job for part in parts)) for word in ("--done", name)]
    return Base(
        reason=f"it needs {branches}, deleted and not merged here. If its work is here in another form, say so: --done",
        way_on=shlex.join(["dualgate", "queue", "add", job.spec, *done]),
    )
