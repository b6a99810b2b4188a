"""Suite runs -> the object that `dualgate tests --json` prints, and lines for people."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from dualgate.core.evidence.comparison import compare
from dualgate.core.values.suite import CaseResult, Counts, Suite, SuiteReport, short_id
from dualgate.core.verification.measured import renamed_tests
from dualgate.display.lines import Line, Tone
from dualgate.display.measuring import counted

MESSAGE_LINES = 3
IDS_SHOWN = 20

SuiteRun = tuple[Suite, SuiteReport]


@dataclass(frozen=True, slots=True, kw_only=True)
class Differences:
    """Test ids by how their results differ from an earlier run."""

    new: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    regressed: tuple[str, ...] = ()
    vanished: tuple[str, ...] = ()
    newly_skipped: tuple[str, ...] = ()
    still_failing: tuple[str, ...] = ()
    """Tests that failed before too."""
    renamed: tuple[tuple[str, str], ...] = ()
    """The old and the new id of tests with the same code; under their new ids they are compared like all others."""
    failing: tuple[str, ...] = ()
    """New tests that fail."""

    @property
    def is_worse(self) -> bool:
        return bool(self.regressed or self.vanished or self.newly_skipped or self.failing)


def differences(before: Sequence[CaseResult], after: SuiteReport) -> Differences:
    """Compare two runs. If only some tests were run, the others have not vanished."""
    asked = set(after.only)
    renamed = tuple(renamed_tests(compare(before, after.results), _by_id(before), _by_id(after.results)))
    names = dict(renamed)
    found = compare([replace(each, id=names.get(each.id, each.id)) for each in before], after.results)
    failed = {result.id for result in after.results if result.failed}
    return Differences(
        new=found.new,
        fixed=found.fixed,
        regressed=found.regressed,
        vanished=tuple(name for name in found.vanished if not asked or name in asked),
        newly_skipped=(*found.newly_skipped, *found.newly_xfailed),
        still_failing=found.still_failing,
        renamed=renamed,
        failing=tuple(name for name in found.new if name in failed),
    )


def _by_id(results: Iterable[CaseResult]) -> dict[str, CaseResult]:
    return {result.id: result for result in results}


def suites_record(report: SuiteReport, runs: Sequence[SuiteRun], changed: Differences | None) -> dict[str, Any]:
    against = {"against": {name: list(ids) for name, ids in asdict(changed).items()}} if changed else {}
    return {
        "runner": report.runner,
        "command": command_line(report.command),
        "exit_code": report.exit_code,
        "complete": report.complete,
        "trusted": report.trusted,
        "counts": _counts(report.counts),
        "tests": [_test(result) for result in report.results],
        "problems": list(report.problems),
        "suites": [_suite(suite, run) for suite, run in runs],
        "seconds": round(report.seconds, 3),
        "environment": report.environment,
        "output_hash": report.output_hash,
        "tools": list(report.tools),
        "commit": report.commit,
        **against,
    }


def command_line(words: Iterable[str]) -> str:
    return " ".join(word if word == "&&" else shlex.quote(word) for word in words)


def _counts(counts: Counts) -> dict[str, int]:
    return asdict(counts) | {"total": counts.total}


def _test(result: CaseResult) -> dict[str, Any]:
    return {
        "id": result.id,
        "outcome": result.outcome.value,
        "failure_kind": result.kind and result.kind.value,
        "message": result.message,
        "seconds": result.seconds,
        "body": result.body,
    }


def _suite(suite: Suite, run: SuiteReport) -> dict[str, Any]:
    return listed_suite(suite) | {
        "exit_code": run.exit_code,
        "complete": run.complete,
        "trusted": run.trusted,
        "counts": _counts(run.counts),
        "problems": list(run.problems),
        "notes": list(run.notes),
        "seconds": round(run.seconds, 3),
        "environment": run.environment,
        "output_hash": run.output_hash,
        "tools": list(run.tools),
        "configuration": [list(pair) for pair in run.configuration],
    }


def listed_suite(suite: Suite) -> dict[str, Any]:
    return {
        "name": suite.name,
        "runner": suite.runner,
        "folder": suite.folder,
        "command": command_line(suite.command),
        "required": suite.required,
        "reason": suite.reason,
    }


def list_lines(suites: Sequence[Suite], notes: Sequence[str]) -> list[Line]:
    """The suites with their reasons, then the notes on what is not run."""
    lines: list[Line] = []
    for suite in suites:
        where = "" if suite.folder == "." else f" in {suite.folder}"
        lines.append(Line(text=f"{suite.name} ({suite.runner}){where}: {command_line(suite.command)}"))
        lines.append(Line(text=f"    because {suite.reason}", tone=Tone.QUIET))
    return [*lines, *(Line(text=f"not run: {note}", tone=Tone.BAD) for note in notes)]


def suites_lines(report: SuiteReport, runs: Sequence[SuiteRun], changed: Differences | None) -> list[Line]:
    """A table of the suites, then failures, changes, problems and notes."""
    failing = [result for result in report.results if result.failed]
    return [
        *_table(runs),
        *(line for result in failing for line in _failure(result, report.suites)),
        *(_changes(changed, report.suites) if changed else ()),
        *(Line(text=f"not to be believed: {problem}", tone=Tone.BAD) for problem in report.problems),
        *(Line(text=f"note: {note}", tone=Tone.QUIET) for note in report.notes),
    ]


def _table(runs: Sequence[SuiteRun]) -> list[Line]:
    width = max((len(suite.name) for suite, _ in runs), default=0)
    return [Line(text=_row(suite, run, width), tone=_tone(run)) for suite, run in runs]


def _row(suite: Suite, run: SuiteReport, width: int) -> str:
    doubt = "" if run.trusted else ", not to be believed"
    return f"{suite.name:<{width}}  {counted(run.counts)} ({run.seconds:.1f} s){doubt}"


def _tone(run: SuiteReport) -> Tone:
    if not run.trusted or run.counts.failed or run.counts.error:
        return Tone.BAD
    return Tone.GOOD if run.counts.passed else Tone.PLAIN


def _failure(result: CaseResult, suites: Sequence[str]) -> list[Line]:
    place = f"{result.file}:{result.line}" if result.line is not None else result.file
    shown = _first_words(result)[:MESSAGE_LINES]
    head = f"{result.outcome} {short_id(result.id, suites)}{f' ({place})' if place else ''}"
    return [Line(text=head, tone=Tone.BAD), *(Line(text=f"    {line}") for line in shown)]


def _first_words(result: CaseResult) -> list[str]:
    """The message; for a file that cannot be loaded only the marked error lines, the last first."""
    lines = [line for line in result.message.splitlines() if line.strip()]
    errors = [line.removeprefix("E").strip() for line in lines if line.startswith("E  ")]
    return errors[::-1] if result.is_broken_file and errors else lines


WORDS: Mapping[str, tuple[str, Tone]] = {
    "regressed": ("fails, and did not before", Tone.BAD),
    "vanished": ("is gone", Tone.BAD),
    "newly_skipped": ("is skipped, and was not before", Tone.BAD),
    "failing": ("is new, and fails", Tone.BAD),
    "fixed": ("passes, and failed before", Tone.GOOD),
    "new": ("is new", Tone.PLAIN),
    "still_failing": ("failed before too", Tone.QUIET),
}


def _changes(changed: Differences, suites: Sequence[str]) -> list[Line]:
    lines = []
    for kind, (words, tone) in WORDS.items():
        ids = [name for name in getattr(changed, kind) if kind != "new" or name not in changed.failing]
        lines += [Line(text=f"{short_id(name, suites)} {words}", tone=tone) for name in ids[:IDS_SHOWN]]
        if len(ids) > IDS_SHOWN:
            lines.append(Line(text=f"and {len(ids) - IDS_SHOWN} more: each {words}", tone=tone))
    lines += [
        Line(text=f"{short_id(old, suites)} is {short_id(new, suites)} now") for old, new in changed.renamed[:IDS_SHOWN]
    ]
    return lines or [Line(text="nothing changed since the earlier run")]
