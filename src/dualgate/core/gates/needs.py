"""Phase, Limits -> the evidence that opens gate 1, in a sentence."""

from dualgate.core.gates.document import wanted_documents
from dualgate.core.values.limits import Limits
from dualgate.core.values.vocabulary import Phase


def gate_1(phase: Phase, limits: Limits) -> str:
    """The evidence that opens gate 1 of a phase."""
    return {
        Phase.RED: "every new criterion has a new or changed test that fails, and nothing else broke",
        Phase.GREEN: f"{limits.green_runs} full runs of one tree are green, and no test vanished or was skipped",
        Phase.REFACTOR: f"the tests are green, and it is complete or {limits.refactor_iterations} iterations were made",
        Phase.DOCUMENT: f"there are {wanted_documents(limits)}, and the tests are green",
        Phase.QA: f"approved without critical or major findings, at most {limits.qa_returns} returns; tests green",
        Phase.BUILD: "no task is open, and the tests are green",
    }[phase]
