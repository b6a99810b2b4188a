"""Run the checks that the gates need for one tree; reuse finished runs, and results of an unchanged tree."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from dualgate.core.evidence.checks import DueCheck, due_checks, is_doubtful, other_programs, unseen_checks
from dualgate.core.values.checks import Check, CheckEnded, CheckRun
from dualgate.core.values.claim import Claim
from dualgate.core.values.control import Control
from dualgate.core.values.specification import Criterion
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import SuiteReport
from dualgate.runners.check import Checker
from dualgate.session.output_runs import Effect, OutputRuns
from dualgate.session.record import Recording
from dualgate.workspace.base import Workspace

WROTE = (
    "changed the work tree, which was restored; make it write to a temporary or an ignored folder, or name the file "
    "in guard.outputs"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRuns:
    checker: Checker
    worktree: Workspace
    to: Recording
    criteria: tuple[Criterion, ...] = ()
    checks: tuple[Check, ...] = ()
    known: dict[tuple[str, str], CheckRun] = field(default_factory=dict)
    """Results of this session by tree and command."""

    @property
    def outputs(self) -> OutputRuns:
        return OutputRuns(worktree=self.worktree, to=self.to)

    def decide(
        self, state: LoopState, claim: Claim, runs: Sequence[SuiteReport], control: Control
    ) -> tuple[CheckRun, ...]:
        """All checks that the gates need to judge this tree, those of criteria first."""
        due = due_checks(state, self.criteria, runs, claim)
        return tuple(self._finished(each, state, control) or self._run(each, state, control) for each in due)

    def before_review(self, state: LoopState, control: Control) -> tuple[CheckRun, ...]:
        """The checks without a result of the tree to be reviewed."""
        due = unseen_checks(state, self.worktree.present)
        return tuple(self._run(DueCheck(command=check.command), state, control) for check in due)

    def before_work(self, outputs: tuple[str, ...], control: Control) -> tuple[tuple[CheckRun, ...], tuple[str, ...]]:
        """One run of each check before any work, and the outputs of tests and checks: files that a check creates."""
        first, runs = self.worktree.present, list[CheckRun]()
        for check in self.checks:
            run = self._once(DueCheck(command=check.command), outputs, control)
            created = tuple(path for path in run.written if self.worktree.read(first, path) is None)
            if run.written and created == run.written:
                outputs = (*outputs, *self.worktree.learned(created, created))
                run = self._once(DueCheck(command=check.command), outputs, control)
            runs.append(run)
        return tuple(runs), tuple(dict.fromkeys(outputs))

    def _run(self, due: DueCheck, state: LoopState, control: Control) -> CheckRun:
        if known := self.known.get((self.worktree.present, due.command)):
            self.to.record(CheckEnded(at=self.to.now(), check=known, known=True))
            return known
        run = self._settled(due, self._clean(due, state, control), state, control)
        if not run.problem:
            self.known[run.tree, due.command] = run
        return run

    def _finished(self, due: DueCheck, state: LoopState, control: Control) -> CheckRun | None:
        """The last run of a turn that was cut off; the second one is made now if it was not ended."""
        run = None
        while later := self.to.unfinished.check(due.command):
            run = later
        return run and self._settled(due, run, state, control)

    def _settled(self, due: DueCheck, run: CheckRun, state: LoopState, control: Control) -> CheckRun:
        """The run that counts: a second one of the same tree if the first would break a check that passed."""
        if not is_doubtful(state, run):
            return run
        return self._once(due, state.proof.outputs, control, state, is_second=True)

    def _clean(self, due: DueCheck, state: LoopState, control: Control) -> CheckRun:
        """Run a command; run it once more if it wrote to the tree outside the known test outputs."""
        return self.outputs.run(state, lambda: self._begun(due, control, state), self._ended)

    def _once(
        self,
        due: DueCheck,
        outputs: Sequence[str],
        control: Control,
        state: LoopState | None = None,
        *,
        is_second: bool = False,
    ) -> CheckRun:
        """Run a command and record how it ended; `state` holds the runs before any work, if they were made."""
        run = replace(self._begun(due, control, state), is_second=is_second)
        written = self.worktree.after_run((*outputs, *self.to.learned))
        return self._ended(run, Effect(tree=self.worktree.present, written=written))

    def _begun(self, due: DueCheck, control: Control, state: LoopState | None) -> CheckRun:
        run = self.checker.run(due.command, due.prints, control)
        if state is not None and (problem := other_programs(state, run)):
            run = replace(run, problem=run.problem or problem)
        return run

    def _ended(self, run: CheckRun, effect: Effect) -> CheckRun:
        if effect.written:
            run = replace(run, written=effect.written, problem=f"{WROTE}: {', '.join(effect.written[:5])}")
        run = replace(run, tree=effect.tree, outputs=effect.outputs)
        self.to.record(CheckEnded(at=self.to.now(), check=run))
        return run
