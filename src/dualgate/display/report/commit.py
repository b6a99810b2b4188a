"""Report -> a commit message with its evidence, in which texts of others close no issue and mention nobody."""

import re
from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from dualgate.core.report.values import Report
from dualgate.core.values.notation import in_line
from dualgate.core.values.vocabulary import Phase
from dualgate.display.report import words

_SUBJECT = 72
_COLUMNS = 72
_LONGEST = 300
_MOST = 20
# what a code host links, notifies or closes; a space without width breaks the name
_TELLING = re.compile(r"[@#](?=\w)|\bGH-(?=\d)|://", re.IGNORECASE)
_BREAK = "\u200b"


_WORK = {
    Phase.RED: "failing tests",
    Phase.GREEN: "implementation",
    Phase.REFACTOR: "refactoring",
    Phase.DOCUMENT: "documents",
    Phase.QA: "review",
    Phase.BUILD: "tasks",
}
"""The content of the commit of each phase, for its subject."""


def commit_message(report: Report, trailers: Sequence[tuple[str, str]] = ()) -> str:
    """The subject from the title of the specification; the evidence; trailers that name the session."""
    return _message(_subject(report), _paragraphs(report), [*_trailers(report), *trailers])


def phase_message(report: Report, phase: Phase, trailers: Sequence[tuple[str, str]] = ()) -> str:
    """The message of a commit after one phase: the criteria as they stand, and the tests."""
    work = f": {_WORK[phase]}"
    passed = _wrapped("", f"{phase} passed both gates. The run goes on.")
    parts = [passed, _criteria(report), _wrapped("", _tests(report))]
    session = ("Dualgate-Session", report.session_id)
    return _message(
        f"{_subject(report, len(work))}{work}", parts, [("Dualgate-Phase", phase.value), session, *trailers]
    )


def commit_subject(report: Report) -> str:
    """The first line of a commit's message, and the title of a pull request."""
    return _subject(report)


def _message(subject: str, parts: Iterable[list[str]], trailers: Iterable[tuple[str, str]]) -> str:
    body = "\n\n".join("\n".join(part) for part in parts if part)
    rows = "\n".join(f"{name}: {value}" for name, value in trailers)
    return f"{subject}\n\n{body}\n\n{rows}\n"


def _subject(report: Report, taken: int = 0) -> str:
    text = _line(report.title, _SUBJECT - taken)
    return text.lstrip("#;- ") or "Work of a dualgate session"


def _paragraphs(report: Report) -> Iterator[list[str]]:
    yield _wrapped("", report.conclusion.sentence)
    yield [line for reason in report.conclusion.reasons for line in _wrapped("- ", reason)]
    yield _criteria(report)
    caught, probes = words.caught_words(report), report.probes
    facts = (
        _tests(report),
        f"Probes: {probes.killed} killed, {len(probes.surviving)} surviving." if probes and probes.killed else "",
        words.review_sentence(report),
        f"{caught}." if caught else "",
    )
    yield [line for fact in facts if fact for line in _wrapped("", fact)]


def _criteria(report: Report) -> list[str]:
    criteria = report.criteria[:_MOST]
    return [line for each in criteria for line in _wrapped("- ", f"{each.id} ({each.kind}, {each.state}): {each.text}")]


def _tests(report: Report) -> str:
    tests = report.tests
    return f"Tests: {tests.passing} passing, {tests.failing} failing, {tests.skipped} skipped."


def _trailers(report: Report) -> list[tuple[str, str]]:
    verdict = report.conclusion.end.value
    return [("Dualgate-Verdict", verdict), ("Dualgate-Session", _line(report.session_id, _SUBJECT))]


def _wrapped(start: str, text: str) -> list[str]:
    lines = wrap(_line(text, _LONGEST), _COLUMNS, initial_indent=start, subsequent_indent=" " * len(start))
    # git takes a line that begins with # for a comment
    return [f" {line}" if line.startswith("#") else line for line in lines]


def _line(text: str, most: int) -> str:
    """A text on one line, without anything that a code host would act upon."""
    one = " ".join(in_line(text.replace("\n", " ")).split())
    cut = one if len(one) <= most else f"{one[: most - 1]}…"
    return _TELLING.sub(lambda found: f"{found[0][:1]}{_BREAK}{found[0][1:]}", cut)
