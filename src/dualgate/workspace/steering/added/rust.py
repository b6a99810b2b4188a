"""Rust: which items may be added to a file or a module of tests."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from dualgate.languages.rust import GRAMMAR
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

_PLAIN = re.compile(
    r"#\s*\[\s*(?:(?:\w+\s*::\s*)*(?:test|rstest|case|values|test_case|fixture|bench|quickcheck|test_log)"
    r"|should_panic|allow|expect|derive|doc|must_use|inline|track_caller|timeout|serial|parallel)\b"
)
"""Attributes that mean the item alone."""
_FOR_TESTS = re.compile(r"#\s*\[\s*cfg\s*\(\s*test\s*\)\s*\]")
_ITEMS = frozenset(
    {"function_item", "const_item", "static_item", "struct_item", "enum_item", "type_item", "union_item"}
)
_SCOPES = frozenset({"function_item", "closure_expression", "block", "for_expression", "match_arm", "if_expression"})
_PATTERNS = frozenset({"let_declaration", "parameter", "for_expression", "match_arm", "let_condition"})
_REACHING = re.compile(
    r"\bprocess\s*::\s*(?:exit|abort)\b|\b(?:set_var|remove_var|set_current_dir|set_hook|take_hook)\b|\bno_mangle\b"
    r"|\bmacro_rules\b|\bextern\b"
)
_PRELUDE = frozenset(
    {
        *("Some", "None", "Ok", "Err", "Option", "Result", "Vec", "String", "Box", "ToString", "ToOwned", "Clone"),
        *(
            "Iterator",
            "IntoIterator",
            "PartialEq",
            "Eq",
            "Ord",
            "PartialOrd",
            "Default",
            "From",
            "Into",
            "AsRef",
            "Drop",
        ),
        *("Debug", "Copy", "Send", "Sync", "Fn", "FnMut", "FnOnce", "str", "bool", "char", "std", "core", "alloc"),
    }
)


def _units(node: "Node") -> Iterator[Unit]:
    attributes: list[Node] = []
    for child in node.named_children:
        if child.type == "attribute_item":
            attributes.append(child)
        elif is_comment(child):
            yield Unit(nodes=(child,), title=text_in(child))
        elif child.type == "use_declaration" and not attributes and not _is_passed_on(child):
            continue
        else:
            yield _unit(child, tuple(attributes))
            attributes = []


def _unit(node: "Node", attributes: "tuple[Node, ...]") -> Unit:
    nodes = (*attributes, node)
    body = field_of(node, "body") if node.type == "mod_item" else None
    names = _bound(node)
    title = f"{node.type.removesuffix('_item')} {names[0]}" if names else shown_text(node)
    head = "\0".join((*(node_form(GRAMMAR, each) for each in attributes), title)) if body is not None else ""
    return Unit(nodes=nodes, title=title, names=frozenset(names), head=head, body=body)


def _bound(node: "Node") -> tuple[str, ...]:
    name = field_of(node, "name")
    return (text_in(name),) if name is not None and node.type != "macro_invocation" else ()


def _is_passed_on(use: "Node") -> bool:
    return any(child.type == "visibility_modifier" for child in use.children)


def _imports(node: "Node") -> Iterator[Imported]:
    """`use a::{b, c as d}` name by name. One with an attribute or `pub` is a unit of its own."""
    before = node.prev_named_sibling
    if (
        node.type != "use_declaration"
        or _is_passed_on(node)
        or (before is not None and before.type == "attribute_item")
    ):
        return
    argument = field_of(node, "argument")
    for path, name in _leaves(argument, "") if argument is not None else ():
        yield Imported(form=path, name=name, text=f"use {path}")


def _leaves(node: "Node", start: str) -> Iterator[tuple[str, str]]:
    """The paths that a `use` names, and the names that they get."""
    match node.type:
        case "scoped_use_list":
            path, inner = field_of(node, "path"), field_of(node, "list")
            deeper = f"{start}{_text(path)}::" if path is not None else start
            yield from _leaves(inner, deeper) if inner is not None else ()
        case "use_list":
            for each in node.named_children:
                yield from () if is_comment(each) else _leaves(each, start)
        case "use_as_clause":
            path, alias = field_of(node, "path"), field_of(node, "alias")
            yield f"{start}{_text(path)} as {_text(alias)}", _text(alias)
        case "self":
            yield start.removesuffix("::"), start.removesuffix("::").rpartition("::")[2]
        case "use_wildcard":
            yield f"{start}{_text(node)}", "*"
        case _:
            path_text = f"{start}{_text(node)}"
            yield path_text, path_text.rpartition("::")[2]


def _text(node: "Node | None") -> str:
    return "".join(text_in(node).split()) if node is not None else ""


def _why_import(imported: Imported, around: Around) -> str:
    del around
    if imported.name in ("*", "_"):
        return f"`{imported.text}` applies to the whole module"
    return f"`{imported.text}` replaces a name of the language" if imported.name in _PRELUDE else ""


def _why_hazardous(unit: Unit, around: Around, owners: Owners) -> str:
    del owners
    return next(_hazards(unit, around), "")


def _hazards(unit: Unit, around: Around) -> Iterator[str]:
    node = unit.node
    yield from (f"`{name}` is a name of the language" for name in sorted(unit.names & _PRELUDE))
    for attribute in unit.nodes[:-1]:
        is_module = node.type == "mod_item" and _FOR_TESTS.fullmatch(text_in(attribute))
        if not _PLAIN.match(text_in(attribute)) and not is_module:
            yield f"`{shown_text(attribute)}` may change which tests run"
    if node.type == "mod_item":
        yield from _of_module(unit.body, around) if unit.body is not None else ()
    elif node.type == "impl_item":
        kind = field_of(node, "type")
        if kind is None or root_name(kind) not in around.new:
            yield f"`{shown_text(node)}` changes a type that existing tests may use"
        yield from _of_code(node)
    elif node.type in _ITEMS:
        yield from _of_code(node)
    else:
        yield f"`{shown_text(node)}` may change existing tests"


def _of_module(body: "Node", around: Around) -> Iterator[str]:
    """A new module may bring what it likes for itself, except what reaches out of it."""
    for unit in _units(body):
        if unit.node.type == "use_declaration" or is_comment(unit.node):
            continue
        yield from _hazards(unit, replace(around, new=around.new | _names_of(body)))


def _names_of(body: "Node") -> frozenset[str]:
    return frozenset(name for unit in _units(body) for name in unit.names)


def _of_code(node: "Node") -> Iterator[str]:
    if found := _REACHING.search(text_in(node)):
        yield f"`{found[0]}` reaches beyond the new tests"
    for each, local in scoped(node, _declared):
        if each.type in ("assignment_expression", "compound_assignment_expr"):
            target = field_of(each, "left")
            root = root_name(_behind(target)) if target is not None else ""
            if root not in local | {"self", "_", ""}:
                yield f"it sets `{shown_text(each)}`, which other tests share"
        elif each.type in ("impl_item", "trait_item") and each != node and not _is_for_local(each, node):
            yield f"`{shown_text(each)}` may change existing tests"


def _is_for_local(implementation: "Node", owner: "Node") -> bool:
    """Whether a type is implemented that is defined in the same function."""
    kind = field_of(implementation, "type")
    local = {name for each in every(owner) if each.type in ("struct_item", "enum_item") for name in _bound(each)}
    return kind is not None and root_name(kind) in local


def _behind(target: "Node") -> "Node":
    """The target behind stars and brackets."""
    node = target
    while node.type in ("unary_expression", "parenthesized_expression") and node.named_children:
        node = node.named_children[0]
    return node


def _declared(node: "Node") -> frozenset[str]:
    if node.type not in _SCOPES:
        return frozenset()
    found: set[str] = set()
    given = field_of(node, "parameters")
    if given is not None:
        found.update(text_in(each) for each in every(given) if each.type in ("identifier", "self"))
    for each in (node, *within_scope(node, lambda inner: inner.type in _SCOPES)):
        pattern = field_of(each, "pattern") if each.type in _PATTERNS else None
        if pattern is not None:
            found.update(
                text_in(name) for name in every(pattern) if name.type in ("identifier", "shorthand_field_identifier")
            )
    return frozenset(found)


DIALECT = Dialect(units=_units, imports=_imports, why_hazardous=_why_hazardous, why_import=_why_import)
