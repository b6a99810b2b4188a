"""Make the test runs that the gates need for one tree; reuse finished runs and cached results."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from dualgate.core.evidence.examine import is_settled
from dualgate.core.evidence.selection import may_reuse, next_run
from dualgate.core.values.changes import Changes
from dualgate.core.values.claim import Claim
from dualgate.core.values.control import Control
from dualgate.core.values.events import SuiteEnded
from dualgate.core.values.specification import Criterion
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import SuiteReport, void
from dualgate.runners.base import Runner
from dualgate.runners.cache import ResultCache
from dualgate.session.record import Recording
from dualgate.workspace.base import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRuns:
    runner: Runner
    worktree: Workspace
    to: Recording
    cache: ResultCache | None = None
    criteria: tuple[Criterion, ...] = ()

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
            runs = (*runs, complete(run or self.clean(state, control, plan.only)))
        return runs

    def clean(self, state: LoopState, control: Control, only: tuple[str, ...] = (), trial: str = "") -> SuiteReport:
        """Run the tests; run them once more if they wrote to the tree outside the known test outputs."""
        for _attempt in range(2):
            report = self.runner.run(control, only)
            written = self.worktree.after_run(state.proof.outputs)
            report = void(report, written) if written else report
            report = replace(report, tree=self.worktree.present)
            self.to.record(SuiteEnded(at=self.to.now(), report=report, trial=trial))
            if not written:
                break
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
