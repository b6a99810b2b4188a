"""A path and its bytes -> the code of the file, as text in which neither layout nor comments count.

Two texts with the same form do the same. In doubt the form is the text itself, so that every change counts.
"""

import ast
import inspect
import re
from collections.abc import Callable
from pathlib import PurePosixPath

from dualgate.languages.imports import in_one_order, without_unused
from dualgate.languages.registry import LANGUAGES
from dualgate.languages.sources import Grammar
from dualgate.workspace.steering.formats import ini, json_form, or_plain, plain, shell, toml, xml, yaml
from dualgate.workspace.steering.lexer import lexed_form
from dualgate.workspace.steering.syntax import syntax_form


def form_of(path: str, content: bytes) -> str:
    """The form of a file without layout and comments; docstrings count, except for their indentation."""
    suffix = PurePosixPath(path).suffix.lower()
    if not suffix and (interpreter := _SHEBANG.match(content)):
        suffix = ".py" if interpreter[1] == b"python" else ".sh"
    return FORMS.get(suffix, plain)(content)


_SHEBANG = re.compile(rb"#![^\n]*?\b(python|sh|bash|dash|zsh)[\d.]*\b")


def code_of(path: str, content: bytes) -> str:
    """The form of a file without docstrings. A format without comments counts byte for byte."""
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in _PYTHON_ENDINGS:
        return python(content, without_docstrings=True)
    return FORMS[suffix](content) if suffix in _WITH_COMMENTS else plain(content)


@or_plain
def python(content: bytes, without_docstrings: bool = False) -> str:
    tree = ast.parse(content)
    if not without_docstrings:
        tree.body = without_unused(tree)
    unify(tree, without_docstrings)
    return ast.dump(tree)


def unify(tree: ast.Module, without_docstrings: bool = False) -> None:
    """Remove what formatters change, in place."""
    for node in ast.walk(tree):
        _unify(node, without_docstrings)
        for name in ("body", "orelse", "finalbody"):
            if isinstance(statements := getattr(node, name, None), list):
                setattr(node, name, in_one_order(statements))


def _unify(node: ast.AST, without_docstrings: bool) -> None:
    """Prefixes of strings, brackets after `del`, the indentation of docstrings."""
    match node:
        case ast.Constant():
            node.kind = None
        case ast.Delete(targets=[ast.Tuple(elts=targets)]):
            node.targets = targets
        case ast.Module() | ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
            if (docstring := ast.get_docstring(node, clean=False)) is None:
                return
            if without_docstrings:
                node.body = node.body[1:] or [ast.Pass()]
            else:
                words = "\n".join(line.rstrip() for line in inspect.cleandoc(docstring).splitlines())
                node.body[0] = ast.Expr(ast.Constant(words.strip()))


_PYTHON_ENDINGS = frozenset({".py", ".pyi"})
_SOURCES: dict[str, Callable[[bytes], str]] = {
    ending: syntax_form(source) if isinstance(source, Grammar) else lexed_form(source)
    for language in LANGUAGES
    for ending, source in language.sources.items()
}
FORMS: dict[str, Callable[[bytes], str]] = {
    **dict.fromkeys(_PYTHON_ENDINGS, python),
    **_SOURCES,
    **dict.fromkeys((".json", ".jsonc", ".json5"), json_form),
    ".toml": toml,
    **dict.fromkeys((".yml", ".yaml"), yaml),
    ".xml": xml,
    **dict.fromkeys((".sh", ".bash"), shell),
    **dict.fromkeys((".ini", ".cfg"), ini),
}
_WITH_COMMENTS = frozenset({*_SOURCES, ".toml", ".yml", ".yaml", ".sh", ".bash", ".ini", ".cfg"})
