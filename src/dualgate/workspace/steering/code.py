"""A path and its bytes -> what the file does, as text in which neither layout nor comments count.

Two texts of one form do the same. Where that is not sure the form is the text itself, so that every change counts.
"""

import ast
import inspect
import re
from collections.abc import Callable
from pathlib import PurePosixPath

from dualgate.workspace.steering.formats import ini, json_form, plain, shell, toml, xml, yaml
from dualgate.workspace.steering.lexer import CSHARP, JAVA, KOTLIN, PHP, C, lexed_form
from dualgate.workspace.steering.syntax import GO, RUST, TSX, TYPESCRIPT, syntax_form


def form_of(path: str, content: bytes) -> str:
    """A file in a form in which neither layout nor comments count; docstrings count, but for their indentation."""
    suffix = PurePosixPath(path).suffix.lower()
    if not suffix and (interpreter := _SHEBANG.match(content)):
        suffix = ".py" if interpreter[1] == b"python" else ".sh"
    return FORMS.get(suffix, plain)(content)


_SHEBANG = re.compile(rb"#![^\n]*?\b(python|sh|bash|dash|zsh)[\d.]*\b")


def code_of(path: str, content: bytes) -> str:
    """What a file does: its form without docstrings. A file in which nothing can be remarked is all of its bytes."""
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in _PYTHON_ENDINGS:
        return python(content, without_docstrings=True)
    return FORMS[suffix](content) if suffix in _REMARKED else plain(content)


def python(content: bytes, without_docstrings: bool = False) -> str:
    try:
        tree = ast.parse(content)
        for node in ast.walk(tree):
            _unify(node, without_docstrings)
        return ast.dump(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return plain(content)


def _unify(node: ast.AST, without_docstrings: bool) -> None:
    """What formatters change in the tree: the prefix of a string, brackets after `del`, the indent of a docstring."""
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
_LANGUAGES: dict[str, Callable[[bytes], str]] = {
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx", ".tsx"), syntax_form(TSX)),
    **dict.fromkeys((".ts", ".mts", ".cts"), syntax_form(TYPESCRIPT)),
    ".rs": syntax_form(RUST),
    ".go": syntax_form(GO),
    ".java": lexed_form(JAVA),
    **dict.fromkeys((".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh"), lexed_form(C)),
    ".cs": lexed_form(CSHARP),
    ".php": lexed_form(PHP),
    **dict.fromkeys((".kt", ".kts", ".swift", ".scala", ".dart", ".groovy", ".gradle"), lexed_form(KOTLIN)),
}
FORMS: dict[str, Callable[[bytes], str]] = {
    **dict.fromkeys(_PYTHON_ENDINGS, python),
    **_LANGUAGES,
    **dict.fromkeys((".json", ".jsonc", ".json5"), json_form),
    ".toml": toml,
    **dict.fromkeys((".yml", ".yaml"), yaml),
    ".xml": xml,
    **dict.fromkeys((".sh", ".bash"), shell),
    **dict.fromkeys((".ini", ".cfg"), ini),
}
_REMARKED = frozenset({*_LANGUAGES, ".toml", ".yml", ".yaml", ".sh", ".bash", ".ini", ".cfg"})
"""Endings of files that have comments."""
