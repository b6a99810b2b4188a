"""A statement that is added to a Python file of tests -> why it may change existing tests; empty if it does not."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dualgate.languages.expressions import Function, last_name, root_of
from dualgate.languages.imports import Import, name_bound, split, thing_bound
from dualgate.workspace.steering.additions import IMPOSING
from dualgate.workspace.steering.names import locals_of, names_of, names_used

_OBEYED = IMPOSING | {"asyncSetUp", "asyncTearDown", "setUpTestData", "runTest"}
_HOOKS_OF_FILES = frozenset({"pytest_generate_tests", "pytest_plugins"})
"""Names that pytest reads in a file of tests, whatever they are."""
_MUTATING = frozenset(
    {
        *("append", "extend", "insert", "pop", "remove", "clear", "update", "setdefault", "sort", "reverse", "add"),
        *("discard", "popitem", "__setitem__", "__setattr__", "__delitem__", "__delattr__"),
    }
)
_MUTATING_ON_IMPORT = _MUTATING | {
    *("register", "route", "start", "putenv", "chdir", "write_text", "write_bytes", "unlink", "mkdir", "touch"),
    *("rename", "setattr", "setitem", "setenv", "delattr"),
}
_REACHING = frozenset({"globals"})
_REACHING_ON_IMPORT = _REACHING | {"eval", "open", "compile", "__import__", "vars", "locals", "input", "breakpoint"}
_AS_SCRIPT = ("__name__ == '__main__'", "'__main__' == __name__")
_ENDING = frozenset({"skip", "importorskip", "exit", "fail", "xfail"})
_SHARED = frozenset({"os", "sys", "builtins", "__import__", "import_module", "importlib", "globals", "vars"})
"""Names by which code reaches what all tests share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """The names that existing tests depend on."""

    used: frozenset[str]
    own: frozenset[str]
    """Names that the file defines itself."""
    imported: Mapping[str, str]
    """The meaning of each imported name."""
    members: frozenset[str]
    """Attributes that methods of its classes use."""

    @classmethod
    def of(cls, module: ast.Module) -> "Surroundings":
        own = {name for node in module.body if not isinstance(node, Import) for name in names_of(node)}
        attributes = (node for node in ast.walk(module) if isinstance(node, ast.Attribute))
        return cls(
            used=names_used(module) | own,
            own=frozenset(own),
            imported={name_bound(node): thing_bound(node) for node in split(module.body)},
            members=frozenset(node.attr for node in attributes if root_of(node) in ("self", "cls")),
        )


def why_hazardous(node: ast.stmt, around: Surroundings, owner: ast.ClassDef | None = None) -> str:
    """`owner` is the existing class that the statement is added to, if it is one."""
    return next(_hazards(node, around, owner), "")


def why_reaching(node: ast.expr, around: Surroundings) -> str:
    """Why an expression that runs when the file is imported may change existing tests; empty if it does not."""
    return next(_reaching(node, around, frozenset(), True), "")


def is_for_types(node: ast.If) -> bool:
    """Whether a block is read by type checkers only."""
    return ast.unparse(node.test).rpartition(".")[2] == "TYPE_CHECKING"


def is_quiet(node: ast.stmt) -> bool:
    """Whether a statement does nothing: a text that stands alone, or `pass`."""
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _hazards(node: ast.stmt, around: Surroundings, owner: ast.ClassDef | None) -> Iterator[str]:
    if is_quiet(node):
        return
    is_definition = isinstance(node, Function | ast.ClassDef)
    if owner is not None and not is_definition and not _is_constant_of(owner, node):
        yield f"`{_first_line(node)}` changes the class `{owner.name}`, which has existing tests"
    elif isinstance(node, Import):
        yield from _of_imports(node, around)
    elif is_definition or isinstance(node, ast.Assign | ast.AnnAssign):
        for of in (_of_names(node, around, owner), _of_fixtures(node, around), _of_code(node, around)):
            yield from of
    else:
        yield from _of_blocks(node, around)


def _is_constant_of(owner: ast.ClassDef, node: ast.stmt) -> bool:
    """Whether a statement gives a constant to a class that has no base: a base may read what its classes set."""
    return isinstance(node, ast.Assign | ast.AnnAssign) and not owner.bases and not owner.keywords


def _of_blocks(node: ast.stmt, around: Surroundings) -> Iterator[str]:
    """Imports for type checkers, imports that may fail, and the start as a script; nothing else runs on import."""
    match node:
        case ast.If(orelse=[]) if is_for_types(node):
            imports = (each for each in node.body if isinstance(each, Import))
            yield from (why for each in imports for why in _of_imports(each, around))
        case ast.If(orelse=[]) if ast.unparse(node.test) in _AS_SCRIPT:
            return
        case ast.Try(orelse=[], finalbody=[]):
            for each in (*node.body, *(inner for handler in node.handlers for inner in handler.body)):
                yield from _hazards(each, around, None)
        case _:
            yield f"`{_first_line(node)}` runs when the file is imported"


def _of_imports(node: Import, around: Surroundings) -> Iterator[str]:
    for each in split([node]):
        name = name_bound(each)
        if name == "*" or (isinstance(each, ast.ImportFrom) and each.module == "__future__"):
            yield f"`{ast.unparse(each)}` applies to the whole file"
        elif around.imported.get(name) != thing_bound(each) or name in around.own:
            yield from _of_names(each, around, None)


def _of_names(node: ast.stmt, around: Surroundings, owner: ast.ClassDef | None) -> Iterator[str]:
    taken = around.used if owner is None else around.members | _members_of(owner)
    for name in sorted(names_of(node)):
        is_special = name.startswith("__") and name.endswith("__")
        if name in _OBEYED or is_special or (owner is None and name.startswith("pytest_") and not _is_plugin(node)):
            yield f"`{name}` applies to every test of {f'`{owner.name}`' if owner else 'the file'}"
        elif name in taken:
            yield f"existing tests use the name `{name}`: give the new one another name"


def _is_plugin(node: ast.stmt) -> bool:
    """Whether a statement imports a plug-in as it is called, such as pytest_asyncio: a module is no hook."""
    match node:
        case ast.Import(names=[ast.alias(name=name, asname=None)]):
            return name.partition(".")[0] not in _HOOKS_OF_FILES
        case _:
            return False


def _members_of(owner: ast.ClassDef) -> frozenset[str]:
    from unittest import IsolatedAsyncioTestCase

    inherited = dir(IsolatedAsyncioTestCase) if owner.bases else ()
    return frozenset({*inherited, *(name for node in owner.body for name in names_of(node))})


def _of_fixtures(node: ast.stmt, around: Surroundings) -> Iterator[str]:
    """Fixtures that apply to existing tests: by themselves, or under a name that these ask for."""
    if isinstance(node, ast.ClassDef):
        return
    own = node.decorator_list if isinstance(node, Function) else [node]
    if isinstance(node, Function) and any(_last(each) == "fixture" for each in node.decorator_list):
        yield from _of_names(node, around, None) if names_of(node) & around.used else ()
    calls = (call for each in own for call in ast.walk(each) if isinstance(call, ast.Call))
    for call, keyword in [(each, keyword) for each in calls for keyword in each.keywords]:
        value = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
        if keyword.arg == "autouse" and value is not False:
            yield f"the fixture `{_first_name(node)}` applies to every test (autouse)"
        elif last_name(call.func) == "fixture" and _is_taken(keyword, value, around):
            yield f"existing tests may use the fixture of `{_first_line(call)}`"


def _is_taken(keyword: ast.keyword, value: object, around: Surroundings) -> bool:
    """Whether an option of a fixture may give it a name that existing tests ask for."""
    return keyword.arg is None or (keyword.arg == "name" and (not isinstance(value, str) or value in around.used))


def _of_code(node: ast.stmt, around: Surroundings) -> Iterator[str]:
    """Code that reaches beyond the addition: what runs on import, then the bodies of functions."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            annotations = (each.annotation for each in ast.walk(node.args) if isinstance(each, ast.arg))
            given = (*node.args.defaults, *node.args.kw_defaults, *annotations, node.returns)
            for each in (*map(_called, node.decorator_list), *filter(None, given)):
                yield from _reaching(each, around, frozenset(), True)
            for statement in node.body:
                yield from _reaching(statement, around, locals_of(node), False)
        case ast.ClassDef():
            for head in (*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)):
                yield from _reaching(_called(head), around, frozenset(), True)
            for statement in node.body:
                yield from _in_new_class(statement, around)
        case _:
            yield from _reaching(node, around, frozenset(), True)


def _called(expression: ast.expr) -> ast.expr:
    return ast.Call(func=expression, args=[], keywords=[])


def _in_new_class(node: ast.stmt, around: Surroundings) -> Iterator[str]:
    """A new class may set up what it likes for itself."""
    if isinstance(node, Function | ast.ClassDef | ast.Assign | ast.AnnAssign):
        yield from _of_code(node, around)
    elif not is_quiet(node):
        yield f"`{_first_line(node)}` runs when the file is imported"


def _reaching(node: ast.AST, around: Surroundings, local: frozenset[str], on_import: bool) -> Iterator[str]:
    for each in _walk(node, on_import):
        match each:
            case ast.Global(names=names) if around.used.intersection(names):
                yield f"it sets `{', '.join(names)}`, which existing tests use"
            case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
                if _is_outside(each, around, local, on_import):
                    yield f"it sets `{ast.unparse(each)}`, which other tests share"
            case ast.Call() if _is_reaching_call(each, around, local, on_import):
                yield f"`{_first_line(each)}` reaches beyond the new tests"


def _is_outside(
    target: ast.Attribute | ast.Subscript, around: Surroundings, local: frozenset[str], on_import: bool
) -> bool:
    root = root_of(target)
    if root in local or (not on_import and _is_of_variables(target.value)):
        return False
    is_direct = isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)
    return on_import or is_direct or root in around.own | _SHARED


def _is_of_variables(node: ast.expr) -> bool:
    """Whether an expression is the environment: tests set variables of their own, and proven tests run without them."""
    return ast.unparse(node) in ("os.environ", "environ")


def _is_reaching_call(call: ast.Call, around: Surroundings, local: frozenset[str], on_import: bool) -> bool:
    match call.func:
        case ast.Name(id="setattr" | "delattr"):
            return not call.args or root_of(call.args[0]) not in local
        case ast.Name(id="exec"):
            return on_import or len(call.args) < 2  # with a namespace of its own it stays there
        case ast.Name(id=name):
            return name in (_REACHING_ON_IMPORT if on_import else _REACHING)
        case ast.Attribute(value=ast.Name(id="pytest"), attr=name) if on_import and name in _ENDING:
            return True
        case ast.Attribute(value=value, attr=name) if on_import:
            return name in _MUTATING_ON_IMPORT and bool(root_of(value))
        case ast.Attribute(value=value, attr=name):
            return name in _MUTATING and _is_shared(value, around, local)
        case _:
            return False


def _is_shared(value: ast.expr, around: Surroundings, local: frozenset[str]) -> bool:
    """Whether other tests see an object, and may need it as it is."""
    root = root_of(value)
    return root not in local and root in around.own | {"sys", "os"} and not _is_of_variables(value)


def _walk(node: ast.AST, on_import: bool) -> Iterator[ast.AST]:
    """The nodes that run with a node; on import the body of a lambda does not."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not (on_import and isinstance(node, ast.Lambda) and child is node.body):
            yield from _walk(child, on_import)


def _last(decorator: ast.expr) -> str:
    return last_name(decorator.func if isinstance(decorator, ast.Call) else decorator)


def _first_name(node: ast.stmt) -> str:
    return next(iter(sorted(names_of(node))), "")


def _first_line(node: ast.AST) -> str:
    return ast.unparse(node).splitlines()[0][:60]
