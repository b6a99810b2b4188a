"""Make the test runs that the gates need for one tree; reuse finished runs and cached results."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from dualgate.core.evidence.examine import is_settled
from dualgate.core.evidence.run_outputs import why_leftovers_count
from dualgate.core.evidence.selection import may_reuse, next_run
from dualgate.core.values.changes import Changes
from dualgate.core.values.claim import Claim
from dualgate.core.values.control import Control
from dualgate.core.values.events import SuiteEnded
from dualgate.core.values.specification import Criterion
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import SuiteReport, not_trusted, repeated_without
from dualgate.runners.base import Runner
from dualgate.runners.cache import ResultCache
from dualgate.session.output_runs import Effect, OutputRuns
from dualgate.session.record import Recording
from dualgate.workspace.base import Workspace


@dataclass(slots=True, kw_only=True)
class _Ended:
    """Records the end of each run of the same tests on one tree."""

    to: Recording
    trial: str
    first: SuiteReport | None = None

    def __call__(self, report: SuiteReport, effect: Effect) -> SuiteReport:
        before, self.first = self.first, report
        doubt = repeated_without if effect.is_repeated else not_trusted
        report = doubt(report, effect.written) if effect.written else report
        if before is not None and (problem := why_leftovers_count(before, report, effect.removed)):
            report = replace(report, problems=(*report.problems, problem))
        report = replace(report, tree=effect.tree, outputs=effect.outputs)
        self.to.record(SuiteEnded(at=self.to.now(), report=report, trial=self.trial))
        return report


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRuns:
    runner: Runner
    worktree: Workspace
    to: Recording
    cache: ResultCache | None = None
    criteria: tuple[Criterion, ...] = ()

    @property
    def outputs(self) -> OutputRuns:
        return OutputRuns(worktree=self.worktree, to=self.to)

    def decide(
        self,
        state: LoopState,
        claim: Claim,
        changes: Changes,
        control: Control,
        complete: Callable[[SuiteReport], SuiteReport] = lambda run: run,
    ) -> tuple[SuiteReport, ...]:
        """All test runs that the gates need to judge this tree, each completed by what else can be known."""
        runs: tuple[SuiteReport, ...] = ()
        while plan := next_run(state, claim, changes, runs, self.criteria):
            run = self.to.unfinished.suite() or (may_reuse(state, plan, runs) and self._known(state, changes))
            runs = (*runs, complete(run or self.clean(state, control, plan.only, again=bool(runs))))
        return runs

    def clean(
        self, state: LoopState, control: Control, only: tuple[str, ...] = (), trial: str = "", *, again: bool = False
    ) -> SuiteReport:
        """Run the tests; run them once more if they wrote to the tree outside the known test outputs.

        With `again` the run begins with the outputs that the last one left.
        """
        ended = _Ended(to=self.to, trial=trial)
        report = self.outputs.run(state, lambda: self.runner.run(control, only), ended, again=again)
        self.keep(report)
        return report

    def keep(self, report: SuiteReport) -> None:
        if self.cache is not None:
            self.cache.keep(report)

    def cached(self, state: LoopState, tree: str, only: tuple[str, ...] = ()) -> SuiteReport | None:
        """The trusted result of an earlier run of these tests on a tree."""
        if self.cache is None:
            return None
        return self.cache.find(tree, self.runner.command, state.proof.environment, only)

    def _known(self, state: LoopState, changes: Changes) -> SuiteReport | None:
        """An earlier run of all tests in this session on the same tree, if its result can be reused."""
        known = self.cached(state, changes.tree)
        if not known or not is_settled(known, state.proof, state.phase):
            return None
        self.to.record(SuiteEnded(at=self.to.now(), report=known, known=True))
        return known
