"""Revisions of a git repository as trees: a commit, the work tree as it is, and mixes of both.

The repository, its index and its stash are only read: new objects and indexes are written to a folder of our own.
"""

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import NamedTuple

from dualgate.errors import RevisionMissing
from dualgate.processes.worktrees import nearest_repository
from dualgate.workspace.git import SETTINGS, as_variables, git_outside, harmless_environment

GITLINK = "160000"
LINK = "120000"
MAIN_BRANCHES = ("main", "master", "trunk", "develop")
GIT_PATIENCE = 300.0
ALWAYS_IGNORED = """\
.venv/
venv/
node_modules/
__pycache__/
*.py[co]
.tox/
.nox/
.coverage
.hypothesis/
.mypy_cache/
.pytest_cache/
.ruff_cache/
"""
"""Installed packages and caches, which not every project has an ignore rule for. Tracked files count anyway."""


class Entry(NamedTuple):
    """A path of a tree: its mode as git writes it, and the id of its content, or of the commit of a submodule."""

    mode: str
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Revisions:
    root: Path
    """The top folder of the work tree."""
    folder: Path
    """Our own folder for new objects and indexes."""
    objects: Path
    """The objects of the repository."""
    index: Path
    """The index of the work tree."""
    _read: dict[str, dict[str, Entry]] = field(default_factory=dict)
    _known: dict[str, str] = field(default_factory=dict)
    _contents: dict[str, bytes] = field(default_factory=dict)

    @property
    def own_objects(self) -> Path:
        return self.folder / "objects"

    def commit(self, ref: str) -> str:
        """The commit that a ref names; empty if there is none."""
        return self._id(f"{ref}^{{commit}}")

    def tree(self, ref: str) -> str:
        return self._id(f"{ref}^{{tree}}")

    def look_up(self, *refs: str) -> None:
        """Find the commits and trees of several refs with one question, if all of them are there."""
        names = [f"{ref}^{{{kind}}}" for ref in refs for kind in ("commit", "tree")]
        found = self._told("rev-parse", "--end-of-options", *names).split()
        ids = found[1:] if found[:1] == ["--end-of-options"] else found
        if len(ids) == len(names):
            self._known.update(zip(names, ids, strict=True))
            # the merge-base is often one of them
            self._known.update({f"{commit}^{{tree}}": tree for commit, tree in zip(ids[::2], ids[1::2], strict=True)})

    def _id(self, name: str) -> str:
        if name not in self._known:
            self._known[name] = self._told("rev-parse", "--verify", "--quiet", "--end-of-options", name)
        return self._known[name]

    def merge_base(self, ref: str, head: str) -> str:
        """The merge-base of two refs. Raises RevisionMissing with what to fetch if it is not there."""
        if not self.commit(ref):
            raise RevisionMissing(f"There is no commit '{ref}' here.", self._how_to_fetch(ref))
        found = self._told("merge-base", ref, head)
        if not found:
            raise RevisionMissing(f"'{ref}' and {head} have no common commit here.", self._how_to_fetch(ref))
        return found

    def main_branch(self) -> str:
        """The ref that a change is compared with if none is named; empty if there is none.

        On the main branch itself it is that of its remote, if there is one.
        """
        remote = self._told("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
        present = self._told("symbolic-ref", "--quiet", "--short", "HEAD")
        names = dict.fromkeys((remote.removeprefix("origin/"), *MAIN_BRANCHES))
        for name in filter(None, names):
            found = [ref for ref in (f"origin/{name}", name) if self.commit(ref)]
            if found and present == name:
                return found[0]
            if found:
                return self._nearest(found)
        return ""

    def is_shallow(self) -> bool:
        return self._told("rev-parse", "--is-shallow-repository") == "true"

    def work_tree(self) -> str:
        """The tree of the work tree as it is: tracked and untracked files, without ignored ones."""
        index = self.folder / "index"
        if self.index.is_file():
            shutil.copy2(self.index, index)  # by its time git knows which files may have changed since unnoticed
            self._see_flagged(index)
        else:
            index.unlink(missing_ok=True)
        self._run(["add", "--all", "--", "."], index=index)
        return self._run(["write-tree"], index=index).decode().strip()

    def _see_flagged(self, index: Path) -> None:
        """Clear the flags of existing files that git is set to overlook."""
        rows = os.fsdecode(self._run(["ls-files", "-v", "-z"], index=index)).split("\0")
        flagged = [row[2:] for row in rows if row and (row[0].islower() or row[0] == "S")]
        there = [path for path in flagged if os.path.lexists(self.root / path)]
        for flag in ("--no-skip-worktree", "--no-assume-unchanged") if there else ():
            given = os.fsencode("\0".join(there))
            self._run(["update-index", flag, "-z", "--stdin"], given, index=index)

    def entries(self, tree: str) -> Mapping[str, Entry]:
        """All files of a tree by their paths."""
        if tree not in self._read:
            self._read[tree] = dict(_entries(self._run(["ls-tree", "-r", "-z", "--full-tree", tree])))
        return self._read[tree]

    def changed(self, before: str, after: str) -> tuple[str, ...]:
        """Paths that differ between two trees."""
        was, now = self.entries(before), self.entries(after)
        return tuple(sorted(path for path in was.keys() | now.keys() if was.get(path) != now.get(path)))

    def read(self, tree: str, path: str) -> bytes | None:
        """The content of a file; None if it is missing, a link or a submodule."""
        if (entry := self._file(tree, path)) is None:
            return None
        self._load([entry.id])
        return self._contents[entry.id]

    def load(self, trees: Iterable[str], paths: Iterable[str]) -> None:
        """Read files of trees with one question, before they are asked for one by one."""
        found = [self._file(tree, path) for tree, path in product(trees, paths)]
        self._load([entry.id for entry in found if entry])

    def _file(self, tree: str, path: str) -> Entry | None:
        entry = self.entries(tree).get(path)
        return None if entry is None or entry.mode in (GITLINK, LINK) else entry

    def _load(self, ids: Iterable[str]) -> None:
        missing = [each for each in dict.fromkeys(ids) if each not in self._contents]
        told = self._run(["cat-file", "--batch"], "\n".join(missing).encode()) if missing else b""
        for each in missing:
            head, _, told = told.partition(b"\n")
            size = int(head.split()[2])
            self._contents[each], told = told[:size], told[size + 1 :]

    def shown(self, name: str) -> str:
        """The text of a file by a name such as `main:README.md`; empty if there is none."""
        return self._told("cat-file", "blob", name)

    def text(self, tree: str, path: str) -> str:
        return (self.read(tree, path) or b"").decode("utf-8", "replace")

    def put(self, content: bytes) -> str:
        """Store a content, and return its id."""
        return self._run(["hash-object", "-w", "--stdin", "--no-filters"], content).decode().strip()

    def overlaid(self, tree: str, changed: Mapping[str, Entry | None]) -> str:
        """A tree with some paths replaced (None removes a path)."""
        if not changed:
            return tree
        index = self.folder / "mixed"
        index.unlink(missing_ok=True)
        self._run(["read-tree", tree], index=index)
        none = "0" * len(tree)
        rows = (
            f"{entry.mode if entry else '0'} {entry.id if entry else none}\t{path}\0" for path, entry in changed.items()
        )
        told = "".join(rows).encode("utf-8", "surrogateescape")
        self._run(["update-index", "-z", "--index-info"], told, index=index)
        return self._run(["write-tree"], index=index).decode().strip()

    def with_paths(self, tree: str, other: str, paths: Iterable[str]) -> str:
        """A tree with some paths as in another one."""
        theirs = self.entries(other)
        return self.overlaid(tree, {path: theirs.get(path) for path in paths})

    def rewritten(self, tree: str, contents: Mapping[str, bytes]) -> str:
        """A tree in which files have other contents."""
        modes = self.entries(tree)
        return self.overlaid(tree, {path: Entry(modes[path].mode, self.put(new)) for path, new in contents.items()})

    def ignored(self) -> tuple[str, ...]:
        """Ignored files and folders of the work tree; a folder of which everything is ignored ends with a slash."""
        words = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory", "--no-empty-directory")
        return tuple(os.fsdecode(name) for name in self._run(list(words)).split(b"\0") if name)

    def setting(self, name: str) -> str:
        return self._told("config", "--get", name)

    def local_settings(self, pattern: str) -> Iterator[tuple[str, str]]:
        """Settings of the repository itself, by a pattern of their names."""
        for row in self._told_once("config", "--local", "-z", "--get-regexp", pattern).split("\0"):
            name, _, value = row.partition("\n")
            if name:
                yield name, value

    def place(self, name: str) -> Path:
        """The path of a file of the repository's own folder."""
        found = Path(self._told_once("rev-parse", "--git-path", name))
        return found if found.is_absolute() else self.root / found

    def tags(self) -> str:
        """The tags, one a line as in `packed-refs`."""
        return self._told_once("show-ref", "--tags")

    def _nearest(self, refs: Sequence[str]) -> str:
        """The ref whose merge-base with HEAD is the latest: a local branch may be behind its remote."""
        bases = {ref: base for ref in refs if (base := self._told("merge-base", ref, "HEAD"))}
        first, *others = bases or dict.fromkeys(refs, "")
        for ref in others:
            if self._is_ancestor(bases[first], bases[ref]):
                first = ref
        return first

    def _is_ancestor(self, one: str, other: str) -> bool:
        return one != other and self._told("merge-base", one, other) == one

    def _how_to_fetch(self, ref: str) -> str:
        if not self.is_shallow():
            return "Name another with --base, or fetch it: git fetch origin"
        name = ref.removeprefix("origin/")
        return (
            f"This clone is shallow. Fetch its history: git fetch --unshallow origin, and the branch: "
            f"git fetch origin {name}:refs/remotes/origin/{name} (in a workflow: fetch-depth: 0)"
        )

    def _told_once(self, *words: str) -> str:
        """The output of a question whose answer stays the same while a change is verified."""
        asked = "\0".join(words)
        if asked not in self._known:
            self._known[asked] = self._told(*words)
        return self._known[asked]

    def _told(self, *words: str) -> str:
        """The output of a question; empty if git answers with an error."""
        try:
            return os.fsdecode(self._run(list(words))).strip()
        except RevisionMissing:
            return ""

    def _run(self, words: Sequence[str], given: bytes = b"", index: Path | None = None) -> bytes:
        variables = {
            "GIT_OBJECT_DIRECTORY": str(self.own_objects),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": _quoted(self.objects),
            **({"GIT_INDEX_FILE": str(index)} if index else {}),
            **as_variables({**SETTINGS, "core.excludesFile": str(self.folder / "exclude")}),
        }
        return run_git(self.root, words, given, variables)


def open_revisions(project: Path, folder: Path) -> Revisions:
    """The revisions of the repository around a project. Raises RevisionMissing if there is none."""
    root = nearest_repository(project)
    if root is None:
        raise RevisionMissing(
            f"{project} is in no git repository.", "verify compares a change with git: run it in a clone, or git init."
        )
    (folder / "objects" / "info").mkdir(parents=True, exist_ok=True)
    words = ["rev-parse", "--show-toplevel", "--git-path", "objects", "--git-path", "index"]
    top, objects, index = os.fsdecode(run_git(root, words)).rstrip("\n").split("\n")
    (folder / "exclude").write_bytes(_users_rules(root) + b"\n" + ALWAYS_IGNORED.encode())
    return Revisions(root=Path(top), folder=folder, objects=root / objects, index=root / index)


def _users_rules(root: Path) -> bytes:
    """The ignore rules that the user has for all repositories."""
    home = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    try:
        named = os.fsdecode(run_git(root, ["config", "--type=path", "--get", "core.excludesFile"])).strip()
    except RevisionMissing:
        named = ""
    with suppress(OSError):
        return Path(named or home / "git" / "ignore").read_bytes()
    return b""


def run_git(root: Path, words: Sequence[str], given: bytes = b"", variables: Mapping[str, str] | None = None) -> bytes:
    """The output of a git command. Raises RevisionMissing with its own words if it fails."""
    git = git_outside(root)
    if git is None:
        raise RevisionMissing("git is not installed.", "Install git, and try again.")
    try:
        done = subprocess.run(
            [git, *words],
            cwd=root,
            env={**harmless_environment(os.environ), **(variables or {})},
            input=given,
            capture_output=True,
            timeout=GIT_PATIENCE,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise RevisionMissing(f"git {words[0]} cannot be run: {error}") from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise RevisionMissing(f"git {words[0]} failed: {said[-1] if said else f'exit code {done.returncode}'}")
    return done.stdout


def _entries(listing: bytes) -> Iterator[tuple[str, Entry]]:
    for row in listing.split(b"\0"):
        if row:
            head, _, path = row.partition(b"\t")
            mode, _, digest = head.decode().split(" ")
            yield path.decode("utf-8", "surrogateescape"), Entry(mode, digest)


def _quoted(path: Path) -> str:
    """A path for a list that is separated by colons, in which git takes C-style quotes."""
    text = str(path)
    return f'"{text}"' if ":" in text or text.startswith('"') else text
