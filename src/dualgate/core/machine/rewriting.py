"""LoopState, TurnEnded -> the state in which tests of some criteria are rewritten, and the state after it.

The work stays while RED is entered again: only the tests of criteria without proof are unfrozen.
"""

from dualgate.core.gates.judge import measure
from dualgate.core.machine.phases import entered
from dualgate.core.values.events import TurnEnded
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import LoopState, Proof
from dualgate.core.values.vocabulary import Phase


def to_rewriting(state: LoopState, turn: TurnEnded, proof: Proof) -> LoopState:
    """Return to RED for the criteria whose tests did not notice broken code; `proof` is that of GREEN."""
    proof = replace(proof, rewriting=turn.facts.observed.weak)
    completed = tuple(phase for phase in state.phases_completed if phase is not Phase.RED)
    marks = measure(replace(turn.facts, phase=Phase.RED))
    return entered(replace(state, proof=proof, phases_completed=completed), Phase.RED, turn.at, marks)


def from_rewriting(state: LoopState, turn: TurnEnded) -> LoopState:
    """Go on with the tests as they were; what they do not notice stays known."""
    proof = replace(state.proof, rewriting=())
    completed = (*state.phases_completed, Phase.RED)
    marks = measure(replace(turn.facts, phase=Phase.GREEN))
    return entered(replace(state, proof=proof, phases_completed=completed), Phase.GREEN, turn.at, marks)
