"""Files with probes compiled in: they behave as before while none is active, and each probe breaks one thing."""

import ast
import asyncio
import builtins
import inspect
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from dualgate.runners.reporters.probes import changes, schemata, texts
from dualgate.runners.reporters.probes.ledger import KILLED, UNKNOWN, Ledger

Names = dict[str, Any]


class Compiled:
    """A module with its probes, in this process."""

    def __init__(self, text: str, before: str = "", only_stubs: bool = False) -> None:
        self.book = schemata.Book()
        self.active: set[int] = set()
        self.ran: set[int] = set()
        source = changes.Source(text)
        changes.Before({"m.py": before}).mark("m.py", source)
        self.source = source
        made = schemata.Instrumented(self.book, "m.py", source, "__hit__", only_stubs)
        self.code = compile(made.tree, "m.py", "exec", dont_inherit=True)

    def texts(self, kind: str = "") -> list[str]:
        return [probe.text for probe in self.book.probes.values() if kind in ("", probe.kind)]

    def hit(self, number: int) -> bool:
        self.ran.add(number)
        return number in self.active

    @contextmanager
    def names(self, text: str = "") -> Iterator[Names]:
        """The names of the module, with the probe of this text active."""
        if text:
            number, probe = next((n, p) for n, p in self.book.probes.items() if p.text == text)
            self.active = {number, probe.entry}
        vars(builtins)["__hit__"] = self.hit
        made: Names = {"__name__": "m"}
        try:
            exec(self.code, made)
            yield made
        finally:
            del vars(builtins)["__hit__"]
            self.active = set()

    def value(self, call: str, text: str = "") -> Any:
        with self.names(text) as names:
            return eval(call, names)


# source, call, its value, then texts of probes with the values that the call has under them
BROKEN: list[tuple[str, str, Any, dict[str, Any]]] = [
    ("def f(a):\n    return a + 1\n", "f(1)", 2, {"returns 1": 1, "returns None": None, "`1` → `2`": 3}),
    ("def f(a):\n    return a < 3\n", "f(3)", False, {"returns True": True, "`<` → `<=`": True, "`<` → `>=`": True}),
    ("def f(a):\n    return a and 0\n", "f(5)", 0, {"`and` → `or`": 5}),
    ("def f(a):\n    return not a\n", "f(5)", False, {"`not a` without its `not`": 5}),
    ("def f(a):\n    return -a\n", "f(5)", -5, {"`-a` without its `-`": 5}),
    ("def f(a, b):\n    return a - b\n", "f(5, 3)", 2, {"`-` → `+`": 8, "returns 1": 1}),
    ("def f(a, b):\n    return a * b\n", "f(5, 3)", 15, {"`a * b` without `*` and its right side": 5}),
    ("def f(a, b):\n    return a in b\n", "f(1, [1])", True, {"`in` → `not in`": False}),
    ("def f(a):\n    return a is None\n", "f(1)", False, {"`is` → `is not`": True}),
    ("def f(a):\n    return f'{a}!'\n", "f(1)", "1!", {"returns 'x'": "x", "`f'{a}!'` → `''`": ""}),
    ("def f(a):\n    return a[1:]\n", "f('ab')", "b", {"`a[1:]` without the slice": "ab", "`1` → `2`": ""}),
    ("def f(a):\n    return min(a, 3)\n", "f(5)", 3, {"`min` → `max`": 5}),
    ("def f(a):\n    return sorted(a)\n", "f([2, 1])", [1, 2], {"`sorted` → `list`": [2, 1], "returns []": []}),
    ("def f(a):\n    return a.strip()\n", "f(' a')", "a", {"`a.strip()` without `strip`": " a"}),
    ("def f(a):\n    return 1 if a else 2\n", "f(0)", 2, {"`1 if a else 2` always takes the first value": 1}),
    ("def f(a):\n    if a:\n        return 'y'\n    return 'n'\n", "f(1)", "y", {"`a` is never true": "n"}),
    ("def f(a):\n    if a:\n        return 'y'\n    return 'n'\n", "f(0)", "n", {"`a` is always true": "y"}),
    ("def f(a):\n    return [x for x in a if x > 1]\n", "f([1, 2])", [2], {"`>` → `>=`": [1, 2]}),
    ("def f(a):\n    return {'k': a}\n", "f(1)", {"k": 1}, {"`{'k': a}` → `{}`": {}, "returns {'x': 1}": {"x": 1}}),
    ("def f():\n    yield 1\n    yield 2\n", "list(f())", [1, 2], {"yields nothing": [], "yields 1": [1]}),
    ("def f(a=3):\n    return a\n", "f()", 3, {"`3` → `4`": 4}),
    ("def f(*, a=True):\n    return a\n", "f()", True, {"`True` → `False`": False}),
    ("A = 'x'\n", "A", "x", {"`'x'` → `''`": ""}),
    ("class C:\n    a = 3\n", "C.a", 3, {"`3` → `4`": 4}),
    ("class C:\n    def __init__(self, a):\n        self.a = a\n", "C(3).a", 3, {"`self.a` becomes 1": 1}),
    ("class C:\n    def __bool__(self):\n        return self.x()\n    def x(self):\n        return 1 > 0\n", "bool(C())", True, {}),
    ("def f(a):\n    a.append(1)\n    return a\n", "f([])", [1], {"`a.append(1)` left out": []}),
    ("def f(a):\n    a += 2\n    return a\n", "f(1)", 3, {"`a += 2` left out": 1, "`2` → `3`": 4}),
    ("def f(a):\n    def g():\n        return a\n    return g()\n", "f(4)", 4, {"returns 1": 1}),
    ("def f(a):\n    n = 0\n    def g():\n        nonlocal n\n        n = a\n    g()\n    return n\n", "f(4)", 4, {}),
    ("N = 1\ndef f():\n    global N\n    N = 2\n    return N\n", "f()", 2, {"`2` → `3`": 3}),
    ("def f(a):\n    while (b := a.pop()):\n        pass\n    return b\n", "f([0, 1])", 0, {}),
    ("def f(a):\n    match a:\n        case [1, x] if x > 1:\n            return x\n        case _:\n            return 0\n", "f([1, 2])", 2, {}),
    ("class A:\n    def f(self):\n        return 1\nclass B(A):\n    def f(self):\n        return super().f() + 1\n", "B().f()", 2, {}),
    ("class C:\n    __x = 2\n    def f(self):\n        return self.__x * 2\n", "C().f()", 4, {}),
    ("class C:\n    @property\n    def p(self):\n        return 5\n    @staticmethod\n    def s():\n        return 6\n    @classmethod\n    def c(cls):\n        return 7\n", "(C().p, C.s(), C.c())", (5, 6, 7), {"`6` → `7`": (5, 7, 7)}),
    ("from dataclasses import dataclass\n@dataclass\nclass D:\n    a: int = 3\n    def f(self) -> int:\n        return self.a\n", "D().f()", 3, {"returns 0": 0}),
    ("def f(a):\n    try:\n        return int(a)\n    except ValueError:\n        return None\n    finally:\n        a = 1\n", "f('x')", None, {"returns 1": 1}),
    ("def f(a):\n    with open(a) as b, open(a) as c:\n        return len(b.read() + c.read())\n", "f('/dev/null')", 0, {}),
    ("f = lambda a, b=2: a + b\n", "f(1)", 3, {"`a + b` without `+` and its right side": 1}),
    ("def f(a):\n    return {**a, 'x': 1}['x']\n", "f({})", 1, {}),
    ("def f(*a, **k):\n    return g(*a, **k)\ndef g(a, b=1):\n    return a + b\n", "f(1, b=3)", 4, {"`a + b` without `+` and its right side": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "call", "value", "broken"), BROKEN, ids=[case[0][:40] for case in BROKEN])
def test_a_file_behaves_as_before_until_a_probe_breaks_it(
    text: str, call: str, value: Any, broken: dict[str, Any]
) -> None:
    made = Compiled(text)

    assert made.value(call) == value
    assert {what: made.value(call, what) for what in broken} == broken


@pytest.mark.parametrize("case", BROKEN, ids=[case[0][:40] for case in BROKEN])
def test_every_probe_of_a_file_can_be_run(case: tuple[str, str, Any, dict[str, Any]]) -> None:
    text, call, _, _ = case
    made = Compiled(text)

    for what in made.texts():
        if "left out" in what or "never true" in what or "becomes" in what:
            continue  # some of these never end
        with suppress(ArithmeticError, LookupError, TypeError, AttributeError, RuntimeError, ValueError):
            made.value(call, what)
    assert made.value(call) == eval(call, _executed(text))


def _executed(text: str) -> Names:
    names: Names = {"__name__": "m"}
    exec(compile(text, "m.py", "exec"), names)
    return names


def test_coroutines_and_asynchronous_generators_are_broken() -> None:
    made = Compiled(
        "async def f(a):\n    return a * 2\nasync def g():\n    yield 1\n"
        "async def h():\n    return [x async for x in g()]\n"
    )

    def run(call: str, text: str = "") -> Any:
        with made.names(text) as names:
            return asyncio.run(eval(call, names))

    assert (run("f(4)"), run("h()")) == (8, [1])
    assert run("f(4)", "`2` → `3`") == 12
    assert run("h()", "yields nothing") == []


def test_docstrings_line_numbers_annotations_and_signatures_stay() -> None:
    text = '"""M."""\nfrom __future__ import annotations\n\n\ndef f(a: int = 2) -> int:\n    """F."""\n    raise ValueError("no")\n'
    with Compiled(text).names() as names:
        with pytest.raises(ValueError, match="no") as raised:
            names["f"]()
        assert raised.traceback[-1].lineno == 6
        assert (names["__doc__"], names["f"].__doc__) == ("M.", "F.")
        assert str(inspect.signature(names["f"])) == "(a: 'int' = 2) -> 'int'"


NO_CHANGE = [
    ("def f(a):\n    return a\n", "def f(a: int) -> int:\n    '''Doc.'''\n    # why\n    return a\n"),
    ("def f(a):\n    return a\ndef g():\n    return 1\n", "def g():\n    return 1\n\n\ndef f(a):\n    return (a)\n"),
    ("X = 1\n", "X: int = 1\n"),
    ("def f():\n    return 1\n", "class C:\n    def f():\n        return 1\n"),
    ("import a\n", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    X = 1\n"),
    ("", "import sys\nif sys.version_info >= (3, 8):\n    X = 1\nelse:\n    X = 2\n"),
    ("", "def main():  # pragma: no cover\n    return 1\n"),
    ("", "class C:\n    def __repr__(self):\n        return 'C'\n"),
    ("", "__all__ = ['a']\n"),
    ("", "__version__ = '1.2'\n"),
    ("", "__version__: str = '1.2'\n"),
    ("", "from typing import overload\n@overload\ndef f(a: int) -> int: ...\n"),
    ("", "from abc import abstractmethod\nclass C:\n    @abstractmethod\n    def f(self):\n        return 1\n"),
    ("", "if __name__ == '__main__':\n    main(1)\n"),
]


@pytest.mark.parametrize(("before", "after"), NO_CHANGE)
def test_moves_types_comments_and_code_without_behaviour_get_no_probes(before: str, after: str) -> None:
    assert Compiled(after, before).texts() == []


def test_messages_of_errors_and_logs_are_not_mutated() -> None:
    text = "def f(a):\n    logger.info('x %s', 1)\n    if a:\n        raise ValueError('no' + 'pe')\n    return a\n"

    assert Compiled(text).texts("mutant") == ["`a` is never true", "`a` is always true", "returns 1"]


def test_only_changed_statements_of_a_changed_function_are_mutated() -> None:
    before = "def f(a):\n    b = a + 1\n    return b * 2\n"

    made = Compiled(before.replace("* 2", "* 3"), before)

    assert made.texts("value stub") == ["returns 1", "returns 0"]
    assert {probe.line for probe in made.book.probes.values() if probe.kind == "mutant"} == {3}


def test_a_function_around_a_changed_function_is_not_changed() -> None:
    before = "def f():\n    def g():\n        return 1\n    return g\n"

    made = Compiled(before.replace("1", "2"), before)

    assert [place.name for place in made.book.places] == ["f.<locals>.g"]


def test_a_statement_that_moves_out_of_a_loop_is_a_change() -> None:
    before = "def f(a):\n    for x in a:\n        g(x)\n        h(x)\n"

    assert Compiled("def f(a):\n    for x in a:\n        g(x)\n    h(x)\n", before).texts("guessed stub")


def test_probes_of_a_function_that_does_not_end_wait_for_those_of_other_functions() -> None:
    book = schemata.Book()
    for number, name in enumerate(("pop", "put", "pop", "put")):
        place = next((each for each in book.places if each.name == name), None) or book.place("a.py", 1, name, True)
        book.probes[number] = schemata.Probe(place, 0, 1, schemata.MUTANT, "", False)
    ledger, order = Ledger(book, []), list[int]()

    for number in ledger.endless_last(range(4)):
        order.append(number)
        ledger.results[number] = {"state": UNKNOWN if number == 0 else KILLED}

    assert order == [0, 1, 3, 2]


def test_stubs_alone_take_every_function() -> None:
    made = Compiled("def f():\n    return 1\n", "def f():\n    return 1\n", only_stubs=True)

    assert made.texts() == ["returns 1", "returns 0", "returns None", "raises an error"]
    assert [place.changed for place in made.book.places] == [False]


def test_the_text_for_a_copy_returns_constants_and_is_valid() -> None:
    text = (
        '"""M."""\ndef f(a):\n    """F."""\n    return a\n\ndef g(): return "é"\n\n'
        "class C:\n    async def h(self):\n        yield 1\n    def k(self):\n        @self.x\n        def l(): pass\n"
    )
    source = changes.Source(text)
    changes.Before({}).mark("m.py", source)

    made = texts.stubbed(source)

    ast.parse(made)
    assert made.count(texts.MARK) == 4
    names = _executed(made.replace(texts.MARK, "/dev/null"))
    assert (names["f"](3), names["g"]()) == (1, "x")
