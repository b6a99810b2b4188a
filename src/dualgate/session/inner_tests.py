"""A tree with the tests of another one, in test files and inside of Rust sources."""

from collections.abc import Sequence

from dualgate.workspace.base import Workspace
from dualgate.workspace.steering.paths import is_of_tests
from dualgate.workspace.steering.regions import without_added_tests

WITH_TESTS_INSIDE = ".rs"


def with_tests_of(worktree: Workspace, tree: str, other: str, paths: Sequence[str]) -> str:
    """A tree with the tests of another one: whole files, or the tests inside a source."""
    inside = [path for path in paths if path.endswith(WITH_TESTS_INSIDE) and not is_of_tests(path)]
    tree = worktree.with_paths(tree, other, (path for path in paths if path not in inside))
    for path in inside:
        present = worktree.read(tree, path)
        if present is not None:
            content = without_added_tests(path, worktree.read(other, path) or b"", present)
            tree = worktree.rewritten(tree, path, content) if content != present else tree
    return tree
