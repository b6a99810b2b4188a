"""An expression of Python -> the names at its beginning and its end."""

import ast

Function = ast.FunctionDef | ast.AsyncFunctionDef


def last_name(function: ast.expr) -> str:
    """The last name of `a.b`; empty for another expression."""
    match function:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""


def root_of(node: ast.expr) -> str:
    """The name at the beginning of `a.b[0].c()`; empty if there is none."""
    while True:
        match node:
            case ast.Attribute(value=inner) | ast.Subscript(value=inner) | ast.Starred(value=inner):
                node = inner
            case ast.Call(func=inner):
                node = inner
            case ast.Name(id=name):
                return name
            case _:
                return ""
