"""The form of subjects follows the repository, unless a person sets it."""

from pathlib import Path

import pytest

from dualgate.core.values.vocabulary import SubjectStyle
from dualgate.session.subject_style import style_of, styles_of
from tests.session.commit_kit import a_repository, git

OURS = "Work\n\nDualgate-Session: 1"
HISTORIES = [
    ([], SubjectStyle.PLAIN),
    (["feat: cart", "fix(cart): sum"], SubjectStyle.CONVENTIONAL),
    (["feat: cart", "Sum once", "Tidy"], SubjectStyle.PLAIN),
    (["feat: cart", "docs: cart", OURS, OURS, OURS], SubjectStyle.CONVENTIONAL),
    (["Note: this", "Cart: sum"], SubjectStyle.PLAIN),
]


@pytest.mark.parametrize(("subjects", "style"), HISTORIES)
def test_the_form_is_that_of_most_commits_that_people_wrote(
    tmp_path: Path, subjects: list[str], style: SubjectStyle
) -> None:
    project = a_repository(tmp_path / "shop")
    for subject in subjects:
        git(project, "commit", "-q", "--allow-empty", "-m", subject)

    assert style_of(SubjectStyle.AUTO, project) is style


def test_the_form_that_a_person_sets_is_used(tmp_path: Path) -> None:
    assert style_of(SubjectStyle.CONVENTIONAL, a_repository(tmp_path / "shop")) is SubjectStyle.CONVENTIONAL


def test_types_are_tried_second_where_nothing_asks_for_a_form(tmp_path: Path) -> None:
    project = a_repository(tmp_path / "shop")
    plain = styles_of(SubjectStyle.AUTO, project)
    git(project, "commit", "-q", "--allow-empty", "-m", "feat: cart")
    git(project, "commit", "-q", "--allow-empty", "-m", "fix: sum")

    assert plain == (SubjectStyle.PLAIN, SubjectStyle.CONVENTIONAL)
    assert styles_of(SubjectStyle.AUTO, project) == (SubjectStyle.CONVENTIONAL,)
    assert styles_of(SubjectStyle.PLAIN, project) == (SubjectStyle.PLAIN,)
