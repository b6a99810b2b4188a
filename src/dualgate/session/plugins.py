"""Try plug-ins that a call installed outside the project on the tree of RED: do its failing tests still fail?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dualgate.core.evidence.configuring import has_red
from dualgate.core.evidence.examine import whole_runs
from dualgate.core.evidence.plugins import installed_since, note_on, why_refused
from dualgate.core.values.control import Control
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import SuiteReport
from dualgate.session.suite_runs import SuiteRuns
from dualgate.session.trial import try_tree
from dualgate.workspace.proposing import PROPOSED_IN

RED_WITH_PLUGINS = "the tree of RED with newly installed plug-ins"


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedPlugins:
    configuration: tuple[tuple[str, str], ...] = ()
    """The effective configuration with new plug-ins; empty without any, and if they may not stay."""
    notes: tuple[str, ...] = ()


def try_plugins(state: LoopState, runs: Sequence[SuiteReport], suites: SuiteRuns, control: Control) -> TriedPlugins:
    wholes = whole_runs(runs)
    found = installed_since(state.proof, wholes[-1]) if wholes and state.phase in PROPOSED_IN else None
    if found is None:
        return TriedPlugins()
    on_red = None
    if not found.refused and has_red(state.proof):
        # an earlier result of that tree was made without the plug-ins, in another environment
        proof = replace(state.proof, environment=wholes[-1].environment)
        on_red = try_tree(proof.red_tree, RED_WITH_PLUGINS, (), suites, replace(state, proof=proof), control)
    reasons = why_refused(found, state.proof, on_red)
    notes = (note_on(found, reasons, on_red),)
    return TriedPlugins(configuration=() if reasons else wholes[-1].configuration, notes=notes)
