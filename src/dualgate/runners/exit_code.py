"""A test command that does not report single tests: its exit code counts as one test. Enough for BUILD only.

If the command does start pytest, pytest's own results are used.
"""

from collections.abc import Sequence
from dataclasses import replace

from dualgate.core.values.control import Control
from dualgate.core.values.suite import COMMAND_CASE, CaseOutcome, CaseResult, FailureKind, Suite, SuiteReport
from dualgate.runners.detect import OFFERED, told_runner
from dualgate.runners.python import PytestRunner
from dualgate.runners.reading import NO_REPORT

NAME = "exit-code"
# exit codes of a shell if the program cannot be executed or is missing
NO_PROGRAM = frozenset({126, 127})


class ExitCodeRunner(PytestRunner):
    def run(self, control: Control, only: Sequence[str] = ()) -> SuiteReport:
        asked = () if COMMAND_CASE in only else tuple(only)
        report = super().run(control, asked)
        return _by_code(report) if _has_no_report(report) else report


def by_exit_code(suite: Suite) -> Suite:
    """The suite, read by its exit code if its command does not show how it reports."""
    is_told = suite.runner != OFFERED or told_runner(" ".join(suite.command))
    return suite if is_told else replace(suite, name="tests", runner=NAME)


def _has_no_report(report: SuiteReport) -> bool:
    is_ended = report.exit_code is not None and report.exit_code >= 0 and report.exit_code not in NO_PROGRAM
    return is_ended and any(problem.startswith(NO_REPORT) for problem in report.problems)


def _by_code(report: SuiteReport) -> SuiteReport:
    passed = report.exit_code == 0
    result = CaseResult(
        id=COMMAND_CASE,
        outcome=CaseOutcome.PASSED if passed else CaseOutcome.FAILED,
        kind=None if passed else FailureKind.OTHER,
        message="" if passed else "; ".join(report.problems),
        seconds=report.seconds,
    )
    return replace(report, results=(result,), problems=(), complete=True)
