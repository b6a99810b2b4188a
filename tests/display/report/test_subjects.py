"""Subjects of commits: plain, or in the form of conventional commits, and never too long."""

from dataclasses import replace

import pytest

from dualgate.core.values.vocabulary import Phase, SubjectStyle
from dualgate.display.report.commit import commit_subject, phase_message
from tests.display.report.samples import a_proven_report

PLAIN, CONVENTIONAL = SubjectStyle.PLAIN, SubjectStyle.CONVENTIONAL
SUBJECTS = [
    ("Parking fees", PLAIN, None, "Parking fees"),
    ("Parking fees", PLAIN, Phase.RED, "Parking fees: failing tests"),
    ("Parking fees", CONVENTIONAL, None, "feat: parking fees"),
    ("Parking fees.", CONVENTIONAL, Phase.RED, "test: parking fees"),
    ("Parking fees", CONVENTIONAL, Phase.GREEN, "feat: parking fees"),
    ("Parking fees", CONVENTIONAL, Phase.REFACTOR, "refactor: parking fees"),
    ("Parking fees", CONVENTIONAL, Phase.DOCUMENT, "docs: parking fees"),
    ("Parking fees", CONVENTIONAL, Phase.BUILD, "feat: parking fees"),
    ("Fix rounding of fees", CONVENTIONAL, None, "fix: rounding of fees"),
    ("Fixtures for fees", CONVENTIONAL, None, "feat: fixtures for fees"),
    ("CSV export", CONVENTIONAL, None, "feat: add CSV export"),
    ("CSV export", CONVENTIONAL, Phase.RED, "test: cover CSV export"),
    ("HTTP2 support", CONVENTIONAL, None, "feat: add HTTP2 support"),
    ("A discount", CONVENTIONAL, None, "feat: a discount"),
    ("perf(cart)!: Sum once", CONVENTIONAL, None, "perf(cart)!: sum once"),
    ("perf(cart)!: sum once", PLAIN, Phase.RED, "test(cart): sum once"),
    ("Note: read this", PLAIN, Phase.GREEN, "Note: read this: implementation"),
    ("Überzug", CONVENTIONAL, None, "feat: überzug"),
    ("fix", CONVENTIONAL, None, "fix: fix"),
    ("###", CONVENTIONAL, None, "Work of a dualgate session"),
]


@pytest.mark.parametrize(("title", "style", "phase", "subject"), SUBJECTS)
def test_a_subject_has_the_form_of_the_style(
    title: str, style: SubjectStyle, phase: Phase | None, subject: str
) -> None:
    assert commit_subject(replace(a_proven_report(), title=title), style, phase) == subject


@pytest.mark.parametrize("style", [PLAIN, CONVENTIONAL])
@pytest.mark.parametrize("phase", [None, *Phase])
@pytest.mark.parametrize("title", ["word " * 40, "x" * 200, f"feat(scope): {'word ' * 40}"])
def test_a_subject_is_short_and_ends_with_a_whole_word_if_it_can(
    title: str, style: SubjectStyle, phase: Phase | None
) -> None:
    subject = commit_subject(replace(a_proven_report(), title=title), style, phase)

    assert 50 < len(subject) <= 72
    assert "word…" in subject or "x…" in subject


def test_no_line_of_a_message_is_longer_than_72_characters() -> None:
    evidence = f"DOCUMENT tree {'a' * 64} journal 1234 {'b' * 32}"

    message = phase_message(a_proven_report(), Phase.DOCUMENT, [("Dualgate-Evidence", evidence)])

    assert max(map(len, message.splitlines())) <= 72
    assert f"Dualgate-Evidence: {evidence}" in message.replace("\n ", " ")
