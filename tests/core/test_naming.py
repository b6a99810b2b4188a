"""The name of a piece of work."""

import pytest

from dualgate.core.values.naming import branch_of, is_name, slug, work_name

NAMED = [
    ("docs/specs/CSV export.md", "Export a table", "csv-export"),
    ("SPEC.md", "Export a table: CSV", "export-a-table-csv"),
    ("SPEC.md", "", "spec"),
    (".kiro/specs/log in/requirements.md", "Requirements Document", "log-in"),
    ("specs/004-taskify/spec.md", "Taskify", "taskify"),
    ("requirements.md", "Requirements", "requirements"),
    ("../requirements.md", "Requirements", "requirements"),
    ("", "Größe ändern", "größe-ändern"),
    ("", "", "specification"),
    ("???.md", "Über uns", "über-uns"),
]
NAMES = ["csv-export", "v1.2", "a", "größe", "Fix_1"]
NO_NAMES = ["", ".", "..", "a/b", "-a", ".a", "a.", "a..b", "a.lock", "a b", "a\n", "x" * 101, "a~1", "@{u}"]


@pytest.mark.parametrize(("file", "title", "name"), NAMED)
def test_the_work_is_named_by_its_file_its_title_or_its_folder_whichever_is_not_generic_first(
    file: str, title: str, name: str
) -> None:
    assert work_name(file, title) == name


def test_a_branch_is_named_after_the_work() -> None:
    assert branch_of(slug("CSV export")) == "dualgate/csv-export"


@pytest.mark.parametrize("text", NAMES)
def test_a_name_is_one_part_of_a_path_and_of_a_branch(text: str) -> None:
    assert is_name(text)


@pytest.mark.parametrize("text", NO_NAMES)
def test_a_text_that_is_no_part_of_a_path_or_a_branch_is_no_name(text: str) -> None:
    assert not is_name(text)
