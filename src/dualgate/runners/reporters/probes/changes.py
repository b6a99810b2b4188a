"""Source before and after -> the functions and statements that changed, by syntax trees.

Comments, docstrings, annotations, positions and moved functions are no change.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
SUITES = ("body", "orelse", "finalbody")
IGNORED = frozenset(("annotation", "returns", "type_comment", "type_params", "ctx", "kind", "type_ignores"))
NO_COVER = re.compile(r"#\s*pragma:\s*no\s*cover")
SURROUNDINGS = re.compile(
    r"\bTYPE_CHECKING\b|\bsys\.(version_info|platform|implementation)\b|\bos\.name\b|\bplatform\.|__name__\s*=="
)
MATCH = getattr(ast, "Match", None)
TRY_STAR = getattr(ast, "TryStar", ast.Try)
OVERLOADS = frozenset(("overload", "abstractmethod", "abstractproperty"))
NOT_PROBED = frozenset(("__repr__", "__rich_repr__", "__str_repr__"))

Node = Any
Form = Any


class Function:
    """A function of a file, with the statements that are its own."""

    def __init__(self, node: Node, name: str, inside: Function | None, skipped: bool) -> None:
        self.node = node
        self.name = name
        self.inside = inside
        self.skipped = skipped
        self.units: list[Node] = [] if skipped else list(own_statements(node.body))
        self.changed = False


class Source:
    """A parsed file: its functions, and the statements of the module and its classes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        self.tree = ast.parse(text)
        self.functions: list[Function] = []
        self.by_node: dict[int, Function] = {}
        self.left_out: set[int] = set()
        self.changed: set[int] = set()
        self.units = list(own_statements(self.tree.body))
        self._walk(self.tree.body, "", None, False)

    def _walk(
        self, body: list[Node], prefix: str, inside: Function | None, skipped: bool, in_protocol: bool = False
    ) -> None:
        for node in body:
            skips = skipped or self.is_left_out(node)
            if skips:
                self.left_out.add(id(node))
            if isinstance(node, FUNCTIONS):
                skips = skips or is_declaration(node, in_protocol)
                made = Function(node, prefix + node.name, inside, skips)
                self.functions.append(made)
                self.by_node[id(node)] = made
                self._walk(node.body, f"{made.name}.<locals>.", made, skips)
                continue
            if isinstance(node, ast.ClassDef):
                self._walk(node.body, f"{prefix}{node.name}.", inside, skips, is_protocol(node))
                continue
            for inner in suites_of(node):
                self._walk(inner, prefix, inside, skips)

    def segment(self, node: Node) -> str:
        """The text of a node; the function of the standard library splits the whole file each time."""
        lines = [line.encode("utf-8") for line in self.lines[node.lineno - 1 : node.end_lineno]]
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        return b"\n".join(lines).decode("utf-8", "replace")

    def is_left_out(self, node: Node) -> bool:
        first = self.lines[node.lineno - 1] if node.lineno <= len(self.lines) else ""
        header = self.lines[node.lineno - 1 : header_end(node)]
        if any(NO_COVER.search(line) for line in (first, *header[-1:])):
            return True
        if isinstance(node, ast.If):
            return SURROUNDINGS.search(self.segment(node.test)) is not None
        return isinstance(node, (ast.Assign, ast.AnnAssign)) and any(map(is_metadata, targets_of(node)))


def targets_of(node: Node) -> list[Node]:
    return [node.target] if isinstance(node, ast.AnnAssign) else list(node.targets)


def is_metadata(name: Node) -> bool:
    """Whether a name says something about its module, such as __version__ and __all__."""
    text = getattr(name, "id", "")
    return text.startswith("__") and text.endswith("__")


def is_declaration(node: Node, in_protocol: bool) -> bool:
    """Whether a function has no behaviour of its own: overloads, abstract ones, those of protocols, `__repr__`."""
    names = {getattr(each, "id", getattr(each, "attr", "")) for each in node.decorator_list}
    bare = all(isinstance(each, ast.Pass) or is_bare(each) for each in node.body)
    return bool(names & OVERLOADS) or node.name in NOT_PROBED or (bare and in_protocol)


def is_protocol(node: Node) -> bool:
    """Whether a class only declares its methods."""
    bases = [getattr(each, "value", each) if isinstance(each, ast.Subscript) else each for each in node.bases]
    names = {getattr(each, "id", getattr(each, "attr", "")) for each in bases}
    return bool(names & {"Protocol", "ABC"}) or any(each.arg == "metaclass" for each in node.keywords)


def is_bare(node: Node) -> bool:
    """Whether a statement is only a constant, such as a docstring or `...`."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def suites_of(node: Node) -> Iterator[list[Node]]:
    for name in SUITES:
        inner = getattr(node, name, None)
        if isinstance(inner, list):
            yield inner
    for holder in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield holder.body


def own_statements(body: list[Node]) -> Iterator[Node]:
    """The statements below, without those of functions inside."""
    for node in body:
        if isinstance(node, FUNCTIONS):
            continue
        yield node
        for inner in suites_of(node):
            yield from own_statements(inner)


def header_end(node: Node) -> int:
    """The last line of a statement without the statements in it."""
    starts = [inner[0] for inner in suites_of(node) if inner]
    if not starts:
        return int(node.end_lineno)
    first = min(starts, key=lambda each: each.lineno)
    begin = min([first.lineno, *(each.lineno for each in getattr(first, "decorator_list", ()))])
    return int(max(node.lineno, begin - 1))


def form(node: Node, inner: bool) -> Form:
    """The normalised form of a tree; without the statements and functions in it if `inner` is false."""
    if isinstance(node, list):
        return tuple(form(each, inner) for each in node if not (isinstance(each, ast.stmt) and is_bare(each)))
    if not isinstance(node, ast.AST):
        return (type(node).__name__, repr(node))
    if isinstance(node, ast.AnnAssign):
        if node.value is None:
            return ("declared", form(node.target, inner))
        return ("Assign", ("targets", (form(node.target, inner),)), ("value", form(node.value, inner)))
    if isinstance(node, FUNCTIONS) and not inner:
        return ("function",)
    parts: list[Any] = [type(node).__name__]
    for name, value in ast.iter_fields(node):
        if name in IGNORED or (not inner and name in SUITES and isinstance(value, list)):
            continue
        parts.append((name, form(value, inner)))
    return tuple(parts)


def own_form(node: Node) -> Form:
    """The form of a function, in which functions inside it count only by name."""
    body = tuple(form(each, False) for each in own_statements(node.body) if not is_bare(each))
    inside = tuple(each.name for each in ast.walk(node) if isinstance(each, FUNCTIONS) and each is not node)
    heads = (form(node.args, True), form(node.decorator_list, True))
    return (type(node).__name__, node.name, heads, _shape(node.body), body, inside)


def _shape(body: list[Node]) -> Any:
    """How statements lie in each other, so that a statement that moved out of a loop is a change."""
    return tuple(
        (type(node).__name__, tuple(_shape(inner) for inner in suites_of(node)))
        for node in body
        if not is_bare(node) and not isinstance(node, FUNCTIONS)
    )


class Before:
    """All that was there before, in any file."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.forms: set[Form] = set()
        self.statements: Counter[Form] = Counter()
        self.functions: dict[str, Counter[Form]] = {}
        self.by_path: dict[tuple[str, str], Counter[Form]] = {}
        self.problems: list[str] = []
        for path, text in texts.items():
            try:
                source = Source(text)
            except (SyntaxError, ValueError):
                continue
            self.statements.update(form(unit, False) for unit in source.units)
            for function in source.functions:
                self.forms.add(own_form(function.node))
                units = Counter(form(unit, False) for unit in function.units)
                self.functions.setdefault(function.node.name, units)
                self.by_path[path, function.name] = units

    def mark(self, path: str, source: Source) -> None:
        """Mark the functions and statements of a file that changed."""
        _mark_units(source, source.units, Counter(self.statements))
        for function in source.functions:
            if function.skipped or own_form(function.node) in self.forms:
                continue
            function.changed = True
            known = self.by_path.get((path, function.name)) or self.functions.get(function.node.name) or Counter()
            if not _mark_units(source, function.units, Counter(known)):
                # only their order or their depth changed
                source.changed.update(id(unit) for unit in function.units if id(unit) not in source.left_out)


def _mark_units(source: Source, units: list[Node], known: Counter[Form]) -> int:
    count = 0
    for unit in units:
        shape = form(unit, False)
        if known[shape] > 0:
            known[shape] -= 1
        elif id(unit) not in source.left_out and not is_bare(unit):
            source.changed.add(id(unit))
            count += 1
    return count
