"""A Python test function -> the lists of its parameters, which may get more rows at their end."""

import ast

Function = ast.FunctionDef | ast.AsyncFunctionDef
MOST_ROWS = 64
"""Tests with more rows are compared as a whole: every case of a test holds a digest of each row."""


def parameter_tables(function: Function) -> tuple[ast.List, ...]:
    """The lists of rows and of ids that `parametrize` gets as they are written; empty if there are many rows."""
    found: list[ast.List] = []
    for call in function.decorator_list:
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "parametrize":
            named = (each.value for each in call.keywords if each.arg in ("argvalues", "ids"))
            found.extend(each for each in (*call.args[1:2], *named) if isinstance(each, ast.List))
    return tuple(found) if sum(len(each.elts) for each in found) <= MOST_ROWS else ()
