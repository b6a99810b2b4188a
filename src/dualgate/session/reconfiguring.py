"""Try configuration that the guard reverted: with it, without it, and on the tree of RED. Adopt it if nothing turns."""

from dataclasses import dataclass

from dualgate.core.evidence.configuring import (
    accepted_note,
    has_red,
    missing_tests,
    other_results,
    weigh_settings,
    why_not_red,
    with_decision,
)
from dualgate.core.machine.history import apply
from dualgate.core.values.changes import Changes
from dualgate.core.values.configuring import ConfigurationDecided, Reach, Reconfiguration
from dualgate.core.values.control import Control
from dualgate.core.values.notation import listed
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import SuiteReport
from dualgate.session.rooms import Rooms
from dualgate.session.swap import SwapRooms, swapped
from dualgate.session.trial import try_tree

CHANGED = "the present code with the changed configuration"
FROZEN = "the present code with the frozen configuration"
RED_CHANGED = "the tree of RED with the changed configuration"
RED = "the tree of RED"
ADOPTED = "the changed configuration, to adopt it"
NEVER_RED = "no test was red, so nothing shows that tests can fail with it"


def reconfigure(changes: Changes, state: LoopState, rooms: Rooms, control: Control) -> tuple[LoopState, Changes]:
    """Decide on the configuration that a call changed, if there is any; returns the state and changes after it."""
    proposed = changes.proposed
    if proposed is None:
        return state, changes
    decided = rooms.suites.to.unfinished.configured()
    if decided is None:
        trial = _Trial(proposed=proposed, state=state, rooms=rooms, control=control)
        decided = trial.decide()
        rooms.record(decided)
    return apply(state, decided), with_decision(changes, decided)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trial:
    proposed: Reconfiguration
    state: LoopState
    rooms: Rooms
    control: Control

    def decide(self) -> ConfigurationDecided:
        if self.proposed.reach is Reach.UNREAD:
            return self._adopted(None, ())
        run = self._run(self.proposed.tree, CHANGED)
        if run.problems:
            return self._refused((f"the tests cannot be run with it: {'; '.join(run.problems)}",))
        settings = weigh_settings(self.state.proof, run, self.proposed.reach, self.proposed.importing)
        if reasons := settings.refused or self._why_not(run, settings.compared):
            return self._refused(reasons)
        return self._adopted(run, settings.compared)

    def _why_not(self, run: SuiteReport, compared: tuple[str, ...]) -> tuple[str, ...]:
        """Compare results with and without the change, first on the present code, then on the tree of RED."""
        proof = self.state.proof
        missing = missing_tests(proof, run)
        if compared or missing:
            without = self._run(self.rooms.worktree.present, FROZEN)
            lost = {*missing}.difference(missing_tests(proof, without))
            if without.problems or (compared and (reasons := other_results(proof, without, run))):
                return without.problems or (*reasons, f"results must be the same with and without {listed(compared)}")
            if lost:
                return (f"with the changed configuration these tests are not run: {listed(sorted(lost))}",)
        if not has_red(proof):
            return (NEVER_RED,) if compared else ()
        return self._why_not_red()

    def _why_not_red(self) -> tuple[str, ...]:
        red = self.state.proof.red_tree
        runs = (self._run(red, RED), self._run(self._with_edits(red), RED_CHANGED))
        return why_not_red(self.state.proof, runs, "it")

    def _run(self, tree: str, label: str) -> SuiteReport:
        return try_tree(tree, label, (), self.rooms.suites, self.state, self.control)

    def _with_edits(self, tree: str) -> str:
        """A tree of the proof with the changed files."""
        return self.rooms.worktree.with_paths(tree, self.proposed.tree, self.proposed.paths) if tree else ""

    def _refused(self, reasons: tuple[str, ...]) -> ConfigurationDecided:
        return ConfigurationDecided(
            at=self.rooms.now(), proposed=self.proposed, reasons=reasons, tree=self.rooms.worktree.present
        )

    def _adopted(self, run: SuiteReport | None, compared: tuple[str, ...]) -> ConfigurationDecided:
        """Switch the work tree to the changed configuration; the decision, recorded by the caller, ends the switch."""
        proof, tree = self.state.proof, self.proposed.tree
        before = self.rooms.worktree.present
        place = SwapRooms(worktree=self.rooms.worktree, record=self.rooms.record, now=self.rooms.now)
        with swapped(tree, ADOPTED, place, ends=False) as swap:
            left, swap.back = swap.left, swap.back if swap.left else tree
        if left:
            return self._refused((f"these files could not be written: {', '.join(left)}",))
        red = sum(result.failed for result in proof.red) if proof.red_tree else 0
        return ConfigurationDecided(
            at=self.rooms.now(),
            proposed=self.proposed,
            note=accepted_note(self.proposed, compared, red),
            configuration=run.configuration if run else (),
            tree=self.rooms.worktree.present,
            without=before if compared else "",
            red_tree=self._with_edits(proof.red_tree),
            proven_tree=self._with_edits(proof.proven_tree),
            green_tree=self._with_edits(proof.green_tree),
            kept_tree=self._with_edits(proof.kept_tree),
        )
