import os

from dualgate.core.values.notation import in_line, shown


def test_a_path_is_shown_as_it_is() -> None:
    assert shown("tests/größe.py") == "tests/größe.py"


def test_a_path_whose_bytes_are_no_text_is_shown_by_their_numbers() -> None:
    assert shown(os.fsdecode(b"tests/\xff.py")) == "tests/\\xff.py"


def test_no_name_breaks_a_line() -> None:
    assert in_line("a\n\x1b[2J\udcff é") == "a\\n\\x1b[2J\\xff é"


def test_half_of_a_pair_is_shown_by_its_number() -> None:
    assert shown("a\ud800\udcffb") == "a\\ud800\\xffb"
