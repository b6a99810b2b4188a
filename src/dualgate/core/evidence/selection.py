"""LoopState, Claim, Changes, runs so far -> the next test run, if another one can decide anything.

A quick suite is run whole each time. Of a slow suite the tests that failed last are run first, and the whole suite only
when they pass; new, changed and flaky tests then confirm a green whole run.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from dualgate.core.evidence.examine import Examined, examine, repeats_made
from dualgate.core.evidence.green import REPEATS_NEEDED
from dualgate.core.evidence.kinds import RUNS_NEEDED, changed_code, passes_anew
from dualgate.core.values.case_names import function_of, stable
from dualgate.core.values.changes import Changes
from dualgate.core.values.claim import Claim
from dualgate.core.values.notation import listed
from dualgate.core.values.specification import Criterion, Kind
from dualgate.core.values.state import LoopState, Proof
from dualgate.core.values.suite import SuiteReport
from dualgate.core.values.vocabulary import Phase

MOST_SELECTED = 500
# without the signal, these phases only need to know whether the failing tests pass
WAITS_FOR_SIGNAL = frozenset({Phase.GREEN, Phase.BUILD})


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """`only` are the tests to run, in their order; empty for the whole suite."""

    reason: str
    only: tuple[str, ...] = ()
    repeat: int = 0
    """The number of the repetition, from 1; 0 for a first run."""
    seed: int | None = None
    """The seed of their shuffled order."""


def next_run(
    state: LoopState,
    claim: Claim,
    changes: Changes,
    runs: Sequence[SuiteReport],
    criteria: Sequence[Criterion] = (),
) -> RunPlan | None:
    """None if no further run is needed: a failed call without work, or a decision is possible."""
    if claim.failure and not changes.paths:
        return None
    if not runs:
        return _first(state)
    examined = examine(runs, state.proof)
    wholes = [seen for seen in examined if not seen.run.only]
    if not wholes:
        return _after_some(state, claim, examined[-1])
    if _is_in_doubt(state, wholes):
        return RunPlan(reason="to tell replaced cases from unstable ids")
    if claim.exit_signal and state.phase is Phase.RED:
        return _second_of_red(state, changes, wholes, criteria)
    if state.phase is not Phase.GREEN or not claim.exit_signal:
        return None
    return _confirmation(state, examined, wholes)


def may_reuse(state: LoopState, plan: RunPlan, runs: Sequence[SuiteReport]) -> bool:
    """Whether an earlier whole run of this tree can be reused. GREEN always makes its own runs."""
    return state.phase is not Phase.GREEN and not runs and not plan.only


def _first(state: LoopState) -> RunPlan:
    is_slow = state.proof.seconds > state.limits.first_failing_after
    # in RED the new tests matter, and they have no earlier result
    failing = [result.id for result in state.memory.failing] if is_slow and state.phase is not Phase.RED else []
    selected = _selectable(failing, state.proof)
    if selected:
        return RunPlan(only=selected, reason="the suite is slow, so the tests that failed come first")
    return RunPlan(reason="the whole suite decides")


def _after_some(state: LoopState, claim: Claim, seen: Examined) -> RunPlan | None:
    if not seen.run.trusted:
        return RunPlan(reason="the tests that failed could not be run by themselves")
    if not seen.is_spotless or (state.phase in WAITS_FOR_SIGNAL and not claim.exit_signal):
        return None
    return RunPlan(reason="the tests that failed pass, so the whole suite decides")


def _is_in_doubt(state: LoopState, wholes: Sequence[Examined]) -> bool:
    return state.phase is not Phase.RED and len(wholes) == 1 and wholes[0].run.trusted and bool(wholes[0].doubtful)


def _second_of_red(
    state: LoopState, changes: Changes, wholes: Sequence[Examined], criteria: Sequence[Criterion]
) -> RunPlan | None:
    """Run the tests again if new tests of a criterion pass before any work: two runs show that it holds already."""
    results = wholes[-1].run.results
    if len(wholes) >= RUNS_NEEDED or not wholes[-1].run.trusted or changed_code(changes, results, state.proof):
        return None
    asked = [c for c in criteria if c.kind is Kind.NEW and c.id not in state.proof.kept_criteria]
    passing = [c.id for c in asked if passes_anew(c, wholes[-1], state.proof)]
    return RunPlan(reason=f"the tests of {listed(passing)} pass before any work") if passing else None


def _confirmation(state: LoopState, examined: Sequence[Examined], wholes: Sequence[Examined]) -> RunPlan | None:
    is_slow = state.proof.seconds > state.limits.slow_suite
    if len(wholes) >= state.limits.green_runs or not all(seen.is_spotless for seen in examined):
        return None
    selected = _selectable(_confirming(wholes[-1], state.proof), state.proof) if is_slow else ()
    if not selected:
        return RunPlan(reason="a green run of the same tree confirms the first")
    repeat = repeats_made(examined) + 1
    if repeat > REPEATS_NEEDED:
        return None
    seed = state.iteration * REPEATS_NEEDED + repeat
    return RunPlan(
        only=_shuffled(selected, seed),
        repeat=repeat,
        seed=seed,
        reason="the suite is slow, so these confirm the whole run",
    )


def _shuffled(ids: Iterable[str], seed: int) -> tuple[str, ...]:
    """A different order for every seed, reproducible."""
    return tuple(sorted(ids, key=lambda name: sha256(f"{seed} {name}".encode("utf-8", "surrogatepass")).digest()))


def _confirming(whole: Examined, proof: Proof) -> list[str]:
    """The new, changed and flaky tests of the run."""
    wavering = {*proof.unstable, *proof.flaky}
    fresh = {*whole.since_start.new, *whole.since_start.changed}
    return [r.id for r in whole.run.results if r.id in fresh or r.id in wavering]


def selections(ids: Iterable[str], proof: Proof) -> tuple[tuple[str, ...], ...]:
    """Ids that a runner finds again, functions instead of unstable ids, in as many runs as they need."""
    found = tuple(dict.fromkeys(wanted for name in ids if (wanted := _findable(name, proof))))
    return tuple(found[start : start + MOST_SELECTED] for start in range(0, len(found), MOST_SELECTED))


def _selectable(ids: Iterable[str], proof: Proof) -> tuple[str, ...]:
    """The ids for a single run; empty if there are too many to be quicker than the whole suite."""
    found = selections(ids, proof)
    return found[0] if len(found) == 1 else ()


def _findable(name: str, proof: Proof) -> str:
    plain, function = stable(name), function_of(name)
    if plain == name and function not in proof.unstable_ids:
        return name
    return function if stable(function) == function else ""
