"""Programs that a session starts: watched while they run, and gone with everything they started when they end."""

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from dualgate.core.values.answer import Ending
from dualgate.core.values.control import Control
from dualgate.errors import ProgramNotFound
from dualgate.processes.job import Exit, Job, require_program, written
from dualgate.processes.jobs import MARK, Jobs
from dualgate.processes.tags import OWNER, Tag, inherited, put_on
from dualgate.processes.watching import watch


class Supervisor:
    """Starts the programs of one session, with its environment, its tag and its sandbox, and ends them.

    Sessions that run side by side in one process share their jobs: what descends from a process is told apart by them.
    """

    def __init__(self, environment: Mapping[str, str], jobs: Jobs | None = None) -> None:
        self.environment = environment
        self.jobs = jobs or Jobs()
        self._tag: Tag | None = None
        self._sandbox: Callable[[Job], Sequence[str]] | None = None

    @contextmanager
    def owned_by(self, tag: Tag) -> Iterator[None]:
        """Every job that is started meanwhile carries the tag of whoever has it run."""
        before, self._tag = self._tag, tag
        try:
            with inherited(tag):
                yield
        finally:
            self._tag = before

    @contextmanager
    def confined_by(self, wrap: Callable[[Job], Sequence[str]]) -> Iterator[None]:
        """Every confined job that is started meanwhile is started by the words that `wrap` makes of it."""
        before, self._sandbox = self._sandbox, wrap
        try:
            yield
        finally:
            self._sandbox = before

    def supervise(self, job: Job, control: Control) -> Exit:
        """Run a job to its end, its deadline or a stop. Nothing that it started is left when this returns or raises."""
        control.check()
        started = control.clock()
        with self.running(job) as process:
            ending = watch(process, job, control)
        control.check()
        if ending is Ending.EXITED and written(job) > job.output_limit:
            ending = Ending.FLOODED  # in the last moment, or as a hole in the file, which takes none
        code = process.returncode if ending is Ending.EXITED else None
        return Exit(code=code, ending=ending, seconds=control.clock() - started)

    @contextmanager
    def running(self, job: Job, kept: bool = False) -> Iterator[subprocess.Popen[bytes]]:
        """A started job, ended with all that it started when the block ends. One that is `kept` runs beside others."""
        with (
            self.jobs.entered(kept) as mark,
            self._started(job, mark) as process,
            self.jobs.led_by(process, mark),
        ):
            yield process

    @contextmanager
    def _started(self, job: Job, mark: str) -> Iterator[subprocess.Popen[bytes]]:
        require_program(job.argv[0], job.cwd, job.environment)
        argv = self._sandbox(job) if job.confined and self._sandbox else job.argv
        with (
            (job.stdin or Path(os.devnull)).open("rb") as stdin,
            job.stdout.open("wb") as stdout,
            job.stderr.open("wb") as stderr,
        ):
            try:
                process = subprocess.Popen(
                    list(argv),
                    cwd=job.cwd,
                    env={**job.environment, MARK: mark, OWNER: self._tag.name if self._tag else ""},
                    stdin=stdin,
                    stdout=stdout,
                    stderr=stderr,
                    start_new_session=True,
                )
            except OSError as error:
                raise ProgramNotFound(f"'{job.argv[0]}' cannot be started: {error.strerror}.") from error
            if self._tag:
                put_on(process.pid, self._tag)
            yield process
