"""The reporters run in any project's interpreter: old syntax, and nothing but the standard library and the runner."""

import ast
import sys
from pathlib import Path

import pytest

from dualgate.runners import reporters

FILES = sorted(Path(reporters.__path__[0]).glob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_reporter_is_python_of_3_8_and_imports_nothing_else(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"), feature_version=(3, 8))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    absolute = {alias.name for node in imports if isinstance(node, ast.Import) for alias in node.names}
    absolute |= {node.module or "" for node in imports if isinstance(node, ast.ImportFrom) and not node.level}

    tops = {name.partition(".")[0] for name in absolute}
    assert tops <= sys.stdlib_module_names | {"pytest", "_pytest"}
