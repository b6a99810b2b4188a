"""pytest, run in the project's own interpreter, with a report per test that our plug-in writes outside the project."""

import json
import os
import secrets
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from dualgate.core.control import Control
from dualgate.core.suite import CaseOutcome, CaseResult, FailureKind, SuiteReport
from dualgate.core.vocabulary import Ending
from dualgate.process import Exit, Job, read_tail, supervise

PLUGIN_SOURCE = "dualgate_pytest_reporter.py"
OUTPUT_KEPT = 4000
ALL_PASSED, SOME_FAILED, NONE_COLLECTED = 0, 1, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class PytestRunner:
    command: tuple[str, ...]
    project: Path
    timeout: float | None = None

    def run(self, control: Control) -> SuiteReport:
        with tempfile.TemporaryDirectory(prefix="dualgate-suite-") as name:
            folder = Path(name)
            report = folder / "report.jsonl"
            # named anew each time, so that no module of the project can stand in for it
            plugin = folder / "plugins" / f"dualgate_reporter_{secrets.token_hex(8)}.py"
            plugin.parent.mkdir()
            plugin.write_bytes((resources.files("dualgate.runners") / "reporters" / PLUGIN_SOURCE).read_bytes())
            job = Job(
                argv=self.command,
                cwd=self.project,
                environment=suite_environment(os.environ, plugin, report) | {"DUALGATE_PROJECT": str(self.project)},
                stdout=folder / "stdout",
                stderr=folder / "stderr",
            )
            ended = supervise(job, control.within(self.timeout))
            lines = report.read_bytes().splitlines() if report.exists() else []
            output = read_tail(job.stdout, OUTPUT_KEPT) + read_tail(job.stderr, OUTPUT_KEPT)
            return read_report(self, lines, ended, output)


def suite_environment(environment: Mapping[str, str], plugin: Path, report: Path) -> dict[str, str]:
    kept = {name: value for name, value in environment.items() if name != "PRP_SESSION_DIR"}
    paths = [str(plugin.parent), *filter(None, [kept.get("PYTHONPATH")])]
    names = [plugin.stem, *filter(None, [kept.get("PYTEST_PLUGINS")])]
    return kept | {
        "CI": "1",
        "DUALGATE_REPORT": str(report),
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTEST_PLUGINS": ",".join(names),
    }


def read_report(runner: PytestRunner, lines: Iterable[bytes], ended: Exit, output: str) -> SuiteReport:
    """Put the lines of the plug-in beside how the process ended. Where they disagree, nothing is believed."""
    events = list(_events(lines))
    command = runner.command
    try:
        told = (_result(event, runner.project) for event in events if event["event"] in ("result", "broken"))
        # a test that was made again, as by pytest-rerunfailures, is what it was at last
        results = tuple({result.id: result for result in told}.values())
        problems = tuple(_problems(events, results, ended, output))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        results, problems = (), (f"the report was written by somebody else: {type(error).__name__} {error}",)
    return SuiteReport(command=command, exit_code=ended.code, results=results, problems=problems, seconds=ended.seconds)


def _events(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """The readable lines; a torn one is left out, and the missing end of the run will tell."""
    for line in lines:
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(event, dict) and isinstance(event.get("event"), str):
            yield event


def _result(event: Mapping[str, Any], project: Path) -> CaseResult:
    file = os.path.relpath(_text(event["file"]), project) if event["file"] else ""
    if event["event"] == "broken":
        return CaseResult(
            id=_text(event["id"]),
            file=file,
            outcome=CaseOutcome.ERROR,
            kind=FailureKind.BROKEN_FILE,
            message=_text(event["message"]),
        )
    return CaseResult(
        id=_text(event["id"]),
        file=file,
        outcome=CaseOutcome(event["outcome"]),
        digest=_text(event["digest"]),
        doc=_text(event["doc"]),
        kind=FailureKind(event["kind"]) if event["kind"] else None,
        message=_text(event["message"]),
        seconds=float(event["seconds"]),
    )


def _text(value: str) -> str:
    """Without halves of surrogate pairs, which no file of ours could hold."""
    return value.encode("utf-8", "replace").decode()


def _problems(events: list[dict[str, Any]], results: tuple[CaseResult, ...], ended: Exit, output: str) -> Iterator[str]:
    if ended.ending is not Ending.EXITED:
        yield f"the test run did not end by itself: {ended.ending}"
        return
    if not events:
        yield f"the test command gave no pytest report (exit code {ended.code}): {_last_lines(output)}"
        return
    finished = next((event for event in events if event["event"] == "finished"), None)
    if finished is None:
        yield f"the test run broke off before its end (exit code {ended.code})"
        return
    code, ran = finished["exit"], [result for result in results if not result.is_broken_file]
    failed = any(result.failed for result in results)
    # what calls pytest, as make does, may have failed codes of its own
    if bool(code) != bool(ended.code):
        yield f"pytest ended with {code} but its process with {ended.code}"
    elif code not in (ALL_PASSED, SOME_FAILED, NONE_COLLECTED):
        yield f"pytest could not run the tests (exit code {code}): {_last_lines(output)}"
    elif (code == SOME_FAILED) != failed:
        yield f"exit code {code} contradicts the report, in which {'some' if failed else 'no'} tests failed"
    if finished["collected"] != len(ran):
        yield f"{finished['collected']} tests were collected but {len(ran)} reported"
    outside = sorted({result.file for result in ran if result.file.startswith("..")})
    if outside:
        yield f"tests outside the project cannot be guarded: {', '.join(outside[:3])}"


def _last_lines(output: str) -> str:
    return " / ".join(line.strip() for line in output.strip().splitlines()[-3:])[:500] or "no output"
