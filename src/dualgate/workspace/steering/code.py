"""Source text -> what it does, as text: the syntax tree of Python, the tokens of other languages, without their layout.

Two texts of one form do the same. Where that is not sure the form is the text itself, so that every change counts.
"""

import ast
import inspect
import re
from collections.abc import Callable
from pathlib import PurePosixPath

from dualgate.workspace.steering.formats import ini, json_form, plain, shell, text_of, toml, xml, yaml
from dualgate.workspace.steering.languages import CSHARP, GO, GROOVY, JAVA, JAVASCRIPT, KOTLIN, PHP, RUST, C
from dualgate.workspace.steering.layout import Layout, go_lines, javascript, lines, rust, tokens_alone
from dualgate.workspace.steering.lexer import Kind, Language, Token, Unreadable, tokens_of

# comments that a compiler or a runner reads
_DIRECTIVE_COMMENT = re.compile(
    r"//go:|//\s*\+build|//export |#cgo|#include|@jest|@vitest|@ts-|@jsx|@vite-ignore|webpack"
)


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


def _stream(language: Language, layout: Layout) -> Callable[[bytes], str]:
    def read(content: bytes) -> str:
        try:
            text = text_of(content)
            found = [token for token in tokens_of(text, language) if token.kind is not Kind.COMMENT or _counts(token)]
            if language is JAVASCRIPT and _is_markup(text, found):
                return plain(content)
            return "\n".join(layout(found))
        except Unreadable:
            return plain(content)

    return read


def _counts(token: Token) -> bool:
    return _DIRECTIVE_COMMENT.search(token.text) is not None


_MARKUP = re.compile("</|/>")


def _is_markup(text: str, found: list[Token]) -> bool:
    """Whether there is markup in the code (JSX): its text follows other rules, which are not known here."""
    if not _MARKUP.search(text):
        return False
    strings = {place for token in found if token.kind is Kind.STRING for place in range(token.start, token.end)}
    return any(match.start() not in strings for match in _MARKUP.finditer(text))


_PYTHON_ENDINGS = frozenset({".py", ".pyi"})
_LANGUAGES: dict[str, tuple[Language, Layout]] = {
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"), (JAVASCRIPT, javascript)),
    ".rs": (RUST, rust),
    ".go": (GO, go_lines),
    ".java": (JAVA, tokens_alone),
    **dict.fromkeys((".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh"), (C, tokens_alone)),
    ".cs": (CSHARP, tokens_alone),
    ".php": (PHP, tokens_alone),
    **dict.fromkeys((".kt", ".kts", ".swift", ".scala", ".dart"), (KOTLIN, lines)),
    **dict.fromkeys((".groovy", ".gradle"), (GROOVY, lines)),
}
FORMS: dict[str, Callable[[bytes], str]] = {
    **dict.fromkeys(_PYTHON_ENDINGS, python),
    **{ending: _stream(*known) for ending, known in _LANGUAGES.items()},
    **dict.fromkeys((".json", ".jsonc", ".json5"), json_form),
    ".toml": toml,
    **dict.fromkeys((".yml", ".yaml"), yaml),
    ".xml": xml,
    **dict.fromkeys((".sh", ".bash"), shell),
    **dict.fromkeys((".ini", ".cfg"), ini),
}
_REMARKED = frozenset({*_LANGUAGES, ".toml", ".yml", ".yaml", ".sh", ".bash", ".ini", ".cfg"})
"""Endings of files that have comments."""
