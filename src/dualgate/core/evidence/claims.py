"""Claim, what was measured -> CheckedClaims: every number that an agent gives, beside the loop's own."""

from collections.abc import Iterator

from dualgate.core.said.blocks import Measured, Situation, compared
from dualgate.core.values.changes import Changes
from dualgate.core.values.claim import CheckedClaim, Claim, RalphStatus, WorkReport
from dualgate.core.values.phase_status import CaseCounts
from dualgate.core.values.suite import Counts
from dualgate.core.values.vocabulary import SuiteStatus


def check_claims(
    claim: Claim, tests: SuiteStatus | None, counts: Counts | None, changes: Changes, tasks: int | None = None
) -> tuple[CheckedClaim, ...]:
    """`tests` and `counts` are None where no run can be believed, `tasks` where there is no list to count them on.

    What is not measured, or not claimed, is left out.
    """
    said = None if claim.tests_status is SuiteStatus.NOT_RUN else claim.tests_status
    fields = RalphStatus(tasks_completed=claim.tasks_completed, files_modified=claim.files_modified, tests_status=said)
    measured = Measured(tasks_completed=tasks, files_modified=len(changes.paths), situation=Situation(tests=tests))
    beside = (*_tests(claim.report, counts), *_files(claim.report, changes))
    return (*compared(fields, measured), *(CheckedClaim(claim=n, claimed=s, measured=m) for n, s, m in beside))


def counted(counts: Counts) -> CaseCounts:
    """The six outcomes as the three that a phase block knows."""
    return CaseCounts(
        passing=counts.passed + counts.xpassed,
        failing=counts.failed + counts.error,
        skipped=counts.skipped + counts.xfailed,
    )


def _tests(report: WorkReport, counts: Counts | None) -> Iterator[tuple[str, str, str]]:
    if report.tests is None or counts is None:
        return
    said, measured = report.tests, counted(counts)
    yield "TESTS.PASSING", str(said.passing), str(measured.passing)
    yield "TESTS.FAILING", str(said.failing), str(measured.failing)
    yield "TESTS.SKIPPED", str(said.skipped), str(measured.skipped)
    yield "TESTS.TOTAL", str(said.total), str(measured.total)


def _files(report: WorkReport, changes: Changes) -> Iterator[tuple[str, str, str]]:
    if report.files is not None:
        said = report.files
        yield "FILES.CREATED", str(said.created), str(len(changes.added))
        yield "FILES.MODIFIED and DELETED", str(said.modified + said.deleted), str(len(changes.rewritten))
    if report.changed_files is not None:
        claimed = {path.removeprefix("./") for path in report.changed_files}
        # a packet tells of a whole phase, so that a file of an earlier call of this session may stand in it
        touched = {*changes.paths, *changes.added, *changes.rewritten}
        yield "Changed files", _listed(claimed), _listed((claimed & touched) | {*changes.paths})


def _listed(paths: set[str]) -> str:
    return ", ".join(sorted(paths)) or "none"
