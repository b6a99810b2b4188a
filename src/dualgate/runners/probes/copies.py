"""Tests that run no changed code in their own process: run in a copy whose changed functions return constants."""

import os
import secrets
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from dualgate.core.values.control import Control
from dualgate.core.values.probes import ApartResult, ProbeState
from dualgate.core.values.suite import SEPARATOR, CaseOutcome, CaseResult, Suite
from dualgate.processes.job import Exit, Job
from dualgate.processes.scratch import scratch_folder
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.registry import RUNNERS

MARK = "{dualgate-mark}"
LINKED = frozenset({".venv", "venv", "env", "node_modules", ".tox", ".nox"})
NOT_COPIED = frozenset({".git", ".hg", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"})
NOTHING = "no function changed that could return a constant"
FAILS = "the test fails in a copy of the project"
NOT_RUN = "the test does not run the changed code of a copy of the project"
NOT_IMPORTED = "the tests cannot be collected when the changed functions return constants"
NO_TIME = "the time for probes was over"


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """How to break a copy: the changed files as text with constants, and where modules are imported from."""

    stubbed: Mapping[str, str]
    path: Sequence[str] = ()


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

    def run(self, tests: Sequence[str], broken: Broken, control: Control) -> tuple[ApartResult, ...]:
        """The results of tests, whose ids are the runner's own."""
        if not tests:
            return ()
        if not broken.stubbed:
            return self._unknown(tests, NOTHING)
        with scratch_folder("probe") as folder:
            copy = folder / "copy"
            copy_project(self.project, copy)
            trial = _Trial(suite=self.suite, project=self.project, folder=folder, broken=broken)
            whole = trial.run(tests, self.supervisor, control)
            passing = [test for test in tests if _passes(whole.get(test))]
            failing = [test for test in tests if test not in passing]
            results = [*self._unknown(failing, FAILS)]
            for test in passing:
                results.append(self._break(trial, test, control))
            return tuple(results)

    def _break(self, trial: "_Trial", test: str, control: Control) -> ApartResult:
        if control.remaining() == 0.0:
            return self._unknown((test,), NO_TIME)[0]
        mark = trial.break_copy()
        found = trial.run((test,), self.supervisor, control).get(test)
        name = f"{self.suite.name}{SEPARATOR}{test}"
        if found is None or found.is_broken_file:
            return ApartResult(test=name, state=ProbeState.UNKNOWN, reason=NOT_IMPORTED)
        if found.failed:
            return ApartResult(test=name, state=ProbeState.KILLED)
        if not mark.exists():
            return ApartResult(test=name, state=ProbeState.UNKNOWN, reason=NOT_RUN)
        return ApartResult(test=name, state=ProbeState.SURVIVING)

    def _unknown(self, tests: Iterable[str], reason: str) -> tuple[ApartResult, ...]:
        names = [f"{self.suite.name}{SEPARATOR}{test}" for test in tests]
        return tuple(ApartResult(test=name, state=ProbeState.UNKNOWN, reason=reason) for name in names)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trial:
    """A copy of the project in a folder, and how to run its tests."""

    suite: Suite
    project: Path
    folder: Path
    broken: Broken

    @property
    def copy(self) -> Path:
        return self.folder / "copy"

    def run(self, tests: Sequence[str], supervisor: Supervisor, control: Control) -> dict[str, CaseResult]:
        paths = [self.copy / each for each in dict.fromkeys((*self.broken.path, *self._roots()))]
        command = tuple(self._moved(word) for word in self.suite.command)
        suite = replace(self.suite, command=command)
        runner = RUNNERS[suite.runner](suite, self.copy, WideningSupervisor(supervisor, self.folder, paths))
        return {result.id: result for result in runner.run(control, tests).results}

    def _roots(self) -> Iterable[str]:
        """The folders from which the changed files are imported."""
        for name in self.broken.stubbed:
            folder = Path(name).parent
            while (self.copy / folder / "__init__.py").is_file() and folder != Path():
                folder = folder.parent
            yield str(folder)

    def _moved(self, word: str) -> str:
        """A word of the command, in the copy if it names a file of the project."""
        start = f"{self.project}{os.sep}"
        is_linked = word.removeprefix(start).partition(os.sep)[0] in LINKED
        return f"{self.copy}{os.sep}{word.removeprefix(start)}" if word.startswith(start) and not is_linked else word

    def break_copy(self) -> Path:
        """Write the constants into the copy; returns the file that appears when one of them is returned."""
        mark = self.folder / f"mark-{secrets.token_hex(4)}"
        for name, text in self.broken.stubbed.items():
            (self.copy / name).write_text(text.replace(MARK, str(mark)), encoding="utf-8", newline="")
        return mark


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
