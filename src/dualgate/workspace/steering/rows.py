"""A parametrized Python test before and after -> the rows that were added to it, and why a row may not be added."""

import ast

from dualgate.languages.expressions import Function
from dualgate.languages.parameters import parameter_tables
from dualgate.workspace.steering.hazards import Surroundings, why_reaching
from dualgate.workspace.steering.names import names_of


def added_rows(old: Function, new: Function) -> list[ast.expr] | None:
    """The rows at the end of the lists; None if anything else is changed, or a row is there already."""
    tables = list(zip(parameter_tables(old), parameter_tables(new), strict=False))
    added: list[ast.expr] = []
    kept = [table.elts for _, table in tables]
    for was, now in tables:
        count = len(was.elts)
        more, now.elts = now.elts[count:], now.elts[:count]
        known = {ast.dump(row) for row in was.elts}
        added.extend(more if not any(ast.dump(row) in known for row in more) else [])
    is_same = ast.dump(old) == ast.dump(new)
    for (_, now), rows in zip(tables, kept, strict=True):
        now.elts = rows
    return added if is_same and added else None


def why_no_row(row: ast.expr, around: Surroundings) -> str:
    """Why a row may not be added to an existing test; empty if it may."""
    text = ast.unparse(row).splitlines()[0][:60]
    keywords = row.keywords if isinstance(row, ast.Call) else []
    if any(each.arg in ("marks", None) for each in keywords):
        return f"the row `{text}` has marks"
    if names_of(row):
        return f"the row `{text}` binds a name"
    return why_reaching(row, around)
