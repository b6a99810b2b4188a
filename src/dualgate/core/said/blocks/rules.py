"""RalphStatus, Phase -> what it may say: when its signal counts, what a situation asks for, what facts refute."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from dualgate.core.values.claim import CheckedClaim, RalphStatus
from dualgate.core.values.problems import Problem, error, warning
from dualgate.core.values.vocabulary import Phase, SuiteStatus, WorkStatus, WorkType


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """How things stand at the end of an iteration; None is what nobody knows."""

    tasks_left: bool | None = None
    tests: SuiteStatus | None = None
    errors: bool | None = None
    work_left: bool | None = None
    cannot_proceed: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What the loop found by itself; None is what it did not measure."""

    tasks_completed: int | None = None
    files_modified: int | None = None
    work_type: WorkType | None = None
    situation: Situation


StatusAndSignal = tuple[WorkStatus, bool]
ANY = None
# cannot proceed, tasks left, tests fit, errors, work left -> STATUS and EXIT_SIGNAL; the first row that fits holds
DECISIONS: tuple[tuple[tuple[bool | None, ...], StatusAndSignal], ...] = (
    ((True, ANY, ANY, ANY, ANY), (WorkStatus.BLOCKED, False)),
    ((ANY, True, ANY, ANY, ANY), (WorkStatus.IN_PROGRESS, False)),
    ((ANY, ANY, False, ANY, ANY), (WorkStatus.IN_PROGRESS, False)),
    ((ANY, ANY, ANY, True, ANY), (WorkStatus.COMPLETE, False)),
    ((ANY, ANY, ANY, ANY, True), (WorkStatus.COMPLETE, False)),
    ((ANY, ANY, ANY, ANY, ANY), (WorkStatus.COMPLETE, True)),
)


def fitting_tests_status(phase: Phase | None = None) -> SuiteStatus:
    """What the tests must say where a phase is done: RED ends with tests that fail."""
    return SuiteStatus.FAILING if phase is Phase.RED else SuiteStatus.PASSING


def possible_answers(situation: Situation, phase: Phase | None = None) -> frozenset[StatusAndSignal]:
    """Every STATUS with its EXIT_SIGNAL that the decision tables allow: one where all is known, more where not."""
    fitting = fitting_tests_status(phase)
    tests_fit = None if situation.tests is None else situation.tests is fitting
    known = (situation.cannot_proceed, situation.tasks_left, tests_fit, situation.errors, situation.work_left)
    open_ends = ((True, False) if value is None else (value,) for value in known)
    return frozenset(_decide(case) for case in product(*open_ends))


def required_answer(
    *,
    tasks_left: bool,
    tests: SuiteStatus,
    errors: bool = False,
    work_left: bool = False,
    cannot_proceed: bool = False,
    phase: Phase | None = None,
) -> StatusAndSignal:
    """The STATUS and EXIT_SIGNAL that an agent in this situation must give."""
    return _decide((cannot_proceed, tasks_left, tests is fitting_tests_status(phase), errors, work_left))


def not_honoured(fields: RalphStatus, phase: Phase | None = None) -> tuple[Problem, ...]:
    """Why a given EXIT_SIGNAL true does not count. Without a phase, document 002 holds: the tests must pass."""
    if fields.exit_signal is not True:
        return ()
    return tuple(_against_the_signal(fields, phase))


def contradictions(fields: RalphStatus, phase: Phase | None = None) -> tuple[Problem, ...]:
    """What cannot be true together, the signal aside."""
    fitting = fitting_tests_status(phase)
    if fields.status is not WorkStatus.COMPLETE or fields.tests_status in (None, fitting):
        return ()
    message = f"STATUS is COMPLETE but TESTS_STATUS is {fields.tests_status}, not {fitting}: that is IN_PROGRESS"
    return (warning("complete_without_tests", message, field="STATUS"),)


def compared(fields: RalphStatus, measured: Measured) -> tuple[CheckedClaim, ...]:
    """What of a block can be compared: what was not given, or not measured, is left out."""
    pairs = (
        ("TESTS_STATUS", fields.tests_status, measured.situation.tests),
        ("TASKS_COMPLETED_THIS_LOOP", fields.tasks_completed, measured.tasks_completed),
        ("FILES_MODIFIED", fields.files_modified, measured.files_modified),
        ("WORK_TYPE", fields.work_type, measured.work_type),
    )
    return tuple(
        CheckedClaim(claim=name, claimed=str(said), measured=str(fact))
        for name, said, fact in pairs
        if None not in (said, fact)
    )


def untrue(fields: RalphStatus, measured: Measured, phase: Phase | None = None) -> tuple[Problem, ...]:
    """The fields of a block that the facts refute. What was not given or not measured refutes nothing."""
    refuted = [_refuted(checked) for checked in compared(fields, measured) if not checked.holds]
    answers = possible_answers(measured.situation, phase)
    statuses = {status for status, _ in answers}
    signals = {signal for _, signal in answers}
    if fields.status is not None and fields.status not in statuses:
        allowed = " or ".join(sorted(statuses))
        refuted.append(_refuted(CheckedClaim(claim="STATUS", claimed=fields.status, measured=allowed)))
    if fields.exit_signal is not None and fields.exit_signal not in signals:
        said, fact = _word(fields.exit_signal), _word(not fields.exit_signal)
        refuted.append(_refuted(CheckedClaim(claim="EXIT_SIGNAL", claimed=said, measured=fact)))
    return tuple(refuted)


def _decide(case: tuple[bool, ...]) -> StatusAndSignal:
    rows = (
        answer for row, answer in DECISIONS if all(want in (ANY, is_so) for want, is_so in zip(row, case, strict=True))
    )
    return next(rows)


def _against_the_signal(fields: RalphStatus, phase: Phase | None) -> Iterator[Problem]:
    fitting = fitting_tests_status(phase)
    if fields.status is WorkStatus.BLOCKED:
        yield error("blocked_exit", "EXIT_SIGNAL is true but STATUS is BLOCKED, which is not complete", "EXIT_SIGNAL")
    elif fields.status is not WorkStatus.COMPLETE:
        message = f"EXIT_SIGNAL is true but STATUS is {fields.status or 'absent'}"
        yield error("exit_without_complete", message, "EXIT_SIGNAL")
    if fields.tests_status not in (None, fitting):
        message = (
            f"EXIT_SIGNAL is true but TESTS_STATUS is {fields.tests_status}; {phase or 'work'} ends with {fitting}"
        )
        yield error("exit_without_tests", message, "EXIT_SIGNAL")


def _refuted(checked: CheckedClaim) -> Problem:
    return error("untrue", checked.sentence, field=checked.claim)


def _word(signal: bool) -> str:
    return "true" if signal else "false"
