"""The suites of a project as one runner: set up one after another, run in parallel, merged into one report."""

import os
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from pathlib import Path

from dualgate.core.values.control import Activity, Control, Either
from dualgate.core.values.suite import SEPARATOR, Suite, SuiteReport, merged
from dualgate.errors import DualgateError, Interrupted, SettingError
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.base import Runner
from dualgate.runners.detect import SuitePlan
from dualgate.runners.prepare import set_up
from dualgate.runners.registry import RUNNERS

SuiteRun = tuple[Suite, SuiteReport]


@dataclass(frozen=True, slots=True, kw_only=True)
class Suites:
    suites: tuple[Suite, ...]
    project: Path
    supervisor: Supervisor
    state: Path
    """The folder that records which suites are set up."""
    find: Callable[[], SuitePlan] | None = None
    """Looks for suites before each run until one had results: an agent writes the first tests, and may install them."""
    found: list[Suite] = field(default_factory=list)
    unusable: list[str] = field(default_factory=list)
    """Why tests that were found cannot be run."""
    settled: threading.Event = field(default_factory=threading.Event)

    @property
    def present(self) -> tuple[Suite, ...]:
        return self.suites or tuple(self.found)

    @property
    def command(self) -> tuple[str, ...]:
        words = [word for suite in self.present for word in ("&&", *suite.command)]
        return tuple(words[1:])

    def look(self) -> tuple[Suite, ...]:
        """The suites; without any that had results it is looked for them."""
        if self.find is not None and not (self.suites or self.settled.is_set()):
            plan = self.find()
            self.found[:], self.unusable[:] = plan.suites, plan.notes
        return self.present

    def run(self, control: Control, only: Sequence[str] = ()) -> SuiteReport:
        report = merged(self.run_each(control, only))
        if report.trusted and report.results:
            self.settled.set()
        return report if self.present else replace(report, problems=(*report.problems, *self.unusable))

    def run_each(self, control: Control, only: Sequence[str] = ()) -> tuple[SuiteRun, ...]:
        return run_prepared(self.prepared(control, only), control)

    def prepared(self, control: Control, only: Sequence[str] = ()) -> "list[tuple[Suite, Work]]":
        """Set up the suites, and return each with its run still to do. Suites without a selected test are left out."""
        self.look()
        chosen = [(suite, ids) for suite, ids in self._routed(only) if ids or not only]
        return [(suite, self._prepared(suite, ids, control)) for suite, ids in chosen]

    def _routed(self, only: Sequence[str]) -> list[tuple[Suite, tuple[str, ...]]]:
        """Assign each id to the suite whose name it begins with; the name may be left out if there is one suite."""
        routed: dict[str, list[str]] = {suite.name: [] for suite in self.present}
        for name in only:
            suite, _, rest = name.partition(SEPARATOR)
            if suite in routed:
                routed[suite].append(rest)
            elif len(routed) == 1:
                routed[self.present[0].name].append(name)
            else:
                known = ", ".join(f"{each}{SEPARATOR}…" for each in routed)
                raise SettingError(f"The id '{name}' names no suite.", f"Begin it with one of: {known}")
        return [(suite, tuple(routed[suite.name])) for suite in self.present]

    def _prepared(self, suite: Suite, ids: tuple[str, ...], control: Control) -> "Work":
        """Set up a suite, and return its run as a function; after a failed set-up, it returns only the problem."""
        runner = runner_of(suite, self.project, self.supervisor)
        try:
            problem = set_up(suite, self.project, self.state, self.supervisor, control)
        except DualgateError as error:
            problem = _optional(suite, error)
        if problem:
            return lambda _: _no_run(suite, ids, problem)
        return lambda control: _run(suite, runner, ids, control)


Work = Callable[[Control], SuiteReport]


def run_prepared(works: Sequence[tuple[Suite, Work]], control: Control) -> tuple[SuiteRun, ...]:
    """Run the suites in parallel."""
    return tuple(zip((suite for suite, _ in works), _at_once(works, control), strict=True))


def runner_of(suite: Suite, project: Path, supervisor: Supervisor) -> Runner:
    if suite.runner not in RUNNERS:
        raise SettingError(
            f"The suite '{suite.name}' asks for the runner '{suite.runner}', which does not exist.",
            f"Give one of: {', '.join(sorted(RUNNERS))}.",
        )
    return RUNNERS[suite.runner](suite, project, supervisor)


def _run(suite: Suite, runner: Runner, ids: tuple[str, ...], control: Control) -> SuiteReport:
    """Run a suite, and once more if it was killed, since that is not the fault of the work."""
    try:
        report = runner.run(control, ids)
        if not report.was_killed:
            return report
        again = runner.run(control, ids)
        return replace(again, notes=(*again.notes, f"a run before it was killed (exit code {report.exit_code})"))
    except DualgateError as error:
        return _no_run(suite, ids, _optional(suite, error))


def _optional(suite: Suite, error: DualgateError) -> str:
    """The message of an error in an optional suite. Raises it if the suite is required or the run was interrupted."""
    if suite.required or isinstance(error, Interrupted):
        raise error
    return error.message


def _no_run(suite: Suite, ids: tuple[str, ...], problem: str) -> SuiteReport:
    return SuiteReport(
        command=suite.command, exit_code=None, runner=suite.runner, problems=(problem,), complete=False, only=ids
    )


def _at_once(works: Sequence[tuple[Suite, Work]], control: Control) -> list[SuiteReport]:
    """The reports in the order of the suites. The first error stops the others and is raised when they have ended."""
    if len(works) < 2:
        return [work(control) for _, work in works]
    failed, speaking = threading.Event(), threading.Lock()
    shared = replace(control, cancel=Either(outside=control.cancel, inside=failed))
    with ThreadPoolExecutor(max_workers=min(len(works), max(2, os.cpu_count() or 1))) as threads:
        running = [threads.submit(work, _speaking_for(suite, shared, speaking)) for suite, work in works]
        try:
            wait(running, return_when="FIRST_EXCEPTION")
        finally:
            if not all(_went_well(future) for future in running):
                failed.set()
    _raise_first(running)
    return [future.result() for future in running]


def _went_well(future: "Future[SuiteReport]") -> bool:
    return future.done() and future.exception() is None


def _raise_first(running: "Iterable[Future[SuiteReport]]") -> None:
    """Raise the root cause first; Interrupted from suites that were cancelled comes last."""
    errors = [error for future in running if (error := future.exception()) is not None]
    errors.sort(key=lambda error: isinstance(error, Interrupted))
    if errors:
        raise errors[0]


def _speaking_for(suite: Suite, control: Control, lock: threading.Lock) -> Control:
    """A control whose activity names the suite. Calls are serialized, so listeners need not be thread-safe."""

    def speak(activity: Activity) -> None:
        with lock:
            control.on_activity(replace(activity, text=f"{suite.name}: {activity.text}"))

    return replace(control, on_activity=speak)
