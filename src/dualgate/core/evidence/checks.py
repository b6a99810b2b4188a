"""Criteria, LoopState, test runs -> the commands of checks to run on a tree; CheckRun -> what it shows."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from dualgate.core.evidence.examine import Examined, examine
from dualgate.core.evidence.kinds import kind_of
from dualgate.core.values.checks import Check, CheckResult, CheckRun, CheckState
from dualgate.core.values.claim import Claim
from dualgate.core.values.specification import Criterion, Kind
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import SuiteReport
from dualgate.core.values.vocabulary import AFTER_RED, Phase

_LINE_LENGTH = 200
_NOTHING_SAID = Claim()
_NOT_STARTED = frozenset({126, 127})
"""Exit codes of a shell whose program is missing or cannot be started."""
_FLAKY = ", but failed before on the same tree: it is flaky"
_OUTPUT_TOLD = 1000
_FILES_TOLD = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class DueCheck:
    """A command to run, and the texts whose printing counts for some criterion."""

    command: str
    prints: tuple[str, ...] = ()


def due_checks(
    state: LoopState, criteria: Iterable[Criterion], runs: Sequence[SuiteReport], claim: Claim = _NOTHING_SAID
) -> tuple[DueCheck, ...]:
    """Commands to run on a tree that was tested: those of criteria from GREEN on, and those that precede a review."""
    prints: dict[str, dict[str, None]] = {}
    green = state.phase in AFTER_RED and is_green(examine(runs, state.proof))
    for criterion in criteria if green else ():
        if kind_of(criterion, state.proof) is Kind.CHECK and criterion.command in state.approved:
            prints.setdefault(criterion.command, {}).update(dict.fromkeys(filter(None, [criterion.prints])))
    for check in _due(state, green, claim):
        prints.setdefault(check.command, {})
    return tuple(DueCheck(command=command, prints=tuple(texts)) for command, texts in prints.items())


def _due(state: LoopState, green: bool, claim: Claim) -> tuple[Check, ...]:
    """Checks that passed before any work, where a phase may end. DOCUMENT has none: they follow before the review."""
    passed = {run.command for run in state.proof.checks if not (why_unusable(run) or _why_failing(run))}
    checks = tuple(check for check in state.checks if check.command in passed)
    match state.phase:
        case Phase.RED:
            return tuple(check for check in checks if check.by_file) if claim.exit_signal else ()
        case Phase.GREEN:
            return checks if green and claim.exit_signal else ()
        case Phase.REFACTOR | Phase.QA:
            return checks if green else ()
        case Phase.BUILD:
            return checks if claim.exit_signal else ()
        case Phase.DOCUMENT:
            return ()


def usable_checks(state: LoopState) -> tuple[Check, ...]:
    """The checks without those that could not be run before any work."""
    return tuple(
        each for each in state.checks if (run := _before(state, each.command)) is None or not why_unusable(run)
    )


def unseen_checks(state: LoopState, tree: str) -> tuple[Check, ...]:
    """In QA: the checks without a result of this tree. The reviewer is asked when there is none of them.

    A broken one does not count: its second run, or the return to GREEN, was cut off.
    """
    if state.phase is not Phase.QA:
        return ()
    seen = {result.command for result in state.check_results if result.tree == tree and not result.is_broken}
    return tuple(check for check in usable_checks(state) if check.command not in seen)


def is_green(examined: Sequence[Examined]) -> bool:
    """Whether a whole run of a tree was green and no other run of it found a fault."""
    return any(seen.is_green for seen in examined) and all(seen.is_spotless for seen in examined)


def check_results(state: LoopState, runs: Iterable[CheckRun]) -> tuple[CheckResult, ...]:
    """The results of the runs of one tree, compared with the runs before any work."""
    by_command = {run.command: run for run in runs}
    return tuple(_result(check, run, state) for check in state.checks if (run := by_command.get(check.command)))


def first_results(checks: Iterable[Check], runs: Iterable[CheckRun]) -> tuple[CheckResult, ...]:
    """The results before any work."""
    by_command = {run.command: run for run in runs}
    return tuple(_first(check, run) for check in checks if (run := by_command.get(check.command)))


def demanded(state: LoopState, runs: Iterable[CheckRun]) -> Iterator[CheckResult]:
    """Broken checks that keep a gate shut. RED is asked once to fix its tests, which are frozen when it ends."""
    asked = {result.name for result in state.check_results if result.is_broken} if state.phase is Phase.RED else set()
    broken = (result for result in check_results(state, runs) if result.is_broken)
    return (result for result in broken if result.name not in asked)


def other_programs(state: LoopState, run: CheckRun) -> str:
    """The problem of a run whose programs are not those of the run before any work; empty if they are."""
    before = _before(state, run.command)
    if before is None or not before.programs or run.programs == before.programs:
        return ""
    changed = [each for each in run.programs if each not in before.programs] or before.programs
    return f"its program changed since before any work: {', '.join(changed)}"


def is_doubtful(state: LoopState, run: CheckRun) -> bool:
    """Whether a check would be broken by its first run on a tree. It is run once more: it may be flaky."""
    is_first = not run.is_second and not run.written and not other_programs(state, run)
    return is_first and any(result.is_broken for result in check_results(state, [run]))


def why_failed(criterion: Criterion, run: CheckRun) -> str:
    """Why a run does not have the expected result, in words after the command; empty if it has."""
    said = run.last_line[:_LINE_LENGTH]
    if run.problem:
        return run.problem
    if run.exit_code != criterion.exit_code:
        return f"exits with {run.exit_code}, expected {criterion.exit_code}: {said}"
    if criterion.prints and criterion.prints not in run.printed:
        return f"does not print {criterion.prints!r}: {said}"
    return ""


def _result(check: Check, run: CheckRun, state: LoopState) -> CheckResult:
    if why := why_unusable(run) or _why_failing(run):
        return _told(check, run, _state(run, _before(state, check.command), state), why)
    return _told(check, run, CheckState.PASSES, _FLAKY if run.is_second else "")


def _first(check: Check, run: CheckRun) -> CheckResult:
    if why := why_unusable(run):
        return _told(check, run, CheckState.UNUSABLE, why)
    why = _why_failing(run)
    return _told(check, run, CheckState.FAILED_BEFORE if why else CheckState.PASSES, why)


def _told(check: Check, run: CheckRun, state: CheckState, why: str) -> CheckResult:
    return CheckResult(
        name=check.name,
        command=check.command,
        state=state,
        reason=why,
        output=run.output[-_OUTPUT_TOLD:] if state is not CheckState.PASSES else "",
        files=run.named[:_FILES_TOLD],
        purpose=check.purpose,
        tree=run.tree,
    )


def _state(run: CheckRun, before: CheckRun | None, state: LoopState) -> CheckState:
    """The state of a check whose run does not pass."""
    if before is None:
        return CheckState.NOT_COMPARED
    if _why_failing(before):
        return CheckState.FAILED_BEFORE
    frozen = {result.file for result in state.proof.proven or ()}
    is_frozen = bool(run.named) and not run.problem and frozen.issuperset(run.named)
    return CheckState.FROZEN if is_frozen else CheckState.BROKEN


def _before(state: LoopState, command: str) -> CheckRun | None:
    return next((run for run in state.proof.checks if run.command == command), None)


def _why_failing(run: CheckRun) -> str:
    return f"exits with {run.exit_code}: {run.last_lines}" if run.exit_code else ""


def why_unusable(run: CheckRun) -> str:
    """Why a run shows nothing: it did not end by itself, or could not be started; empty if it shows something."""
    if run.problem:
        return run.problem
    is_started = run.exit_code is not None and run.exit_code not in _NOT_STARTED
    return "" if is_started else f"cannot be run (exit code {run.exit_code}): {run.last_lines}"
