"""Measure one tree for the gates: run tests and checks, try rewritten tests without the work, break changed code."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from dualgate.core.evidence.asked_names import asked_names, why_not_asked_for
from dualgate.core.evidence.facts import gather
from dualgate.core.evidence.rewriting import rewritten_tests, with_rewriting
from dualgate.core.evidence.run_outputs import outputs_of, with_outputs, without_outputs
from dualgate.core.evidence.sensitivity import with_probes
from dualgate.core.gates.judge import judge
from dualgate.core.said.follow_up import supposing_signal
from dualgate.core.values.changes import Changes
from dualgate.core.values.checks import CheckRun
from dualgate.core.values.claim import Claim
from dualgate.core.values.control import Control
from dualgate.core.values.facts import Facts
from dualgate.core.values.probes import ProbeReport
from dualgate.core.values.source_texts import NO_TEXTS, SourceTexts
from dualgate.core.values.specification import Kind, Plan
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import CaseOutcome, SuiteReport, Trial
from dualgate.core.values.verdict import Outcome
from dualgate.core.values.vocabulary import Phase
from dualgate.languages.python import LIBRARY
from dualgate.session.disarming import OLD_CODE, TriedTests, try_old_tests
from dualgate.session.disturbed import without_disturbance
from dualgate.session.extending import find_leaning
from dualgate.session.plugins import try_plugins
from dualgate.session.rooms import Rooms
from dualgate.session.source_texts import read_texts
from dualgate.session.trial import try_tree
from dualgate.session.unbuilt import with_tests_beside
from dualgate.session.uncollected import completed, run_one_by_one

RED_WITH_REWRITTEN = "the tree of RED with rewritten tests"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Everything that was measured on one tree. `facts` holds a claim beside it."""

    changes: Changes
    runs: Sequence[SuiteReport]
    checks: Sequence[CheckRun] = ()
    plan: Plan | None = None
    texts: SourceTexts = NO_TEXTS
    configuration: tuple[tuple[str, str], ...] = ()
    """The effective configuration with newly installed plug-ins that are accepted; empty without any."""
    trial: Trial | None = None
    held_before: tuple[str, ...] = ()
    """Red tests that pass on the code from before the run."""
    tried: TriedTests = field(default_factory=TriedTests)
    """The results of the tests from before the run on this tree."""
    leaning: tuple[str, ...] = ()
    """Proven tests that pass only with what was added to their files, as sentences."""
    probes: ProbeReport | None = None
    absent: frozenset[str] = frozenset()
    """Names of functions that criteria ask for, and that no source has."""

    def seen_in(self, state: LoopState) -> LoopState:
        """The state with the outputs and the plug-ins that these runs showed."""
        proof = replace(state.proof, configuration=self.configuration or state.proof.configuration)
        return replace(state, proof=with_outputs(proof, outputs_of((*self.runs, *self.checks))))

    def facts(self, state: LoopState, claim: Claim, rooms: Rooms) -> Facts:
        state = self.seen_in(state)
        facts = gather(state, rooms.prp, claim, self.runs, self.changes, self.plan, self.checks, self.texts)
        facts = replace(facts, observed=replace(facts.observed, held_before=self.held_before))
        facts = with_rewriting(facts, state, rooms.prp, self.runs, self.trial)
        tried = self.tried
        observed = replace(facts.observed, disarmed=tried.disarmed, upheld=tried.upheld, leaning=self.leaning)
        facts = replace(facts, observed=observed)
        if self.probes is None:
            return facts
        asked = _asked(rooms)
        return with_probes(facts, self.probes, state, why_not_asked_for(asked, self.absent, self.probes), asked)


def measure_tree(
    state: LoopState, claim: Claim, changes: Changes, rooms: Rooms, control: Control, plan: Plan | None = None
) -> Measured:
    """Measure what the gates need; the dearest last, and only if all before it would let the phase end."""
    supposed = supposing_signal(claim)
    runs = rooms.suites.decide(
        state, supposed, changes, control, lambda run: _whole(run, state, changes, rooms, control)
    )
    checks = rooms.checks.decide(state, supposed, runs, control)
    plugins = try_plugins(state, runs, rooms.suites, control)
    changes = without_outputs(changes, outputs_of((*runs, *checks)))
    changes = replace(changes, notes=(*changes.notes, *plugins.notes))
    measured = Measured(
        changes=changes,
        runs=runs,
        checks=checks,
        plan=plan,
        texts=read_texts(state, changes, runs, rooms.worktree),
        configuration=plugins.configuration,
    )
    measured = replace(measured, trial=_trial(measured.seen_in(state), changes, runs, rooms, control))
    return measure_proof(measured, state, claim, rooms, control)


def _whole(run: SuiteReport, state: LoopState, changes: Changes, rooms: Rooms, control: Control) -> SuiteReport:
    """A run with the results of tests that could not be collected or compiled, or that red tests disturb."""
    run = completed(run, state, changes, rooms.suites, control)
    run = with_tests_beside(run, state, changes, rooms.suites, control)
    return without_disturbance(run, state, rooms.suites, control)


def measure_proof(measured: Measured, state: LoopState, claim: Claim, rooms: Rooms, control: Control) -> Measured:
    """Add whether tests were disarmed and what they notice, if the phase would end by everything else."""
    supposed, seen = supposing_signal(claim), measured.seen_in(state)
    facts = measured.facts(state, supposed, rooms)
    if judge(facts, state.limits).outcome is not Outcome.PASS:
        return measured
    measured = replace(measured, held_before=_held_before(facts, seen, rooms, control))
    tried = try_old_tests(seen, facts, measured.runs, rooms.suites, control)
    leaning = find_leaning(seen, measured.changes, measured.runs, rooms.suites, control)
    measured = replace(measured, tried=tried, leaning=leaning)
    probes = rooms.probes.decide(seen, measured.facts(state, supposed, rooms), control)
    absent = _absent(rooms) if probes and state.phase is Phase.GREEN else frozenset()
    return replace(measured, probes=probes, absent=absent)


def _held_before(facts: Facts, state: LoopState, rooms: Rooms, control: Control) -> tuple[str, ...]:
    """Run red tests on the code from before the run, if RED changed existing code in more than stubs."""
    seen = facts.observed
    is_red = (
        state.phase is Phase.RED
        and not state.proof.rewriting
        and bool({*seen.changes.code} & {*seen.changes.rewritten})
    )
    if not is_red:
        return ()
    tree = rooms.worktree.with_tests(state.proof.start_tree, rooms.worktree.present)
    report = try_tree(tree, OLD_CODE, seen.red, rooms.suites, state, control)
    report = run_one_by_one(report, tree, OLD_CODE, seen.changes, rooms.suites, state, control)
    passing = {result.id for result in report.results if result.outcome is CaseOutcome.PASSED}
    return tuple(name for name in seen.red if name in passing)


def _absent(rooms: Rooms) -> frozenset[str]:
    asked = {name for names in _asked(rooms).values() for name in names}
    return rooms.worktree.unmentioned(asked) if asked else frozenset()


def _asked(rooms: Rooms) -> dict[str, tuple[str, ...]]:
    """By criterion, the functions that it asks for."""
    return {criterion.id: asked_names(criterion, LIBRARY) for criterion in rooms.prp.of_kind(Kind.NEW)}


def _trial(
    state: LoopState, changes: Changes, runs: Sequence[SuiteReport], rooms: Rooms, control: Control
) -> Trial | None:
    """Run rewritten tests on the tree of RED, where the work is missing."""
    tests = rewritten_tests(state, rooms.prp, runs) if state.proof.rewriting else ()
    if not tests:
        return None
    tree = rooms.worktree.with_changes(state.proof.red_tree, state.proof.proven_tree)
    report = try_tree(tree, RED_WITH_REWRITTEN, tests, rooms.suites, state, control)
    report = run_one_by_one(report, tree, RED_WITH_REWRITTEN, changes, rooms.suites, state, control)
    return Trial(tree=tree, results=report.results, problems=report.problems)
