"""A tree in which every statement of a test file is loaded by itself, so that one that fails does not stop the rest."""

import re
from collections.abc import Iterable

from dualgate.workspace.base import Workspace
from dualgate.workspace.steering.lone_imports import with_lone_statements
from dualgate.workspace.steering.paths import is_of_tests

_PYTHON = ".py"
_DEFINED = re.compile(rb"^\s*(?:async )?def (\w+)", re.MULTILINE)


def tests_among(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(path for path in dict.fromkeys(paths) if path.endswith(_PYTHON) and is_of_tests(path))


def one_by_one(worktree: Workspace, tree: str, paths: Iterable[str]) -> str:
    """A tree in which a statement of these test files that cannot be run does not keep the rest from it."""
    for path in paths:
        content = worktree.read(tree, path)
        if content is not None:
            tree = worktree.rewritten(tree, path, with_lone_statements(content))
    return tree


def functions_in(contents: Iterable[bytes]) -> frozenset[str]:
    """The functions that some files define; any of them may be a fixture."""
    return frozenset(name.decode() for content in contents for name in _DEFINED.findall(content))
