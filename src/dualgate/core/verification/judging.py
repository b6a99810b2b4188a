"""Measured -> all findings, the worst first. It decides nothing that a rule of its own does not say."""

from dualgate.core.values.verification import Finding, Weight
from dualgate.core.verification.checks import worse_checks
from dualgate.core.verification.criteria import unproven_criteria
from dualgate.core.verification.measured import Measured
from dualgate.core.verification.noticing import (
    code_for_tests,
    constant_comparisons,
    idle_tests,
    notes_on_code,
    unnoticed_code,
)
from dualgate.core.verification.results import (
    notes_on_runs,
    old_failures,
    result_findings,
    run_findings,
    undone_steps,
)
from dualgate.core.verification.steering import steered_tests
from dualgate.core.verification.weakened import bent_tests, notes_on_tests, skipped_failures, weakened_tests

RULES = (
    run_findings,
    result_findings,
    skipped_failures,
    weakened_tests,
    bent_tests,
    steered_tests,
    worse_checks,
    unnoticed_code,
    idle_tests,
    code_for_tests,
    constant_comparisons,
    unproven_criteria,
    old_failures,
    undone_steps,
    notes_on_tests,
    notes_on_code,
    notes_on_runs,
)
_ORDER = list(Weight)


def judge_change(seen: Measured) -> tuple[Finding, ...]:
    """Every finding once."""
    found = {finding.id: finding for rule in RULES for finding in rule(seen)}
    return tuple(sorted(found.values(), key=lambda each: _ORDER.index(each.weight)))
