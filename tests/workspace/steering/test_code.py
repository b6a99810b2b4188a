"""Layout does not count, what a text does counts; where that is not sure, every byte counts."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dualgate.workspace.steering.code import FORMS
from dualgate.workspace.steering.parts import code_part, steering_part

SAMPLE = """
import os
def test_a( x,y ):
    '''Says
         what.   '''
    del (x, y)
    assert os.path . join('a' "b") == u'ab', ('long' * 30, 'long' * 30, 'long' * 30, 'long' * 30, 'long' * 30)
class TestB:
  '''   One line. '''
  def test_c(self): assert {'a':1,'b':[1,2]} == {
    'a':1,'b':[1,2]}
"""


def test_a_formatter_changes_no_test() -> None:
    words = [sys.executable, "-m", "ruff", "format", "--isolated", "-"]
    formatted = subprocess.run(words, input=SAMPLE, capture_output=True, text=True, check=True).stdout

    assert formatted != SAMPLE
    assert steering_part("tests/test_x.py", formatted.encode()) == steering_part("tests/test_x.py", SAMPLE.encode())


SAME = [
    ("a.test.js", "const a = 'b'\nfoo(a)\n", 'const a = "b"; // why\nfoo(\n  a,\n);\n'),
    ("a.test.js", "it('x', done => { done() })", 'it("x", (done) => {\n  done();\n});\n'),
    ("a.test.js", "x = {'a': 1, 'b-c': 2}", 'x = { a: 1, "b-c": 2 };'),
    ("a.test.js", "x = 'it\\'s'", 'x = "it\'s";'),
    ("a.test.js", "x = a / b / c // d", "x = a / b / c;"),
    (
        "a.test.ts",
        "const r = /[/'\"]/g\nf(`a ${b ? `c'` : '}'} d`)",
        "const r = /[/'\"]/g;\n\nf(`a ${b ? `c'` : '}'} d`);",
    ),
    ("a_test.go", "func TestA(t *T) { f(1, 2) }", "func TestA(t *T) {\n\t// why\n\tf(\n\t\t1,\n\t\t2,\n\t)\n}\n"),
    (
        "tests/a.rs",
        "fn a() { f(1, 'x', \"y\") }",
        "/* /* nested */ */ fn a() {\n    f(\n        1,\n        'x',\n        \"y\",\n    )\n}",
    ),
    ("ATest.java", 'class A { String s = "//"; }', 'class A {\n  // why\n  String s = "//";\n}'),
    ("a_test.cpp", "#define A 1\nint x = 1;", "#define A 1\n// why\nint  x\n  = 1;"),
    ("a.test.js", "x = a && b || c", "x = (a && b) || c;"),
    ("a.test.js", ";[a].b()\n;(c)", "[a].b();\nc;"),
    ("a.test.jsx", "r = <A b='c'>\n  d\n</A>", 'r = (\n  <A b="c">d</A>\n);'),
    (
        "a.test.ts",
        "type A = 'a' | 'b'\ninterface B { c: A, d: A }",
        'type A =\n  | "a"\n  | "b";\ninterface B {\n  c: A;\n  d: A;\n}',
    ),
    ("a_test.go", 'import (\n"b"\n"a"\n)', 'import (\n\t"a"\n\t"b"\n)'),
    ("tests/a.rs", "use b::{d, c};\nuse a;", "use a;\nuse b::{c, d};"),
    ("tests/a.rs", "fn a() { match b { _ => { c() } } }", "fn a() {\n    match b {\n        _ => c(),\n    }\n}"),
    ("tests/a.rs", "fn a() { f(|b| { c(b) }); return }", "fn a() {\n    f(|b| c(b));\n    return;\n}"),
    ("ATest.kt", "val a = 1\nval b = 2", "val a = 1 // why\n\nval b  = 2"),
    ("ATest.kt", 'fun `a b`() { c("${d}") }', 'fun `a b`() { c( "${d}" ) } // why'),
    ("tests/run.sh", "#!/bin/sh\na 'x # y' # why\nb\n", "#!/bin/sh\n\na 'x # y'\nb\n"),
    ("tests/a.yml", "a:\n  - b\n", "# why\na:\n\n  - b  \n"),
    ("tests/run", "#!/bin/sh\na\n", "#!/bin/sh\n# why\na\n"),
]
OTHER = [
    ("a.test.js", "return foo()", "return\nfoo()"),
    ("a.test.js", "if (a) b()", "if (a);\nb()"),
    ("a.test.js", "x = [1]", "x = [1,,]"),
    ("a.test.js", "x = `a b`", "x = `a  b`"),
    ("a.test.js", "x = /a b/", "x = /a  b/"),
    ("a.test.js", "x = 'a//b'", "x = 'a//c'"),
    ("a.test.js", "a;\n[b].c()", "a\n[b].c()"),
    ("a.test.jsx", "x = <a>http://b c</a>", "x = <a>http://b d</a>"),
    ("a.test.jsx", "f(() => { return <a/> })", "f(() => { return\n<a/> })"),
    ("a.test.jsx", "x = <a>b <c/></a>", "x = <a>b<c/></a>"),
    ("a.test.js", "(a?.b).c", "a?.b.c"),
    ("a.test.js", "(a => {})(b)", "a => {}\n(b)"),
    ("a.test.js", "('use strict')", "'use strict'"),
    ("a.test.js", "x = a - (b - c)", "x = a - b - c"),
    ("a.test.js", "x = {'__proto__': a}", "x = {__proto__: a}"),
    ("a.test.ts", "/** @jest-environment node */\nf()", "f()"),
    ("a_test.go", "func a() { x := a\n-b }", "func a() { x := a - b }"),
    ("a_test.go", "//go:build x\npackage a", "package a"),
    ("tests/a.rs", "fn a() { let b: (u8,) = (1,); }", "fn a() { let b: (u8,) = (1); }"),
    ("tests/a.rs", "fn a() { let b: (u8,) = (1,); }", "fn a() { let b: (u8) = (1,); }"),
    ("tests/a.rs", 'const A: &str = r#"//x"#;', 'const A: &str = r#"//y"#;'),
    ("tests/a.rs", "fn a() { f!((1,)) }", "fn a() { f!((1)) }"),
    ("tests/a.rs", "fn a() { b() }", "fn a() { b(); }"),
    ("tests/a.rs", "macro_rules! a { ($($b:tt),*) => {} }", "macro_rules! a { ($($b:tt);*) => {} }"),
    ("ATest.java", 'String s = """\n a""";', 'String s = """\n  a""";'),
    ("a_test.c", "  #define A\nb();", "  #define A b();"),
    ("a_test.c", "#define A\nb();", "#define A b();"),
    ("ATest.kt", "val a = 1\n+2", "val a = 1 + 2"),
    ("tests/run.sh", "cat <<E\n# x\nE\n", "cat <<E\n# y\nE\n"),
    ("tests/run.sh", 'a "$(b "c #d")"\n', 'a "$(b "c #e")"\n'),
    ("tests/a.yml", "a: |\n  # b\n", "a: |\n  # c\n"),
    ("tests/data/a.json", "[1]", "[ 1 ]"),
    ("tests/test_a.py", "x = 1", "x = 2"),
    ("tests/a.json", '{"a": 1, "b": 2}', '{"b": 2, "a": 1}'),
]


@pytest.mark.parametrize(("path", "text", "formatted"), SAME)
def test_layout_does_not_count(path: str, text: str, formatted: str) -> None:
    assert steering_part(path, formatted.encode()) == steering_part(path, text.encode())


@pytest.mark.parametrize(("path", "text", "other"), OTHER)
def test_what_does_something_else_counts(path: str, text: str, other: str) -> None:
    assert steering_part(path, other.encode()) != steering_part(path, text.encode())


DOCUMENTED = [
    ("a.py", "def f():\n    return 1\n", 'def f():\n    """New."""\n    return 1  # why\n'),
    ("a.ts", "export const a = 1;\n", "/** What it is. */\nexport const a = 1;\n"),
    ("a.rs", "fn a() {}\n", "/// What it does.\nfn a() {}\n"),
    ("a.go", "package a\nfunc A() {}\n", "package a\n\n// A does.\nfunc A() {}\n"),
    ("A.java", "class A {}\n", "/** What. */\nclass A {}\n"),
    ("a.c", "int a;\n", "/* what */\nint a;\n"),
    ("a.sh", "run a\n", "# What it does.\nrun a  # why\n"),
    ("a.toml", "a = 1\n", "# What it is.\na = 1\n"),
    ("a.yml", "a: 1\n", "# What it is.\na: 1\n"),
    ("a.cfg", "[a]\nb = 1\n", "# What it is.\n[a]\nb = 1\n"),
]


@pytest.mark.parametrize(("path", "text", "documented"), DOCUMENTED)
def test_comments_are_no_code(path: str, text: str, documented: str) -> None:
    assert code_part(path, documented.encode()) == code_part(path, text.encode())
    assert code_part(path, b"x " + text.encode()) != code_part(path, text.encode())


def test_the_layout_of_what_is_no_source_is_its_content() -> None:
    assert code_part("a.json", b"[1]") != code_part("a.json", b"[ 1 ]")


@pytest.mark.parametrize("ending", sorted(FORMS))
@given(text=st.text(alphabet="ab'\"`/*#\\\n ;,(){}[]<>=$r!:|-", max_size=40))
def test_no_text_makes_a_form_raise(ending: str, text: str) -> None:
    assert FORMS[ending](text.encode()) == FORMS[ending](text.encode())


@pytest.mark.parametrize("ending", [".java", ".cpp", ".cs", ".php", ".kt"])
@given(words=st.lists(st.sampled_from(["a", "b", "1", "'c'", '"d e"', "(", ")", "+", "=", "=="]), max_size=12))
def test_blanks_between_tokens_do_not_count(ending: str, words: list[str]) -> None:
    assert FORMS[ending]("  ".join(words).encode()) == FORMS[ending](" ".join(words).encode())


CALLS = st.recursive(
    st.sampled_from(["a", "1", '"d"']),
    lambda inner: st.lists(inner, max_size=3).map(lambda each: f"f ( {' , '.join(each)} )"),
)


@pytest.mark.parametrize(
    ("ending", "around"), [(".js", "{}"), (".ts", "{}"), (".rs", "fn a ( ) {{ {} }}"), (".go", "var a = {}")]
)
@given(call=CALLS, blank=st.sampled_from(["  ", "\t", " /* why */ "]))
def test_blanks_and_comments_between_leaves_of_a_tree_do_not_count(
    ending: str, around: str, call: str, blank: str
) -> None:
    text = around.format(call)

    assert FORMS[ending](text.replace(" ", blank).encode()) == FORMS[ending](text.encode())


IMPORTS = """
import sys, os
from shop import price
from __future__ import annotations
import pytest
from shop import (
    Cart, basket as bag,
)
import os
def test_a(bag):
    from shop import tax
    from shop import rate; import json
    assert os.sep, sys.path
"""
SORTED = """
from __future__ import annotations

import os
import sys

from shop import Cart, price
from shop import basket as bag


def test_a(bag):
    import json

    from shop import rate, tax

    assert os.sep, sys.path
"""
IMPORTS_AS_BEFORE = {
    "sorted and merged": (IMPORTS, SORTED),
    "one name a line": ("from a import b, c", "from a import b\nfrom a import c"),
    "below a condition": ("if TYPE_CHECKING:\n  import b\n  import a", "if TYPE_CHECKING:\n  import a\n  import b"),
    "in a branch that may fail": (
        "try:\n  import b, a\nexcept E:\n  a=b=0",
        "try:\n  import a\n  import b\nexcept E:\n  a=b=0",
    ),
    "submodules of one package": ("import a.c\nimport a.b", "import a.b, a.c"),
    "an unused module of the library": ("import os\nfrom typing import Any\nx = 1", "x = 1"),
    "an unused pytest": ("import pytest\nx = 1", "x = 1"),
}
OTHER_IMPORTS = {
    "the last of two wins": ("from a import x\nfrom b import x", "from b import x\nfrom a import x"),
    "a star may bring the name": ("from a import x\nfrom b import *", "from b import *\nfrom a import x"),
    "beyond another statement": ("import a\nf()\nimport b", "import a\nimport b\nf()"),
    "another name": ("from a import b", "from a import c"),
    "another module": ("from a import b", "from .a import b"),
    "under another name": ("import a as b", "import b"),
    "a fixture that seems unused": ("from a import client\ndef test(): pass", "def test(): pass"),
    "a module that may register something": ("import plugin\nx = 1", "x = 1"),
    "a module of the library in use": ("import os\nx = os.sep", "x = os.sep"),
    "a module of the library named in a text": ("import os\npatch('tests.test_x.os')", "patch('tests.test_x.os')"),
    "how annotations are read": ("from __future__ import annotations\nx = 1", "x = 1"),
    "tests of the library": ("from test.test_os import X\nx = 1", "x = 1"),
    "from the folder itself": ("from .os import x\ny = 1", "y = 1"),
}


@pytest.mark.parametrize(("before", "after"), IMPORTS_AS_BEFORE.values(), ids=list(IMPORTS_AS_BEFORE))
@pytest.mark.parametrize("path", ["tests/test_x.py", "conftest.py"])
def test_the_same_imports_in_another_order_are_the_same_test(path: str, before: str, after: str) -> None:
    assert steering_part(path, before.encode()) == steering_part(path, after.encode())


@pytest.mark.parametrize(("before", "after"), OTHER_IMPORTS.values(), ids=list(OTHER_IMPORTS))
def test_imports_that_bring_something_else_are_another_test(before: str, after: str) -> None:
    assert steering_part("tests/test_x.py", before.encode()) != steering_part("tests/test_x.py", after.encode())


def test_sorting_imports_is_no_change_of_code_but_removing_them_is() -> None:
    assert code_part("a.py", b"import os\nimport json\n") == code_part("a.py", b"import json\nimport os\n")
    assert code_part("a.py", b"import os\n") != code_part("a.py", b"")


def test_the_expected_output_of_a_go_example_counts_and_other_comments_do_not() -> None:
    text = "package a\n\n// One.\nfunc ExampleOne() {\n\tfmt.Println(1)\n\t// Output:\n\t// 1\n}\n"

    def form(old: str, new: str) -> str:
        return FORMS[".go"](text.replace(old, new).encode())

    assert form("// 1", "// 2") != form("", "") == form("// One.", "// First.")
    assert form("\t// Output:\n\t// 1\n", "") != form("", "")
