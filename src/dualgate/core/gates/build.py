"""Facts of BUILD -> what its gates say: the analyzer's own rule, given what the loop measured.

There is one rule for whether a loop over a task list ends, in `exits.py`. Here it is told what the loop knows: the task
list as it stands in the work tree, its own run of the tests, and what the call changed.
"""

from dataclasses import replace

from dualgate.core.evidence.green import Fault, faults, why_not_green
from dualgate.core.gates.exits import ExitDecision, Known, exit_after, missing
from dualgate.core.said.words import is_stuck
from dualgate.core.values.facts import Facts, Observed
from dualgate.core.values.limits import Limits
from dualgate.core.values.verdict import Breaker, BreakerState
from dualgate.core.values.vocabulary import Phase

WEAKENED = frozenset({Fault.VANISHED, Fault.NEWLY_SKIPPED, Fault.PARTIAL})
"""What says nothing against an end, and nothing for it."""


def build_exit(facts: Facts, limits: Limits, breaker: Breaker | None = None) -> ExitDecision:
    """What follows from one turn of BUILD; a breaker that is open, or the last iteration, ends it too."""
    known = _known(facts, limits, _stalled(breaker, limits) if breaker else "")
    return exit_after(facts.claimed, facts.past, known)


def build_missing(facts: Facts, limits: Limits) -> tuple[str, ...]:
    """What keeps the first gate shut, violations aside, and a nudge where the agent goes round in circles."""
    seen = facts.observed
    known = _known(facts, limits, "")
    shut = missing(facts.claimed, replace(known, against=()))
    weakened = () if known.tests_pass is not None else why_not_green(seen, facts.suites, WEAKENED)
    return (*shut, *(weakened if shut else ()), *_nudge(facts, limits))


def _nudge(facts: Facts, limits: Limits) -> tuple[str, ...]:
    claim = facts.claimed
    if claim.failure or not is_stuck((*facts.past.errors, claim.error), limits.same_error_nudge):
        return ()
    return (f"your last {limits.same_error_nudge} answers show the same error; try another way: {claim.error}",)


def why_unproven(facts: Facts) -> tuple[str, ...]:
    """Why a BUILD that ended is not proven; empty where the loop's own run of the tests was green."""
    seen = facts.observed
    if tests_pass(seen):
        return ()
    return why_not_green(seen, facts.suites, WEAKENED) or ("no test run of the loop says that it works",)


def tests_pass(seen: Observed) -> bool | None:
    """What the loop's own run of the whole suite says.

    Whatever fails is a veto here, even if it failed before: no test is frozen in BUILD, and to mend what fails is often
    what it was started for. Where tests are gone or skipped that ran before, the rest of them says nothing.
    """
    found = faults(seen)
    if found & {Fault.UNTRUSTED, Fault.FAILING}:
        return False
    return True if seen.green_runs > 0 and not found & {Fault.NOTHING_PASSES, Fault.PARTIAL} else None


def _known(facts: Facts, limits: Limits, stalled: str) -> Known:
    seen = facts.observed
    violations = tuple(f"{each.path}: {each.rule}" for each in seen.changes.violations)
    return Known(
        tests_pass=tests_pass(seen),
        plan=seen.plan,
        changed_files=bool(seen.changes.paths),
        iterations_left=max(0, limits.max_iterations - facts.iteration),
        phase=facts.phase,
        limits=limits,
        stuck_after=limits.of(Phase.BUILD).same_error,
        stalled=stalled,
        failing=_failing(facts),
        against=violations,
    )


def _failing(facts: Facts) -> str:
    """The veto of the tests in words that name them."""
    seen = facts.observed
    if seen.problems:
        return f"the tests cannot be believed: {'; '.join(seen.problems)}"
    return "; ".join(why_not_green(seen, facts.suites, frozenset({Fault.FAILING})))


def _stalled(breaker: Breaker, limits: Limits) -> str:
    if breaker.state is not BreakerState.OPEN:
        return ""
    if breaker.no_progress >= limits.of(Phase.BUILD).no_progress:
        return f"no progress in {breaker.no_progress} iterations"
    return f"the same error in {breaker.same_error} iterations"
