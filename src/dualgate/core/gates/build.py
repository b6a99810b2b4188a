"""Facts of BUILD -> its gates: the analyzer's rule, applied to what the loop measured.

`exits.py` holds the one rule for whether a loop over a task list ends. This module gives it the loop's evidence: the
task list in the work tree, the loop's own test run, and the changes of the call.
"""

from dataclasses import replace

from dualgate.core.evidence.build_proof import why_not_covered
from dualgate.core.evidence.green import Fault, faults, why_not_green
from dualgate.core.gates.criteria import checks_missing
from dualgate.core.gates.exits import ExitDecision, ExitEvidence, exit_after, missing
from dualgate.core.said.signature import repeats_error
from dualgate.core.values.facts import Facts, Observed
from dualgate.core.values.limits import Limits
from dualgate.core.values.vocabulary import Phase

WEAKENED = frozenset({Fault.VANISHED, Fault.NEWLY_SKIPPED, Fault.PARTIAL})
"""Faults that neither allow nor forbid an end."""


def build_exit(facts: Facts, limits: Limits) -> ExitDecision:
    """Decide one turn of BUILD by its answer and evidence; the machine applies breaker and iterations."""
    return exit_after(facts.claimed, facts.past, _known(facts, limits))


def build_missing(facts: Facts, limits: Limits) -> tuple[str, ...]:
    """List what keeps gate 1 shut, without violations."""
    seen = facts.observed
    known = _known(facts, limits)
    shut = missing(facts.claimed, replace(known, against=checks_missing(facts)))
    weakened = () if known.tests_pass is not None else why_not_green(seen, facts.suites, WEAKENED)
    return (*shut, *(weakened if shut else ()))


def nudge(facts: Facts, limits: Limits) -> tuple[str, ...]:
    """Return a sentence for the agent if its last answers repeat the same error."""
    claim = facts.claimed
    if claim.failure or not repeats_error((*facts.past.errors, claim.error), limits.same_error_nudge):
        return ()
    return (f"your last {limits.same_error_nudge} answers show the same error; try another way: {claim.error}",)


def why_unproven(facts: Facts) -> tuple[str, ...]:
    """Why a completed BUILD is not proven: no green run, changes that no test covers, tasks that are unseen or lost."""
    seen = facts.observed
    unseen = (f"the task list {seen.plan.summary}",) if seen.plan and seen.plan.unmarked else ()
    skipped = why_not_green(seen, facts.suites, frozenset({Fault.NEWLY_SKIPPED}))
    is_green = tests_pass(seen) or faults(seen) == {Fault.VANISHED}  # whether a test may go is seen by its old version
    if is_green:
        return (*skipped, *why_not_covered(seen), *unseen)
    not_green = why_not_green(seen, facts.suites, WEAKENED) or ("no test run of the loop shows that the work is done",)
    return (*not_green, *why_not_covered(seen, is_green=False), *unseen)


def tests_pass(seen: Observed) -> bool | None:
    """Whether the loop's own run of the whole suite passed; None if it shows neither.

    Any failing test is a veto here, even if it failed before: no test is frozen in BUILD, and the run is often started
    to fix the failing ones. If tests that ran before are gone or skipped, the other tests prove nothing.
    """
    found = faults(seen)
    if found & {Fault.UNTRUSTED, Fault.FAILING}:
        return False
    return True if seen.green_runs > 0 and not found & {Fault.NOTHING_PASSES, Fault.PARTIAL} else None


def _known(facts: Facts, limits: Limits) -> ExitEvidence:
    seen = facts.observed
    violations = tuple(f"{each.path}: {each.rule}" for each in seen.changes.violations)
    return ExitEvidence(
        tests_pass=tests_pass(seen),
        plan=seen.plan,
        changed_files=bool(seen.changes.paths),
        phase=facts.phase,
        limits=limits,
        stuck_after=limits.of(Phase.BUILD).same_error,
        failing=_failing(facts),
        against=(*violations, *checks_missing(facts)),
    )


def _failing(facts: Facts) -> str:
    """Describe the failing or untrusted tests that forbid an end."""
    seen = facts.observed
    if seen.problems:
        return f"the test run is not trusted: {'; '.join(seen.problems)}"
    return "; ".join(why_not_green(seen, facts.suites, frozenset({Fault.FAILING})))
