"""CheckRuns -> their results in the state, and the return to GREEN if one is broken before a review."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from dualgate.core.evidence.checks import check_results
from dualgate.core.machine.check_findings import with_passing
from dualgate.core.machine.moves import reject
from dualgate.core.values.checks import CheckEnded, CheckResult, CheckRun, ChecksFailed, CheckState
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import LoopState
from dualgate.core.values.verdict import Outcome, Verdict


def held_back(state: LoopState, runs: Sequence[CheckRun], at: datetime) -> ChecksFailed | None:
    """The return to GREEN for checks that are broken on the tree to be reviewed; None if the review can be made."""
    results = tuple(result for result in check_results(state, runs) if result.is_broken)
    if not results:
        return None
    verdict = held_verdict(results)
    return ChecksFailed(at=at, results=results, verdict=verdict, move=reject(state, verdict))


def held_verdict(results: Iterable[CheckResult]) -> Verdict:
    reasons = tuple(result.sentence for result in results)
    return Verdict(outcome=Outcome.REJECT, gate_1=False, gate_2=False, reasons=reasons, blockers=reasons)


def check_changes(state: LoopState, event: CheckEnded) -> dict[str, Any]:
    """Keep the last result of each check, and close the finding of one that passes again."""
    found = check_results(state, [event.check]) if state.proof.start_tree else ()
    if not found:
        return {}
    (result,) = found
    others = tuple(each for each in state.check_results if each.command != result.command)
    changes: dict[str, Any] = {"check_results": (*others, result)}
    if result.state is CheckState.PASSES:
        changes["reviews"] = with_passing(state.reviews, result, event.at)
    return changes


def with_results(state: LoopState, runs: Iterable[CheckRun], at: datetime) -> LoopState:
    for run in runs:
        state = replace(state, **check_changes(state, CheckEnded(at=at, check=run)))
    return state
