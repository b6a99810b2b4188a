"""Which paths are not part of the work: files that tools leave behind, and files ignored when the work began.

The rules are saved with the snapshots, so that nobody can hide a file by ignoring it later.
"""

import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from dualgate.languages.registry import LANGUAGES
from dualgate.processes.worktrees import LINK, is_linked_worktree
from dualgate.workspace.git import ask_git
from dualgate.workspace.repository import repository_root
from dualgate.workspace.steering.paths import is_steering

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

ENVIRONMENT_MARK = "pyvenv.cfg"
"""The file that makes a folder a virtual environment."""
_PROGRAMS = re.compile(r"(python[\d.]*|pytest|py\.test|tox|nox|coverage|activate)")
_PACKAGES = re.compile(r"_?pytest(_\w+)?|pluggy|iniconfig|xdist|unittest2|[\w.+!-]+\.(dist|egg)-info")
_FILES = re.compile(r"_?pytest\w*\.py|py\.py|(site|user)customize\.py|.*\.(pth|egg-link)")
# folders to enter and files to keep, for each level below a virtual environment
_LEVELS = (
    (re.compile(r"bin|lib"), re.compile(re.escape(ENVIRONMENT_MARK))),
    (re.compile(r"python[\d.]+"), _PROGRAMS),
    (re.compile(r"site-packages"), None),
    (_PACKAGES, _FILES),
)
NEVER_WALKED = frozenset({".git", ".hg", ".svn", ".jj"}).union(*(language.never_walked for language in LANGUAGES))
PROMPTS = ".dualgate/prompts"
"""Templates of prompts are seen although they are ignored: an agent may not write those of later sessions."""
_TO_PROMPTS = frozenset({PROMPTS, ".dualgate"})
IGNORE_FILE = ".gitignore"
MARKS = (IGNORE_FILE, ENVIRONMENT_MARK, LINK)
LEFT_BY_TOOLS = (*(pattern for language in LANGUAGES for pattern in language.left_behind), ".DS_Store")


@dataclass(frozen=True, kw_only=True)
class IgnoreRules:
    patterns: Mapping[str, tuple[str, ...]]
    """Folder -> the lines of its ignore file; those of the root begin with the tools' and the user's lines."""
    tracked: frozenset[str] = frozenset()
    """Ignored files that are part of the work: git tracks them, or the snapshot before contains them."""
    left_out: frozenset[str] = frozenset()
    """Folders inside the project that are not part of the work: of sessions, and linked git worktrees."""
    environments: frozenset[str] = frozenset()
    """Virtual environments: only the files in them that run tests are looked at."""
    above: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """The ignore files above the project, the nearest first: the path from each to the project, its lines."""
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
        if path[:1] == "." and _leads_to_prompts(path, is_folder):
            return False
        if not is_folder and is_steering(path):
            return False
        return self._matched(path, is_folder)

    def after(self, earlier: "IgnoreRules", known: Callable[[], Iterable[str]]) -> "IgnoreRules":
        """These rules, except that files known as part of the work stay visible."""
        is_same = earlier._deciding == self._deciding
        kept = earlier.tracked if is_same else frozenset(filter(self.hides, known()))
        new = self.left_out - earlier.left_out
        # a folder that was part of the work does not leave it by becoming a worktree
        worked_in = {folder for folder in new if any(path.startswith(f"{folder}/") for path in known())}
        return replace(self, tracked=self.tracked | kept, left_out=self.left_out - worked_in)

    def showing(self, paths: Iterable[str]) -> "IgnoreRules":
        """These rules, except that these files are visible."""
        hidden = frozenset(filter(self.hides, paths))
        return replace(self, tracked=self.tracked | hidden) if hidden else self

    def hides(self, path: str) -> bool:
        """Whether a file or one of its folders is ignored."""
        folders = (path[:i] for i, sign in enumerate(path) if sign == "/")
        return self.ignores(path, is_folder=False) or any(self.ignores(each, is_folder=True) for each in folders)

    def encoded(self) -> bytes:
        sets = (self.tracked, self.left_out, self.environments)
        return json.dumps([dict(self.patterns), *map(sorted, sets), *self.above], sort_keys=True).encode("ascii")

    @property
    def _deciding(self) -> tuple[object, ...]:
        return self.patterns, self.environments, self.above

    @cached_property
    def _kept_anyway(self) -> frozenset[str]:
        """The tracked files and the folders that lead to them."""
        return self.tracked | {path[:i] for path in self.tracked for i, sign in enumerate(path) if sign == "/"}

    def _in_environment(self, path: str) -> str | None:
        for place in self.environments:
            if path == place or path.startswith(f"{place}/"):
                return path[len(place) + 1 :]
        return None

    def _says(self, place: str, lines: tuple[str, ...], path: str) -> bool | None:
        """Whether the ignore file of a folder ignores a path; None if no pattern matches."""
        from pathspec import GitIgnoreSpec

        if place not in self._specs:
            self._specs[place] = GitIgnoreSpec.from_lines(lines)
        return self._specs[place].check_file(path).include

    def _matched(self, path: str, is_folder: bool) -> bool:
        """The last matching pattern of the deepest ignore file decides."""
        folder, asked = path, f"{path}/" if is_folder else path
        while folder:
            folder = folder.rpartition("/")[0]
            if folder in self.patterns:
                below = asked[len(folder) + 1 :] if folder else asked
                if (found := self._says(folder, self.patterns[folder], below)) is not None:
                    return found
        answers = (self._says(f"/{way}", lines, f"{way}/{asked}") for way, lines in self.above)
        return next((found for found in answers if found is not None), False)


def _leads_to_prompts(path: str, is_folder: bool) -> bool:
    return path.startswith(f"{PROMPTS}/") or (is_folder and path in _TO_PROMPTS)


def runs_tests(path: str, is_folder: bool) -> bool:
    """Whether a path below a virtual environment is a file that runs tests, or a folder that contains one."""
    parts = path.split("/") if path else []
    if not parts:
        return is_folder
    if "__pycache__" in parts:
        return False
    for part, (folders, _files) in zip(parts[:-1], _LEVELS, strict=False):
        if not folders.fullmatch(part):
            return False
    if len(parts) > len(_LEVELS):
        package = parts[len(_LEVELS) - 1]
        return not package.endswith("-info") or parts[-1] == "entry_points.txt"
    folders, files = _LEVELS[len(parts) - 1]
    pattern = folders if is_folder else files
    return pattern is not None and pattern.fullmatch(parts[-1]) is not None


def decoded_rules(content: bytes) -> IgnoreRules:
    patterns, tracked, left_out, environments, *above = json.loads(content)
    return IgnoreRules(
        patterns={folder: tuple(lines) for folder, lines in patterns.items()},
        tracked=frozenset(tracked),
        left_out=frozenset(left_out),
        environments=frozenset(environments),
        above=tuple((way, tuple(lines)) for way, lines in above),
    )


def read_ignore_rules(root: Path, *own: Path) -> IgnoreRules:
    """Read the present rules; `own` are folders of dualgate, left out if they lie inside the project."""
    repository = repository_root(root)
    patterns = {"": (*LEFT_BY_TOOLS, *_user_patterns(root, repository), *_patterns(root / IGNORE_FILE))}
    above = _patterns_above(root, repository) if repository else ()
    found = _walked(root, IgnoreRules(patterns=patterns, above=above))
    left_out = found.left_out.union(place.relative_to(root).as_posix() for place in own if place.is_relative_to(root))
    return replace(found, tracked=_tracked_though_ignored(root) if repository else frozenset(), left_out=left_out)


def _walked(root: Path, rules: IgnoreRules) -> IgnoreRules:
    """The rules with the ignore files, environments and linked work trees that lie in folders that are not ignored."""
    patterns, environments, linked, waiting = dict(rules.patterns), set[str](), set[str](), [""]
    # it reads the patterns of the folders above, which are found before those below
    so_far = replace(rules, patterns=patterns)
    while waiting:
        folder = waiting.pop()
        inner, marks = _inside(root, folder)
        if folder and ENVIRONMENT_MARK in marks and _is_environment(root, folder):
            environments.add(folder)
            continue
        if folder and LINK in marks and is_linked_worktree(root / folder):
            linked.add(folder)
            continue
        if folder and IGNORE_FILE in marks and (lines := _patterns(root / folder / IGNORE_FILE)):
            patterns[folder] = lines
        hidden = {each for each in inner if so_far.ignores(each, is_folder=True)}
        environments.update(each for each in hidden if _is_environment(root, each))
        waiting += [each for each in inner if each not in hidden]
    return replace(rules, patterns=patterns, left_out=frozenset(linked), environments=frozenset(environments))


def _patterns_above(root: Path, repository: Path) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Skip a file that ignores the whole project: it would hide every new file."""
    from pathspec import GitIgnoreSpec

    places = [place for place in root.parents if place.is_relative_to(repository)]
    found = [(root.relative_to(place).as_posix(), _patterns(place / IGNORE_FILE)) for place in places]
    return tuple(
        (way, lines) for way, lines in found if lines and not GitIgnoreSpec.from_lines(lines).match_file(f"{way}/")
    )


def _inside(root: Path, folder: str) -> tuple[list[str], Collection[str]]:
    """The subfolders of a folder, and the ignore file and environment mark that it may contain."""
    inner, marks, prefix = [], [], f"{folder}/" if folder else ""
    try:
        with os.scandir(root / folder) as found:
            for item in found:
                if item.is_dir(follow_symlinks=False):
                    inner.append(prefix + item.name)
                if item.name in MARKS:
                    marks.append(item.name)
    except OSError:
        return [], MARKS
    return inner, marks


def _is_environment(root: Path, folder: str) -> bool:
    return (root / folder / ENVIRONMENT_MARK).exists()


def _user_patterns(root: Path, repository: Path | None) -> tuple[str, ...]:
    """The patterns of the user's own ignore files: for all repositories, then for this one."""
    configured = os.environ.get("XDG_CONFIG_HOME") or Path(os.environ.get("HOME", "/")) / ".config"
    named = _named(root, "config", "--type=path", "core.excludesFile") if repository else None
    own = _named(root, "rev-parse", "--git-path", "info/exclude") if repository else None
    return (*_patterns(named or Path(configured) / "git" / "ignore"), *(_patterns(root / own) if own else ()))


def _named(root: Path, *words: str) -> Path | None:
    name = ask_git(root, *words).removesuffix(b"\n")
    return Path(os.fsdecode(name)) if name else None


def _tracked_though_ignored(root: Path) -> frozenset[str]:
    never = [f"--exclude={name}" for name in sorted(NEVER_WALKED)]  # for "name/" git would look at every file
    said = ask_git(root, "ls-files", "-z", "--cached", "--ignored", "--exclude-standard", *never)
    return frozenset(os.fsdecode(name) for name in said.split(b"\0") if name)


def _patterns(file: Path) -> tuple[str, ...]:
    """The valid patterns of an ignore file."""
    try:
        return legal_patterns(file.read_text(encoding="utf-8", errors="surrogateescape"))
    except OSError:
        return ()


def legal_patterns(text: str) -> tuple[str, ...]:
    """The valid patterns in the text of an ignore file; git skips the invalid ones too."""
    from pathspec import GitIgnoreSpec

    legal: list[str] = []
    for line in text.splitlines():
        with suppress(ValueError, re.error):
            GitIgnoreSpec.from_lines([line])
            if line.strip() and not line.startswith("#"):
                legal.append(line)
    return tuple(legal)
