"""JavaScript and TypeScript: which statements are tests, and which ones may change existing tests."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dualgate.languages.javascript import TSX
from dualgate.languages.javascript_tests import (
    FUNCTIONS,
    GROUPS,
    TESTS,
    arguments_of,
    block_of,
    call_of_test,
    statements_in,
    title_of,
)
from dualgate.languages.trees import every, field_of, is_comment, root_name, shown_text, text_in
from dualgate.workspace.steering.added.titles import filled_title, why_same_title
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

_HOOKS = frozenset(
    {
        *("beforeEach", "afterEach", "beforeAll", "afterAll", "before", "after"),
        *("setup", "teardown", "suiteSetup", "suiteTeardown", "onTestFinished"),
    }
)
_MODIFIERS = frozenset({"each", "for"})
_OPTIONS = frozenset({"timeout"})
_DEFINITIONS = frozenset(
    {
        *("lexical_declaration", "variable_declaration", "function_declaration", "generator_function_declaration"),
        *("class_declaration", "abstract_class_declaration", "enum_declaration"),
        *("interface_declaration", "type_alias_declaration"),
    }
)
_VARIABLES = frozenset({"lexical_declaration", "variable_declaration"})
_SCOPES = FUNCTIONS | {"statement_block", "for_statement", "for_in_statement", "catch_clause", "class_body"}
_SETTING = frozenset({"assignment_expression", "augmented_assignment_expression", "update_expression"})
_SHARED = frozenset(
    {"globalThis", "global", "window", "process", "require", "module", "jest", "vi", "expect", "Object"}
)
_OF_FRAMEWORK = {
    **dict.fromkeys(
        ("jest", "vi", "vitest", "mock"),
        frozenset(
            {
                *("mock", "unmock", "doMock", "doUnmock", "dontMock", "setMock", "deepUnmock", "module", "hoisted"),
                *("enableAutomock", "disableAutomock", "autoMockOn", "autoMockOff", "stubGlobal", "setTimeout"),
                *("setConfig", "retryTimes"),
            }
        ),
    ),
    "expect": frozenset({"extend", "addSnapshotSerializer", "addEqualityTesters", "setState"}),
    "chai": frozenset({"use", "should"}),
    "process": frozenset({"exit", "abort", "kill", "reallyExit", "on", "once", "chdir", "removeAllListeners"}),
    "Module": frozenset({"register", "registerHooks"}),
}
"""Object -> its methods that change all tests of a file or of a process."""
_WRITING = frozenset({"defineProperty", "defineProperties", "assign", "setPrototypeOf", "set", "deleteProperty"})
_MUTATING = frozenset(
    {
        *("push", "pop", "shift", "unshift", "splice", "sort", "reverse", "fill", "copyWithin"),
        *("set", "delete", "clear", "add"),
    }
)
_RUNNING_TEXT = frozenset({"eval", "Function"})
_PROTOTYPE = re.compile(r"\bprototype\b|__proto__|['\"`]\s*\+")
_FRAMEWORKS = re.compile(r"vitest|@jest/globals|node:test|mocha|bun:test|jest")


def _units(node: "Node") -> Iterator[Unit]:
    for child in node.named_children:
        if child.type not in ("empty_statement", "hash_bang_line") and not any(_imports(child)):
            yield _unit(child)


def _unit(node: "Node") -> Unit:
    if is_comment(node):
        return Unit(nodes=(node,), title=text_in(node))
    call = call_of_test(node)
    block = block_of(call) if call is not None and root_name(call) in GROUPS else None
    if call is None or block is None:
        title = (f"{root_name(call)} {title_of(call)}" if call is not None else "") or _first(node)
        return Unit(nodes=(node,), title=title, names=frozenset(_bound(node)))
    return Unit(nodes=(node,), title=f"{root_name(call)} {title_of(call)}", head=_head(call, block), body=block)


def _first(node: "Node") -> str:
    return ", ".join(_bound(node)) or shown_text(node)


def _head(call: "Node", block: "Node") -> str:
    """The form of a group without its block."""
    parts: list[str] = []
    waiting = [call]
    while waiting:
        each = waiting.pop()
        if each == block or is_comment(each):
            continue
        if each.start_byte <= block.start_byte and block.end_byte <= each.end_byte:
            parts.append(each.type)
            waiting.extend(reversed(each.children))
        elif each.type not in (",", ";"):
            parts.append(node_form(TSX, each))
    return "\0".join(parts)


def _imports(node: "Node") -> Iterator[Imported]:
    if node.type == "import_statement":
        yield from _of_import(node)
    elif node.type in _VARIABLES:
        yield from _of_require(node)


def _of_import(node: "Node") -> Iterator[Imported]:
    source = node_form(TSX, source_node) if (source_node := field_of(node, "source")) is not None else text_in(node)
    kind = "type " if any(child.type == "type" for child in node.children) else ""
    clause = next((child for child in node.named_children if child.type == "import_clause"), None)
    text = shown_text(node)
    if clause is None:
        yield Imported(form=node_form(TSX, node), name="", text=text, source=source)
        return
    for each in clause.named_children:
        for part in each.named_children if each.type == "named_imports" else [each]:
            names = [text_in(inner) for inner in every(part) if inner.type == "identifier"]
            name = names[-1] if names else ""
            yield Imported(
                form=f"{kind}{source}\0{part.type}\0{node_form(TSX, part)}", name=name, text=text, source=source
            )


def _of_require(node: "Node") -> Iterator[Imported]:
    """`const { a, b: c } = require("x")`, and `const x = require("x")`."""
    declarators = [child for child in node.named_children if child.type == "variable_declarator"]
    for each in declarators if len(declarators) == 1 else ():
        name, value = field_of(each, "name"), field_of(each, "value")
        arguments = arguments_of(value) if value is not None and value.type == "call_expression" else []
        is_require = value is not None and text_in(field_of(value, "function") or value) == "require"
        if name is None or not is_require or [argument.type for argument in arguments] != ["string"]:
            continue
        source = node_form(TSX, arguments[0])
        for part in name.named_children if name.type == "object_pattern" else [name]:
            bound = next(iter(_names_in(part)), "")
            form = f"{text_in(node.children[0])}\0{source}\0{name.type}\0{node_form(TSX, part)}"
            yield Imported(form=form, name=bound, text=shown_text(node), source=source)


def _why_import(imported: Imported, around: Around) -> str:
    del around
    if not imported.name:
        return f"`{imported.text}` runs code for all tests of the file"
    if _HOOKS & {*re.findall(r"\w+", imported.form)} and imported.name not in _HOOKS:
        return f"`{imported.text}` gives a hook another name"
    return ""


def _bound(node: "Node") -> tuple[str, ...]:
    """The names that a statement binds where it stands."""
    if node.type in _VARIABLES:
        declarators = (child for child in node.named_children if child.type == "variable_declarator")
        found = (field_of(each, "name") for each in declarators)
        return tuple(name for each in found if each is not None for name in _names_in(each))
    name = field_of(node, "name") if node.type in _DEFINITIONS else None
    return (text_in(name),) if name is not None else ()


def _names_in(pattern: "Node") -> Iterator[str]:
    """The names that a pattern binds, without those in its defaults."""
    match pattern.type:
        case "identifier" | "shorthand_property_identifier_pattern" | "type_identifier":
            yield text_in(pattern)
        case "assignment_pattern" | "object_assignment_pattern":
            yield from _names_in(pattern.children[0])
        case "pair_pattern" | "required_parameter" | "optional_parameter":
            inner = field_of(pattern, "value" if pattern.type == "pair_pattern" else "pattern")
            yield from _names_in(inner) if inner is not None else ()
        case "array_pattern" | "object_pattern" | "rest_pattern" | "formal_parameters":
            yield from (name for child in pattern.named_children for name in _names_in(child))


def _declared(node: "Node") -> frozenset[str]:
    if node.type not in _SCOPES:
        return frozenset()
    found = {name for each in within_scope(node, _is_scope) for name in _bound(each)}
    for field in ("parameters", "parameter"):
        given = field_of(node, field)
        found.update(_names_in(given) if given is not None else ())
    left = field_of(node, "left") if node.type == "for_in_statement" else None
    if left is not None and any(child.type in ("const", "let", "var") for child in node.children):
        found.update(_names_in(left))
    return frozenset(found)


def _is_scope(node: "Node") -> bool:
    return node.type in _SCOPES


def _why_hazardous(unit: Unit, around: Around, owners: Owners) -> str:
    return next(_hazards(unit.node, around, owners), "")


def _hazards(node: "Node", around: Around, owners: Owners) -> Iterator[str]:
    titles = tuple(filled_title(call) for each in owners if (call := call_of_test(each.node)) is not None)
    if node.type in _DEFINITIONS:
        yield from _of_code(node, around, on_load=node.type in _VARIABLES)
    elif node.type == "for_in_statement":
        body, over = field_of(node, "body"), field_of(node, "right")
        yield from _of_code(over, around, on_load=True) if over is not None else ()
        for each in body.named_children if body is not None else ():
            yield from _hazards(each, around, owners)
    elif (call := call_of_test(node)) is not None:
        yield from _of_test(call)
        yield from why_same_title(call, around.before, titles)
        yield from _of_code(node, around)
    elif not is_comment(node):
        yield f"`{shown_text(node)}` runs when the file is loaded"


def _of_test(call: "Node") -> Iterator[str]:
    """A test or a group must be a plain one, with a title and a function."""
    function = field_of(call, "function")
    inner = field_of(function, "function") if function is not None and function.type == "call_expression" else None
    called = inner if inner is not None else function
    if called is None:
        return
    modifier = text_in(found) if (found := field_of(called, "property")) is not None else ""
    is_plain = called.type == "identifier" or (modifier in _MODIFIERS and text_in(called).count(".") == 1)
    if not is_plain or (bool(modifier) != (inner is not None)):
        yield f"`{text_in(called)}` is not a plain test: it may change which tests run"
    elif not title_of(call):
        yield f"`{shown_text(call)}` has no title that can be read"
    elif any(not _is_plain_argument(each, call) for each in arguments_of(call)[1:]):
        yield f"`{shown_text(call)}` has options, or is not a plain test"
    for each in statements_in(call):
        if (nested := call_of_test(each)) is not None:
            yield from _of_test(nested)


def _is_plain_argument(node: "Node", call: "Node") -> bool:
    if node.type == "object":
        keys = [text_in(key) if (key := field_of(each, "key")) is not None else "" for each in node.named_children]
        return {*keys} <= _OPTIONS
    is_name = node.type in ("identifier", "member_expression") and root_name(call) in TESTS
    return node.type in FUNCTIONS or node.type == "number" or is_name


def _of_code(node: "Node", around: Around, on_load: bool = False) -> Iterator[str]:
    """Code that reaches beyond the addition."""
    groups = frozenset(block.id for each in every(node) if (block := _new_group(each)) is not None)
    for each, local in scoped(node, _declared):
        if each.type in _SETTING or (each.type == "unary_expression" and each.children[0].type == "delete"):
            yield from _of_setting(each, around, local, on_load)
        elif each.type in ("call_expression", "new_expression"):
            yield from _of_call(each, around, local, on_load)
            yield from _of_hook(each, groups, around)
        elif (
            each.type == "member_expression"
            and text_in(each.children[-1]) == "only"
            and root_name(each) in TESTS | GROUPS
        ):
            yield f"`{text_in(each)}` is not a plain test: it may change which tests run"


def _new_group(node: "Node") -> "Node | None":
    is_group = node.type == "call_expression" and root_name(node) in GROUPS
    return block_of(node) if is_group else None


def _of_hook(call: "Node", groups: frozenset[int], around: Around) -> Iterator[str]:
    """A hook may stand in a new group only, directly."""
    name = text_in(field_of(call, "function") or call)
    place = call.parent.parent if call.parent is not None else None
    is_in_group = place is not None and place.id in groups
    if name in _HOOKS and not is_in_group and not _is_another(name, around):
        yield f"`{name}` applies to existing tests"


def _is_another(name: str, around: Around) -> bool:
    """Whether a name that hooks have means something else in the existing file."""
    imported = [each for child in around.before.named_children for each in _imports(child) if each.name == name]
    return any(not _FRAMEWORKS.search(each.source) for each in imported)


def _of_setting(node: "Node", around: Around, local: frozenset[str], on_load: bool) -> Iterator[str]:
    target = next((child for child in node.named_children if not is_comment(child)), None)
    if target is None:
        return
    if target.type in ("array_pattern", "object_pattern"):
        names = [text_in(each) for each in every(target) if not each.child_count and each.is_named]
        is_outside = any(name not in local for name in names)
    else:
        root = root_name(target)
        is_direct = target.type == "identifier" or _depth(target) == 1
        reached = around.own | _SHARED | around.new
        is_outside = root not in local | {"this", "super"} and (on_load or is_direct or root in reached)
    if is_outside or _PROTOTYPE.search(text_in(target)):
        yield f"it sets `{shown_text(target)}`, which other tests share"


def _depth(target: "Node") -> int:
    """How many attributes deep a target is; a call in it counts as many."""
    depth, node = 0, target
    while node.type in ("member_expression", "subscript_expression", "non_null_expression", "parenthesized_expression"):
        depth += node.type in ("member_expression", "subscript_expression")
        node = node.children[0] if node.type != "parenthesized_expression" else node.named_children[0]
    return depth if node.type == "identifier" else 2


def _of_call(call: "Node", around: Around, local: frozenset[str], on_load: bool) -> Iterator[str]:
    function = field_of(call, "function") or field_of(call, "constructor")
    if function is None:
        return
    root, method = root_name(function), text_in(function.children[-1] if function.child_count else function)
    is_text = function.type == "identifier" and method in _RUNNING_TEXT
    is_hidden = function.type == "subscript_expression" and root in _SHARED
    is_of_framework = root not in local and method in _OF_FRAMEWORK.get(root, ())
    if is_text or is_hidden or is_of_framework or _changes_shared(call, function, around, local, on_load):
        yield f"`{shown_text(call)}` reaches beyond the new tests"


def _changes_shared(call: "Node", function: "Node", around: Around, local: frozenset[str], on_load: bool) -> bool:
    root, method = root_name(function), text_in(function.children[-1] if function.child_count else function)
    if root in ("Object", "Reflect") and method in _WRITING:
        return _writes_outside(call, local)
    return method in _MUTATING and _is_path(function) and _is_shared(root, around, local, on_load)


def _is_path(function: "Node") -> bool:
    """Whether it is `a.b.c`, without a call in between, which may give a new object."""
    return function.type == "member_expression" and not any(each.type == "call_expression" for each in every(function))


def _is_shared(root: str, around: Around, local: frozenset[str], on_load: bool) -> bool:
    return root not in local and (on_load or root in around.own - around.imported) and root.isidentifier()


def _writes_outside(call: "Node", local: frozenset[str]) -> bool:
    first = next(iter(arguments_of(call)), None)
    if first is None or first.type in ("object", "new_expression", "array"):
        return False
    return root_name(first) not in local or _PROTOTYPE.search(text_in(first)) is not None


DIALECT = Dialect(
    units=_units,
    imports=_imports,
    why_hazardous=_why_hazardous,
    why_import=_why_import,
    names=frozenset({"identifier", "type_identifier", "shorthand_property_identifier"}),
)
