from pathlib import Path

import pytest

from dualgate.core.evidence.rows import only_adds_rows
from dualgate.runners.sources import written_at

TEST = 'def test_a():\n    """One.\n\n    Two.\n    """\n    assert f(1) == "x"\n'
SAME = [
    'def test_a():\n    """One.\n\n        Two.\n    """\n\n    assert f(1) == "x"\n',
    "def test_a():\n    '''One.\n\n    Two.'''\n    assert (\n        f(1) == 'x'\n    )  # why\n",
    'def test_a() -> None:\n    """One, and three."""\n    assert f(1) == "x"\n',
]
OTHER = [TEST.replace("== ", "!= "), TEST.replace('"x"', '"y"'), TEST.replace("Two", "AC-3"), "def test_a(): pass\n"]


def digest(folder: Path, text: str) -> str:
    file = folder / "test_x.py"
    file.write_text(text)
    return written_at(str(file), 1).digest


@pytest.mark.parametrize("text", SAME)
def test_what_a_formatter_or_a_writer_of_hints_changes_is_no_other_test(tmp_path: Path, text: str) -> None:
    assert digest(tmp_path, text) == digest(tmp_path, TEST)


def test_sorted_and_merged_imports_in_a_test_make_no_other_test(tmp_path: Path) -> None:
    before = "def test_a():\n    from shop import b\n    import json\n    from shop import a\n    assert a(b)\n"
    after = "def test_a():\n    import json\n\n    from shop import a, b\n\n    assert a(b)\n"

    assert digest(tmp_path, before) == digest(tmp_path, after) != digest(tmp_path, after.replace("a, b", "a, c as b"))


@pytest.mark.parametrize("text", OTHER)
def test_other_words_are_another_test(tmp_path: Path, text: str) -> None:
    assert digest(tmp_path, text) != digest(tmp_path, TEST)


ONE = "def test_ac1(n):\n    assert f(n) == 2\n"
EQUAL = {
    "name and docstring": 'def test_ac2(n):\n    """AC-2."""\n    assert f(n) == 2, "AC-2"\n',
    "mark": '@pytest.mark.ac("AC-2")\ndef test_ac2(n):\n    assert f(n) == 2\n',
}
UNEQUAL = {
    "value": "def test_ac2(n):\n    assert f(n) == 3\n",
    "parameters": '@pytest.mark.parametrize("n", [1])\ndef test_ac2(n):\n    assert f(n) == 2\n',
    "fixture": "def test_ac2(m):\n    assert f(n) == 2\n",
    "decorator": "@given(n=1)\ndef test_ac2(n):\n    assert f(n) == 2\n",
}


def body(folder: Path, text: str, line: int = 1) -> str:
    file = folder / "test_x.py"
    file.write_text(text)
    return written_at(str(file), line).body


@pytest.mark.parametrize("text", EQUAL.values(), ids=EQUAL)
def test_the_body_of_a_test_is_without_its_name_docstring_and_marks(tmp_path: Path, text: str) -> None:
    assert body(tmp_path, text) == body(tmp_path, ONE) != ""


@pytest.mark.parametrize("text", UNEQUAL.values(), ids=UNEQUAL)
def test_tests_that_do_something_else_have_another_body(tmp_path: Path, text: str) -> None:
    assert body(tmp_path, text) != body(tmp_path, ONE)


def test_what_a_class_adds_belongs_to_the_body_of_its_tests(tmp_path: Path) -> None:
    texts = [f"class T(B):\n    rate = {rate}\n    def test_a(self): self.run_it()\n" for rate in (1, 2, 2)]

    one, two, three = (body(tmp_path, f"{'#' * place}\n{text}", 4) for place, text in enumerate(texts))

    assert one != two == three


def test_the_marks_of_a_test_are_read_with_its_docstring(tmp_path: Path) -> None:
    file = tmp_path / "test_x.py"
    file.write_text('@pytest.mark.ac("AC-2")\n@mark.slow\n@mark.skipif("x")\ndef test_a():\n    """One."""\n')

    assert written_at(str(file), 1).doc == "One.\nac AC-2\nslow"


def a_test(statements: str, arguments: str = "n") -> str:
    return f"def test_ac1({arguments}):\n    {statements}\n"


VARIABLES = {
    "assignment": ("a = f(n); b = 1; assert a == b", "x = f(n); y = 1; assert x == y", True),
    "other order": ("a = f(n); b = 1; assert a - b", "a = f(n); b = 1; assert b - a", False),
    "loop": ("for a in f(n): assert a", "for b in f(n): assert b", True),
    "comprehension": ("assert [a for a in f(n)]", "assert [b for b in f(n)]", True),
    "with": ("with f(n) as a: assert a", "with f(n) as b: assert b", True),
    "except": (
        "try: f(n)\n    except ValueError as a: assert a.args",
        "try: f(n)\n    except ValueError as b: assert b.args",
        True,
    ),
    "argument": ("n = 1; assert f(n)", "m = 1; assert f(m)", False),
    "global": ("global a; a = 1; assert f()", "global b; b = 1; assert f()", False),
    "function": ("a = f(n); assert a", "a = g(n); assert a", False),
    "attribute": ("a = n.low; assert a", "a = n.high; assert a", False),
}


@pytest.mark.parametrize(("one", "other", "is_same"), VARIABLES.values(), ids=VARIABLES)
def test_other_names_of_variables_make_no_other_body(tmp_path: Path, one: str, other: str, is_same: bool) -> None:
    assert (body(tmp_path, a_test(one)) == body(tmp_path, f"#\n{a_test(other)}", 2)) is is_same


def test_a_test_that_names_its_variables_otherwise_is_changed(tmp_path: Path) -> None:
    assert digest(tmp_path, a_test("a = 1; assert f(a)")) != digest(tmp_path, "#\n" + a_test("b = 1; assert f(b)"))


def test_rows_of_parameters_have_a_digest_each(tmp_path: Path) -> None:
    text = "@mark.parametrize('a', [1, 2])\ndef test_a(a):\n    assert a\n"

    assert only_adds_rows(digest(tmp_path, text), digest(tmp_path, text.replace("2]", "2, 3]")))
    assert not only_adds_rows(digest(tmp_path, text), digest(tmp_path, text.replace("[1", "[0")))
    assert not only_adds_rows(digest(tmp_path, text), digest(tmp_path, text.replace("assert a", "assert 1")))


def test_a_test_with_many_rows_has_one_digest(tmp_path: Path) -> None:
    assert len(digest(tmp_path, f"@mark.parametrize('a', {list(range(65))})\ndef test_a(a): pass\n")) == 16
