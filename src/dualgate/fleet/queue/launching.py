"""Start the processes of jobs, and know which of them are alive: those of an earlier run of the queue too."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from dualgate.core.values.notation import harmless
from dualgate.core.values.queue import Job
from dualgate.fleet.queue.observing import is_running, running_pid
from dualgate.processes.detached import ask_to_end, end_at_once, own_argv, start_detached
from dualgate.processes.job import read_tail

SAID_BYTES = 4000
SAID_LINES = 3
_OURS = "dualgate: "


class Launcher(Protocol):
    """Starts and stops the jobs of a queue."""

    def start(self, job: Job, words: Sequence[str], cwd: Path) -> None:
        """Start `dualgate` with these words for a job."""
        ...

    def is_alive(self, job: Job) -> bool: ...

    def exit_code(self, job: Job) -> int | None:
        """The exit code of the last process that was started for a job here; None if none was, or it is alive."""
        ...

    def said(self, job: Job) -> str:
        """The last message that the process of a job wrote."""
        ...

    def stop(self, job: Job) -> None:
        """Ask the process of a job to pause its session."""
        ...

    def kill(self, job: Job) -> None: ...


class Processes:
    """The launcher of `dualgate queue run`: each job is a process of its own."""

    def __init__(self, main: Path, environment: Mapping[str, str], logs: Path, argv: Sequence[str] = ()) -> None:
        self._main = main
        self._environment = environment
        self._logs = logs
        self._argv = tuple(argv) or tuple(own_argv())
        self._started: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, job: Job, words: Sequence[str], cwd: Path) -> None:
        output = self._log(job)
        output.unlink(missing_ok=True)
        self._started[job.id] = start_detached([*self._argv, *words], cwd, self._environment, output)

    def is_alive(self, job: Job) -> bool:
        process = self._started.get(job.id)
        return (process is not None and process.poll() is None) or is_running(self._main, job, self._environment)

    def exit_code(self, job: Job) -> int | None:
        process = self._started.get(job.id)
        return None if process is None else process.poll()

    def said(self, job: Job) -> str:
        lines = [line for line in read_tail(self._log(job), SAID_BYTES).splitlines() if line.strip()]
        ours = [number for number, line in enumerate(lines) if line.startswith(_OURS)]
        first = ours[-1] if ours else -SAID_LINES  # what it wrote before, about its worktree for example, is no error
        return harmless(" ".join(lines[first:][:SAID_LINES]).removeprefix(_OURS))

    def stop(self, job: Job) -> None:
        if (pid := self._pid(job)) is not None:
            ask_to_end(pid)

    def kill(self, job: Job) -> None:
        if (pid := self._pid(job)) is not None:
            end_at_once(pid)

    def _pid(self, job: Job) -> int | None:
        process = self._started.get(job.id)
        if process is not None and process.poll() is None:
            return process.pid
        return running_pid(self._main, job, self._environment)

    def _log(self, job: Job) -> Path:
        return self._logs / f"{job.id}.log"
