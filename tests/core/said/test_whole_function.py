"""A whole test function in place of a diff: what is read, what is refused, and which bytes of the file change."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.core.said.patches import Unfit
from dualgate.core.said.whole_function import WholeFunction, put_function, read_function

PATH = "tests/test_x.py"
FILE = '''"""Tests."""
import os
from adding import add


def test_a():
    assert add(2, 2) == 5  # wrong


class TestMore:
    @fixture
    def test_b(self):
        assert add(1, 1) == 3

    def test_c(self): pass
'''


def put(code: str, text: str = FILE, scope: tuple[str, ...] = ("test_a",)) -> str:
    function = read_function(code, PATH, scope)
    assert isinstance(function, WholeFunction), function
    changed = put_function(function, text)
    assert isinstance(changed, str), changed
    return changed


def refused(code: str, text: str = FILE, scope: tuple[str, ...] = ("test_a",), path: str = PATH) -> str:
    function = read_function(code, path, scope)
    found = put_function(function, text) if isinstance(function, WholeFunction) else function
    assert isinstance(found, Unfit)
    return found.reason


def test_a_function_replaces_the_old_one_and_nothing_else_changes() -> None:
    assert put("def test_a():\n    assert add(2, 2) == 4") == FILE.replace("== 5  # wrong", "== 4")


METHOD = "@other\ndef test_b(self):\n\n    text = '''\n  kept'''\n    assert add(1, 1) == 2"
INDENTED = "    @other\n    def test_b(self):\n\n        text = '''\n  kept'''\n        assert add(1, 1) == 2"
IN_CLASS = [METHOD, INDENTED, f"class TestMore:\n{INDENTED}", f"import os\n{INDENTED}"]


@pytest.mark.parametrize("code", IN_CLASS)
def test_a_method_is_indented_as_its_class_demands_and_strings_keep_their_lines(code: str) -> None:
    old = "    @fixture\n    def test_b(self):\n        assert add(1, 1) == 3\n"

    assert put(code, scope=("TestMore", "test_b")) == FILE.replace(old, f"{INDENTED}\n")


def test_what_stands_further_left_than_the_function_is_not_cut() -> None:
    code = "    def test_b(self):\n# why\n        assert add(\n  1, 1) == 2"

    found = put(code, scope=("TestMore", "test_b"))

    assert "    def test_b(self):\n    # why\n        assert add(\n    1, 1) == 2\n" in found


def test_a_docstring_is_indented_with_its_function() -> None:
    code = 'def test_b(self):\n    """One.\n\n    Two.\n    """\n    assert add(1, 1) == 2'

    assert '        """One.\n\n        Two.\n        """\n' in put(code, scope=("TestMore", "test_b"))


def test_imports_that_are_missing_are_added_behind_the_first_ones() -> None:
    code = (
        "import os\nimport os.path\nfrom pytest import mark, raises as r\n\n\ndef test_a():\n    assert add(2, 2) == 4"
    )

    added = "from adding import add\nimport os.path\nfrom pytest import mark\nfrom pytest import raises as r\n"
    assert put(code) == FILE.replace("from adding import add\n", added).replace("== 5  # wrong", "== 4")


PLACES = [
    ("#!/bin/python\n# x\ndef test_a(): pass\n", "#!/bin/python\n# x\nimport os\ndef test_a(): assert os\n"),
    ('"""Doc."""\ndef test_a(): pass', '"""Doc."""\nimport os\ndef test_a(): assert os'),
    ("\ufeffdef test_a(): pass\r\nx = 1\r\n", "\ufeffimport os\r\ndef test_a(): assert os\r\nx = 1\r\n"),
    ("if x:\n\tdef test_a():\n\t\tpass\n", "import os\nif x:\n\tdef test_a(): assert os\n"),
    (
        "try: pass\nexcept E:\n  async def test_a(): pass\n",
        "import os\ntry: pass\nexcept E:\n  def test_a(): assert os\n",
    ),
    ("x = '\x0c\x0b'\rdef test_a(): pass\r", "import os\rx = '\x0c\x0b'\rdef test_a(): assert os\r"),
]


@pytest.mark.parametrize(("before", "after"), PLACES)
def test_line_ends_marks_and_comments_of_a_file_stay(before: str, after: str) -> None:
    assert put("import os\ndef test_a(): assert os", before) == after


GOOD = "def test_a():\n    assert add(2, 2) == 4"
REFUSED = [
    ("def test_a(:\n    pass", "the block is not valid Python (line 1: "),
    ("  x\n y", "the block is not valid Python (line 1: "),
    ("def test_a():\n    pass\0", "the block is not valid Python ("),
    ("def test_z():\n    pass", "the block must contain test_a alone, and it contains test_z"),
    (f"{GOOD}\n\n\ndef helper():\n    pass", "the block must contain test_a alone, and it contains test_a, helper"),
    ("import os", "the block must contain test_a alone, and it contains no function"),
    (f"add = max\n{GOOD}", "the block may contain only imports and test_a, and it contains 'add = max'"),
    (
        f"class TestZ:\n    x = 1\n{GOOD}",
        "the block may contain only imports and test_a, and it contains 'class TestZ:'",
    ),
    (f"from x import *\n{GOOD}", "the block may not contain `from x import *`, which changes the whole file"),
    (f"from __future__ import annotations\n{GOOD}", "the block may not contain `from __future__ import annotations`"),
    (
        f"from other import add\n{GOOD}",
        "`from other import add` redefines a name that tests/test_x.py uses",
    ),
    (f"import TestMore\n{GOOD}", "`import TestMore` redefines"),
    (f"import posix as os\n{GOOD}", "`import posix as os` redefines"),
]


@pytest.mark.parametrize(("code", "why"), REFUSED)
def test_a_block_with_anything_else_is_refused_with_the_reason(code: str, why: str) -> None:
    assert refused(code).startswith(why)


def test_an_import_may_not_hide_a_name_that_the_file_assigns() -> None:
    assert "redefines" in refused(f"import fee\n{GOOD}", "fee = 1\nfor each in (): import y\n" + FILE)


FILES = [
    ("def test_a(:", "tests/test_x.py cannot be read as Python: write a unified diff under PATCH"),
    ("x = 1\n", "test_a is defined nowhere in tests/test_x.py: write a unified diff under PATCH"),
    ("def test_a(): pass\n" * 2, "test_a is defined 2 times in tests/test_x.py: write a unified diff under PATCH"),
    ("class A:\n    def test_a(): pass\n", "test_a is defined nowhere in tests/test_x.py"),
]


@pytest.mark.parametrize(("text", "why"), FILES)
def test_a_file_in_which_the_function_is_not_found_once_is_left_alone(text: str, why: str) -> None:
    assert refused(GOOD, text).startswith(why)


def test_a_whole_function_of_another_language_is_refused() -> None:
    reason = refused("test('a', () => {})", path="a.test.ts")

    assert reason == "a whole function can be given for Python only: write a unified diff of a.test.ts under PATCH"


@given(st.text(alphabet="def test_a():\n\t '\"@#import x=,[]", max_size=80))
def test_any_block_is_read(code: str) -> None:
    assert isinstance(read_function(code, PATH, ("test_a",)), WholeFunction | Unfit)
