"""A run compared with the baseline -> the passing tests that show work by themselves."""

from collections.abc import Sequence

from dualgate.core.evidence.examine import Examined
from dualgate.core.values.case_names import function_of, stable
from dualgate.core.values.state import Proof
from dualgate.core.values.suite import COMMAND_CASE, SEPARATOR, CaseOutcome


def fresh_tests(last: Examined | None, proof: Proof, unsteady: Sequence[str]) -> tuple[str, ...]:
    """Passing tests whose function is new, or that failed before any work and have the same code."""
    if last is None or last.run.only:
        return ()
    since = last.since_start
    known = {_function(result.id) for result in proof.baseline}
    renamed = {new for _, new in since.renamed}
    new = {name for name in since.new if _function(name) not in known and not _is_command(name)} - renamed
    fixed = {*since.fixed} - {*since.changed}
    passing = (result.id for result in last.run.results if result.outcome is CaseOutcome.PASSED)
    unsteady = (*unsteady, *proof.unstable)
    return tuple(name for name in passing if name in new | fixed and not {name, _function(name)} & {*unsteady})


def _function(name: str) -> str:
    return function_of(stable(name))


def _is_command(name: str) -> bool:
    return name.rpartition(SEPARATOR)[2] == COMMAND_CASE
