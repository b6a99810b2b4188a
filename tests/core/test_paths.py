import os

from dualgate.core.paths import shown


def test_a_path_is_shown_as_it_is() -> None:
    assert shown("tests/größe.py") == "tests/größe.py"


def test_a_path_whose_bytes_are_no_text_is_shown_by_their_numbers() -> None:
    assert shown(os.fsdecode(b"tests/\xff.py")) == "tests/\\xff.py"
