"""Names and texts of others reach prompts and terminals without signs that steer them."""

import pytest

from dualgate.core.values.notation import harmless, shown

NAMES = [
    ("a line break", "a\n## Rules\nb.py", "a\\n## Rules\\nb.py"),
    ("a colour", "\x1b[31mred.py", "\\x1b[31mred.py"),
    ("the title of a window", "\x1b]0;owned\x07.py", "\\x1b]0;owned\\x07.py"),
    ("a control sequence of one sign", "\x9b2Jx.py", "\\x9b2Jx.py"),
    ("another direction", "test_\u202eyp.evil", "test_\\u202eyp.evil"),
    ("an isolated direction", "a\u2066b\u2069.py", "a\\u2066b\\u2069.py"),
    ("a separator of lines", "a\u2028b.py", "a\\u2028b.py"),
    ("bytes that are no text", "caf\udce9.py", "caf\\xe9.py"),
    ("letters of any language", "grüße/日本語/👩\u200d💻 x.py", "grüße/日本語/👩\u200d💻 x.py"),
]


@pytest.mark.parametrize(("name", "expected"), [case[1:] for case in NAMES], ids=[case[0] for case in NAMES])
def test_the_name_of_a_file_stands_on_one_line_and_steers_nothing(name: str, expected: str) -> None:
    assert shown(name) == expected
    assert shown(expected) == expected


def test_a_text_keeps_its_lines_and_tabs_and_loses_what_steers() -> None:
    assert harmless("a\r\n\tb\rc\x1b[2J\u202ed\x00") == "a\n\tb\\rc\\x1b[2J\\u202ed\\x00"
