"""Tests that run no changed code in their own process: run in a copy of the project that is broken."""

import os
import secrets
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from dualgate.core.values.changes import RUN_NUMBER
from dualgate.core.values.control import Control
from dualgate.core.values.probes import ApartResult, ProbeState
from dualgate.core.values.suite import SEPARATOR, CaseOutcome, CaseResult, Suite
from dualgate.processes.job import Exit, Job
from dualgate.processes.scratch import scratch_folder
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.probes.broken import Break, Broken
from dualgate.runners.probes.reading import reads_or_starts
from dualgate.runners.registry import RUNNERS
from dualgate.runners.reporters.probes.outputs import remove_outputs

MARK = "{dualgate-mark}"
LINKED = frozenset({".venv", "venv", "env", "node_modules", ".tox", ".nox"})
NOT_COPIED = frozenset({".git", ".hg", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"})
NOTHING = "no function changed that could return a constant"
FAILS = "the test fails in a copy of the project"
NOT_RUN = "the test does not run the changed code of a copy of the project"
NOT_IMPORTED = "the tests cannot be collected when the changed functions return constants"
NO_TIME = "the time for probes was over"


class WideningSupervisor(Supervisor):
    """Lets every job write into one more folder, and import from it first."""

    def __init__(self, inner: Supervisor, folder: Path, paths: Sequence[Path]) -> None:
        before = filter(None, inner.environment.get("PYTHONPATH", "").split(os.pathsep))
        joined = os.pathsep.join([*map(str, paths), *before])
        super().__init__({**inner.environment, "PYTHONPATH": joined}, inner.jobs)
        self._inner = inner
        self._folder = folder

    def supervise(self, job: Job, control: Control) -> Exit:
        return self._inner.supervise(replace(job, writable=(*job.writable, self._folder)), control)


@dataclass(frozen=True, slots=True, kw_only=True)
class Apart:
    suite: Suite
    project: Path
    supervisor: Supervisor
    outputs: Sequence[str] = ()
    """Patterns of files that test runs write."""

    def run(self, tests: Sequence[str], broken: Broken, control: Control) -> tuple[ApartResult, ...]:
        """The results of tests, whose ids are the runner's own."""
        if not tests:
            return ()
        if not broken.breaks:
            return self._unknown(tests, NOTHING)
        with scratch_folder("probe", measures=True) as folder:
            copy_project(self.project, folder / "copy")
            trial = _Trial(suite=self.suite, project=self.project, folder=folder, broken=broken, outputs=self.outputs)
            whole = trial.run(tests, self.supervisor, control)
            passing = [test for test in tests if _passes(whole.get(test))]
            results = self._unknown([test for test in tests if test not in passing], FAILS)
            found = {test: _Found() for test in passing}
            for each in broken.breaks:
                self._break(trial, each, found, control)
            reads = {test: reads_or_starts(self.project, whole[test]) for test in passing}
            return (*results, *(self._result(test, each, broken, reads[test]) for test, each in found.items()))

    def _break(self, trial: "_Trial", each: Break, found: Mapping[str, "_Found"], control: Control) -> None:
        """Break the copy in one way, run the tests that noticed nothing yet, and put the files back."""
        waiting = [test for test, its in found.items() if not its.failed]
        mark = trial.break_copy(each)
        together = trial.run(waiting, self.supervisor, control) if waiting and control.remaining() != 0.0 else {}
        is_marked = mark.exists()
        for test in waiting:
            result, ran = together.get(test), is_marked
            if len(waiting) > 1 and (not _has_run(result) or (is_marked and _passes(result))):
                # only alone, it is known to be the one that runs broken code
                mark.unlink(missing_ok=True)
                result = self._alone(trial, test, control)
                ran = mark.exists()
            found[test].take(result, each, ran=ran and each.is_marked, is_late=control.remaining() == 0.0)
        trial.restore(each)

    def _alone(self, trial: "_Trial", test: str, control: Control) -> CaseResult | None:
        return None if control.remaining() == 0.0 else trial.run((test,), self.supervisor, control).get(test)

    def _result(self, test: str, found: "_Found", broken: Broken, reads: bool) -> ApartResult:
        name = f"{self.suite.name}{SEPARATOR}{test}"
        if found.failed:
            return ApartResult(test=name, state=ProbeState.KILLED)
        if found.unknown:
            return ApartResult(test=name, state=ProbeState.UNKNOWN, reason=found.unknown)
        if found.marked:
            return ApartResult(test=name, state=ProbeState.SURVIVING, reason=found.marked[0].reason)
        if broken.unrun and not (broken.is_all and reads):
            return ApartResult(test=name, state=ProbeState.SURVIVING, reason=broken.unrun)
        return ApartResult(test=name, state=ProbeState.UNKNOWN, reason=NOT_RUN)

    def _unknown(self, tests: Iterable[str], reason: str) -> tuple[ApartResult, ...]:
        names = [f"{self.suite.name}{SEPARATOR}{test}" for test in tests]
        return tuple(ApartResult(test=name, state=ProbeState.UNKNOWN, reason=reason) for name in names)


@dataclass(slots=True)
class _Found:
    """The results of one test so far."""

    failed: bool = False
    unknown: str = ""
    marked: list[Break] = field(default_factory=list)
    """Breaks whose code ran, and that the test did not notice."""

    def take(self, result: CaseResult | None, each: Break, *, ran: bool, is_late: bool) -> None:
        if result is None or result.is_broken_file:
            self.unknown = NO_TIME if is_late else NOT_IMPORTED
        elif result.failed:
            self.failed = True
        elif ran:
            self.marked.append(each)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trial:
    """A copy of the project in a folder, and how to run its tests."""

    suite: Suite
    project: Path
    folder: Path
    broken: Broken
    outputs: Sequence[str] = ()

    @property
    def copy(self) -> Path:
        return self.folder / "copy"

    def run(self, tests: Sequence[str], supervisor: Supervisor, control: Control) -> dict[str, CaseResult]:
        paths = [self.copy / each for each in dict.fromkeys(self.broken.roots(self.copy))]
        remove_outputs(str(self.copy), self.outputs, RUN_NUMBER.pattern)
        command = tuple(self._moved(word) for word in self.suite.command)
        suite = replace(self.suite, command=command)
        runner = RUNNERS[suite.runner](suite, self.copy, WideningSupervisor(supervisor, self.folder, paths))
        return {result.id: result for result in runner.run(control, tests).results}

    def _moved(self, word: str) -> str:
        """A word of the command, in the copy if it names a file of the project."""
        start = f"{self.project}{os.sep}"
        is_linked = word.removeprefix(start).partition(os.sep)[0] in LINKED
        return f"{self.copy}{os.sep}{word.removeprefix(start)}" if word.startswith(start) and not is_linked else word

    def break_copy(self, each: Break) -> Path:
        """Write the broken files into the copy; returns the file that appears when broken code runs."""
        mark = self.folder / f"mark-{secrets.token_hex(4)}"
        for name, text in each.texts.items():
            (self.copy / name).write_text(text.replace(MARK, str(mark)), encoding="utf-8", newline="")
        return mark

    def restore(self, each: Break) -> None:
        for name in each.texts:
            shutil.copyfile(self.project / name, self.copy / name)


def _has_run(result: CaseResult | None) -> bool:
    return result is not None and not result.is_broken_file


def _passes(result: CaseResult | None) -> bool:
    return result is not None and result.outcome is CaseOutcome.PASSED


def copy_project(project: Path, copy: Path) -> None:
    """Copy a project; folders of installed packages are linked, caches and the history left out."""
    shutil.copytree(project, copy, symlinks=True, ignore=_not_copied, ignore_dangling_symlinks=True)
    for folder, names, _ in os.walk(project):
        for name in [name for name in names if _is_linked(Path(folder, name))]:
            with suppress(OSError):
                (copy / Path(folder, name).relative_to(project)).symlink_to(Path(folder, name))
        names[:] = [name for name in names if name not in NOT_COPIED and not _is_linked(Path(folder, name))]


def _not_copied(folder: str, names: list[str]) -> set[str]:
    return {name for name in names if name in NOT_COPIED or _is_special(Path(folder, name))}


def _is_special(path: Path) -> bool:
    """Whether a path is an installed environment, or neither file, folder nor link, such as a socket."""
    return _is_linked(path) or not (path.is_file() or path.is_dir() or path.is_symlink())


def _is_linked(path: Path) -> bool:
    return path.is_dir() and (path.name in LINKED or (path / "pyvenv.cfg").is_file())
