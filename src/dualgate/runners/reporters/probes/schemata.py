"""A changed file -> a tree in which every probe is compiled in as a switch, so that a run can choose one.

`hit(n)` marks that place `n` ran, and returns whether a probe at this place is active. No name or statement is added
that the code could see: closures, generators, `super()` and line numbers stay as they are.
"""

from __future__ import annotations

import ast
import copy
from typing import TYPE_CHECKING, Any

from . import breaks, changes

if TYPE_CHECKING:
    from collections.abc import Iterable

Node = Any

GUESSED_STUB = "guessed stub"
VALUE_STUB, NONE_STUB, RAISE_STUB, MUTANT, DELETION = "value stub", "none stub", "raise stub", "mutant", "deletion"
NOT_MARKED = (ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal, ast.Pass)
RAISED = "raise RuntimeError('a probe')"


class Place:
    """A function, or the code of a module itself, whose run is marked."""

    def __init__(self, file: str, line: int, name: str, changed: bool) -> None:
        self.file = file
        self.line = line
        self.name = name
        self.changed = changed
        self.entry = 0
        self.probes: list[int] = []


class Probe:
    def __init__(self, place: Place, entry: int, line: int, kind: str, text: str, early: bool) -> None:
        self.place = place
        self.entry = entry
        self.line = line
        self.kind = kind
        self.text = text
        self.early = early
        """Whether it must be active before the file is imported."""


class Book:
    """The numbers of all marks and probes."""

    def __init__(self) -> None:
        self.count = 0
        self.places: list[Place] = []
        self.probes: dict[int, Probe] = {}
        self.lines: dict[int, tuple[str, int, int]] = {}
        """Mark -> file, first and last line of a changed statement."""

    def number(self) -> int:
        self.count += 1
        return self.count

    def place(self, file: str, line: int, name: str, changed: bool) -> Place:
        made = Place(file, line, name, changed)
        self.places.append(made)
        return made

    def probe(self, place: Place, entry: int, line: int, kind: str, text: str, early: bool) -> int:
        number = self.number()
        self.probes[number] = Probe(place, entry, line, kind, text, early)
        place.probes.append(number)
        return number

    def unchanged_places(self) -> list[dict[str, Any]]:
        """Functions that did not change, whose numbers only this process knows, for its parent."""
        return [
            {
                "place": (place.file, place.line, place.name, place.entry),
                "probes": [(number, self.probes[number].kind, self.probes[number].text) for number in place.probes],
            }
            for place in self.places
            if not place.changed
        ]

    def adopt(self, told: list[dict[str, Any]]) -> None:
        """Take over such functions from a fork, but those that it has from here."""
        known = {place.entry for place in self.places}
        for each in told:
            file, line, name, entry = each["place"]
            if entry in known:
                continue
            place = self.place(file, line, name, False)
            place.entry = entry
            for number, kind, text in each["probes"]:
                self.probes[number] = Probe(place, entry, line, kind, text, early=False)
                place.probes.append(number)


class Instrumented:
    """One file with its switches. `takes_all` gives stubs to functions that did not change, `only_stubs` no mutants."""

    def __init__(
        self,
        book: Book,
        path: str,
        source: changes.Source,
        hit: str,
        only_stubs: bool = False,
        takes_all: bool = False,
    ) -> None:
        self.book = book
        self.path = path
        self.source = source
        self.hit = hit
        self.only_stubs = only_stubs
        self.takes_all = takes_all or only_stubs
        self.module: Place | None = None
        self.tree = source.tree
        self.tree.body = self.suite(source.tree.body, None)
        ast.fix_missing_locations(self.tree)

    def suite(self, body: list[Node], inside: Place | None) -> list[Node]:
        made: list[Node] = []
        for node in body:
            made.extend(self.statement(node, inside))
        return made

    def statement(self, node: Node, inside: Place | None) -> Iterable[Node]:
        if isinstance(node, changes.FUNCTIONS):
            return [self.function(node, inside)]
        if id(node) in self.source.left_out or changes.is_bare(node):
            return [node]
        is_changed = id(node) in self.source.changed and not self.only_stubs
        made: list[Node] = [node]
        if is_changed and not isinstance(node, NOT_MARKED):
            made = self.unit(node, inside or self.module_place(node.lineno))
        for holder in (node, *getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            for name in changes.SUITES:
                inner = getattr(holder, name, None)
                if isinstance(inner, list) and inner:
                    setattr(holder, name, self.suite(inner, inside))
        return made

    def module_place(self, line: int) -> Place:
        if self.module is None:
            self.module = self.book.place(self.path, line, "", True)
        return self.module

    def function(self, node: Node, inside: Place | None) -> Node:
        function = self.source.by_node[id(node)]
        if function.skipped:
            return node
        is_probed = function.changed or self.takes_all
        place = self.book.place(self.path, node.lineno, function.name, function.changed) if is_probed else None
        own = place if function.changed and not self.only_stubs else None
        if own is not None:
            self.defaults(node, own, early=inside is None and function.inside is None)
        # what it returns cannot be read any more when its switches are in
        stubs = stubs_of(node)
        # statements of a function that is not probed have not changed, and get no marks
        body = self.suite(node.body, place)
        if place is not None:
            place.entry = self.book.number()
            head = 1 if changes.is_bare(node.body[0]) else 0
            body[head:head] = [self.stubs(node, place, stubs)]
        node.body = body
        return node

    def defaults(self, node: Node, place: Place, early: bool) -> None:
        for values in (node.args.defaults, node.args.kw_defaults):
            for number, value in enumerate(values):
                if isinstance(value, ast.Constant):
                    values[number] = self.expression(value, place, early)

    def stubs(self, node: Node, place: Place, found: list[tuple[str, str, str]]) -> Node:
        inner: list[Node] = []
        for kind, code, text in found:
            number = self.book.probe(place, place.entry, node.lineno, kind, text, early=False)
            inner.append(ast.If(test=self.switch(number), body=breaks.statements(code), orelse=[]))
        return located(ast.If(test=self.switch(place.entry), body=inner, orelse=[]), node.body[0])

    def unit(self, node: Node, place: Place) -> list[Node]:
        """A changed statement with its mark, its mutants and, where it can be left out, its deletion."""
        early = not place.name
        mark = self.book.number()
        self.book.lines[mark] = (self.path, node.lineno, changes.header_end(node))
        marked = located(ast.Expr(value=self.switch(mark)), node)
        if breaks.is_logging(getattr(node, "value", None)):
            return [marked, node]
        is_deleted = not early and can_be_left_out(node)
        if not isinstance(node, (ast.Raise, ast.ClassDef, ast.Assert)):
            self.fields(node, place, early)
        return [marked, self.deletion(node, place) if is_deleted else node]

    def deletion(self, node: Node, place: Place) -> Node:
        text = self.text_of(node)
        entry = self.book.number()
        self.book.probe(place, entry, node.lineno, DELETION, f"`{text}` left out", early=False)
        return located(ast.If(test=self.switch(entry), body=[ast.Pass()], orelse=[node]), node)

    def fields(self, node: Node, place: Place, early: bool) -> None:
        """The expressions of a statement, without the statements in it."""
        if isinstance(node, (ast.Return, ast.Assign, ast.AnnAssign)) and node.value is not None:
            node.value = self.whole(node, place, early)
            return
        if isinstance(node, (ast.If, ast.While)):
            node.test = self.condition(node, place, early)
            return
        for name, value in ast.iter_fields(node):
            if name in (*changes.SUITES, "handlers", "cases", "annotation", "target", "targets", "optional_vars"):
                continue
            self.replace(node, name, value, place, early)

    def replace(self, node: Node, name: str, value: Any, place: Place, early: bool) -> None:
        if isinstance(value, list):
            value[:] = [self.expression(each, place, early) if isinstance(each, ast.AST) else each for each in value]
        elif isinstance(value, ast.AST):
            setattr(node, name, self.expression(value, place, early))

    def whole(self, node: Node, place: Place, early: bool) -> Node:
        """The value of a statement, which may become a constant as a whole."""
        value, found = node.value, []
        is_kept = isinstance(node, ast.Return) or not isinstance(node.value, (ast.Constant, ast.Lambda))
        other = breaks.other_value(value) if is_kept else None
        if other is not None and not isinstance(value, (ast.Yield, ast.YieldFrom, ast.Await)) and not early:
            target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            what = "returns" if target is None else f"`{self.text_of(target)}` becomes"
            if target is None or isinstance(target, (ast.Name, ast.Attribute, ast.Subscript)):
                found.append((other[0], f"{what} {other[1]}"))
        return self.expression(value, place, early, found)

    def condition(self, node: Node, place: Place, early: bool) -> Node:
        text = self.text_of(node.test)
        found: list[tuple[Node, str]] = [(ast.Constant(value=False), f"`{text}` is never true")]
        if isinstance(node, ast.If):
            found.append((ast.Constant(value=True), f"`{text}` is always true"))
        return self.expression(node.test, place, early, found)

    def expression(self, node: Node, place: Place, early: bool, more: Iterable[tuple[Node, str]] = ()) -> Node:
        """The expression with switches: at the whole, and at its parts."""
        if not isinstance(node, ast.AST) or isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del)):
            return node
        if breaks.is_logging(node):
            return node
        text = self.text_of(node) if isinstance(node, ast.expr) else ""
        found = [*more, *breaks.mutants(node, text)]
        if early and not place.name:
            found.extend(breaks.second_constant(node))
        others = [(copy.deepcopy(other), what) for other, what in found]
        self.parts(node, place, early)
        return self.switched(node, others, place, early) if others else node

    def parts(self, node: Node, place: Place, early: bool) -> None:
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "args", "target", "pattern") and not isinstance(node, ast.Call):
                continue
            if isinstance(node, ast.JoinedStr):
                for each in value:
                    if isinstance(each, ast.FormattedValue):
                        each.value = self.expression(each.value, place, early)
            elif not (isinstance(node, ast.FormattedValue) and name == "format_spec"):
                self.replace(node, name, value, place, early)

    def switched(self, node: Node, others: Iterable[tuple[Node, str]], place: Place, early: bool) -> Node:
        entry = self.book.number()
        chosen: Node = None
        for other, what in others:
            number = self.book.probe(place, entry, node.lineno, MUTANT, what, early)
            # where the entry is active, one of its probes is: the first needs no switch
            chosen = other if chosen is None else ast.IfExp(test=self.switch(number), body=other, orelse=chosen)
        return located(ast.IfExp(test=self.switch(entry), body=chosen, orelse=node), node)

    def switch(self, number: int) -> Node:
        name = ast.Name(id=self.hit, ctx=ast.Load())
        return ast.Call(func=name, args=[ast.Constant(value=number)], keywords=[])

    def text_of(self, node: Node) -> str:
        return breaks.short(self.source.segment(node))


def stubs_of(node: Node) -> list[tuple[str, str, str]]:
    """The stubs of a function: kind, statements, and what they do in words."""
    is_known = breaks.is_generator(node) or bool(breaks.kind_returned(node))
    found = [
        (VALUE_STUB if is_known and text not in breaks.GUESSED_ITEMS else GUESSED_STUB, code, text)
        for code, text in breaks.value_stubs(node)
    ]
    if not breaks.is_generator(node):
        # an initializer has no value: that it does nothing is what a test can notice
        is_empty = node.name in breaks.NO_VALUE
        found.append((GUESSED_STUB, "return", "does nothing") if is_empty else (NONE_STUB, "return", "returns None"))
    return [*found, (RAISE_STUB, RAISED, "raises an error")]


def can_be_left_out(node: Node) -> bool:
    if isinstance(node, ast.Assign):
        return isinstance(node.targets[0], (ast.Attribute, ast.Subscript))
    if isinstance(node, ast.Expr):
        return isinstance(node.value, (ast.Call, ast.Await))
    return isinstance(node, (ast.AugAssign, ast.Raise, ast.Delete))


def located(node: Node, where: Node) -> Node:
    """The node, at the place of another as far as it has none of its own."""
    ast.copy_location(node, where)
    for each in ast.walk(node):
        if not hasattr(each, "lineno") and "lineno" in each._attributes:
            ast.copy_location(each, where)
    return node
