"""SuiteReport -> the report with the reasons not to trust it, for a run outside a session.

A session compares the configuration with the proven one. A lone run has only its command, and maybe an earlier report:
tests deselected in any other way are a problem.
"""

from collections.abc import Sequence
from dataclasses import replace

from dualgate.core.evidence.circumstances import DESELECTED_BY, changed_configuration
from dualgate.core.values.suite import SuiteReport

Configuration = tuple[tuple[str, str], ...]

DESELECTED = "deselected"
BY_MARK = "-m"
FROM_ENVIRONMENT = "(PYTEST_ADDOPTS)"
MEANT = "say so in --test-command, or give an earlier report with --against in which they were deselected as well"
NAMED = 5


def with_deselection(report: SuiteReport, earlier: Configuration = ()) -> SuiteReport:
    """Report deselected tests as a problem, unless the command asks for it or it was so before.

    Deselection by a mark is only a note: the mark is in the test, like a skip.
    """
    by = [value for name, value in report.configuration if name == DESELECTED_BY]
    if not by or _deselected(report.configuration) == _deselected(earlier):
        return report
    notes = tuple(f"tests were deselected by {each}" for each in by if _is_in_the_open(each, report.command))
    problems = tuple(
        f"tests were deselected by {each}; if that is intended, {MEANT}"
        for each in by
        if not _is_in_the_open(each, report.command)
    )
    return replace(report, problems=(*report.problems, *problems), notes=(*report.notes, *notes))


def with_losses(report: SuiteReport, vanished: Sequence[str], changed: Sequence[str]) -> SuiteReport:
    """Report vanished tests as a problem if the configuration changed as well."""
    if not vanished or not changed:
        return report
    gone = f"{len(vanished)} tests of the earlier run are gone ({', '.join(vanished[:NAMED])})"
    return replace(report, problems=(*report.problems, f"{gone}, and {'; '.join(changed)}"))


def with_writes(report: SuiteReport, written: Sequence[str]) -> SuiteReport:
    """Report a run that changed the work tree: it is unclear which state it tested."""
    if not written:
        return report
    problem = f"the work tree changed while the tests ran: {', '.join(written[:NAMED])}"
    return replace(report, written=tuple(written), problems=(*report.problems, problem))


def steering_changes(before: Configuration, now: Configuration) -> tuple[str, ...]:
    return changed_configuration(before, now) if before else ()


def _deselected(configuration: Configuration) -> list[str]:
    return [value for name, value in configuration if name in (DESELECTED, DESELECTED_BY)]


def _is_in_the_open(by: str, command: Sequence[str]) -> bool:
    if by.endswith(FROM_ENVIRONMENT):
        return False
    option, _, value = by.partition(" ")
    _, said, rest = f" {' '.join(command)}".partition(f" {option}")
    return option == BY_MARK or (option.startswith("-") and bool(said) and value in rest)
