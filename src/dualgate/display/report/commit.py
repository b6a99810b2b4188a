"""Report -> a commit message with its evidence, in which texts of others close no issue and mention nobody."""

import re
from collections.abc import Iterator
from textwrap import wrap

from dualgate.core.report.values import Report
from dualgate.core.values.notation import in_line
from dualgate.display.report import words

_SUBJECT = 72
_COLUMNS = 72
_LONGEST = 300
_MOST = 20
# what a code host links, notifies or closes; a space without width breaks the name
_TELLING = re.compile(r"[@#](?=\w)|\bGH-(?=\d)|://", re.IGNORECASE)
_BREAK = "\u200b"


def commit_message(report: Report) -> str:
    """The subject from the title of the specification; the evidence; trailers that name the session."""
    body = "\n\n".join("\n".join(part) for part in _paragraphs(report) if part)
    return f"{_subject(report)}\n\n{body}\n\n{_trailers(report)}\n"


def _subject(report: Report) -> str:
    text = _line(report.title, _SUBJECT)
    return text.lstrip("#;- ") or "Work of a dualgate session"


def _paragraphs(report: Report) -> Iterator[list[str]]:
    yield _wrapped("", report.conclusion.sentence)
    yield [line for reason in report.conclusion.reasons for line in _wrapped("- ", reason)]
    criteria = report.criteria[:_MOST]
    yield [line for each in criteria for line in _wrapped("- ", f"{each.id} ({each.kind}, {each.state}): {each.text}")]
    caught, tests = words.caught_words(report), report.tests
    probes = report.probes
    facts = (
        f"Tests: {tests.passing} passing, {tests.failing} failing, {tests.skipped} skipped.",
        f"Probes: {probes.killed} killed, {len(probes.surviving)} surviving." if probes and probes.killed else "",
        words.review_sentence(report),
        f"{caught}." if caught else "",
    )
    yield [line for fact in facts if fact for line in _wrapped("", fact)]


def _trailers(report: Report) -> str:
    verdict = report.conclusion.end.value
    return f"Dualgate-Verdict: {verdict}\nDualgate-Session: {_line(report.session_id, _SUBJECT)}"


def _wrapped(start: str, text: str) -> list[str]:
    lines = wrap(_line(text, _LONGEST), _COLUMNS, initial_indent=start, subsequent_indent=" " * len(start))
    # git takes a line that begins with # for a comment
    return [f" {line}" if line.startswith("#") else line for line in lines]


def _line(text: str, most: int) -> str:
    """A text on one line, without anything that a code host would act upon."""
    one = " ".join(in_line(text.replace("\n", " ")).split())
    cut = one if len(one) <= most else f"{one[: most - 1]}…"
    return _TELLING.sub(lambda found: f"{found[0][:1]}{_BREAK}{found[0][1:]}", cut)
