"""Criteria, LoopState, test runs -> the commands of checks to run on a tree; CheckRun -> whether it proves a check."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dualgate.core.evidence.examine import Examined, examine
from dualgate.core.evidence.kinds import kind_of
from dualgate.core.values.checks import CheckRun
from dualgate.core.values.specification import Criterion, Kind
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import SuiteReport
from dualgate.core.values.vocabulary import AFTER_RED

LINE_LENGTH = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class DueCheck:
    """A command to run, and the texts whose printing counts for some criterion."""

    command: str
    prints: tuple[str, ...] = ()


def due_checks(state: LoopState, criteria: Iterable[Criterion], runs: Sequence[SuiteReport]) -> tuple[DueCheck, ...]:
    """Approved commands to run: from GREEN on, once the tests of the tree are green."""
    if state.phase not in AFTER_RED or not is_green(examine(runs, state.proof)):
        return ()
    prints: dict[str, dict[str, None]] = {}
    for criterion in criteria:
        if kind_of(criterion, state.proof) is Kind.CHECK and criterion.command in state.approved:
            prints.setdefault(criterion.command, {}).update(dict.fromkeys(filter(None, [criterion.prints])))
    return tuple(DueCheck(command=command, prints=tuple(texts)) for command, texts in prints.items())


def is_green(examined: Sequence[Examined]) -> bool:
    """Whether a whole run of a tree was green and no other run of it found a fault."""
    return any(seen.is_green for seen in examined) and all(seen.is_spotless for seen in examined)


def why_failed(criterion: Criterion, run: CheckRun) -> str:
    """Why a run does not have the expected result, in words after the command; empty if it has."""
    said = run.last_line[:LINE_LENGTH]
    if run.problem:
        return run.problem
    if run.exit_code != criterion.exit_code:
        return f"exits with {run.exit_code}, expected {criterion.exit_code}: {said}"
    if criterion.prints and criterion.prints not in run.printed:
        return f"does not print {criterion.prints!r}: {said}"
    return ""
