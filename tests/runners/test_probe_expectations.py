"""Which literals a test expects, and its code with another one in their place."""

from pathlib import Path
from typing import Any

import pytest

from dualgate.runners.reporters.probes.expectations import changed_codes

CASES = [
    ("assert f(1) == 2", ["assert f(1) == 3"]),
    ("assert f(1) == [20, 30]", ["assert f(1) == [21, 30]", "assert f(1) == [20, 31]"]),
    ("assert 'a' in f('b')", ["assert 'a~' in f('b')"]),
    ("assert f(1) is True", ["assert f(1) is False"]),
    ("assert f('a') == 'a'", []),
    ("assert f(1) == g(2)", []),
    ("assert f(1) > 0", []),
    ("assert f(1) != 5", []),
    ("assert f(1) == approx(2.5, rel=9.5)", ["assert f(1) == approx(3.5, rel=9.5)"]),
    ("assert f(1) == g.Fee(2)", ["assert f(1) == g.Fee(3)"]),
    ("assert f(1) == g.Fee(2, f(3))", []),
    ("self.assertEqual(f(1), -4)", []),
    ("self.assertEqual(f(1), 4)", ["self.assertEqual(f(1), 5)"]),
    ("if f(1) == 'a': f = g\n    assert f(2) == g(3)", []),
    ("assert f(1 if g() == 'a' else 2) == 7", ["assert f(1 if g() == 'a' else 2) == 8"]),
    ("assert [each for each in f(1) if each == 'a'] == g(2)", []),
    ("while f(1) == 'a': g()\n    assert f(2) == g(3)", []),
    ("if f(1) == 'a': pass\n    else: raise AssertionError", ["if f(1) == 'a~': pass\n    else: raise AssertionError"]),
    ("if f(1) == 'a': assert g(2)", ["if f(1) == 'a~': assert g(2)"]),
    ("if not f(1) == 'a': self.fail()", ["if not f(1) == 'a~': self.fail()"]),
    ("assert f(1) == {'a': 7}", ["assert f(1) == {'a~': 7}", "assert f(1) == {'a': 8}"]),
]


def a_function(folder: Path, statement: str) -> Any:
    path = folder / f"case{abs(hash(statement))}.py"
    path.write_text(f"def test_it(f=None, g=None, approx=None, self=None):\n    {statement}\n")
    names: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    return names["test_it"]


@pytest.mark.parametrize(("statement", "changed"), CASES)
def test_each_expected_literal_is_changed_by_itself(tmp_path: Path, statement: str, changed: list[str]) -> None:
    wanted = [a_function(tmp_path, each).__code__.co_consts for each in changed]

    assert [code.co_consts for code in changed_codes(a_function(tmp_path, statement))] == wanted


def test_what_is_no_function_expects_nothing() -> None:
    assert list(changed_codes(None)) == []
