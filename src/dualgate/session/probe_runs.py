"""Break the changed code of one tree to see whether its tests notice; reuse finished and unchanged results."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from dualgate.core.evidence.sensitivity import build_groups, probe_groups, seconds_for_probes
from dualgate.core.gates.judge import judge
from dualgate.core.values.control import Control
from dualgate.core.values.facts import Facts
from dualgate.core.values.limits import MEASURES_NOTHING
from dualgate.core.values.probes import ProbeGroup, ProbePlan, ProbeReport, ProbesEnded, ProbesStarted
from dualgate.core.values.state import LoopState
from dualgate.core.values.verdict import Outcome
from dualgate.core.values.vocabulary import Phase
from dualgate.languages.registry import LANGUAGES
from dualgate.runners.base import Prober
from dualgate.session.record import Recording
from dualgate.workspace.base import Workspace
from dualgate.workspace.steering.paths import is_steering, names_dependencies

READ = frozenset({".py", ".pyi", ".pyx", *(ending for language in LANGUAGES for ending in language.sources)})
"""Endings of code that languages read. A script of a shell is not among them: tests must notice that it is empty."""
MARKERS = frozenset({"py.typed"})
"""Files that say something by being there."""
MEASURED_IN = frozenset({Phase.GREEN, Phase.BUILD})
CHANGED_RECORD = "the record of this run was changed while code was broken, and was restored"
LEFT = "files that broken code left"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeRuns:
    prober: Prober
    worktree: Workspace
    to: Recording
    known: dict[tuple[str, tuple[object, ...]], ProbeReport] = field(default_factory=dict)
    """Results of this session by tree and tests."""

    def decide(self, state: LoopState, facts: Facts, control: Control) -> ProbeReport | None:
        """The report of the probes, if the phase is about to end by it; else None."""
        finished = self.to.unfinished.probes()
        if finished is not None and finished.tree in ("", self.worktree.present):
            return finished
        is_off = state.limits.sensitivity == MEASURES_NOTHING
        if is_off or state.phase not in MEASURED_IN or not _ends(facts, state):
            return None
        observed = facts.observed
        groups = probe_groups(observed, state.proof) or build_groups(observed)
        plan = self._plan(state, observed.changes.sources, groups)
        return self._known(plan) or self._probe(plan, state, control)

    def of_tests(
        self, tests: tuple[str, ...], sources: Sequence[str], state: LoopState, control: Control
    ) -> ProbeReport | None:
        """The probes that some tests notice on the present tree; None if nothing is measured."""
        if state.limits.sensitivity == MEASURES_NOTHING:
            return None
        plan = self._plan(state, sources, (ProbeGroup(id="", tests=tests),))
        return self._known(plan) or self._probe(plan, state, control)

    def _plan(self, state: LoopState, sources: Sequence[str], groups: tuple[ProbeGroup, ...]) -> ProbePlan:
        start = state.proof.start_tree
        return ProbePlan(
            before={path: _text(self.worktree.read(start, path)) for path in sources if path.endswith(".py")},
            groups=groups,
            data=tuple(filter(is_data, sources)),
            outputs=state.proof.cleared,
            seconds=seconds_for_probes(state),
        )

    def _known(self, plan: ProbePlan) -> ProbeReport | None:
        report = self.known.get((self.worktree.present, plan.groups))
        if report is not None:
            self.to.record(ProbesEnded(at=self.to.now(), report=report, known=True))
        return report

    def _probe(self, plan: ProbePlan, state: LoopState, control: Control) -> ProbeReport:
        """Make the probes, and restore the work tree if broken code wrote to it."""
        tree = self.worktree.present
        groups = tuple(replace(each, tests=self.to.named(each.tests)) for each in plan.groups)
        self.to.record(ProbesStarted(at=self.to.now(), seconds=plan.seconds))
        with self.to.folder_check.during():
            report = self.prober.probe(replace(plan, groups=groups), control)
        if touched := self.to.folder_check.changed():
            report = ProbeReport(problems=(f"{CHANGED_RECORD}: {', '.join(touched)}",), seconds=report.seconds)
        if self.worktree.after_run(state.proof.outputs) or state.proof.cleared:
            self.worktree.become(tree, LEFT)
        report = self.to.redactor.value(replace(report, tree=self.worktree.present))
        self.to.record(ProbesEnded(at=self.to.now(), report=report))
        self.known[tree, plan.groups] = report
        return report


def _ends(facts: Facts, state: LoopState) -> bool:
    """Whether both gates are open, so that it matters what the tests notice."""
    return judge(facts, state.limits).outcome is Outcome.PASS


def is_data(path: str) -> bool:
    """Whether a changed source is neither code nor something that configures the project or its tools."""
    pure = PurePosixPath(path)
    is_named = pure.suffix == "" or pure.name in MARKERS or any(part.startswith(".") for part in pure.parts)
    return not (is_named or pure.suffix in READ or is_steering(path) or names_dependencies(path))


def _text(content: bytes | None) -> str:
    return "" if content is None else content.decode("utf-8", "replace")
