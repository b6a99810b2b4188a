"""Which paths are no part of the work: what tools leave behind, and what the project ignored when work began.

The rules are data that is kept with the snapshots, so that a file cannot be hidden by ignoring it later.
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from dualgate.workspace.repository import ask_git
from dualgate.workspace.steering import is_steering
from dualgate.workspace.tools import ENVIRONMENT_MARK, runs_tests

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

NEVER_WALKED = frozenset({".git", ".hg", ".svn", ".jj", ".venv", "venv", "node_modules", "__pycache__", ".tox", ".nox"})
LEFT_BY_TOOLS = (".coverage", ".hypothesis/", ".mypy_cache/", ".pytest_cache/", ".ruff_cache/", ".DS_Store")


@dataclass(frozen=True, kw_only=True)
class IgnoreRules:
    patterns: Mapping[str, tuple[str, ...]]
    """Folder -> the lines of its ignore file; those of the root hold the user's own and the tools' before them."""
    tracked: frozenset[str] = frozenset()
    """Files that are kept although they are ignored: the repository keeps them, or the snapshot before did."""
    left_out: frozenset[str] = frozenset()
    """Our own session directory, where it lies inside the project."""
    environments: frozenset[str] = frozenset()
    """Virtual environments: of them only what runs tests is looked at."""
    _specs: "dict[str, GitIgnoreSpec]" = field(default_factory=dict, init=False, repr=False, compare=False)

    def ignores(self, path: str, is_folder: bool) -> bool:
        name = path.rpartition("/")[2]
        if name == ".git" or path in self.left_out:
            return True
        if path in self._kept_anyway:
            return False
        if self.environments and (below := self._in_environment(path)) is not None:
            return not runs_tests(below, is_folder)
        if name in NEVER_WALKED:
            return True
        if not is_folder and is_steering(path):
            return False
        return self._matched(path, is_folder)

    def after(self, earlier: "IgnoreRules", known: Callable[[], Iterable[str]]) -> "IgnoreRules":
        """These rules for a tree of which some files are known: what was part of the work is not hidden by them."""
        is_same = (earlier.patterns, earlier.environments) == (self.patterns, self.environments)
        kept = earlier.tracked if is_same else frozenset(filter(self.hides, known()))
        return replace(self, tracked=self.tracked | kept)

    def hides(self, path: str) -> bool:
        """Whether a file is ignored itself, or stands in a folder that is."""
        folders = (path[:i] for i, sign in enumerate(path) if sign == "/")
        return self.ignores(path, is_folder=False) or any(self.ignores(each, is_folder=True) for each in folders)

    def encoded(self) -> bytes:
        sets = (self.tracked, self.left_out, self.environments)
        return json.dumps([dict(self.patterns), *map(sorted, sets)], sort_keys=True).encode("ascii")

    @cached_property
    def _kept_anyway(self) -> frozenset[str]:
        """The tracked files and the folders that lead to them."""
        return self.tracked | {path[:i] for path in self.tracked for i, sign in enumerate(path) if sign == "/"}

    def _in_environment(self, path: str) -> str | None:
        for place in self.environments:
            if path == place or path.startswith(f"{place}/"):
                return path[len(place) + 1 :]
        return None

    def _spec(self, folder: str) -> "GitIgnoreSpec":
        from pathspec import GitIgnoreSpec

        if folder not in self._specs:
            self._specs[folder] = GitIgnoreSpec.from_lines(self.patterns[folder])
        return self._specs[folder]

    def _matched(self, path: str, is_folder: bool) -> bool:
        """The deepest file that speaks of a path decides, and in it the last pattern."""
        folder = path
        while folder:
            folder = folder.rpartition("/")[0]
            if folder in self.patterns:
                below = path[len(folder) + 1 :] if folder else path
                found = self._spec(folder).check_file(f"{below}/" if is_folder else below).include
                if found is not None:
                    return found
        return False


def decoded_rules(content: bytes) -> IgnoreRules:
    patterns, tracked, left_out, environments = json.loads(content)
    return IgnoreRules(
        patterns={folder: tuple(lines) for folder, lines in patterns.items()},
        tracked=frozenset(tracked),
        left_out=frozenset(left_out),
        environments=frozenset(environments),
    )


def read_ignore_rules(root: Path, *own: Path) -> IgnoreRules:
    """The rules as they stand now; `own` are places of ours, left out where they lie inside the project."""
    patterns = {"": (*LEFT_BY_TOOLS, *_user_patterns(root), *_patterns(root / ".gitignore"))}
    so_far = IgnoreRules(patterns=patterns)
    environments: set[str] = set()
    waiting = [""]
    while waiting:
        for folder in _folders(root, waiting.pop()):
            if (root / folder / ENVIRONMENT_MARK).exists():
                environments.add(folder)
            elif not so_far.ignores(folder, is_folder=True):
                waiting.append(folder)
                if lines := _patterns(root / folder / ".gitignore"):
                    patterns[folder] = lines
    return IgnoreRules(
        patterns=patterns,
        tracked=_tracked_though_ignored(root),
        left_out=frozenset(place.relative_to(root).as_posix() for place in own if place.is_relative_to(root)),
        environments=frozenset(environments),
    )


def _folders(root: Path, folder: str) -> list[str]:
    try:
        with os.scandir(root / folder) as found:
            names = [item.name for item in found if item.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    return [f"{folder}/{name}" if folder else name for name in names]


def _user_patterns(root: Path) -> tuple[str, ...]:
    """What git ignores by the user's own files: those of all repositories, then those of this one."""
    configured = os.environ.get("XDG_CONFIG_HOME") or Path(os.environ.get("HOME", "/")) / ".config"
    named = _named(root, "config", "--type=path", "core.excludesFile")
    own = _named(root, "rev-parse", "--git-path", "info/exclude")
    return (*_patterns(named or Path(configured) / "git" / "ignore"), *(_patterns(root / own) if own else ()))


def _named(root: Path, *words: str) -> Path | None:
    name = ask_git(root, *words).removesuffix(b"\n")
    return Path(os.fsdecode(name)) if name else None


def _tracked_though_ignored(root: Path) -> frozenset[str]:
    never = [f":(glob)**/{name}/**" for name in sorted(NEVER_WALKED)]
    said = ask_git(root, "ls-files", "-z", "--cached", "--ignored", "--exclude-standard")
    said += ask_git(root, "ls-files", "-z", "--cached", "--", *never)
    return frozenset(os.fsdecode(name) for name in said.split(b"\0") if name)


def _patterns(file: Path) -> tuple[str, ...]:
    """The patterns of an ignore file; what is none, git passes over too."""
    from pathspec import GitIgnoreSpec

    try:
        lines = file.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return ()
    legal: list[str] = []
    for line in lines:
        with suppress(ValueError, re.error):
            GitIgnoreSpec.from_lines([line])
            if line.strip() and not line.startswith("#"):
                legal.append(line)
    return tuple(legal)
