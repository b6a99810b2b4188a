"""Run the tests of trees by the suites of the base; trusted results of earlier runs of the same tree are reused."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from dualgate.core.secrets.redaction import Redactor
from dualgate.core.values.control import Activity, Control
from dualgate.core.values.suite import Suite, SuiteReport
from dualgate.errors import DualgateError, EnvironmentUnhealthy, ProgramNotFound, SettingError, SuiteUnusable
from dualgate.processes.jobs import Jobs
from dualgate.processes.supervisor import Supervisor
from dualgate.runners.cache import ResultCache
from dualgate.runners.detect import SuitePlan
from dualgate.runners.prepare import served
from dualgate.runners.suites import Suites
from dualgate.session.suites import plan_of
from dualgate.settings import Settings
from dualgate.verify.compiling import take_compiled
from dualgate.verify.installing import borrowing
from dualgate.verify.trees import Trees, Written, moved
from dualgate.workspace.revisions import run_git
from dualgate.workspace.steering.paths import belongs_to_tests

HERE = "{dualgate-tree}"
UNTOLD = (SuiteUnusable, ProgramNotFound, EnvironmentUnhealthy)
WRITTEN_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """The suites of a project, in which `HERE` stands for the folder of a tree."""

    suites: tuple[Suite, ...] = ()
    plan: SuitePlan = field(default_factory=lambda: SuitePlan(suites=()))

    @property
    def command(self) -> tuple[str, ...]:
        """The commands as they are named to people, without the folder of a tree."""
        words = [word.replace(f"{HERE}/", "") for suite in self.suites for word in ("&&", *suite.command)]
        return tuple(words[1:])


def planned(settings: Settings, runner: str | None, *trees: Written) -> Planned:
    """The suites of the first tree, and those that the others have besides. Nothing is run but the project's Python."""
    suites: dict[tuple[str, str], Suite] = {}
    notes: list[str] = []
    plan = SuitePlan(suites=())
    for tree in trees:
        plan = plan_of(settings, tree.project, tree.environment, runner)
        notes += plan.notes
        for suite in plan.suites:
            suites.setdefault((suite.folder, suite.runner), _placed(suite, str(tree.root), HERE))
    return Planned(suites=tuple(suites.values()), plan=replace(plan, notes=tuple(dict.fromkeys(notes))))


def _placed(suite: Suite, before: str, after: str) -> Suite:
    return replace(suite, command=tuple(moved(word, before, after) for word in suite.command), setup=())


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeRuns:
    trees: Trees
    planned: Planned
    jobs: Jobs
    control: Control
    state: Path
    cache: ResultCache | None = None
    environment: str = ""
    """A digest of everything besides tree and command that a result depends on."""
    compiled_in: Written | None = None
    """The tree of the first run, whose compiled test files the others share."""
    redactor: Redactor = field(default_factory=Redactor)
    """A report in which it finds a secret is used, and not kept."""

    def run(self, tree: str, only: Sequence[str] = (), label: str = "", commit: str = "") -> SuiteReport:
        """Run the tests with these ids (all if there are none) on a tree, or take the result of an earlier run."""
        if (known := self.known(tree, only)) is not None:
            return known
        with self.trees.written(tree, commit) as written:
            return self.run_in(written, tree, only, label)

    def run_again(
        self, tree: str, only: Sequence[str], commit: str = "", installed: Written | None = None
    ) -> SuiteReport:
        """Run tests of a tree without using earlier results; with the packages of another tree, if one is given."""
        with self.trees.written(tree, commit) as written:
            return self._run(borrowing(self.trees, written, installed) if installed else written, only)

    def run_in(self, written: Written, tree: str, only: Sequence[str] = (), label: str = "") -> SuiteReport:
        """Run the tests of a tree in its folder."""
        self.control.on_activity(Activity(source="tests", text=label))
        report = replace(self._run(written, only), tree=tree, command=self.planned.command)
        if changed := _changed_tests(written.root):
            problem = f"tests changed while they ran: {', '.join(changed[:WRITTEN_SHOWN])}"
            report = replace(report, problems=(*report.problems, problem))
        report = replace(report, notes=(*report.notes, *written.missing), only=tuple(only))
        if self.cache is not None and self.environment and self.redactor.value(report) is report:
            self.cache.keep(replace(report, environment=self.environment))
        return report

    def known(self, tree: str, only: Sequence[str] = ()) -> SuiteReport | None:
        """The trusted result of an earlier run."""
        if self.cache is None or not self.environment:
            return None
        return self.cache.find(tree, self.planned.command, self.environment, only)

    def suites_in(self, written: Written) -> tuple[Suite, ...]:
        return tuple(_placed(suite, HERE, str(written.root)) for suite in self.planned.suites)

    def supervisor_in(self, written: Written) -> Supervisor:
        return Supervisor(written.environment, self.jobs)

    def _run(self, written: Written, only: Sequence[str]) -> SuiteReport:
        supervisor, placed = self.supervisor_in(written), self.suites_in(written)
        if self.compiled_in is not None:
            take_compiled(placed, written, self.suites_in(self.compiled_in), self.compiled_in)
        suites = Suites(suites=placed, project=written.project, supervisor=supervisor, state=self.state)
        try:
            with served(suites, self.planned.plan.services, written.project, supervisor) as runner:
                return runner.run(self.control, only)
        except SettingError:
            raise
        except UNTOLD as error:
            return _no_report(suites.command, error)


def _no_report(command: tuple[str, ...], error: DualgateError) -> SuiteReport:
    return SuiteReport(command=command, exit_code=None, problems=(error.message,), complete=False)


def _changed_tests(root: Path) -> list[str]:
    """Tracked tests, and files that steer them, that are other than in the tree."""
    told = run_git(root, ["diff-files", "--name-only", "-z", "--ignore-submodules"])
    paths = [os.fsdecode(path) for path in told.split(b"\0") if path]
    suspects = [path for path in paths if belongs_to_tests(path)]
    return _really_changed(root, suspects) if suspects else []


def _really_changed(root: Path, paths: Sequence[str]) -> list[str]:
    """Those whose content differs: a time stamp alone is no change."""
    told = run_git(root, ["diff", "--name-only", "-z", "--", *paths])
    return [os.fsdecode(path) for path in told.split(b"\0") if path]


def environment_digest(stamps: Iterable[object], variables: Mapping[str, str], version: str) -> str:
    """A digest of packages, variables and files beside the tree; it changes when one of them does."""
    words = (version, *map(str, stamps), *(f"{name}={value}" for name, value in sorted(variables.items())))
    return sha256("\0".join(words).encode("utf-8", "surrogateescape")).hexdigest()
