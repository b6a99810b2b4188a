"""Reporter events and process exit -> SuiteReport. If they contradict each other, the report is not trusted."""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from dualgate.core.values.answer import Ending
from dualgate.core.values.case_names import function_of
from dualgate.core.values.suite import COVERAGE_TOO_LOW, CaseOutcome, CaseResult, FailureKind, Suite, SuiteReport
from dualgate.languages.interpreter import missing_pytest
from dualgate.processes.job import Exit
from dualgate.runners.cases import make_unique, outside_problems
from dualgate.runners.fingerprints import interpreter_fingerprint
from dualgate.runners.foreign import is_foreign
from dualgate.runners.launch import last_words
from dualgate.runners.sources import FILES_KEPT, Written, written_at
from dualgate.runners.uncollected import is_unmet, uncollected_tests

FORMAT = 2
ALL_PASSED, SOME_FAILED, NONE_COLLECTED = 0, 1, 5
NAMED = 3
NO_REPORT = "the test command gave no"
NO_PYTEST = re.compile(r"No module named '?pytest'?\s*$", re.MULTILINE)
FOREIGN = (AttributeError, KeyError, TypeError, ValueError)

Event = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """The events of each run that one command started, and problems with the reports."""

    runs: tuple[tuple[Event, ...], ...]
    problems: tuple[str, ...] = ()
    running: str = ""
    output: str = ""
    output_hash: str = ""
    ours: tuple[str, ...] = ()


def read_report(suite: Suite, project: Path, told: Told, ended: Exit, only: Sequence[str] = ()) -> SuiteReport:
    report = SuiteReport(
        command=suite.command,
        exit_code=ended.code,
        runner=suite.runner,
        only=tuple(only),
        seconds=ended.seconds,
        output_hash=told.output_hash,
    )
    try:
        runs = [_read_run(events, project, told.ours) for events in told.runs]
        return replace(
            report,
            results=make_unique(result for run in runs for result in run.results),
            problems=(*told.problems, *_problems(suite, project, told, runs, ended, only)),
            notes=tuple(dict.fromkeys(note for run in runs for note in run.notes)),
            complete=ended.ending is Ending.EXITED and bool(runs) and all(run.exit is not None for run in runs),
            environment="; ".join(dict.fromkeys(run.environment for run in runs)),
            configuration=tuple(dict.fromkeys(fact for run in runs for fact in run.configuration)),
            tools=tuple(dict.fromkeys(tool for run in runs for tool in run.tools)),
        )
    except FOREIGN as error:
        why = f"the report was written by somebody else: {type(error).__name__} {error}"
        return replace(report, problems=(why,), complete=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """One session of a runner. `exit` is None if the session did not finish."""

    results: tuple[CaseResult, ...]
    problems: tuple[str, ...]
    notes: tuple[str, ...]
    exit: int | None
    too_little: str
    """The coverage, if it failed the session."""
    environment: str
    configuration: tuple[tuple[str, str], ...]
    tools: tuple[str, ...]


def _read_run(events: Sequence[Event], project: Path, ours: Sequence[str]) -> _Run:
    started = _only_one(events, "started")
    if started["format"] != FORMAT:
        raise ValueError(f"format {started['format']}")
    finished = next((event for event in events if event["event"] == "finished"), None)
    facts = next((event["facts"] for event in events if event["event"] == "configuration"), ())
    collected = Counter(_text(name) for event in events if event["event"] == "collected" for name in event["ids"])
    ran = _settle([_result(event, project) for event in events if event["event"] == "result"], collected)
    broken = {event["id"]: event for event in events if event["event"] == "broken"}
    unread = [result for event in broken.values() for result in _broken(event, project, started["runner"])]
    version = f"{started['runner']} {started['version']}"
    return _Run(
        results=(*unread, *ran),
        problems=tuple(_doubts(started, events, finished, collected, ran)),
        notes=tuple(map(_text, started.get("notes", ()))),
        exit=None if finished is None else int(finished["exit"]),
        too_little=_text((finished or {}).get("too_little", "")),
        environment=interpreter_fingerprint(started["environment"], version, ours),
        configuration=tuple((_text(name), _text(value)) for name, value in facts),
        tools=(_text(started["environment"]["python"]), _text(version)),
    )


def _only_one(events: Sequence[Event], name: str) -> Event:
    found = [event for event in events if event["event"] == name]
    if len(found) != 1:
        raise ValueError(f"'{name}' is there {len(found)} times")
    return found[0]


def _settle(results: Iterable[CaseResult | None], collected: Mapping[str, int]) -> list[CaseResult]:
    """One result for each collected test: the last one if it was rerun, as by pytest-rerunfailures."""
    by_id: dict[str, list[CaseResult]] = {}
    for result in results:
        if result is not None:
            by_id.setdefault(result.id, []).append(result)
    return [result for name, found in by_id.items() for result in found[-max(1, collected.get(name, 1)) :]]


def _result(event: Event, project: Path) -> CaseResult | None:
    """The result of a test; None for an attempt that was rerun."""
    if event["outcome"] == "rerun":
        return None
    written = _written(event)
    at_home = event.get("code") == event["file"]
    return CaseResult(
        id=_text(event["id"]),
        file=_seen_from(project, event["file"]),
        line=_line(event.get("line")) or (written.line if at_home else None),
        outcome=CaseOutcome(event["outcome"]),
        digest=_text(written.digest),
        body=_text(written.body),
        doc=_text(written.doc),
        kind=_kind(event, project) if event["outcome"] in ("failed", "error") else None,
        message=_text(event.get("message", "")),
        seconds=float(event["seconds"]),
    )


def _written(event: Event) -> Written:
    if "code" in event:
        return written_at(event["code"], int(event["at"]))
    return Written(digest=event.get("digest", ""), doc=event.get("doc", ""))


def _kind(event: Event, project: Path) -> FailureKind:
    """A package of somebody else that is not installed is a mistake of the test; one of the project may come yet."""
    if is_foreign(project, _text(event.get("module") or "")):
        return FailureKind.BROKEN_TEST
    return FailureKind(event.get("kind") or FailureKind.OTHER)


def _line(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _broken(event: Event, project: Path, runner: str) -> tuple[CaseResult, ...]:
    """A file that could not be collected; if that is because work is missing, the tests in it."""
    message = _text(event["message"])
    broken = CaseResult(
        id=_text(event["id"]),
        file=_seen_from(project, event.get("conftest") or event["file"]),
        outcome=CaseOutcome.ERROR,
        kind=FailureKind.BROKEN_FILE,
        message=message,
        uncollected=is_unmet(event, project),
    )
    return uncollected_tests(event, project, runner, message) or (broken,)


@lru_cache(maxsize=FILES_KEPT)
def _seen_from(project: Path, path: str) -> str:
    return os.path.relpath(_text(path), project) if path else ""


def _text(value: str) -> str:
    """The text without lone surrogates, which UTF-8 cannot hold."""
    return value if value.isascii() else value.encode("utf-8", "replace").decode()


def _doubts(
    started: Event, events: Sequence[Event], finished: Event | None, collected: Counter[str], ran: Sequence[CaseResult]
) -> Iterator[str]:
    """Reasons not to trust a run, from its own events."""
    for shadow in started["shadowed"]:
        yield f"a module of the project replaces the runner's: {_text(shadow)}"
    yield from map(_text, started["doubts"])
    doubted = [f"{_text(event['id'])} {_text(event['doubt'])}" for event in events if event.get("doubt")]
    yield from _few(doubted)
    yield from outside_problems(ran)
    if finished is None:
        return
    if finished["dropped"]:
        names = ", ".join(map(_text, finished["dropped"][:NAMED]))
        yield f"{len(finished['dropped'])} tests were removed after they were collected: {names}"
    if elsewhere := finished.get("elsewhere"):
        yield f"modules came from the project, not from the tree under test: {', '.join(map(_text, elsewhere))}"
    reported = Counter(result.id for result in ran)
    if reported != collected:
        odd = ", ".join(list((collected - reported) + (reported - collected))[:NAMED])
        yield f"{collected.total()} tests were collected but {reported.total()} reported: {odd}"


def _few(texts: Sequence[str]) -> Iterator[str]:
    yield from texts[:NAMED]
    if len(texts) > NAMED:
        yield f"and {len(texts) - NAMED} tests more"


def _problems(
    suite: Suite, project: Path, told: Told, runs: Sequence[_Run], ended: Exit, only: Sequence[str]
) -> Iterator[str]:
    name = suite.runner
    if ended.ending is not Ending.EXITED:
        during = f" while {told.running} was running" if told.running else ""
        yield f"the test run did not end by itself: {ended.ending}{during}"
    elif not runs and not told.problems:
        install = NO_PYTEST.search(told.output) and missing_pytest(suite.command, project / suite.folder, project)
        yield f"{NO_REPORT} {name} report (exit code {ended.code}): {install or last_words(told.output)}"
    elif any(run.exit is None for run in runs):
        during = f" while {told.running} was running" if told.running else ""
        yield f"the test run broke off before its end (exit code {ended.code}){during}"
    elif runs:
        yield from _contradictions(name, runs, ended, told.output, is_part=bool(only))
    for run in runs:
        yield from run.problems
    missing = _missing(runs, only)
    if missing and runs:
        yield f"{len(missing)} of the selected tests are missing: {', '.join(missing[:NAMED])}"


def _missing(runs: Sequence[_Run], only: Sequence[str]) -> list[str]:
    """Tests that were asked for and are not there. Of a file that waits for work only the functions are known."""
    results = [result for run in runs for result in run.results]
    there = {result.id for result in results}
    waiting = {result.id for result in results if result.uncollected}
    return [each for each in only if each not in there and function_of(each) not in waiting]


def _contradictions(name: str, runs: Sequence[_Run], ended: Exit, output: str, *, is_part: bool) -> Iterator[str]:
    codes = [run.exit or 0 for run in runs]
    code = next((code for code in codes if code), 0)
    # a caller of the runner, such as make, may fail with another code
    if bool(code) != bool(ended.code):
        yield f"{name} ended with {code} but its process with {ended.code}"
    for code, run in zip(codes, runs, strict=True):
        failed = any(result.failed for result in run.results)
        if code not in (ALL_PASSED, SOME_FAILED, NONE_COLLECTED):
            yield f"{name} could not run the tests (exit code {code}): {last_words(output)}"
        elif code == SOME_FAILED and not failed and run.too_little:
            if not is_part:
                yield f"{COVERAGE_TOO_LOW}: {run.too_little} (--no-cov turns the threshold off)"
        elif (code == SOME_FAILED) != failed:
            said = "" if failed else f": {last_words(output)}"
            yield f"exit code {code} contradicts the report, in which {'some' if failed else 'no'} tests failed{said}"
