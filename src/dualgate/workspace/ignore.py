"""Which paths are no part of the work: what tools leave behind, and what the project ignored at the start."""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from dualgate.workspace.steering import is_steering

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

NEVER_WALKED = frozenset({".git", ".hg", ".venv", "venv", "node_modules", "__pycache__", ".tox", ".nox"})
LEFT_BY_TOOLS = (".coverage", ".hypothesis/", ".mypy_cache/", ".pytest_cache/", ".ruff_cache/", ".DS_Store")


class IgnoreRules:
    """Read once, at the start, so that an agent cannot hide a file by ignoring it later."""

    def __init__(self, spec: "GitIgnoreSpec", left_out: Iterable[str] = ()) -> None:
        self._spec = spec
        self._left_out = frozenset(left_out)

    def ignores(self, path: str, is_folder: bool) -> bool:
        name = path.rpartition("/")[2]
        if name in NEVER_WALKED or path in self._left_out:
            return True
        if not is_folder and is_steering(path):
            return False
        return self._spec.match_file(f"{path}/" if is_folder else path)


def read_ignore_rules(root: Path, session: Path) -> IgnoreRules:
    from pathspec import GitIgnoreSpec

    inside = [session.relative_to(root).as_posix()] if session.is_relative_to(root) else []
    return IgnoreRules(GitIgnoreSpec.from_lines([*LEFT_BY_TOOLS, *_legal_lines(root / ".gitignore")]), inside)


def _legal_lines(file: Path) -> Iterator[str]:
    """The patterns of an ignore file; what is none, git passes over too."""
    from pathspec import GitIgnoreSpec

    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        with suppress(ValueError, re.error):
            GitIgnoreSpec.from_lines([line])
            yield line
