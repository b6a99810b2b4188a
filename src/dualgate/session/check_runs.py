"""Run the checks that the gates need for one tree; reuse finished runs, and results of an unchanged tree."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from dualgate.core.evidence.checks import DueCheck, due_checks
from dualgate.core.values.checks import CheckEnded, CheckRun
from dualgate.core.values.control import Control
from dualgate.core.values.specification import Criterion
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import SuiteReport
from dualgate.runners.check import Checker
from dualgate.session.record import Recording
from dualgate.workspace.base import Workspace

WROTE = "changed the work tree, and what was there before is put back; let it write to a temporary or an ignored folder"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRuns:
    checker: Checker
    worktree: Workspace
    to: Recording
    criteria: tuple[Criterion, ...] = ()
    known: dict[tuple[str, str], CheckRun] = field(default_factory=dict)
    """Results of this session by tree and command."""

    def decide(self, state: LoopState, runs: Sequence[SuiteReport], control: Control) -> tuple[CheckRun, ...]:
        """All checks that the gates need to judge this tree, in the order of the criteria."""
        due = due_checks(state, self.criteria, runs)
        return tuple(self.to.unfinished.check(each.command) or self._run(each, state, control) for each in due)

    def _run(self, due: DueCheck, state: LoopState, control: Control) -> CheckRun:
        if known := self.known.get((self.worktree.present, due.command)):
            self.to.record(CheckEnded(at=self.to.now(), check=known, known=True))
            return known
        run = self._clean(due, state, control)
        if not run.problem:
            self.known[run.tree, due.command] = run
        return run

    def _clean(self, due: DueCheck, state: LoopState, control: Control) -> CheckRun:
        """Run a command; run it once more if it wrote to the tree outside the known test outputs."""
        for _attempt in range(2):
            run = self.checker.run(due.command, due.prints, control)
            written = self.worktree.after_run(state.proof.outputs)
            if written:
                run = replace(run, written=written, problem=f"{WROTE}: {', '.join(written[:5])}")
            run = replace(run, tree=self.worktree.present)
            self.to.record(CheckEnded(at=self.to.now(), check=run))
            if not written:
                break
        return run
