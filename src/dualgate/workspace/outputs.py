"""Files that two test runs wrote -> patterns of the outputs of test runs."""

import re
import stat
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from glob import escape
from pathlib import PurePosixPath
from typing import NamedTuple

from dualgate.core.values.changes import ANY_NUMBER, RUN_NUMBER, is_output
from dualgate.core.values.endings import CODE
from dualgate.core.values.notation import shown
from dualgate.core.values.state import Proof
from dualgate.workspace.ignore import IGNORE_FILE, IgnoreRules, legal_patterns
from dualgate.workspace.phase_rules import Freeze
from dualgate.workspace.snapshots import Snapshots
from dualgate.workspace.steering.paths import (
    belongs_to_tests,
    is_document,
    is_steering,
    is_test_file,
    names_dependencies,
    shadows,
)
from dualgate.workspace.trees import Difference, Entry

_LOADED = CODE | {
    ".pyc", ".pyo", ".pyd", ".pth", ".egg", ".whl", ".so", ".dll", ".dylib", ".node", ".wasm", ".jar", ".class",
}  # fmt: skip
"""Endings of files that are imported or executed."""
_IMPORTING = re.compile(r"\b(?:import|from|require|include|load|source|use|mod)\b")
_LOADING = re.compile(
    r"\bsys\.path\b|\bimportlib\b|__import__|\b(?:exec|eval|compile|execfile)\s*\(|\brunpy\b|\bpkgutil\b|\baddsitedir\b"
    r"|PYTHONPATH|NODE_PATH|\bsubprocess\b|\bos\.(?:system|exec|popen|spawn)|\bchild_process\b|\bspawn|\bvm\b|\brequire\s*\([^\"']"
    r"|\bimport\s*\([^\"']"
)
"""Ways to load or run a file by its path."""
_SETTINGS = (".git", ".env", ".dualgate")
"""How names of files begin that set up tools."""


class Naming(NamedTuple):
    """A file that names a folder."""

    path: str
    text: str
    name: re.Pattern[str]


def rules_in(tree: str, snapshots: Snapshots) -> IgnoreRules:
    """The ignore rules of the ignore files in a tree."""
    files = [(path, entry) for path, entry in snapshots.entries(tree) if path.rpartition("/")[2] == IGNORE_FILE]
    readable = [(path, entry) for path, entry in files if entry.is_kept and not entry.is_link]
    return IgnoreRules(
        patterns={
            path.rpartition("/")[0]: legal_patterns(snapshots.content(entry).decode("utf-8", "surrogateescape"))
            for path, entry in readable
        }
    )


def may_be_output(path: str, entry: Entry, freeze: Freeze, *, is_apart: bool = False) -> bool:
    """Whether a file that a test run wrote can be nothing but its output: not loaded, not executed, no setting.

    In a folder that is apart, which nothing loads, code is part of a report or a build, and an ignore file of a tool.
    """
    is_plain = stat.S_ISREG(entry.mode) and not entry.mode & 0o111
    if not is_plain or _is_loaded_or_set(path, is_apart=is_apart):
        return False
    is_set = is_steering(path) or is_test_file(path) or names_dependencies(path) or shadows(path)
    is_held = path in freeze.spec or path in freeze.boxes or freeze.holds(path) or freeze.patterns.freezes(path)
    return not (is_set or is_held or path in freeze.checked.files or any(each.holds(path) for each in freeze.forbidden))


def _is_loaded_or_set(path: str, *, is_apart: bool) -> bool:
    name = path.rpartition("/")[2]
    is_setting = name.startswith(_SETTINGS) and not (is_apart and name == IGNORE_FILE)
    return is_setting or PurePosixPath(path).suffix.lower() in (_LOADED - CODE if is_apart else _LOADED)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutputs:
    """Outputs that runs write for the first time during the work."""

    snapshots: Snapshots
    freeze: Freeze
    proof: Proof

    def in_tree(self, tree: str) -> dict[str, Entry]:
        """The files of a tree that are known outputs of this kind."""
        cleared = self.proof.cleared
        entries = self.snapshots.entries(tree) if cleared else ()
        known = {path: entry for path, entry in entries if is_output(shown(path), cleared)}
        # code that is an output is removed even if something loads it by now: no result may depend on it
        folders = self._new_folders(known)
        return {path: entry for path, entry in known.items() if self.may_be(path, tree, folders)}

    def possible(self, written: Collection[str], tree: str) -> tuple[str, ...]:
        """The files that a run wrote, and others in the same new folders; empty if one of them can be no output.

        The others are from an earlier run that wrote the same bytes. Where something names a folder, they may be work.
        """
        naming = {each: list(self._naming(each, tree)) for each in self._new_folders(written)}
        apart = [each for each, texts in naming.items() if not any(map(_loads, texts))]
        if not all(self.may_be(path, tree, apart) for path in written):
            return ()
        unnamed = [each for each in apart if not naming[each]]
        files = (path for path, _ in self.snapshots.entries(tree) if path not in written and _is_in(path, unnamed))
        return (*written, *(shown(path) for path in files if self.may_be(path, tree, apart)))

    def recurring(self, first: Collection[str], second: Collection[str]) -> tuple[str, ...]:
        """Patterns of the files of `possible` that a run begun without them wrote again."""
        # others like them are from an agent's own test run, unless they were there when the session began
        old = [shown(path) for path, _ in self.snapshots.entries(self.proof.start_tree)]
        return recurring_patterns(first, second, old)

    def _new_folders(self, paths: Iterable[str]) -> set[str]:
        """The outermost folders of paths that did not exist when the session began."""
        paths = [*paths]
        old = (path for path, _ in self.snapshots.entries(self.proof.start_tree)) if paths else ()
        return _outermost({folder for each in paths for folder in _folders(each)}.difference(*map(_folders, old)))

    def _naming(self, folder: str, tree: str) -> Iterator[Naming]:
        """Code, and other files of the agent, that name a folder."""
        name = re.compile(rf"(?<![\w-]){re.escape(folder.rpartition('/')[2])}(?![\w-])")
        for path, entry in self.snapshots.entries(tree):
            is_changed = self.snapshots.entry(self.proof.start_tree, path) != entry
            if entry.is_kept and not _is_in(path, [folder]) and _may_load(path, is_changed=is_changed):
                text = self.snapshots.content(entry).decode("utf-8", "replace")
                if name.search(text):
                    yield Naming(path, text, name)

    def ignored_since(self, before: str, after: str) -> tuple[str, ...]:
        """New files that can be nothing but outputs, and that the ignore files of RED's end name."""
        rules = rules_in(self.proof.red_tree, self.snapshots) if self.proof.red_tree else None
        new = (path for path, was, _ in self.snapshots.changes(before, after) if was is None)
        paths = (path for path in new if rules and rules.hides(path) and self.may_be(path, after))
        return tuple(escape(shown(path)) for path in paths)

    def may_be(self, path: str, tree: str, apart: Collection[str] = ()) -> bool:
        """Whether a file can be nothing but an output: new since the session began, and no data of proven tests."""
        entry = self.snapshots.entry(tree, path)
        if entry is None or not entry.is_kept:
            return False
        if not may_be_output(path, entry, self.freeze, is_apart=_is_in(path, apart)):
            return False
        is_old = self.snapshots.entry(self.proof.start_tree, path) is not None
        is_proven = bool(self.proof.proven_tree) and self.snapshots.entry(self.proof.proven_tree, path) is not None
        return not is_old and not (
            is_proven and belongs_to_tests(path) and not is_output(shown(path), self.proof.cleared)
        )


def recurring_patterns(first: Collection[str], second: Collection[str], old: Collection[str]) -> tuple[str, ...]:
    """Patterns of new files that two runs wrote, the second begun without them; files of one run only are left out.

    Names that differ count with any number, or with any name of the same ending in a folder of written files.
    """
    written = {*first, *second}
    patterns = {escape(path) for path in {*first} & {*second}}
    # code counts by its name only: a pattern would hide an agent's modules beside it
    single = [[path for path in run if not (is_output(path, patterns) or _is_code(path))] for run in (first, second)]
    numbered = [{_with_any_number(path) for path in run} for run in single]
    patterns |= {each for each in numbered[0] & numbered[1] if not any(is_output(p, [each]) for p in old)}
    rest = [[path for path in run if not is_output(path, patterns)] for run in single]
    folders = _own_folders(written, old)
    named = [{_in_folder(path, folders) for path in run} - {""} for run in rest]
    return tuple(sorted({*patterns, *(named[0] & named[1])}))


def _loads(naming: Naming) -> bool:
    """Whether a file that names a folder may load code from it: code may also write into it."""
    lines = naming.text.splitlines()
    is_imported = any(_IMPORTING.search(line) and naming.name.search(line) for line in lines)
    return not _is_code(naming.path) or is_imported or _LOADING.search(naming.text) is not None


def _may_load(path: str, *, is_changed: bool) -> bool:
    """Whether a file may load code from a folder that it names; one that steers tests may name where reports go."""
    if path.rpartition("/")[2] == IGNORE_FILE or is_document(path):
        return False
    return is_changed or (_is_code(path) and not is_steering(path))


def _is_code(path: str) -> bool:
    return PurePosixPath(path).suffix.lower() in CODE


def _is_in(path: str, folders: Iterable[str]) -> bool:
    return any(path.startswith(f"{folder}/") for folder in folders)


def _in_folder(path: str, folders: Collection[str]) -> str:
    """The pattern of files with the same ending in a folder of written files; empty if there is none."""
    suffix = PurePosixPath(path).suffix
    folder = next((each for each in folders if path.startswith(f"{each}/")), "")
    return f"{escape(folder)}/*{escape(suffix)}" if folder and suffix else ""


def output_patterns(first: Collection[str], second: Collection[str], present: Collection[str]) -> tuple[str, ...]:
    """Patterns of the files that two test runs wrote, among all files that are present afterwards.

    A folder counts as a whole if the runs wrote all its files. A name with a number that only one run wrote counts
    with any number.
    """
    written = frozenset(first) | frozenset(second)
    folders = _own_folders(written, present)
    names = {path for path in written if not _is_in(path, folders)}
    twice = {_with_any_number(path) for path in first} & {_with_any_number(path) for path in second}
    patterns = {_pattern(path, first, second, twice) for path in names}
    return tuple(sorted({*patterns, *(f"{escape(folder)}/*" for folder in folders)}))


def _pattern(path: str, first: Collection[str], second: Collection[str], twice: Collection[str]) -> str:
    numbered = _with_any_number(path)
    return numbered if (path in first) != (path in second) and numbered in twice else escape(path)


def _with_any_number(path: str) -> str:
    return ANY_NUMBER.join(escape(part) for part in RUN_NUMBER.split(path))


def sources_in(since_start: Difference, outputs: Collection[str]) -> tuple[str, ...]:
    """Created and changed files that are no tests, no support of tests, no documents, and no outputs of tests."""
    paths = (shown(path) for path in (*since_start.created, *since_start.modified))
    return tuple(p for p in paths if not (is_document(p) or belongs_to_tests(p) or is_output(p, outputs)))


def _own_folders(written: Collection[str], present: Collection[str]) -> set[str]:
    """The outermost folders that contain written files only, except the root of the project."""
    shared = {folder for path in present if path not in written for folder in _folders(path)}
    return _outermost({folder for path in written for folder in _folders(path)} - shared)


def _outermost(folders: set[str]) -> set[str]:
    return {folder for folder in folders if not any(outer in folders for outer in _folders(folder))}


def _folders(path: str) -> Iterator[str]:
    return (folder.as_posix() for folder in PurePosixPath(path).parents if folder.name)
