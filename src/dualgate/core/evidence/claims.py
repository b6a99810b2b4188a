"""Claim, measurements -> CheckedClaims: every number an agent claims, beside the measured one."""

from collections.abc import Iterator

from dualgate.core.values.changes import Changes
from dualgate.core.values.claim import Claim, WorkReport
from dualgate.core.values.phase_status import case_counts
from dualgate.core.values.ralph_status import CheckedClaim
from dualgate.core.values.suite import Counts
from dualgate.core.values.vocabulary import SuiteStatus


def check_claims(
    claim: Claim, tests: SuiteStatus | None, counts: Counts | None, changes: Changes, tasks: int | None = None
) -> tuple[CheckedClaim, ...]:
    """Compare each number that was both claimed and measured.

    `tests` and `counts` are None without a trusted run, `tasks` without a task list.
    """
    pairs = (
        ("TESTS_STATUS", None if claim.tests_status is SuiteStatus.NOT_RUN else claim.tests_status, tests),
        ("TASKS_COMPLETED_THIS_LOOP", claim.tasks_completed, tasks),
        ("FILES_MODIFIED", claim.files_modified, _files_modified(claim, changes)),
        *_tests(claim.report, counts),
        *_files(claim.report, changes),
    )
    return tuple(
        CheckedClaim(claim=name, claimed=str(claimed), measured=str(measured))
        for name, claimed, measured in pairs
        if None not in (claimed, measured)
    )


def _files_modified(claim: Claim, changes: Changes) -> int:
    """The number of changed files; files whose change was reverted count for an agent that counts them."""
    changed = len(changes.paths)
    reverted = len({violation.path for violation in changes.violations if violation.reverted} - {*changes.paths})
    return changed + reverted if claim.files_modified == changed + reverted else changed


def _tests(report: WorkReport, counts: Counts | None) -> Iterator[tuple[str, int, int]]:
    if report.tests is not None and counts is not None:
        measured = case_counts(counts)
        for name in ("passing", "failing", "skipped", "total"):
            yield f"TESTS.{name.upper()}", getattr(report.tests, name), getattr(measured, name)


def _files(report: WorkReport, changes: Changes) -> Iterator[tuple[str, int | str, int | str]]:
    if report.files is not None:
        claim = report.files
        yield "FILES.CREATED", claim.created, len(changes.added)
        yield "FILES.MODIFIED and DELETED", claim.modified + claim.deleted, len(changes.rewritten)
    if report.changed_files is not None:
        claimed = {path.removeprefix("./") for path in report.changed_files}
        # a packet covers a whole phase, so it may name files that an earlier call of this session changed
        touched = {*changes.paths, *changes.added, *changes.rewritten}
        yield "Changed files", _joined(claimed), _joined((claimed & touched) | {*changes.paths})


def _joined(paths: set[str]) -> str:
    return ", ".join(sorted(paths)) or "none"
