"""What pages made from the code share: tables, and the texts that stand under the fields of a class."""

import ast
import inspect
import textwrap
from collections.abc import Sequence


def table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    return "".join(f"| {' | '.join(line)} |\n".replace("|  |", "| |") for line in lines)


def cell(text: str) -> str:
    """A text as a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def texts_under_fields(owner: type) -> dict[str, str]:
    """The string under each field or member of a class, or the comment behind it, by its name."""
    source = textwrap.dedent(inspect.getsource(owner))
    (definition,) = ast.parse(source).body
    assert isinstance(definition, ast.ClassDef)
    found = {}
    for field, under in zip(definition.body, [*definition.body[1:], None], strict=True):
        match field, under:
            case (
                ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]),
                ast.Expr(value=ast.Constant(value=str() as words)),
            ):
                found[name] = inspect.cleandoc(words)
            case ast.AnnAssign(target=ast.Name(id=name), end_lineno=int() as line), _:
                comment = source.splitlines()[line - 1].partition("  # ")[2]
                found[name] = comment[:1].upper() + comment[1:] + "." if comment else ""
    return found
