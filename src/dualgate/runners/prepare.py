"""Prepare a test run: set up its suite, and wait until the services it needs are healthy."""

import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from dualgate.core.values.answer import Ending
from dualgate.core.values.control import Control
from dualgate.core.values.notation import split_command
from dualgate.core.values.suite import Services, Suite, SuiteReport
from dualgate.errors import DualgateError, EnvironmentUnhealthy, SuiteUnusable
from dualgate.languages.registry import INSTALLED, LANGUAGES
from dualgate.processes.job import Exit, Job, output_tail
from dualgate.processes.scratch import scratch_folder
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.base import Runner
from dualgate.runners.launch import base_environment

LOCKS = tuple(pattern for language in LANGUAGES for pattern in language.locks)
# used if there is no lock file
MANIFESTS = tuple(pattern for language in LANGUAGES for pattern in language.manifests)
SETUP_SECONDS = 1800.0
HEALTH_SECONDS = 10.0
DOWN_SECONDS = 60.0
POLL_SECONDS = 0.25
OUTPUT_KEPT = 2000


def set_up(suite: Suite, root: Path, state: Path, supervisor: Supervisor, control: Control) -> str:
    """Run a suite's set-up if it is due. Returns why it failed, or an empty text.

    Raises SuiteUnusable if it never worked: a person must fix it. A later failure is reported with the run.
    """
    if not suite.setup:
        return ""
    done = state / f"{sha256(suite.name.encode()).hexdigest()[:16]}.done"
    worked_before = done.exists()
    if worked_before and done.read_text() == _fingerprint(suite, root):
        return ""
    problem = _failed_setup(suite, root, supervisor, control)
    if problem and not worked_before:
        raise SuiteUnusable(f"The suite '{suite.name}' cannot be set up: {problem}", "Fix its setup command.")
    if not problem:
        with suppress(OSError):  # without the record, the set-up runs again next time
            done.parent.mkdir(parents=True, exist_ok=True)
            done.write_text(_fingerprint(suite, root))
    return problem and f"the set-up failed after a change of what it installs: {problem}"


def _failed_setup(suite: Suite, root: Path, supervisor: Supervisor, control: Control) -> str:
    with scratch_folder("setup") as folder:
        job = _job(suite.setup, root / suite.folder, folder, supervisor)
        ended = supervisor.supervise(job, control.within(SETUP_SECONDS))
        return "" if ended.code == 0 else f"'{' '.join(suite.setup)}' {_how(ended)}:\n{_said(job)}"


def _fingerprint(suite: Suite, root: Path) -> str:
    """A digest of the set-up command and the lock files, or the manifests if there is no lock file.

    It covers which install folders exist, so that the set-up runs again if one was deleted.
    """
    folder = root / suite.folder
    named = (sorted(path for each in patterns for path in folder.glob(each)) for patterns in (LOCKS, MANIFESTS))
    installed = [name for name in INSTALLED if (folder / name).exists()]
    digest = sha256("\0".join((*suite.setup, *installed)).encode())
    for path in next(filter(None, named), ()):
        with suppress(OSError):
            digest.update(b"\0" + path.name.encode() + sha256(path.read_bytes()).digest())
    return digest.hexdigest()


@contextmanager
def served(runner: Runner, services: Services, root: Path, supervisor: Supervisor) -> Iterator[Runner]:
    """The runner with its services, which are up from its first run until the block ends, even by an error."""
    if services == Services():
        yield runner
        return
    with tempfile.TemporaryDirectory(prefix="dualgate-services-") as name, ExitStack() as until_the_end:
        yield _ServedRunner(
            runner=runner,
            services=services,
            root=root,
            supervisor=supervisor,
            folder=Path(name),
            until_the_end=until_the_end,
        )


@dataclass(slots=True, kw_only=True)
class _ServedRunner:
    runner: Runner
    services: Services
    root: Path
    supervisor: Supervisor
    folder: Path
    until_the_end: ExitStack
    has_begun: bool = False
    up: subprocess.Popen[bytes] | None = None

    @property
    def command(self) -> tuple[str, ...]:
        return self.runner.command

    def run(self, control: Control, only: Sequence[str] = ()) -> SuiteReport:
        """Run the tests with healthy services. After a failure check again: a dead service is no failed test."""
        self._begin()
        self._await_health(control)
        report = self.runner.run(control, only)
        if report.problems or any(result.failed for result in report.results):
            self._await_health(control)
        return report

    def _begin(self) -> None:
        if self.has_begun:
            return
        self.has_begun = True
        if self.services.up:
            self.up = self.until_the_end.enter_context(self.supervisor.running(self._job("up"), kept=True))
        if self.services.down:
            # `down` runs before the processes of `up` are ended, and also if `up` failed halfway
            self.until_the_end.callback(self._take_down)

    def _await_health(self, control: Control) -> None:
        """Run the health command until it succeeds. Without one, wait until `up` exits with 0."""
        patient = control.within(self.services.patience)
        while why := self._unhealthy(control):
            left = patient.remaining() or 0.0
            if left == 0.0:
                raise EnvironmentUnhealthy(
                    f"What the tests need is not healthy after {self.services.patience:g} s: {why}",
                    "This is the environment, not the agent's work. Fix it, or change up, health or patience in [env].",
                )
            control.wait(min(POLL_SECONDS, left))

    def _unhealthy(self, control: Control) -> str:
        code = self.up.poll() if self.up else 0
        if code not in (None, 0):
            raise EnvironmentUnhealthy(
                f"'{self.services.up}' ended with {code}:\n{_said(self._job('up'))}",
                "This is the environment, not the agent's work. Fix what [env] up starts.",
            )
        if not self.services.health:
            return "" if code == 0 else f"'{self.services.up}' still runs, and no health command shows when it is ready"
        job = self._job("health")
        ended = self.supervisor.supervise(job, control.within(HEALTH_SECONDS))
        return "" if ended.code == 0 else f"'{self.services.health}' {_how(ended)}: {_said(job)}"

    def _take_down(self) -> None:
        """Run `down` with its own control, since the run's may be cancelled. A failure changes no result."""
        control = Control(cancel=threading.Event(), clock=time.monotonic)
        with suppress(DualgateError):
            self.supervisor.supervise(self._job("down"), control.within(DOWN_SECONDS))

    def _job(self, step: str) -> Job:
        (self.folder / step).mkdir(exist_ok=True)
        return _job(split_command(getattr(self.services, step)), self.root, self.folder / step, self.supervisor)


def _job(command: Sequence[str], cwd: Path, folder: Path, supervisor: Supervisor) -> Job:
    environment = base_environment(supervisor.environment)
    return Job(argv=command, cwd=cwd, environment=environment, stdout=folder / "stdout", stderr=folder / "stderr")


def _how(ended: Exit) -> str:
    return f"ended with {ended.code}" if ended.ending is Ending.EXITED else f"did not end by itself ({ended.ending})"


def _said(job: Job) -> str:
    """The end of a job's output."""
    return output_tail(job, OUTPUT_KEPT).strip() or "no output"
