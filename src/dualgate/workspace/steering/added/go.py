"""Go: which declarations may be added to a file of tests. All files of a package share its names."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dualgate.languages.go import GRAMMAR
from dualgate.languages.trees import every, field_of, is_comment, root_name, shown_text, text_in
from dualgate.workspace.steering.added.units import (
    Around,
    Dialect,
    Imported,
    Owners,
    Unit,
    scoped,
    within_scope,
)
from dualgate.workspace.steering.syntax import node_form

if TYPE_CHECKING:
    from tree_sitter import Node

_OBEYED = frozenset({"init", "main", "TestMain"})
_PREDECLARED = frozenset(
    {
        *("any", "bool", "byte", "comparable", "complex64", "complex128", "error", "float32", "float64", "int", "int8"),
        *("int16", "int32", "int64", "rune", "string", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr"),
        *(
            "true",
            "false",
            "iota",
            "nil",
            "append",
            "cap",
            "clear",
            "close",
            "complex",
            "copy",
            "delete",
            "imag",
            "len",
        ),
        *("make", "max", "min", "new", "panic", "print", "println", "real", "recover"),
    }
)
_DECLARATIONS = frozenset({"var_declaration", "const_declaration", "type_declaration"})
_SPECS = frozenset({"var_spec", "const_spec", "type_spec", "type_alias"})
_SCOPES = frozenset(
    {
        *("function_declaration", "method_declaration", "func_literal", "block", "if_statement", "for_statement"),
        *("expression_switch_statement", "type_switch_statement", "select_statement", "expression_case"),
        *("type_case", "default_case", "communication_case"),
    }
)
_SETTING = frozenset({"assignment_statement", "inc_statement", "dec_statement"})
_REACHING = {
    "os": frozenset({"Exit", "Setenv", "Unsetenv", "Clearenv", "Chdir"}),
    "syscall": frozenset({"Exit", "Kill", "Setenv", "Unsetenv"}),
    "flag": frozenset({"Set", "Parse"}),
    "testing": frozenset({"Init", "MainStart", "Main"}),
}
"""Package -> its functions that change all tests of a process."""
_QUIET_PACKAGES = frozenset({"errors", "fmt", "regexp", "time", "strings", "big", "net", "url", "template", "reflect"})
"""Packages whose functions may be called when a package is loaded."""


def _units(node: "Node") -> Iterator[Unit]:
    for child in node.named_children:
        if is_comment(child):
            yield Unit(nodes=(child,), title=text_in(child))
        elif child.type in _DECLARATIONS:
            specs = [each for each in every(child) if each.type in _SPECS and _is_of(each, child)]
            yield from (_unit(each) for each in specs)
        elif child.type != "import_declaration":
            yield _unit(child)


def _is_of(spec: "Node", declaration: "Node") -> bool:
    """Whether a spec stands in a declaration itself, directly or in its brackets, and not in a function."""
    parent = spec.parent
    return parent == declaration or (parent is not None and parent.parent == declaration)


def _unit(node: "Node") -> Unit:
    names = _bound(node)
    if node.type == "package_clause":
        return Unit(nodes=(node,), title="package")
    if node.type == "method_declaration":
        return Unit(nodes=(node,), title=f"{_receiver(node)}.{', '.join(names)}")
    # a constant in brackets may depend on those before it
    nodes = (node.parent, node) if node.type == "const_spec" and _counts(node) else (node,)
    return Unit(nodes=tuple(filter(None, nodes)), title=", ".join(names) or shown_text(node), names=frozenset(names))


def _counts(spec: "Node") -> bool:
    """Whether the value of a constant depends on its place."""
    declaration = spec.parent
    return declaration is not None and (
        any(text_in(each) == "iota" for each in every(declaration)) or field_of(spec, "value") is None
    )


def _bound(node: "Node") -> tuple[str, ...]:
    if node.type in ("var_spec", "const_spec"):
        return tuple(text_in(each) for each in node.children_by_field_name("name") if each.is_named)
    name = field_of(node, "name")
    return (text_in(name),) if name is not None else ()


def _receiver(method: "Node") -> str:
    found = field_of(method, "receiver")
    names = [text_in(each) for each in every(found) if each.type == "type_identifier"] if found is not None else []
    return names[0] if names else ""


def _imports(node: "Node") -> Iterator[Imported]:
    if node.type != "import_declaration":
        return
    for each in every(node):
        if each.type == "import_spec":
            path, name = field_of(each, "path"), field_of(each, "name")
            source = text_in(path)[1:-1] if path is not None else ""
            last = source.rpartition("/")[2]
            yield Imported(
                form=node_form(GRAMMAR, each), name=text_in(name) if name is not None else last, text=text_in(each)
            )


def _why_import(imported: Imported, around: Around) -> str:
    del around
    if imported.name in (".", "_", "C"):
        return f"`import {imported.text}` applies to the whole file"
    return ""


def _why_hazardous(unit: Unit, around: Around, owners: Owners) -> str:
    del owners
    return next(_hazards(unit, around), "")


def _hazards(unit: Unit, around: Around) -> Iterator[str]:
    node = unit.node
    for name in sorted(unit.names & (_OBEYED | _PREDECLARED)):
        applies = name in _OBEYED
        yield f"`{name}` applies to every test of the package" if applies else f"`{name}` is a name of the language"
    match node.type:
        case "function_declaration" | "type_spec" | "type_alias" | "const_spec":
            yield from _of_code(node)
        case "method_declaration":
            if _receiver(node) not in around.new:
                yield f"`{unit.title}` changes a type that existing tests may use"
            yield from _of_code(node)
        case "var_spec":
            if unit.names == {"_"}:
                yield f"`{shown_text(node)}` runs when the package is loaded"
            yield from _on_load(node)
            yield from _of_code(node)
        case _:
            yield f"`{shown_text(node)}` may not be added"


def _on_load(node: "Node") -> Iterator[str]:
    """Calls in the value of a variable, without those in functions that are only defined there."""
    for each in within_scope(node, lambda inner: inner.type == "func_literal"):
        if each.type == "call_expression":
            function = field_of(each, "function")
            is_method = function is not None and function.type == "selector_expression"
            is_quiet = is_method and function is not None and root_name(function) in _QUIET_PACKAGES
            if not is_quiet and text_in(function or each) not in ("make", "new", "len"):
                yield f"`{shown_text(each)}` runs when the package is loaded"
        elif each.type == "unary_expression" and text_in(each).startswith("<-"):
            yield f"`{shown_text(each)}` runs when the package is loaded"


def _of_code(node: "Node") -> Iterator[str]:
    for each, local in scoped(node, _declared):
        if each.type in _SETTING:
            left = field_of(each, "left") or each.named_children[0]
            targets = left.named_children if left.type == "expression_list" else [left]
            for target in targets:
                root = _root(target)
                if root != "_" and root not in local:
                    yield f"it sets `{shown_text(target)}`, which other tests share"
        elif each.type == "selector_expression":
            package, name = field_of(each, "operand"), field_of(each, "field")
            if package is not None and name is not None and text_in(name) in _REACHING.get(text_in(package), ()):
                yield f"`{text_in(each)}` reaches beyond the new tests"


def _root(target: "Node") -> str:
    """The name at the beginning of a target, behind stars and brackets."""
    node = target
    while node.type in ("unary_expression", "parenthesized_expression"):
        node = node.named_children[0]
    return root_name(node)


def _declared(node: "Node") -> frozenset[str]:
    if node.type not in _SCOPES:
        return frozenset()
    found: set[str] = set()
    for field in ("parameters", "receiver", "result", "alias"):
        given = field_of(node, field)
        found.update(text_in(each) for each in every(given) if each.type == "identifier") if given is not None else None
    for each in within_scope(node, lambda inner: inner.type in _SCOPES):
        if each.type in ("short_var_declaration", "range_clause", "receive_statement"):
            left = field_of(each, "left")
            is_new = any(child.type == ":=" for child in each.children)
            names = left.named_children if left is not None and is_new else []
            found.update(text_in(name) for name in names if name.type == "identifier")
        elif each.type in _SPECS:
            found.update(_bound(each))
    return frozenset(found)


DIALECT = Dialect(
    units=_units,
    imports=_imports,
    why_hazardous=_why_hazardous,
    why_import=_why_import,
    names=frozenset({"identifier", "type_identifier", "package_identifier"}),
)
