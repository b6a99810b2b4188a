"""Changes, test runs -> texts of changed tests, of what they use, and of changed sources."""

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import PurePosixPath

from dualgate.core.evidence.syntax.trees import imports_in, parsed
from dualgate.core.values.changes import Changes, is_output
from dualgate.core.values.endings import CODE
from dualgate.core.values.source_texts import SourceTexts
from dualgate.core.values.state import LoopState
from dualgate.core.values.suite import SuiteReport
from dualgate.core.values.vocabulary import Phase
from dualgate.workspace.base import Workspace
from dualgate.workspace.steering.paths import belongs_to_tests, is_document

LONGEST = 1 << 19
"""Larger files are generated, and are not read."""
FILES_READ = 200
_PYTHON = ".py"
_ROOTS = ("", "src/")


def read_texts(state: LoopState, changes: Changes, runs: Sequence[SuiteReport], worktree: Workspace) -> SourceTexts:
    changed = [path for path in (*changes.added, *changes.rewritten) if path not in changes.removed]
    of_tests = {result.file for run in runs for result in run.results}
    sources = [path for path in changed if path not in of_tests and is_source(path)]
    # a test that failed before any work asks for work as a new one does
    asking = (*changed, *(result.file for result in state.proof.baseline if result.failed and result.file))
    tests = _read(worktree, changes.tree, (path for path in asking if path in of_tests and path.endswith(_PYTHON)))
    start, known = state.proof.start_tree, {result.file for result in state.proof.baseline}
    earlier = (path for path in (*changes.rewritten, *changes.removed) if path in known and path.endswith(_PYTHON))
    return SourceTexts(
        tests=tests,
        tests_before=_read(worktree, start, earlier) if start else {},
        helpers=tuple(_read(worktree, changes.tree, helpers_of(tests.items())).values()),
        sources=_read(worktree, changes.tree, sources),
        before=_read(worktree, start, sources) if start else {},
        unfrozen=_unfrozen(state, changes, changed, worktree),
    )


def _unfrozen(
    state: LoopState, changes: Changes, changed: Iterable[str], worktree: Workspace
) -> dict[str, tuple[str, str]]:
    """Python and data outside the tests that changed since RED, as RED left each and as it is."""
    red, outputs = state.proof.red_tree, state.proof.outputs
    if not red or state.phase is Phase.RED:
        return {}
    paths = [path for path in changed if _may_serve_tests(path) and not is_output(path, outputs)]
    was, now = _read(worktree, red, paths), _read(worktree, changes.tree, paths)
    return {path: (was[path], now[path]) for path in was if path in now and was[path] != now[path]}


def _may_serve_tests(path: str) -> bool:
    is_read = path.endswith(_PYTHON) or PurePosixPath(path).suffix not in CODE
    return is_read and not belongs_to_tests(path) and not is_document(path)


def is_source(path: str) -> bool:
    return PurePosixPath(path).suffix in CODE and not belongs_to_tests(path) and not is_document(path)


def _read(worktree: Workspace, tree: str, paths: Iterable[str]) -> dict[str, str]:
    return texts_at(paths, partial(worktree.read, tree))


def texts_at(paths: Iterable[str], read: Callable[[str], bytes | None]) -> dict[str, str]:
    """The texts of files that are there and not generated, of the first paths."""
    contents = {path: read(path) for path in list(dict.fromkeys(paths))[:FILES_READ]}
    return {
        path: content.decode("utf-8", "replace")
        for path, content in contents.items()
        if content is not None and len(content) <= LONGEST
    }


def helpers_of(tests: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Paths at which fixtures and imported helpers of tests may be; most of them do not exist."""
    for path, text in tests:
        folders = [each.as_posix() for each in PurePosixPath(path).parents]
        yield from (_joined(folder, "conftest.py") for folder in folders)
        module = parsed(text)
        for name in imports_in(ast.walk(module) if module else ()).values():
            yield from (each for each in _places(name, folders) if belongs_to_tests(each))


def _places(name: str, folders: Sequence[str]) -> Iterator[str]:
    """The possible files of the module that a dotted name means, or that defines it."""
    dots = len(name) - len(name.lstrip("."))
    starts = folders[dots - 1 : dots] if dots else [*folders, *_ROOTS]
    parts = name.strip(".").split(".")
    for start in starts:
        for length in range(len(parts), max(0, len(parts) - 2), -1):
            stem = _joined(start, "/".join(parts[:length]))
            yield from (f"{stem}.py", f"{stem}/__init__.py")


def _joined(folder: str, name: str) -> str:
    return name if folder in ("", ".") else f"{folder.rstrip('/')}/{name}"
