"""Start the programs of a session, watch them, and end them with everything they started."""

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from dualgate.core.values.answer import Ending
from dualgate.core.values.control import Control
from dualgate.errors import ProgramNotFound
from dualgate.processes.job import Exit, Job, output_size, require_program
from dualgate.processes.jobs import MARK, Jobs
from dualgate.processes.tags import OWNER, Tag, inherited, set_tag
from dualgate.processes.watching import watch


class Supervisor:
    """Starts and ends the programs of one session, with its environment, tag and sandbox.

    Sessions that run side by side in one process share one `Jobs`, which tells their processes apart.
    """

    def __init__(self, environment: Mapping[str, str], jobs: Jobs | None = None) -> None:
        self.environment = environment
        self.jobs = jobs or Jobs()
        self._tag: Tag | None = None
        self._sandbox: Callable[[Job], Sequence[str]] | None = None

    @property
    def is_confining(self) -> bool:
        """Whether confined jobs run in a sandbox."""
        return self._sandbox is not None

    @contextmanager
    def owned_by(self, tag: Tag) -> Iterator[None]:
        """Put the owner's tag on every job that starts before the block ends."""
        before, self._tag = self._tag, tag
        try:
            with inherited(tag):
                yield
        finally:
            self._tag = before

    @contextmanager
    def confined_by(self, wrap: Callable[[Job], Sequence[str]]) -> Iterator[None]:
        """Start every confined job with the command that `wrap` makes of it, until the block ends."""
        before, self._sandbox = self._sandbox, wrap
        try:
            yield
        finally:
            self._sandbox = before

    def supervise(self, job: Job, control: Control) -> Exit:
        """Run a job to its end, its deadline or a stop. None of its processes is left when this returns or raises."""
        control.check()
        started = control.clock()
        with self.running(job) as process:
            ending = watch(process, job, control, self.jobs.relieve)
        control.check()
        if ending is Ending.EXITED and output_size(job) > job.output_limit:
            ending = Ending.FLOODED  # by output of the last moment, or by a hole in the file
        code = process.returncode if ending is Ending.EXITED else None
        return Exit(code=code, ending=ending, seconds=control.clock() - started)

    @contextmanager
    def running(self, job: Job, kept: bool = False) -> Iterator[subprocess.Popen[bytes]]:
        """A started job, ended with all its processes when the block ends. A `kept` job runs beside others."""
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
                set_tag(process.pid, self._tag)
            yield process
