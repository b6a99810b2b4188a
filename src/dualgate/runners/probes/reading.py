"""A test -> whether it may look at the project from outside: reads its files, or starts processes."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from dualgate.core.values.case_names import function_of
from dualgate.core.values.suite import CaseResult

_FROM_OUTSIDE = re.compile(
    r"\bsubprocess\b|\bPopen\b|\bsystem\(|\bpytester\b|\btestdir\b|\bopen\(|\bread_(text|bytes)\b|\bPath\(|\b__file__\b|"
    r"\b(glob|rglob|iterdir|listdir|scandir|walk|getsource|metadata|resources|import_module|run_module|run_path|exists|"
    r"is_file|isfile|ast|urllib|requests|httpx|socket)\b"
)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def reads_or_starts(project: Path, case: CaseResult) -> bool:
    """By the text of the test, of what it shares its file with, and of the fixtures above it; True if unknown."""
    path = project / case.file
    if not case.file or not path.is_file():
        return True
    own = function_of(case.id).rpartition("::")[2].rpartition(".")[2].partition("[")[0]
    texts = [_text_for(path, own), *(_text_for(each, "") for each in _conftests(project, case.file))]
    return any(text is None or _FROM_OUTSIDE.search(text) for text in texts)


def _conftests(project: Path, file: str) -> Iterator[Path]:
    return (found for folder in PurePosixPath(file).parents if (found := project / folder / "conftest.py").is_file())


def _text_for(path: Path, own: str) -> str | None:
    """The text of a file without its imports and other tests; None if it cannot be read."""
    try:
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
    except (OSError, SyntaxError, ValueError):
        return None
    lines = text.split("\n")
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom) or (
            isinstance(node, _FUNCTIONS) and _is_other(node.name, own)
        ):
            end = node.end_lineno or node.lineno
            lines[node.lineno - 1 : end] = [""] * (end - node.lineno + 1)
    return "\n".join(lines)


def _is_other(name: str, own: str) -> bool:
    return name.startswith("test") and name != own
