"""Examples of a doctest -> a digest in which `core/evidence/examples.py` sees whether examples were only added."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from . import witness

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ANYTHING = "*"
"""Stands for the names that an example may bind if they cannot be read."""
REACHING = frozenset(("setattr", "delattr", "exec", "eval", "globals", "locals", "vars", "__import__", "reload"))


def digest_of(examples: Iterable[Any]) -> str:
    """For each example a digest, the names that it binds, and the names that it uses."""
    return "examples " + " ".join(_digest(example.source, example.want) for example in examples)


def _digest(source: str, want: str) -> str:
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        bound, used = {ANYTHING}, set()
    else:
        bound, used = set(_bound(nodes)), {each.id for each in nodes if isinstance(each, ast.Name)}
    parts = (witness.short(source + "\0" + want), ",".join(sorted(bound)), ",".join(sorted(used)))
    return "|".join(parts)


def _bound(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                yield node.id
            elif node.id in REACHING:
                yield ANYTHING
        elif isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            yield ANYTHING
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0]
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
