"""A piece of code -> what can stand in its place: constants for a function, and mutants of an expression."""

from __future__ import annotations

import ast
import copy
from typing import TYPE_CHECKING, Any

from .changes import FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

Node = Any

COMPARISONS: dict[type, tuple[tuple[type, str], ...]] = {
    ast.Lt: ((ast.LtE, "<="), (ast.GtE, ">=")),
    ast.LtE: ((ast.Lt, "<"), (ast.Gt, ">")),
    ast.Gt: ((ast.GtE, ">="), (ast.LtE, "<=")),
    ast.GtE: ((ast.Gt, ">"), (ast.Lt, "<")),
    ast.Eq: ((ast.NotEq, "!="),),
    ast.NotEq: ((ast.Eq, "=="),),
    ast.In: ((ast.NotIn, "not in"),),
    ast.NotIn: ((ast.In, "in"),),
    ast.Is: ((ast.IsNot, "is not"),),
    ast.IsNot: ((ast.Is, "is"),),
}
SIGNS: dict[type, str] = {
    **dict(zip((ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq), ("<", "<=", ">", ">=", "==", "!="))),  # noqa: B905
    **dict(zip((ast.In, ast.NotIn, ast.Is, ast.IsNot), ("in", "not in", "is", "is not"))),  # noqa: B905
    **dict(zip((ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod), ["+", "-", "*", "/", "//", "%"])),  # noqa: B905
    **dict(zip((ast.Pow, ast.BitAnd, ast.BitOr, ast.LShift, ast.RShift), ["**", "&", "|", "<<", ">>"])),  # noqa: B905
}
# operators that texts and lists have too are not exchanged: the left side is kept, which every type can
ARITHMETIC: dict[type, type] = {
    **dict.fromkeys((ast.Div, ast.FloorDiv, ast.Mod, ast.Pow), ast.Mult),
    ast.Sub: ast.Add,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
KEPT_LEFT = (ast.Add, ast.Mult)
EXCHANGED_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list", "reversed": "list"}
DROPPED_CALLS = frozenset(("abs", "round"))
EXCHANGED_METHODS = {"startswith": "endswith", "endswith": "startswith", "lower": "upper", "upper": "lower"}
DROPPED_METHODS = frozenset(("strip", "lstrip", "rstrip", "title", "capitalize", "casefold", "splitlines"))
LOGGING = frozenset(("debug", "info", "warning", "warn", "error", "exception", "critical", "log"))
LOGGERS = frozenset(("logging", "logger", "log", "_logger", "_log", "LOGGER", "LOG", "warnings"))

NUMBER, TEXT, BYTES, TRUTH, LIST, TUPLE, DICT, SET = "number", "text", "bytes", "truth", "list", "tuple", "dict", "set"
CONSTANTS: dict[str, tuple[str, ...]] = {
    NUMBER: ("1", "0"),
    TEXT: ("'x'", "''"),
    BYTES: ("b'x'", "b''"),
    TRUTH: ("True", "False"),
    LIST: ("[]", "[1]"),
    TUPLE: ("()", "(1,)"),
    DICT: ("{}", "{'x': 1}"),
    SET: ("set()", "{1}"),
    "": ("1", "'x'"),
}
# the type of what is in them is a guess
GUESSED_ITEMS = frozenset(("returns [1]", "returns (1,)", "returns {'x': 1}", "returns {1}", "yields 1"))
ANNOTATED = {
    **dict.fromkeys(("int", "float", "complex", "Decimal"), NUMBER),
    **dict.fromkeys(("bool", "TypeGuard", "TypeIs"), TRUTH),
    **dict.fromkeys(("list", "List", "Sequence", "Iterable"), LIST),
    **dict.fromkeys(("tuple", "Tuple"), TUPLE),
    **dict.fromkeys(("dict", "Dict", "Mapping"), DICT),
    **dict.fromkeys(("set", "Set", "frozenset"), SET),
    "str": TEXT,
    "bytes": BYTES,
}
BY_NAME = {
    **dict.fromkeys(("__str__", "__format__"), TEXT),
    **dict.fromkeys(("__bool__", "__contains__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"), TRUTH),
    **dict.fromkeys(("__len__", "__hash__", "__int__", "__float__", "__index__"), NUMBER),
    "__bytes__": BYTES,
}
PREDICATES = ("is_", "has_", "can_", "should_", "was_", "are_", "contains_")
BY_METHOD = {
    **dict.fromkeys(("join", "format", "strip", "lower", "upper", "replace", "title", "decode", "hexdigest"), TEXT),
    **dict.fromkeys(("startswith", "endswith", "isdigit", "exists", "is_file", "is_dir", "isalpha", "issubset"), TRUTH),
    **dict.fromkeys(("split", "splitlines"), LIST),
    **dict.fromkeys(("count", "total_seconds"), NUMBER),
    "encode": BYTES,
}
BY_CALL = {
    **dict.fromkeys(("str", "repr", "chr", "hex"), TEXT),
    **dict.fromkeys(("int", "float", "len", "sum", "round", "abs", "ord"), NUMBER),
    **dict.fromkeys(("bool", "isinstance", "any", "all", "hasattr", "callable", "issubclass"), TRUTH),
    **dict.fromkeys(("list", "sorted"), LIST),
    **dict.fromkeys(("set", "frozenset"), SET),
    "tuple": TUPLE,
    "dict": DICT,
    "bytes": BYTES,
}
# of an initializer, Python allows only None
NO_VALUE = frozenset(("__init__", "__init_subclass__", "__set_name__", "__del__"))


def expression(text: str) -> Node:
    return _without_place(ast.parse(text, mode="eval").body)


def statements(text: str) -> list[Node]:
    return [_without_place(node) for node in ast.parse(f"def f():\n {text}").body[0].body]  # type: ignore[attr-defined]


def _without_place(tree: Node) -> Node:
    for node in ast.walk(tree):
        for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
            if hasattr(node, name):
                delattr(node, name)
    return tree


def is_generator(function: Node) -> bool:
    return any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in own_nodes(function))


def own_nodes(function: Node) -> Iterator[Node]:
    """The nodes of a function without those of functions and classes inside it."""
    waiting = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (*FUNCTIONS, ast.Lambda, ast.ClassDef)):
            waiting.extend(ast.iter_child_nodes(node))


def value_stubs(function: Node) -> Iterator[tuple[str, str]]:
    """Statements that end a function with a value of its kind, and what they do in words."""
    if is_generator(function):
        yield "return", "yields nothing"
        yield "yield 1; return", "yields 1"
    elif function.name not in NO_VALUE:
        for constant in CONSTANTS[kind_returned(function)]:
            yield f"return {constant}", f"returns {constant}"


def kind_returned(function: Node) -> str:
    """The kind of the returned value, by name, annotation and returned expressions; empty if that is unclear."""
    if function.name in BY_NAME:
        return BY_NAME[function.name]
    annotated = _annotated(function.returns)
    if annotated:
        return annotated
    kinds = {kind_of(node.value) for node in own_nodes(function) if isinstance(node, ast.Return) and node.value}
    kinds.discard("None")
    if len(kinds) == 1:
        return kinds.pop()
    return TRUTH if not kinds - {"", TRUTH} and function.name.startswith(PREDICATES) else ""


def _annotated(node: Node) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            node = expression(node.value)
        except SyntaxError:
            return ""
    if isinstance(node, ast.Subscript):
        if getattr(node.value, "id", getattr(node.value, "attr", "")) == "Optional":
            return _annotated(getattr(node.slice, "value", node.slice))
        node = node.value
    if isinstance(node, ast.BinOp):
        return _annotated(node.left) or _annotated(node.right)
    return ANNOTATED.get(getattr(node, "id", getattr(node, "attr", "")), "")


def kind_of(node: Node) -> str:
    """The kind of value of an expression; empty if that is unclear."""
    if isinstance(node, ast.Constant):
        return _kind_of_constant(node.value)
    if isinstance(node, (ast.Compare,)) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
        return TRUTH
    if isinstance(node, ast.UnaryOp):
        return kind_of(node.operand)
    if isinstance(node, ast.JoinedStr):
        return TEXT
    if isinstance(node, ast.BoolOp):
        kinds = {kind_of(value) for value in node.values}
        return kinds.pop() if len(kinds) == 1 else ""
    if isinstance(node, ast.IfExp):
        kinds = {kind_of(node.body), kind_of(node.orelse)}
        return kinds.pop() if len(kinds) == 1 else ""
    if isinstance(node, ast.BinOp):
        return _kind_of_sum(node)
    if isinstance(node, ast.Call):
        name = getattr(node.func, "id", None)
        return BY_CALL.get(name, "") if name else BY_METHOD.get(getattr(node.func, "attr", ""), "")
    displays = {ast.List: LIST, ast.ListComp: LIST, ast.Tuple: TUPLE, ast.Dict: DICT, ast.DictComp: DICT}
    return {**displays, ast.Set: SET, ast.SetComp: SET}.get(type(node), "")


def _kind_of_constant(value: object) -> str:
    if value is None:
        return "None"
    kinds = ((bool, TRUTH), ((int, float, complex), NUMBER), (str, TEXT), (bytes, BYTES))
    return next((kind for type_, kind in kinds if isinstance(value, type_)), "")


def _kind_of_sum(node: Node) -> str:
    left, right = kind_of(node.left), kind_of(node.right)
    if isinstance(node.op, ast.Mod) and left == TEXT:
        return TEXT
    if isinstance(node.op, (ast.Sub, ast.Div, ast.FloorDiv, ast.Pow)):
        return NUMBER
    return left or right


def mutants(node: Node, text: str) -> Iterator[tuple[Node, str]]:
    """Expressions that can stand in the place of another, and the change in words."""
    change = MUTATED.get(type(node))
    if change is not None:
        yield from change(node, text)


def _compared(node: Node, text: str) -> Iterator[tuple[Node, str]]:
    del text
    for number, operator in enumerate(node.ops):
        for other, sign in COMPARISONS[type(operator)]:
            operators = [*node.ops[:number], other(), *node.ops[number + 1 :]]
            made = ast.Compare(left=node.left, ops=operators, comparators=node.comparators)
            yield made, f"`{SIGNS[type(operator)]}` → `{sign}`"


def _calculated(node: Node, text: str) -> Iterator[tuple[Node, str]]:
    if isinstance(node.op, KEPT_LEFT):
        yield node.left, f"`{short(text)}` without `{SIGNS[type(node.op)]}` and its right side"
    elif type(node.op) in ARITHMETIC and not (isinstance(node.op, ast.Mod) and kind_of(node.left) in (TEXT, BYTES)):
        other = ARITHMETIC[type(node.op)]
        made = ast.BinOp(left=node.left, op=other(), right=node.right)
        yield made, f"`{SIGNS[type(node.op)]}` → `{SIGNS[other]}`"


def _constant(node: Node, text: str) -> Iterator[tuple[Node, str]]:
    del text
    value = node.value
    if isinstance(value, bool):
        other: Any = not value
    elif isinstance(value, (int, float)):
        other = value + 1
    elif isinstance(value, str):
        other = "" if value else "x"
    elif isinstance(value, bytes):
        other = b"" if value else b"x"
    else:
        return
    if other != value:
        yield ast.Constant(value=other), f"`{short(repr(value))}` → `{other!r}`"


def _called(node: Node, text: str) -> Iterator[tuple[Node, str]]:
    name = getattr(node.func, "id", None)
    method = getattr(node.func, "attr", None)
    if name in EXCHANGED_CALLS and node.args:
        other = ast.Name(id=EXCHANGED_CALLS[name], ctx=ast.Load())
        rest = [] if EXCHANGED_CALLS[name] == "list" else node.keywords
        yield ast.Call(func=other, args=node.args, keywords=rest), f"`{name}` → `{EXCHANGED_CALLS[name]}`"
    elif name in DROPPED_CALLS and node.args:
        yield node.args[0], f"`{short(text)}` without `{name}`"
    elif method in EXCHANGED_METHODS:
        other_method = ast.Attribute(value=node.func.value, attr=EXCHANGED_METHODS[method], ctx=ast.Load())
        made = ast.Call(func=other_method, args=node.args, keywords=node.keywords)
        yield made, f"`{method}` → `{EXCHANGED_METHODS[method]}`"
    elif method in DROPPED_METHODS:
        yield node.func.value, f"`{short(text)}` without `{method}`"


def _joined(node: Node, text: str) -> Iterator[tuple[Node, str]]:
    del text
    other, before, after = (ast.Or(), "and", "or") if isinstance(node.op, ast.And) else (ast.And(), "or", "and")
    yield ast.BoolOp(op=other, values=node.values), f"`{before}` → `{after}`"


def _negated(node: Node, text: str) -> Iterator[tuple[Node, str]]:
    if isinstance(node.op, (ast.Not, ast.USub)):
        yield node.operand, f"`{short(text)}` without its `{'not' if isinstance(node.op, ast.Not) else '-'}`"


def _chosen(node: Node, text: str) -> Iterator[tuple[Node, str]]:
    yield node.body, f"`{short(text)}` always takes the first value"
    yield node.orelse, f"`{short(text)}` always takes the second value"


def _formatted(node: Node, text: str) -> Iterator[tuple[Node, str]]:
    if node.values:
        yield ast.Constant(value=""), f"`{short(text)}` → `''`"


def _sliced(node: Node, text: str) -> Iterator[tuple[Node, str]]:
    if isinstance(node.slice, ast.Slice):
        yield node.value, f"`{short(text)}` without the slice"


def _listed(node: Node, text: str) -> Iterator[tuple[Node, str]]:
    empty = {ast.List: "[]", ast.Tuple: "()", ast.Set: "set()"}.get(type(node), "{}")
    if getattr(node, "elts", None) or getattr(node, "keys", None):
        yield expression(empty), f"`{short(text)}` → `{empty}`"


MUTATED: dict[type, Any] = {
    **dict.fromkeys((ast.List, ast.Tuple, ast.Set, ast.Dict), _listed),
    ast.Compare: _compared,
    ast.BoolOp: _joined,
    ast.UnaryOp: _negated,
    ast.BinOp: _calculated,
    ast.Constant: _constant,
    ast.IfExp: _chosen,
    ast.Call: _called,
    ast.JoinedStr: _formatted,
    ast.Subscript: _sliced,
}


def other_value(node: Node) -> tuple[Node, str] | None:
    """A constant of the same kind for a whole expression; None where its own mutants do the same."""
    if isinstance(node, ast.Constant) and node.value is not None:
        return None
    constants = CONSTANTS.get(kind_of(node), CONSTANTS[""])
    usable = [each for each in constants if each != "True" and f"returns {each}" not in GUESSED_ITEMS]
    others = (each for each in usable if ast.dump(expression(each)) != ast.dump(plain(node)))
    text = next(others, None)
    return None if text is None else (expression(text), text)


def plain(node: Node) -> Node:
    """The node without its place, to compare it."""
    return _without_place(copy.deepcopy(node))


def second_constant(node: Node) -> Iterator[tuple[Node, str]]:
    """Another value for a constant of a module, which few probes can reach otherwise."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (str, int)) and not isinstance(node.value, bool):
        other: Any = "x" if isinstance(node.value, str) else 0
        if node.value not in ("", "x", 0):
            yield ast.Constant(value=other), f"`{short(repr(node.value))}` → `{other!r}`"


def is_logging(node: Node) -> bool:
    """Whether a call writes to a log."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in LOGGING:
        return False
    holder = node.func.value
    return getattr(holder, "id", getattr(holder, "attr", "")) in LOGGERS


def short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 40 else line[:39] + "…"
