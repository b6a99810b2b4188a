"""What may be added to a proven test file, and what is no addition, whatever it looks like."""

import ast

import pytest

from dualgate.workspace.steering.change import Extension
from dualgate.workspace.steering.extension import extension_of

BEFORE = '''\
"""Prices."""
import os
import pytest
from unittest import TestCase
from shop import price

RATE = 2
CASES = [1, 2]

@pytest.fixture
def basket():
    return [1, RATE]

def check(a, b):
    assert a == b

class TestPrice:
    """Of a basket."""

    def setup_method(self):
        self.rate = RATE

    def test_ac1(self, basket, client):
        total = price(basket)
        check(total, 3)

    class TestInner:
        def test_inner(self):
            assert sorted(CASES) == [1, 2]

class Old(TestCase):
    def test_old(self):
        self.assertEqual(price([self.make()]), 1)

    def make(self):
        return 1

@pytest.mark.parametrize("items", [[], [0]])
@pytest.mark.usefixtures("database")
def test_ac2(items):
    assert price(items) == len([])
'''
END = "    assert price(items) == len([])\n"


def with_end(text: str) -> str:
    return f"{BEFORE}\n{text}"


def changed(old: str, new: str) -> str:
    assert old in BEFORE
    return BEFORE.replace(old, new, 1)


ADDED = {
    "a test": with_end("def test_more():\n    assert price([5]) == 5\n"),
    "a test above": changed("class TestPrice", "def test_more():\n    assert price([5]) == 5\n\nclass TestPrice"),
    "a test with a docstring": with_end('def test_more():\n    """AC-2: more."""\n    assert price([5]) == 5\n'),
    "a test that uses what is there": with_end("def test_more(basket):\n    check(price(basket), RATE + 1)\n"),
    "an asynchronous test": with_end("@pytest.mark.asyncio\nasync def test_more():\n    assert await later() == 1\n"),
    "a test with parameters": with_end(
        "@pytest.mark.parametrize('n', range(3))\ndef test_more(n):\n    assert n < 3\n"
    ),
    "a parameter of a new class": with_end(
        "from dataclasses import dataclass\n\n@dataclass(frozen=True)\nclass Case:\n    n: int = 0\n\n"
        "@pytest.mark.parametrize('case', [Case(n=1), pytest.param(Case(), id='x')])\ndef test_more(case):\n    pass\n"
    ),
    "a method of a test class": changed(
        "    class TestInner", "    def test_more(self):\n        pass\n\n    class TestInner"
    ),
    "a method of a class inside": changed("            assert sorted", "            assert sorted").replace(
        "== [1, 2]\n\nclass Old", "== [1, 2]\n\n        def test_more(self):\n            pass\n\nclass Old"
    ),
    "a test of another class's name": changed(
        "    class TestInner", "    def test_old(self):\n        pass\n\n    class TestInner"
    ),
    "a method of a unittest class": changed(
        "    def make", "    def test_more(self):\n        self.assertTrue(price([1]))\n\n    def make"
    ),
    "a helper method": changed("    def make", "    def made(self):\n        return [self.make()]\n\n    def make"),
    "a class": with_end("class TestMore:\n    rate = 3\n\n    def test_more(self):\n        assert self.rate\n"),
    "a unittest class with its own setup": with_end(
        "class More(TestCase):\n    @classmethod\n    def setUpClass(cls):\n        cls.a = 1\n\n"
        "    def setUp(self):\n        self.rate = 3\n\n    def test_more(self):\n        self.assertTrue(self.rate)\n"
    ),
    "a class with its own marks and fixtures": with_end(
        "class TestMore:\n    pytestmark = pytest.mark.slow\n\n    @pytest.fixture(autouse=True)\n"
        "    def prepare(self):\n        self.rate = 3\n\n    def test_more(self):\n        assert self.rate\n"
    ),
    "a class that takes over existing tests": with_end(
        "class TestMore(TestPrice):\n    def test_more(self):\n        pass\n"
    ),
    "a fixture": with_end(
        "@pytest.fixture\ndef full():\n    return [9]\n\ndef test_more(full):\n    assert price(full) == 9\n"
    ),
    "a fixture with a name and a scope": with_end(
        "@pytest.fixture(name='full', scope='module')\ndef _full():\n    yield [9]\n"
    ),
    "a fixture on top of another": with_end("@pytest.fixture\ndef full(basket):\n    return [*basket, 9]\n"),
    "a name that is local elsewhere": with_end("@pytest.fixture\ndef total():\n    return 9\n"),
    "a helper": changed("def check", "def near(a, b):\n    assert abs(a - b) < 1\n\ndef check"),
    "a context manager": with_end(
        "from contextlib import contextmanager\n\n@contextmanager\ndef sale(rate):\n    yield rate\n"
    ),
    "constants": changed("RATE = 2", "RATE = 2\nNAMES: list[str] = []\nFEW, MANY = 1, 9"),
    "a constant that is computed": with_end(
        "from decimal import Decimal\nfrom pathlib import Path\nimport re\n\nSUM = Decimal('1.5')\n"
        "PLACE = Path(__file__).parent / 'data'\nWORD = re.compile('a')\nLATER = [n + RATE for n in CASES]\n"
        "PAIRS = dict(zip('ab', CASES))\nDOUBLE = lambda n: n * 2\n"
    ),
    "an import": changed("import os", "import os\nimport json"),
    "a name to an import": changed("import price", "import Cart, price"),
    "imports that are sorted too": changed(
        "import os\nimport pytest\nfrom unittest import TestCase\nfrom shop import price",
        "from unittest import TestCase, mock\n\nimport pytest\n\nfrom shop import (\n    Cart,\n    price,\n)",
    ),
    "an import for types": with_end(
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from shop import Cart\n"
    ),
    "an import that may be missing": with_end("try:\n    import numpy\nexcept ImportError:\n    numpy = None\n"),
    "a submodule of an import": changed("import os", "import os\nimport os.path"),
    "patches that are undone": with_end(
        "from unittest import mock\nimport shop\n\n@mock.patch('shop.rate', 3)\n@mock.patch.object(shop, 'tax')\n"
        "def test_more(tax, monkeypatch):\n    monkeypatch.setattr(shop, 'x', 1)\n    monkeypatch.setenv('A', 'b')\n"
        "    with mock.patch('shop.y'):\n        pass\n"
    ),
    "objects of its own": with_end(
        "def test_more():\n    cart = Cart()\n    cart.items = [1]\n    cart.rates['a'] = 2\n    found = []\n"
        "    found.append(price(cart))\n    del cart.items\n    setattr(cart, 'x', 1)\n    assert found\n"
    ),
    "a database of the code": with_end(
        "from shop import db\n\ndef test_more():\n    db.session.add(1)\n    db.session.remove()\n"
    ),
    "variables of the environment": with_end(
        "def test_more():\n    os.environ['RATE'] = '3'\n    os.environ.pop('A', None)\n    del os.environ['RATE']\n"
    ),
    "a skipped test": with_end(
        "@pytest.mark.skipif(os.name == 'nt', reason='x')\ndef test_more():\n    pytest.skip('y')\n"
    ),
    "properties": with_end(
        "from hypothesis import given, settings, strategies as st\n\n@settings(max_examples=5)\n"
        "@given(st.lists(st.integers()))\ndef test_more(numbers):\n    assert price(numbers) == sum(numbers)\n"
    ),
    "the start as a script": with_end("if __name__ == '__main__':\n    import unittest\n    unittest.main()\n"),
    "a comment": changed("RATE = 2", "RATE = 2  # of old"),
    "a constant of a test class": changed("    class TestInner", "    LIMIT = 3\n\n    class TestInner"),
    "a plug-in that is imported": changed("import os", "import os\nimport pytest_asyncio"),
    "layout beside an addition": changed("[1, RATE]", "[\n        1,\n        RATE,\n    ]")
    + "\ndef test_more(): pass\n",
    "a parameter at the end": changed("[[], [0]]", "[[], [0], [3]]"),
    "parameters with an id": changed("[[], [0]]", "[[], [0], pytest.param([3, 4], id='many'), [sum([5])]]"),
    "a type": with_end("from typing import NamedTuple\n\nclass Row(NamedTuple):\n    n: int\n    name: str = ''\n"),
}
CHANGED = {
    "a weaker test": changed("check(total, 3)", "pass"),
    "a weaker test beside a new one": changed("check(total, 3)", "pass") + "\ndef test_more(): pass\n",
    "a test that is gone": changed(
        "    def test_old(self):\n        self.assertEqual(price([self.make()]), 1)\n\n", ""
    ),
    "a test of another name": changed("def test_ac2", "def test_ac3"),
    "a test that is moved out": changed("def test_ac2", "def _():\n  def test_ac2").replace(END, "      pass\n"),
    "fewer parameters": changed("[[], [0]]", "[[]]"),
    "another parameter": changed("[[], [0]]", "[[], [1]]"),
    "parameters in another order": changed("[[], [0]]", "[[0], []]"),
    "a parameter at the beginning": changed("[[], [0]]", "[[9], [], [0]]"),
    "a parameter twice": changed("[[], [0]]", "[[], [0], [0]]"),
    "a parameter that is skipped": changed("[[], [0]]", "[[], [0], pytest.param([1], marks=pytest.mark.skip)]"),
    "a parameter with hidden options": changed("[[], [0]]", "[[], [0], pytest.param([1], **LAX)]"),
    "a parameter that binds a name": changed("[[], [0]]", "[[], [0], (price := len)]"),
    "a parameter that changes a constant": changed("[[], [0]]", "[[], [0], CASES.append(3)]"),
    "parameters and a weaker test": changed("[[], [0]]", "[[], [0], [1]]").replace("== len([])", "is not None"),
    "other ids": changed("[[], [0]]", "[[], [0], [3]], ids=str"),
    "a skipped old test": changed("def test_ac2", "@pytest.mark.skip\ndef test_ac2"),
    "another docstring of an old test": changed("        total = price", "        '''AC-9'''\n        total = price"),
    "a weaker helper": changed("assert a == b", "pass"),
    "another constant": changed("RATE = 2", "RATE = 0"),
    "another fixture": changed("[1, RATE]", "[]"),
    "a fixture for all": changed("@pytest.fixture\n", "@pytest.fixture(autouse=True)\n"),
    "another import": changed("from shop import", "from stub import"),
    "an import that is gone": changed("from shop import price", "import shop"),
    "another setup": changed("self.rate = RATE", "self.rate = 0"),
    "another base": changed("class TestPrice", "class TestPrice(Lax)"),
    "another base of unittest": changed("Old(TestCase)", "Old(Lax)"),
    "a mark on a class": changed("class TestPrice", "@pytest.mark.skip\nclass TestPrice"),
    "a second test of the name": with_end("def test_ac2():\n    pass\n"),
    "a second class of the name": with_end("class TestPrice:\n    def test_ac1(self):\n        pass\n"),
    "a second helper of the name": with_end("def check(a, b):\n    pass\n"),
    "a second method of the name": changed(
        "    class TestInner", "    def test_ac1(self):\n        pass\n\n    class TestInner"
    ),
    "a second fixture of the name": with_end("@pytest.fixture\ndef basket():\n    return []\n"),
    "a fixture under the name of another": with_end("@pytest.fixture(name='basket')\ndef lax():\n    return []\n"),
    "a fixture in place of one from elsewhere": with_end("@pytest.fixture\ndef client():\n    return None\n"),
    "a fixture that a mark asks for": with_end("@pytest.fixture\ndef database():\n    return None\n"),
    "a fixture in a class in place of one from elsewhere": changed(
        "    class TestInner", "    @pytest.fixture\n    def client(self):\n        pass\n\n    class TestInner"
    ),
    "a fixture under a name that is computed": with_end(
        "@pytest.fixture(name='bas' + 'ket')\ndef lax():\n    return []\n"
    ),
    "a fixture with hidden options": with_end("@pytest.fixture(**{'autouse': True})\ndef lax():\n    pass\n"),
    "a new fixture for all": with_end("@pytest.fixture(autouse=True)\ndef lax():\n    pass\n"),
    "a new fixture for all of a class": changed(
        "    class TestInner",
        "    @pytest.fixture(autouse=True)\n    def lax(self):\n        pass\n\n    class TestInner",
    ),
    "a fixture for all by a call": with_end("def _lax():\n    pass\n\nlax = pytest.fixture(_lax, autouse=True)\n"),
    "another constant of the name": with_end("RATE = 0\n"),
    "an import over a helper": with_end("from lax import check\n"),
    "an import over an import": with_end("from lax import price\n"),
    "an import under the name of a helper": with_end("from lax import nothing as check\n"),
    "an import for types over a helper": with_end("if TYPE_CHECKING:\n    from lax import check\n"),
    "an import of everything": with_end("from lax import *\n"),
    "another meaning of all names": f"from __future__ import generator_stop\n{BEFORE}",
    "another builtin": with_end("def sorted(x):\n    return [1, 2]\n"),
    "another builtin as a constant": with_end("len = lambda x: 0\n"),
    "a hook": with_end("def pytest_runtest_call(item):\n    pass\n"),
    "a plug-in": with_end("pytest_plugins = ['lax']\n"),
    "a mark for all": with_end("pytestmark = pytest.mark.skip\n"),
    "no tests here": with_end("__test__ = False\n"),
    "files to ignore": with_end("collect_ignore = ['test_x.py']\n"),
    "another loader": with_end("def load_tests(loader, tests, pattern):\n    return []\n"),
    "a setup of the module": with_end("def setup_module():\n    pass\n"),
    "a setup of a unittest module": with_end("def setUpModule():\n    pass\n"),
    "a setup of a class": changed("    def make", "    def setUp(self):\n        pass\n\n    def make"),
    "another assertion": changed("    def make", "    def assertEqual(self, a, b):\n        pass\n\n    def make"),
    "an own start of a class": changed(
        "    class TestInner", "    def __init__(self):\n        pass\n\n    class TestInner"
    ),
    "an attribute of a class": changed("    class TestInner", "    rate = 0\n\n    class TestInner"),
    "no tests in a class": changed("    class TestInner", "    __test__ = False\n\n    class TestInner"),
    "an attribute of a class with a base": changed("    def make", "    fixtures = ['all']\n\n    def make"),
    "a constant of a class that runs something": changed(
        "    class TestInner", "    LIMIT = CASES.pop()\n\n    class TestInner"
    ),
    "an import under the name of a hook": with_end("import lax as pytest_generate_tests\n"),
    "an import of a hook": with_end("from lax import pytest_generate_tests\n"),
    "a module of the name of a hook": with_end("import pytest_generate_tests\n"),
    "a module in a package of the name of a hook": with_end("import pytest_generate_tests.lax\n"),
    "a variable of the environment on import": with_end("_ = os.environ.setdefault('RATE', '3')\n"),
    "a part of the system, in a test": with_end("def test_more():\n    os.path.exists = print\n    os.sep = 'x'\n"),
    "a call": with_end("print('x')\n"),
    "a condition": with_end("if True:\n    check = print\n"),
    "a loop": with_end("for CASES in []:\n    pass\n"),
    "a deletion": with_end("del test_ac2\n"),
    "an attribute of the code": with_end("import shop\nshop.price = lambda b: 3\n"),
    "an attribute of a test": with_end("test_ac2.__test__ = False\n"),
    "an item of a constant": with_end("CASES[0] = 5\n"),
    "a longer constant": with_end("CASES += [3]\n"),
    "a constant that is changed by a call": with_end("_ = CASES.append(3)\n"),
    "an attribute that is set by a call": with_end("import shop\n_ = setattr(shop, 'price', None)\n"),
    "a name that is set by a call": with_end("_ = globals().update(price=None)\n"),
    "code in a text": with_end("_ = exec('price = None')\n"),
    "a name that is set inside an expression": with_end("_ = (price := None)\n"),
    "a name that is set inside a default": with_end("def near(a=(price := None)):\n    pass\n"),
    "a path of modules": with_end("import sys\n_ = sys.path.insert(0, 'lax')\n"),
    "a decorator that changes a constant": with_end("@CASES.append\ndef near():\n    pass\n"),
    "a decorator that registers": with_end("@price.register\ndef _(items: list):\n    return 3\n"),
    "an end of the module": with_end("_ = pytest.skip('x', allow_module_level=True)\n"),
    "a missing module that skips all": with_end("numpy = pytest.importorskip('numpy')\n"),
    "a patch that stays": with_end("from unittest import mock\n_ = mock.patch('shop.price').start()\n"),
    "a global in a test": with_end("def test_more():\n    global check\n    check = print\n"),
    "the code, in a test": with_end("def test_more():\n    import shop\n    shop.price = lambda b: 3\n"),
    "a helper, in a test": with_end("def test_more():\n    check.__code__ = near.__code__\n"),
    "a constant, in a test": with_end("def test_more():\n    CASES.clear()\n"),
    "the modules, in a test": with_end("def test_more():\n    import sys\n    sys.modules['shop'] = None\n"),
    "the code by its name, in a test": with_end(
        "def test_more():\n    import shop\n    setattr(shop, 'price', None)\n"
    ),
    "a class that runs code": with_end("class TestMore:\n    print('x')\n"),
    "a class that changes the code": with_end("class TestMore:\n    import shop\n    shop.price = None\n"),
    "an escape from a condition": with_end("if __name__ == '__main__':\n    pass\nelse:\n    check = print\n"),
    "an escape from a block for types": with_end("if TYPE_CHECKING:\n    pass\nelse:\n    check = print\n"),
    "no Python": with_end("def def\n"),
}


RESTATED = {
    "how hints are read": f"from __future__ import annotations\n{BEFORE}",
    "hints of a test": changed(
        "def test_ac1(self, basket, client):\n        total =",
        "def test_ac1(self, basket: list[int], client: 'Client | None') -> None:\n        total: int =",
    ),
    "hints of a fixture": changed("def basket():", "def basket() -> list[int]:"),
    "hints of a helper": changed("def check(a, b):", "def check(a: int, b: 'shop.Price') -> None:"),
    "a docstring of a test": changed("    total =", '    """The basket counts."""\n        total ='),
    "a docstring in other words": changed("Prices.", "What the shop asks for."),
    "brackets of a fixture": changed("@pytest.fixture", "@pytest.fixture()"),
    "an explicit object": changed("class TestPrice:", "class TestPrice(object):"),
    "a number in a docstring": changed("    total =", '    """The sum of 3 prices costs 3 pounds."""\n        total ='),
    "the criterion of the test's name in a docstring": changed(
        "    total =", '    """AC-1: the sum."""\n        total ='
    ),
    "a message of an assertion": changed("assert a == b", 'assert a == b, f"{a} is not {b}"'),
}
REWRITTEN = {
    "contexts in one line": (
        "with f():\n        with g() as x, h():\n            assert x",
        "with f(), g() as x, h():\n        assert x",
    ),
    "asynchronous contexts": (
        "async with f():\n        async with g():\n            x",
        "async with f(), g():\n        x",
    ),
    "nothing": ("assert f() == None", "assert f() is None"),
    "something": ("assert None != x and f(x) != None", "assert None != x and f(x) is not None"),
    "not in": ("assert not f() in x", "assert f() not in x"),
    "not equal": ("assert not f() == x", "assert f() != x"),
    "not nothing": ("assert not f() == None", "assert f() is not None"),
    "is not": ("assert not f() is x", "assert f() is not x"),
    "a text without values": ("assert f() == f'a' 'b'", "assert f() == 'ab'"),
    "a set": ("assert f(set([1, 2]))", "assert f({1, 2})"),
    "a dictionary": ("assert f(dict(a=1), dict())", "assert f({'a': 1}, {})"),
    "lists and tuples": ("assert f(list(), tuple(), list((1,)))", "assert f([], (), [1])"),
}
OTHERWISE = {
    "contexts of two kinds": ("async with f():\n        with g():\n            x", "async with f(), g():\n        x"),
    "a context around two statements": (
        "with f():\n        with g(): x\n        y",
        "with f(), g():\n        x\n        y",
    ),
    "another comparison": ("assert f() == 0", "assert f() is 0"),
    "a value in a text": ("assert f() == f'a{x}'", "assert f() == 'a{x}'"),
    "an empty set": ("assert f(set())", "assert f({})"),
    "a list of a text": ("assert f(list('ab'))", "assert f(['ab'])"),
    "a dictionary of another": ("assert f(dict(**x))", "assert f({'x': x})"),
    "a message that runs something": ("assert f(), 'a'", "assert f(), skip()"),
}
MEANT = {
    "a criterion in a docstring": changed("    total =", '    """AC-2"""\n        total ='),
    "a criterion without a number": changed("    total =", '    """US-A"""\n        total ='),
    "an example in a docstring": changed(
        "    total =", '    """\n        >>> 1\n        2\n        """\n        total ='
    ),
    "a hint that runs something": changed("def check(a, b):", "def check(a: print('x'), b):"),
    "a hint of an inner function": changed(
        "        total =", "        def inner(a: int):\n            return a\n\n        total ="
    ),
    "a base that does something": changed("class TestPrice:", "class TestPrice(Lax):"),
    "options of a fixture": changed("@pytest.fixture", "@pytest.fixture(autouse=True)"),
    "an import that is used": changed("from shop import price\n", ""),
}
ROWS = "import pytest\nimport shop, cart\n\n@pytest.mark.parametrize({}, [(1, 2)])\ndef {}: pass\n"


@pytest.mark.parametrize("after", RESTATED.values(), ids=list(RESTATED))
def test_a_test_in_other_words_is_run_as_it_was_too(after: str) -> None:
    assert extension_of(BEFORE.encode(), after.encode()) == Extension(adds=True)


@pytest.mark.parametrize("after", MEANT.values(), ids=list(MEANT))
def test_words_that_something_reads_are_a_change(after: str) -> None:
    ast.parse(after)

    assert extension_of(BEFORE.encode(), after.encode()).reason


def in_a_test(statement: str) -> bytes:
    return f"async def test_a(x):\n    {statement}\n".encode()


@pytest.mark.parametrize(("before", "after"), REWRITTEN.values(), ids=list(REWRITTEN))
def test_what_linters_rewrite_is_the_same_in_other_words(before: str, after: str) -> None:
    assert extension_of(in_a_test(before), in_a_test(after)) == Extension(adds=True)


@pytest.mark.parametrize(("before", "after"), OTHERWISE.values(), ids=list(OTHERWISE))
def test_what_no_linter_rewrites_is_a_change(before: str, after: str) -> None:
    assert extension_of(in_a_test(before), in_a_test(after)).reason


def test_rows_of_parameters_may_be_lists_or_tuples() -> None:
    one, two = (ROWS.format("'n, m'", "test_a(n, m)").replace("[(1, 2)]", rows) for rows in ("[(1, 2)]", "([1, 2],)"))
    single, other = (ROWS.format("'n'", "test_a(n)").replace("[(1, 2)]", rows) for rows in ("[(1, 2)]", "[[1, 2]]"))

    assert extension_of(one.encode(), two.encode()) == Extension(adds=True)
    assert extension_of(single.encode(), other.encode()).reason


def test_names_of_parameters_may_be_written_apart() -> None:
    one, two, three = (ROWS.format(names, "test_a(n, m)").encode() for names in ("'n, m'", "['n', 'm']", "('n', 'm')"))

    assert extension_of(one, two) == extension_of(two, three) == Extension(adds=True)
    assert extension_of(one, ROWS.format("'m, n'", "test_a(n, m)").encode()).reason


def test_an_import_that_nothing_uses_may_go() -> None:
    before = ROWS.format("'n'", "test_a(n)")

    assert extension_of(before.encode(), before.replace("import shop, cart\n", "").encode()) == Extension(adds=True)
    assert extension_of(before.replace("pass", "cart()").encode(), before.replace("shop, cart", "shop").encode()).reason


def test_hints_that_make_the_values_of_a_test_are_no_other_words() -> None:
    before = "@given(...)\ndef test_a(n: int):\n    assert n\n"

    assert extension_of(before.encode(), before.replace("int", "bool").encode()).reason


@pytest.mark.parametrize("after", ADDED.values(), ids=list(ADDED))
def test_an_addition_changes_no_existing_test(after: str) -> None:
    ast.parse(after)

    assert extension_of(BEFORE.encode(), after.encode()).reason == ""


@pytest.mark.parametrize("after", CHANGED.values(), ids=list(CHANGED))
def test_a_change_of_existing_tests_is_no_addition(after: str) -> None:
    assert extension_of(BEFORE.encode(), after.encode()).reason


REASONS = {
    "a second helper of the name": Extension(
        reason="existing tests use the name `check`: give the new one another name", adds=True
    ),
    "a weaker test": Extension(reason="`test_ac1` is changed or moved", adds=False),
    "a weaker test beside a new one": Extension(reason="`test_ac1` is changed or moved", adds=True),
    "a mark for all": Extension(reason="`pytestmark` applies to every test of the file", adds=True),
    "a call": Extension(reason="`print('x')` runs when the file is imported", adds=True),
}


@pytest.mark.parametrize("name", REASONS)
def test_the_reason_names_what_is_no_addition(name: str) -> None:
    assert extension_of(BEFORE.encode(), CHANGED[name].encode()) == REASONS[name]
