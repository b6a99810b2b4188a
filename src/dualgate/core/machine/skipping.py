"""LoopState -> what stays without proof if a person skips the present phase."""

from dualgate.core.values.notation import counted, listed
from dualgate.core.values.specification import CriterionStatus
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Phase

_WITHOUT = {
    Phase.RED: "no test is seen to fail before the code is written, so a passing test shows nothing about it",
    Phase.GREEN: "no test run shows that the criteria hold",
    Phase.REFACTOR: "no test run shows that the code works as before the refactoring",
    Phase.DOCUMENT: "nothing shows that the work is documented",
    Phase.QA: "no review accepts the work",
    Phase.BUILD: "no test run shows that the tasks are done",
}
_PROVEN = frozenset({CriterionStatus.GREEN, CriterionStatus.HOLDS, CriterionStatus.PASSES, CriterionStatus.MET})


def unproven_by_skip(state: LoopState) -> tuple[str, ...]:
    """Sentences on what nobody proves if the present phase is skipped."""
    open_criteria = [each.id for each in state.criteria_states if each.state not in _PROVEN]
    failing = [result.id for result in state.memory.failing]
    findings = len(state.reviews.open)
    told = (
        f"Without {state.phase} {_WITHOUT[state.phase]}.",
        f"Criteria without proof: {listed(open_criteria)}." if open_criteria else "",
        f"Failing tests: {listed(failing)}." if failing else "",
        f"The reviews left {counted(findings, 'open finding', 'open findings')}." if findings else "",
        "The session can be completed, but not proven any more (exit code 7).",
    )
    return tuple(filter(None, told))
