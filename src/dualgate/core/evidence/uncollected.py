"""A run in which test files could not be collected, and a trial of their tests one by one -> the result of each.

A test that runs in the trial has the result of the trial; all others fail, as their file does.
"""

import re
from collections.abc import Collection

from dualgate.core.values.case_names import function_of, stable
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import Proof
from dualgate.core.values.suite import CaseResult, FailureKind, SuiteReport

Path = tuple[str, ...]
"""The groups of a test, the outer one first, and its name."""
_BETWEEN = ("::", " > ", " ")
_NO_FIXTURE = re.compile(r"fixture '(\w+)' not found")


def waiting_files(run: SuiteReport, proof: Proof) -> tuple[str, ...]:
    """Test files that could not be collected for missing work, without those that were so before any work."""
    before = {result.file for result in proof.baseline if result.uncollected}
    found = (r.file for r in run.results if r.uncollected and not r.is_broken_file and r.file not in before)
    return tuple(dict.fromkeys(found))


def waiting_fixtures(run: SuiteReport) -> tuple[str, ...]:
    """Files of fixtures that could not be imported for missing work, so that no test below them could be collected."""
    return tuple(result.file for result in run.results if result.uncollected and result.is_broken_file)


def with_trial(run: SuiteReport, trial: SuiteReport, proof: Proof, defined: Collection[str]) -> SuiteReport:
    """The run with the results of the trial. `defined` are functions in files of tests: they may be fixtures."""
    files = waiting_files(run, proof)
    if not trial.trusted or not files:
        return run
    written = {_function(result): result for result in run.results if result.uncollected and result.file in files}
    known = {*written, *map(_function, proof.baseline)}
    ran = [r for r in trial.results if r.file in files and not (r.uncollected or r.is_broken_file)]
    seen = [_seen(result, written.get(_function(result)), defined) for result in ran if _function(result) in known]
    found = set(map(_function, seen))
    return replace(run, results=(*(r for r in run.results if not (r.uncollected and _function(r) in found)), *seen))


def _seen(result: CaseResult, written: CaseResult | None, defined: Collection[str]) -> CaseResult:
    """A result of the trial as one of the test as it is written: the trial changes the layout of its file."""
    result = replace(result, uncollected=True)
    if written is None:
        return result
    result = replace(result, digest=written.digest, body=written.body, doc=written.doc, line=written.line)
    fixture = _NO_FIXTURE.search(result.message) if result.is_broken_test else None
    if result.kind is FailureKind.MISSING or (fixture and fixture[1] in defined):
        return replace(result, kind=FailureKind.MISSING, message=written.message)
    return result


def _function(result: CaseResult) -> str:
    return function_of(stable(result.id))


def with_old_tests(
    run: SuiteReport, trial: SuiteReport, unchanged: Collection[Path], removed: Collection[Path]
) -> SuiteReport:
    """The run with the results that old tests have in a trial without the new ones.

    `unchanged` are the names of old tests that are there as they were, `removed` of those that are there no more. An
    old test that was changed has no result from the trial.
    """
    if not trial.trusted:
        why = "old tests that share a file or a package with tests that wait for work cannot be run"
        return replace(run, problems=(*run.problems, f"{why}: {'; '.join(trial.problems)}"))
    waiting = {result.id for result in run.results if result.uncollected}
    ran = {result.id for result in run.results} - waiting
    old = [
        result
        for result in trial.results
        if not result.is_broken_file
        and result.id not in ran
        and (_is_named(result, unchanged) if result.id in waiting else not _is_named(result, removed))
    ]
    found = {result.id for result in old}
    return replace(run, results=(*(result for result in run.results if result.id not in found), *old))


def _is_named(result: CaseResult, names: Collection[Path]) -> bool:
    """Whether a result is that of one of these tests, as any runner writes their groups."""
    ends = (between.join(path) for path in names for between in _BETWEEN)
    return any(result.id == end or result.id.endswith(tuple(each + end for each in _BETWEEN)) for end in ends)
