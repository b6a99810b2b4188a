from pathlib import Path

import pytest

from dualgate.runners.sources import written_at

TEST = 'def test_a():\n    """One.\n\n    Two.\n    """\n    assert f(1) == "x"\n'
SAME = [
    'def test_a():\n    """One.\n\n        Two.\n    """\n\n    assert f(1) == "x"\n',
    "def test_a():\n    '''One.\n\n    Two.'''\n    assert (\n        f(1) == 'x'\n    )  # why\n",
]
OTHER = [TEST.replace("== ", "!= "), TEST.replace('"x"', '"y"'), TEST.replace("Two", "Three"), "def test_a(): pass\n"]


def digest(folder: Path, text: str) -> str:
    file = folder / "test_x.py"
    file.write_text(text)
    return written_at(str(file), 1).digest


@pytest.mark.parametrize("text", SAME)
def test_what_a_formatter_changes_is_no_other_test(tmp_path: Path, text: str) -> None:
    assert digest(tmp_path, text) == digest(tmp_path, TEST)


@pytest.mark.parametrize("text", OTHER)
def test_other_words_are_another_test(tmp_path: Path, text: str) -> None:
    assert digest(tmp_path, text) != digest(tmp_path, TEST)
