"""RalphStatus, Phase -> whether its signal counts; situation -> the STATUS and EXIT_SIGNAL it requires."""

from collections.abc import Iterator

from dualgate.core.values.problems import Problem, error, warning
from dualgate.core.values.ralph_status import RalphStatus
from dualgate.core.values.vocabulary import Phase, SuiteStatus, WorkStatus

StatusAndSignal = tuple[WorkStatus, bool]
ANY = None
# cannot proceed, tasks left, tests fit, errors, work left -> STATUS and EXIT_SIGNAL; the first matching row counts
DECISIONS: tuple[tuple[tuple[bool | None, ...], StatusAndSignal], ...] = (
    ((True, ANY, ANY, ANY, ANY), (WorkStatus.BLOCKED, False)),
    ((ANY, True, ANY, ANY, ANY), (WorkStatus.IN_PROGRESS, False)),
    ((ANY, ANY, False, ANY, ANY), (WorkStatus.IN_PROGRESS, False)),
    ((ANY, ANY, ANY, True, ANY), (WorkStatus.COMPLETE, False)),
    ((ANY, ANY, ANY, ANY, True), (WorkStatus.COMPLETE, False)),
    ((ANY, ANY, ANY, ANY, ANY), (WorkStatus.COMPLETE, True)),
)


def fitting_tests_status(phase: Phase | None = None) -> SuiteStatus:
    """The TESTS_STATUS at the end of a phase: RED ends with failing tests, every other phase with passing ones."""
    return SuiteStatus.FAILING if phase is Phase.RED else SuiteStatus.PASSING


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
    """Why EXIT_SIGNAL true does not count. Without a phase, document 002 applies: the tests must pass."""
    if fields.exit_signal is not True:
        return ()
    return tuple(_against_the_signal(fields, phase))


def contradictions(fields: RalphStatus, phase: Phase | None = None) -> tuple[Problem, ...]:
    """Contradictions between fields other than EXIT_SIGNAL."""
    fitting = fitting_tests_status(phase)
    if fields.status is not WorkStatus.COMPLETE or fields.tests_status in (None, fitting):
        return ()
    message = f"STATUS is COMPLETE but TESTS_STATUS is {fields.tests_status}, not {fitting}: that is IN_PROGRESS"
    return (warning("complete_without_tests", message, field="STATUS"),)


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
