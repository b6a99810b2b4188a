"""Report -> a commit message with its evidence, in which texts of others close no issue and mention nobody."""

import re
from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from dualgate.core.report.values import Report
from dualgate.core.values.notation import in_line
from dualgate.core.values.vocabulary import Phase, SubjectStyle
from dualgate.display.report import words
from dualgate.display.report.subjects import conventional_parts, is_conventional, plain_parts

_SUBJECT = 72
_COLUMNS = 72
_LONGEST = 300
_MOST = 20
_LONGEST_WORD = 20
_OURS = "Dualgate-"
# what a code host links, notifies or closes; a space without width breaks the name
_TELLING = re.compile(r"[@#](?=\w)|\bGH-(?=\d)|://", re.IGNORECASE)
_BREAK = "\u200b"


def commit_message(
    report: Report, trailers: Sequence[tuple[str, str]] = (), style: SubjectStyle = SubjectStyle.PLAIN
) -> str:
    """The subject from the title of the specification; the evidence; trailers that name the session."""
    return _message(commit_subject(report, style), _paragraphs(report), [*_trailers(report), *trailers])


def phase_message(
    report: Report,
    phase: Phase,
    trailers: Sequence[tuple[str, str]] = (),
    style: SubjectStyle = SubjectStyle.PLAIN,
) -> str:
    """The message of a commit after one phase: the criteria as they stand, and the tests."""
    passed = _wrapped("", f"Both gates of the phase {phase} are open.")
    parts = [passed, _criteria(report), _wrapped("", _tests(report))]
    session = ("Dualgate-Session", report.session_id)
    return _message(commit_subject(report, style, phase), parts, [("Dualgate-Phase", phase.value), session, *trailers])


def commit_subject(report: Report, style: SubjectStyle, phase: Phase | None = None) -> str:
    """The first line of a commit's message, and the title of a pull request."""
    title = _line(report.title, len(report.title)).lstrip("#;- ")
    if not title:
        return "Work of a dualgate session"
    if style is SubjectStyle.CONVENTIONAL or is_conventional(title):
        start, text = conventional_parts(title, phase)
        return f"{start}{_cut(text, _SUBJECT - len(start))}"
    text, end = plain_parts(title, phase)
    return f"{_cut(text, _SUBJECT - len(end))}{end}"


def _message(subject: str, parts: Iterable[list[str]], trailers: Iterable[tuple[str, str]]) -> str:
    body = "\n\n".join("\n".join(part) for part in parts if part)
    rows = "\n".join(_trailer(name, value) for name, value in trailers)
    return f"{subject}\n\n{body}\n\n{rows}\n"


def _trailer(name: str, value: str) -> str:
    """A trailer; one of ours is folded as git folds them, since hooks refuse long lines."""
    row = f"{name}: {value}"
    if not name.startswith(_OURS):
        return row
    return "\n".join(wrap(row, _COLUMNS, subsequent_indent=" ", break_long_words=False, break_on_hyphens=False))


def _paragraphs(report: Report) -> Iterator[list[str]]:
    yield _wrapped("", f"{report.conclusion.sentence.rstrip('.')}.")
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
    cut = _cut(" ".join(in_line(text.replace("\n", " ")).split()), most)
    return _TELLING.sub(lambda found: f"{found[0][:1]}{_BREAK}{found[0][1:]}", cut)


def _cut(text: str, most: int) -> str:
    """A text of at most so many characters; it ends with a whole word if that is not far away."""
    if len(text) <= most:
        return text
    start = text[: most - 1]
    whole, _, last = start.rpartition(" ")
    is_near = whole and len(last) < _LONGEST_WORD and not text[most - 1].isspace()
    return f"{(whole if is_near else start).rstrip()}…"
