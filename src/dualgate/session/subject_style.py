"""The setting and a repository's history -> the form of the subjects of commits and the titles of requests."""

from pathlib import Path

from dualgate.core.values.vocabulary import SubjectStyle
from dualgate.display.report.subjects import is_conventional
from dualgate.workspace.subjects import last_subjects


def style_of(asked: SubjectStyle, project: Path) -> SubjectStyle:
    """The form that was asked for, else that of most commits of the repository."""
    if asked is not SubjectStyle.AUTO:
        return asked
    subjects = last_subjects(project)
    is_usual = sum(map(is_conventional, subjects)) * 2 > len(subjects)
    return SubjectStyle.CONVENTIONAL if is_usual else SubjectStyle.PLAIN


def styles_of(asked: SubjectStyle, project: Path) -> tuple[SubjectStyle, ...]:
    """The forms to try, that of `style_of` first: a hook may ask for types where the history has none."""
    first = style_of(asked, project)
    is_open = asked is SubjectStyle.AUTO and first is SubjectStyle.PLAIN
    return (first, SubjectStyle.CONVENTIONAL) if is_open else (first,)
