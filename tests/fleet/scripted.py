"""A queue whose jobs are scripts of states: no process is started, and the clock goes on when somebody waits."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from dualgate.core.queue.budget import Budget, Hourly
from dualgate.core.queue.planning import Policy
from dualgate.core.queue.standing import can_resume, job_standing
from dualgate.core.values.control import Control
from dualgate.core.values.queue import Job, JobStood
from dualgate.core.values.replacing import replace
from dualgate.core.values.spending import Spending, Used
from dualgate.core.values.state import LoopState
from dualgate.core.values.team import Wait
from dualgate.core.values.verification import Standing
from dualgate.core.values.vocabulary import Decision, HaltCause, Phase, Status
from dualgate.fleet.queue.adding import Added, add_jobs
from dualgate.fleet.queue.bases import Verdict
from dualgate.fleet.queue.observing import Seen
from dualgate.fleet.queue.preparing import at_once
from dualgate.fleet.queue.running import Ended, Options, QueueHost, run_queue
from dualgate.fleet.queue.starting import Starter
from dualgate.store.queue_file import QueueFile, queue_place
from dualgate.testing import a_state

EVENING = datetime(2026, 1, 1, 21, 0, tzinfo=UTC)
Step = Callable[["Scripted"], LoopState | int]
"""One look of the queue later: the state of the session, or the exit code of a process that ends without one."""


def at_work(calls: int = 1, dollars: float = 0.0) -> Step:
    return lambda _: used(a_state(), calls, dollars)


def proven(calls: int = 1, dollars: float = 0.0) -> Step:
    return lambda _: used(a_state(status=Status.COMPLETED), calls, dollars)


def not_proven(world: "Scripted") -> LoopState:
    return a_state(status=Status.COMPLETED, unproven=("AC-1 has no test",))


def halted(world: "Scripted") -> LoopState:
    return a_state(
        status=Status.HALTED, halted_by=HaltCause.NO_PROGRESS, ended_by=Decision.STUCK, halt_reason="RED: no progress"
    )


def blocked(world: "Scripted") -> LoopState:
    return a_state(
        status=Status.HALTED, halted_by=HaltCause.BLOCKED, ended_by=Decision.BLOCKED, halt_reason="RED: needs a key"
    )


def paused(world: "Scripted") -> LoopState:
    return a_state(status=Status.PAUSED)


def limited(hours: float) -> Step:
    def step(world: "Scripted") -> LoopState:
        return a_state(waiting=Wait(until=EVENING + timedelta(hours=hours), reason="a limit was met", setting=""))

    return step


def _pausing(world: "Scripted") -> LoopState:
    """A session that is paused, while its process still lives."""
    return a_state(status=Status.PAUSED)


def fails(code: int) -> Step:
    return lambda _: code


def used(state: LoopState, calls: int, dollars: float) -> LoopState:
    spending = Spending(phases={Phase.RED: Used(calls=calls, cost_usd=dollars)})
    return replace(state, total_agent_calls=calls, spending=spending)


@dataclass(slots=True)
class Scripted:
    """The launcher and the sessions of a queue. A job whose script has ended stays at its last step."""

    root: Path
    scripts: dict[str, list[Step]]
    now: datetime = EVENING
    minutes: float = 10.0
    """How far the clock goes with each look."""
    started: list[str] = field(default_factory=list)
    words: dict[str, tuple[str, ...]] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)
    waits: list[datetime | None] = field(default_factory=list)
    """The ends of the limits that all jobs began to wait for together."""
    dies_after: int | None = None
    """Looks after which the queue is killed."""
    stops_after: int | None = None
    """Looks after which a person presses Ctrl+C."""
    at_look: dict[int, Callable[[], object]] = field(default_factory=dict)
    looks: int = 0
    states: dict[str, LoopState] = field(default_factory=dict)
    foreign: set[str] = field(default_factory=set)
    """Jobs in whose worktrees there is other work."""
    began_from: str = ""
    """The commit that the worktrees were made from."""
    ends_late: bool = False
    """Whether a process that is stopped is seen once more before it ends, as one that still writes its report."""
    quick: set[str] = field(default_factory=set)
    """Jobs whose processes go on right after they were seen alive, and at no other time."""
    alive: dict[str, Iterator[Step]] = field(default_factory=dict)
    codes: dict[str, int] = field(default_factory=dict)

    # the launcher
    def start(self, job: Job, words: Sequence[str], cwd: Path) -> None:
        self.started.append(f"{words[0]} {job.id}")
        self.words[job.id] = tuple(words)
        self.alive[job.id] = iter(self.scripts[job.id])
        self.codes.pop(job.id, None)
        self._go_on(job.id)

    def is_alive(self, job: Job) -> bool:
        is_alive = job.id in self.alive
        if is_alive and job.id in self.quick:
            self._go_on(job.id)
        return is_alive

    def exit_code(self, job: Job) -> int | None:
        return self.codes.get(job.id)

    def said(self, job: Job) -> str:
        return "There is no login."

    def stop(self, job: Job) -> None:
        if self.ends_late and job.id in self.alive:
            self.alive[job.id] = iter((_pausing, _pausing, fails(130)))
            self._go_on(job.id)
        elif self.alive.pop(job.id, None) is not None:
            self.codes[job.id] = 130
            if (state := self.states.get(job.id)) and state.status is Status.RUNNING:
                self.states[job.id] = replace(state, status=Status.PAUSED, waiting=None)

    def kill(self, job: Job) -> None:
        self.alive.pop(job.id, None)

    # the sessions
    def stood(self, job: Job, alive: bool, at: datetime) -> JobStood | None:
        state = self.states.get(job.id)
        found = job_standing(job.id, state, alive, False, at) if state else None
        return replace(found, worktree=f"/trees/{job.id}", branch=f"dualgate/{job.id}") if found else None

    def resumable(self, job: Job, retry: bool) -> bool:
        return job.id in self.states and can_resume(self.states[job.id], retry)

    def start_of(self, job: Job) -> str:
        return self.began_from

    def is_own(self, job: Job, text: str) -> bool:
        return job.id not in self.foreign

    def seen(self, job: Job) -> Seen | None:
        state = self.states.get(job.id)
        return Seen(state=state, spec_changed=False) if state else None

    # the clock, and a person who may press Ctrl+C
    def is_set(self) -> bool:
        return self.stops_after is not None and self.looks >= self.stops_after

    def wait(self, timeout: float | None = None) -> bool:
        self.looks += 1
        if self.looks > 1000:
            raise AssertionError(f"the queue does not end: {self.told[-5:]}")
        if self.looks == self.dies_after:
            raise SystemExit("killed")
        self.now += timedelta(minutes=self.minutes)
        for each in [name for name in self.alive if name not in self.quick]:
            self._go_on(each)
        self.at_look.get(self.looks, lambda: None)()
        return self.is_set()

    def _go_on(self, name: str) -> None:
        step = next(self.alive[name], None)
        if step is None:
            return
        found = step(self)
        if isinstance(found, int):
            self._ended(name, found)
            return
        self.states[name] = found
        if found.status is not Status.RUNNING and step is not _pausing:
            self._ended(name, 130 if found.status is Status.PAUSED else 0)

    def _ended(self, name: str, code: int) -> None:
        del self.alive[name]
        self.codes[name] = code

    # the queue
    @property
    def file(self) -> QueueFile:
        return QueueFile(queue_place(self.root, {"HOME": str(self.root / "home")}))

    def add(self, name: str, text: str = "", **options: Any) -> None:
        (self.root / f"{name}.md").write_text(text or f"# {name}\n\n## Acceptance Criteria\n\n- AC-1: it is {name}\n")
        add_jobs(self.file, self.root, [f"{name}.md"], Added(**options), "me", lambda: self.now)

    def run(self, budget: Budget | None = None, retry: bool = False, new_budget: bool = False, **policy: Any) -> Ended:
        chosen = Policy(**policy)
        starter = Starter(
            root=self.root,
            file=self.file,
            launcher=self,
            observer=self,
            verify=lambda *_: Verdict(standing=Standing.VERIFIED),
            now=lambda: self.now,
            share=Hourly(),
            accept_unproven=chosen.accept_unproven,
        )
        host = QueueHost(
            root=self.root,
            file=self.file,
            launcher=self,
            observer=self,
            starter=starter,
            now=lambda: self.now,
            wait=self.wait,
            tell=self.told.append,
            submit=at_once,
            by="me",
            pid=1,
            all_wait=lambda *found: self.waits.append(found[-1].next_at),
        )
        control = Control(cancel=self, clock=lambda: self.now.timestamp())
        return run_queue(
            host, Options(policy=chosen, budget=budget or Budget(), retry=retry, new_budget=new_budget), control
        )
