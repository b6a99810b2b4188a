"""Two syntax trees of a file of tests -> whether the second only adds units to the first, and if not, why not.

A unit is what can be added: a test, a group of tests, a definition, an import. Existing units stay, in their order.
What a unit is, and which one may change existing tests, is said by the `Dialect` of a language.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dualgate.languages.sources import Grammar
from dualgate.languages.trees import every, is_comment, text_in
from dualgate.workspace.steering.change import Extension
from dualgate.workspace.steering.formats import FAILURES, text_of
from dualgate.workspace.steering.syntax import node_form, parse

if TYPE_CHECKING:
    from tree_sitter import Node

_NO_NAME = "_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    nodes: "tuple[Node, ...]"
    """The item, after its attributes."""
    title: str
    """Its name for people; two units with one title are the same thing, perhaps changed."""
    names: frozenset[str] = frozenset()
    """The names that it binds."""
    head: str = ""
    """Of a group: its form without what is in it."""
    body: "Node | None" = None
    """Of a group: the node with the units in it."""

    @property
    def node(self) -> "Node":
        return self.nodes[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """One name of an import."""

    form: str
    name: str
    """The name that it binds; empty if it binds none or unknown ones."""
    text: str
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """The names in the existing file, and the names that are added to it."""

    used: frozenset[str]
    own: frozenset[str]
    """Names that the existing file binds at its top."""
    imported: frozenset[str]
    """Those of them that it imports."""
    new: frozenset[str]
    before: "Node"


Owners = tuple[Unit, ...]
"""The existing groups around a unit, the outer one first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How the tests of a language are written."""

    units: "Callable[[Node], Iterable[Unit]]"
    """The units in a file or in a group, without imports."""
    imports: "Callable[[Node], Iterable[Imported]]"
    """The names that a statement imports; empty if it is not an import."""
    why_hazardous: Callable[[Unit, Around, Owners], str]
    """Why an added unit may change existing tests; empty if it does not."""
    why_import: Callable[[Imported, Around], str]
    names: frozenset[str] = field(default_factory=lambda: frozenset({"identifier", "type_identifier"}))
    """Nodes that are names which a definition elsewhere may give another meaning."""


def added_units(grammar: Grammar, dialect: Dialect, before: bytes, after: bytes) -> Extension:
    try:
        was, now = parse(grammar, text_of(before)), parse(grammar, text_of(after))
        return added_between(grammar, dialect, was, now)
    except FAILURES:
        return Extension(reason="it cannot be parsed")


def added_between(grammar: Grammar, dialect: Dialect, was: "Node", now: "Node") -> Extension:
    """As above, for two nodes with units in them."""
    around = Around(
        used=frozenset(text_in(each) for each in every(was) if each.type in dialect.names),
        own=_bound(dialect, was),
        imported=frozenset(each.name for each in _imports(dialect, was)),
        new=_bound(dialect, now) - _bound(dialect, was),
        before=was,
    )
    found = _Comparison(grammar=grammar, dialect=dialect, around=around)
    found.compare(was, now, ())
    return Extension(reason=next(iter(found.reasons), ""), adds=found.adds)


@dataclass(slots=True, kw_only=True)
class _Comparison:
    grammar: Grammar
    dialect: Dialect
    around: Around
    reasons: list[str] = field(default_factory=list)
    adds: bool = False

    def compare(self, was: "Node", now: "Node", owners: Owners) -> None:
        self._compare_imports(was, now)
        waiting, added = list(self._units(was)), list[Unit]()
        for unit in self._units(now):
            if waiting and self._is_kept(waiting[0], unit, owners):
                waiting.pop(0)
            else:
                added.append(unit)
        if waiting:
            self._lose(waiting, added)
            return
        for unit in added:
            self.adds = True
            self._note(self._why(unit, owners))

    def _why(self, unit: Unit, owners: Owners) -> str:
        if is_comment(unit.node):
            return f"`{unit.title}` applies to the whole file"
        return self._taken(unit.names) or self.dialect.why_hazardous(unit, self.around, owners)

    def _taken(self, names: Iterable[str]) -> str:
        taken = sorted({*names} & self.around.used - {_NO_NAME})
        return f"existing tests use the name `{taken[0]}`: give the new one another name" if taken else ""

    def _note(self, why: str) -> None:
        self.reasons += [why] if why else []

    def _is_kept(self, old: Unit, new: Unit, owners: Owners) -> bool:
        """Whether a unit is there as before, or is a group with additions in it that are compared in turn."""
        if self._form(old) == self._form(new):
            return True
        if old.body is None or new.body is None or old.head != new.head:
            return False
        self.compare(old.body, new.body, (*owners, old))
        return True

    def _compare_imports(self, was: "Node", now: "Node") -> None:
        """Compare imports name by name. The order of those that were there counts: an import may do something."""
        before, after = list(_imports(self.dialect, was)), list(_imports(self.dialect, now))
        known, present = {each.form for each in before}, {each.form for each in after}
        for each in before:
            if each.form not in present:
                self._note(f"the import `{each.text}` is changed or missing")
        order = [each.source for each in after if each.form in known]
        if list(dict.fromkeys(order)) != list(dict.fromkeys(each.source for each in before)):
            self._note("existing imports are in another order")
        for each in after:
            if each.form not in known:
                self.adds = True
                self._note(self._taken([each.name]) or self.dialect.why_import(each, self.around))

    def _units(self, node: "Node") -> Iterator[Unit]:
        for unit in self.dialect.units(node):
            if not is_comment(unit.node) or self._form(unit):
                yield unit

    def _form(self, unit: Unit) -> str:
        return "\n".join(node_form(self.grammar, node) for node in unit.nodes)

    def _lose(self, waiting: Sequence[Unit], added: Sequence[Unit]) -> None:
        """Name the first unit that is missing; a unit of another name is an addition."""
        titles, found = {each.title for each in waiting}, {each.title for each in added}
        self.adds |= bool(found - titles)
        missing = waiting[0].title
        self._note(f"`{missing}` is {'changed or moved' if missing in found else 'missing'}")


def _imports(dialect: Dialect, node: "Node") -> Iterator[Imported]:
    for child in node.named_children:
        yield from dialect.imports(child)


def _bound(dialect: Dialect, node: "Node") -> frozenset[str]:
    names = (name for unit in dialect.units(node) for name in unit.names)
    return frozenset((*names, *(each.name for each in _imports(dialect, node) if each.name)))


def scoped(
    node: "Node", declared: "Callable[[Node], frozenset[str]]", local: frozenset[str] = frozenset()
) -> "Iterator[tuple[Node, frozenset[str]]]":
    """All nodes in a node, each with the names that are declared around it; `declared` gives those of a scope."""
    waiting = [(node, local)]
    while waiting:
        each, names = waiting.pop()
        names = names | declared(each)
        yield each, names
        waiting.extend((child, names) for child in reversed(each.children))


def within_scope(node: "Node", is_scope: "Callable[[Node], bool]") -> "Iterator[Node]":
    """All nodes in a scope, without those of scopes in it; the inner scopes themselves are there."""
    waiting = list(reversed(node.children))
    while waiting:
        each = waiting.pop()
        yield each
        if not is_scope(each):
            waiting.extend(reversed(each.children))
