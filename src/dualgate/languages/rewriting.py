"""A Python test -> the same in one form, where linters have several words for one thing.

Only rewrites that ask the same of the code. Two tests that differ in no more are not equal beyond doubt, so the proven
file is run as well (`session/extending.py`).
"""

import ast

_SEQUENCES: dict[str, type[ast.List | ast.Tuple]] = {"list": ast.List, "tuple": ast.Tuple}
_NEGATED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.In: ast.NotIn,
    ast.Is: ast.IsNot,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}
_WITH_NONE: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Eq: ast.Is, ast.NotEq: ast.IsNot}
_SAYING = (ast.Constant, ast.JoinedStr, ast.FormattedValue, ast.Name, ast.Attribute, ast.Load)
"""Parts of a message that do nothing."""


def rewrite(tree: ast.AST) -> None:
    """Bring statements and expressions into one form, in place."""
    waiting = [tree]
    for node in waiting:
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.expr):
                setattr(node, name, value := _rewritten(value))
            elif isinstance(value, list):
                value[:] = [_rewritten(each) if isinstance(each, ast.expr) else each for each in value]
        _rewrite_statement(node)
        waiting.extend(ast.iter_child_nodes(node))


def _rewrite_statement(node: ast.AST) -> None:
    """Merge `with` inside `with`, and drop the message of an assertion that runs nothing."""
    match node:
        case ast.With(body=[ast.With() as inner]) | ast.AsyncWith(body=[ast.AsyncWith() as inner]):
            node.items, node.body = [*node.items, *inner.items], inner.body
            _rewrite_statement(node)
        case ast.Assert(msg=ast.expr() as message) if all(isinstance(each, _SAYING) for each in ast.walk(message)):
            node.msg = None


def _rewritten(node: ast.expr) -> ast.expr:
    match node:
        case ast.JoinedStr(values=values) if all(isinstance(each, ast.Constant) for each in values):
            return ast.Constant("".join(str(each.value) for each in values if isinstance(each, ast.Constant)))
        case ast.UnaryOp(op=ast.Not(), operand=ast.Compare(ops=[operator]) as inner) if type(operator) in _NEGATED:
            negated = ast.Compare(left=inner.left, ops=[_NEGATED[type(operator)]()], comparators=inner.comparators)
            return _rewritten(negated)
        case ast.Compare(ops=[operator], comparators=[ast.Constant(value=None)]) if type(operator) in _WITH_NONE:
            return ast.Compare(left=node.left, ops=[_WITH_NONE[type(operator)]()], comparators=node.comparators)
        case ast.Call(func=ast.Name(id=name)) if name in ("dict", "set", *_SEQUENCES):
            return _literal(name, node) or node
        case _:
            return node


def _literal(name: str, call: ast.Call) -> ast.expr | None:
    """`set([1])`, `list()` or `dict(a=1)` as a literal; None if there is none for it."""
    match name, call.args, call.keywords:
        case "dict", [], keywords if all(each.arg for each in keywords):
            return ast.Dict(
                keys=[ast.Constant(each.arg) for each in keywords], values=[each.value for each in keywords]
            )
        case "list" | "tuple" as kind, [], []:
            return _SEQUENCES[kind](elts=[], ctx=ast.Load())
        case "list" | "tuple" | "set" as kind, [ast.List(elts=[_, *_] as parts) | ast.Tuple(elts=[_, *_] as parts)], []:
            return ast.Set(elts=parts) if kind == "set" else _SEQUENCES[kind](elts=parts, ctx=ast.Load())
        case _:
            return None
