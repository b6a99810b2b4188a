"""Runs that wrote new outputs -> the proof, the changes and the notes with them."""

from collections.abc import Collection, Iterable, Sequence

from dualgate.core.values.changes import Attribution, Changes, is_output
from dualgate.core.values.checks import CheckRun
from dualgate.core.values.notation import listed
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import Proof
from dualgate.core.values.suite import CaseOutcome, CaseResult, SuiteReport


def outputs_of(runs: Iterable[SuiteReport | CheckRun]) -> tuple[str, ...]:
    """The patterns of new outputs that runs showed."""
    return tuple(dict.fromkeys(pattern for run in runs for pattern in run.outputs))


def with_outputs(proof: Proof, patterns: Sequence[str]) -> Proof:
    """Add outputs that were first written during the work."""
    new = [pattern for pattern in patterns if pattern not in proof.outputs]
    return replace(proof, outputs=(*proof.outputs, *new), cleared=(*proof.cleared, *new)) if new else proof


def with_kept_outputs(proof: Proof, patterns: Sequence[str]) -> Proof:
    """Add outputs that a person names: they stay between runs."""
    if not patterns:
        return proof
    cleared = tuple(each for each in proof.cleared if not is_output(each, patterns))
    return replace(proof, outputs=tuple(dict.fromkeys((*proof.outputs, *patterns))), cleared=cleared)


def without_outputs(changes: Changes, patterns: Sequence[str]) -> Changes:
    """The changes of a call in which outputs are no work: an agent runs the tests too, and leaves the same files."""
    if not patterns:
        return changes

    def work(paths: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(path for path in paths if not is_output(path, patterns))

    outputs = tuple(path for path in changes.paths if is_output(path, patterns))
    records = changes.decision_records
    return replace(
        changes,
        created=work(changes.created),
        modified=work(changes.modified),
        deleted=work(changes.deleted),
        outputs=tuple(dict.fromkeys((*changes.outputs, *outputs))),
        documents=work(changes.documents),
        decision_records=records if records is None else work(records),
        uncounted=tuple(each for each in changes.uncounted if not is_output(each.path, patterns)),
        added=work(changes.added),
        code=work(changes.code),
        sources=work(changes.sources),
        tests=changes.tests if changes.tests is None else work(changes.tests),
        notes=(*changes.notes, note_on_outputs(patterns)),
    )


def attributed(touched: Attribution, patterns: Collection[str]) -> Attribution:
    """Count new outputs as files of the tests, and no longer as files of the agent."""
    agent = tuple(path for path in touched.agent if not is_output(path, patterns))
    return replace(touched, agent=agent, tests=tuple(sorted({*touched.tests, *patterns})))


def note_on_outputs(patterns: Sequence[str]) -> str:
    return (
        f"test runs write {listed(patterns)}: they count as output, not as work, and are deleted before each run; "
        "list files to keep in guard.outputs"
    )


def reminders(failing: Sequence[CaseResult], proof: Proof) -> tuple[str, ...]:
    """Sentences for an agent whose own test run passes only with the outputs of an earlier run."""
    told = f"dualgate runs the tests without {listed(proof.cleared)}: delete these files before you run the tests"
    return (told,) if failing and proof.cleared else ()


def why_leftovers_count(first: SuiteReport, second: SuiteReport, removed: Sequence[str]) -> str:
    """The problem of tests that pass only if files of an earlier run are there; empty if there are none."""
    passing = {result.id for result in first.results if result.outcome is CaseOutcome.PASSED}
    failing = [result.id for result in second.results if result.failed and result.id in passing]
    if not removed or not failing:
        return ""
    return (
        f"{listed(failing)} passed only while {listed(removed)} existed, which test runs change; make each test "
        "create the files it needs, in a temporary folder"
    )
