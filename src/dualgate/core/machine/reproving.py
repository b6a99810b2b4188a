"""LoopState -> whether a phase entered again can be proven again without asking an agent.

A rejection makes GREEN, REFACTOR and DOCUMENT unproven, and each is proven again. If the review asks nothing of a phase
and no later change concerns it, an agent has nothing to do there: the loop proves gate 1 with its own runs on the new
tree, and reuses the signal that ended the phase before. If gate 1 is shut, the agent is asked as usual.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from dualgate.core.machine.phases import UNPROVEN_BY_REJECTION
from dualgate.core.said.findings import open_fixes
from dualgate.core.values.claim import Claim
from dualgate.core.values.reviews import Route
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Phase, WorkStatus

DOCUMENT_PATH = re.compile(r"^docs?/|\.(mdx?|markdown|rst|adoc|asciidoc)$", re.IGNORECASE)
REWRITTEN = "tests were to be rewritten, and nothing else changed"
# the signal that was given when the phase was first proven
STILL_PROVEN = Claim(status=WorkStatus.COMPLETE, exit_signal=True, has_block=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """The fixes that a phase makes and the paths that concern it."""

    routes: tuple[Route, ...]
    concerns: Callable[[str], bool]
    reason: str


GROUNDS = {
    Phase.GREEN: Ground(
        routes=(Route.IMPLEMENTER, Route.AMENDMENT),
        concerns=lambda _: True,
        reason="the review asks nothing of GREEN, and nothing changed since",
    ),
    Phase.REFACTOR: Ground(
        routes=(Route.REFACTORER,),
        concerns=lambda path: not is_document(path),
        reason="the review asks nothing of REFACTOR, and no code changed since",
    ),
    Phase.DOCUMENT: Ground(
        routes=(),
        concerns=lambda path: is_document(path),
        reason="no document changed since the review",
    ),
}


def is_document(path: str) -> bool:
    return DOCUMENT_PATH.search(path) is not None


def why_still_proven(state: LoopState) -> str | None:
    """Why the present phase can be proven again without a call; None if an agent must be asked."""
    if state.phase not in UNPROVEN_BY_REJECTION or state.phase not in state.proof.phases:
        return None
    if state.memory.rejected:
        return None  # a person wants more of it
    if state.iteration or state.failures.failed_calls or state.failures.limited_calls:
        return None  # an agent already works on it
    if not state.reviews.open and not state.qa_attempts:  # nothing was rejected
        return REWRITTEN if state.phase is Phase.GREEN and state.proof.rewrites else None
    ground = GROUNDS[state.phase]
    asked = open_fixes(state.reviews, *ground.routes, tests=files_of_tests(state))
    touched = any(ground.concerns(path) for path in state.reviews.touched)
    return None if asked or touched else ground.reason


def files_of_tests(state: LoopState) -> frozenset[str]:
    """Files that contain proven tests, whatever their names."""
    return frozenset(result.file for result in state.proof.proven or () if result.file)
