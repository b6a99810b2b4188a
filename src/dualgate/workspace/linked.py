"""Linked worktrees of a git repository: where one belongs, how it is added and how its entry goes away.

Of the repository only `worktrees/` and the branch of the new worktree are written: no hook runs, nothing is fetched.
"""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dualgate.errors import GitFailed, RevisionMissing, WorktreeRefused
from dualgate.processes.worktrees import is_linked_worktree, main_work_tree, nearest_repository
from dualgate.workspace.git import as_variables, ask_git, changes_from_head, unfiltered
from dualgate.workspace.git_writing import write_git
from dualgate.workspace.revisions import run_git

GITLINK = b"160000"
LFS_POINTER = b"version https://git-lfs.github.com/spec/"
ADDING_PATIENCE = 1800.0
"""A large repository takes minutes to be written."""
# a hook of the repository could write to the person's checkout; LFS objects that are not here stay pointers
QUIETLY = {
    **as_variables({"core.hooksPath": os.devnull, "core.fsmonitor": "false", "checkout.guess": "false"}),
    "GIT_NO_LAZY_FETCH": "1",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """The work tree that a person works in."""

    root: Path
    main: Path
    """The main work tree of the repository; the repository itself, if that is bare."""
    folder: Path
    """The folder of the repository that all worktrees share."""
    branch: str
    """Empty if HEAD is detached."""

    def commit(self, ref: str) -> str:
        """The commit that a ref names; empty if there is none."""
        name = f"{ref}^{{commit}}"
        told = ask_git(self.root, "rev-parse", "--verify", "--quiet", "--end-of-options", name)
        return told.decode().strip()


def read_checkout(project: Path) -> Checkout:
    """The checkout around a folder. Raises WorktreeRefused if no worktree can be added to its repository."""
    root = nearest_repository(project)
    if root is None or not ask_git(root, "rev-parse", "--git-dir"):
        raise _no_repository(project)
    words = ("rev-parse", "--is-bare-repository", "--git-common-dir")
    bare, common, *_ = [*os.fsdecode(ask_git(root, *words)).splitlines(), "", ""]
    if bare != "false":
        raise _bare(root)
    branch = ask_git(root, "symbolic-ref", "--quiet", "--short", "HEAD").decode().strip()
    main = main_work_tree(root) if is_linked_worktree(root) else root
    found = Checkout(root=root, main=main or root, folder=(root / common).resolve(), branch=branch)
    if not found.commit("HEAD"):
        raise WorktreeRefused(
            f"The repository {root} has no commit yet, so no worktree can be made from it.",
            "Commit something first: git commit",
        )
    return found


def _no_repository(project: Path) -> WorktreeRefused:
    for place in (project, *project.parents):
        if (place / "HEAD").is_file() and (place / "objects").is_dir() and (place / "refs").is_dir():
            return _bare(place)
    if shutil.which("git") is None:
        return WorktreeRefused("git is not installed, and a worktree is made by git.", "Install git, and try again.")
    return WorktreeRefused(
        f"{project} is in no git repository, so there is no worktree to work in.",
        "Run it in a clone, make one with 'git init' and a first commit, or leave out --worktree.",
    )


def _bare(place: Path) -> WorktreeRefused:
    return WorktreeRefused(
        f"{place} is a bare repository: it has no files that a run could be started beside.",
        "Run it in a checkout: git worktree add FOLDER, or git clone.",
    )


def add_worktree(checkout: Checkout, path: Path, branch: str, commit: str) -> None:
    """Write a commit into a new folder, on a new branch. Raises GitFailed with git's own words."""
    words = ("worktree", "add", "--quiet", "--no-track", "-b", branch, str(path), commit)
    write_git(checkout.root, *words, variables=QUIETLY, patience=ADDING_PATIENCE, next_step="")


def add_worktree_again(main: Path, path: Path, branch: str, commit: str) -> None:
    """Write a branch that is there, or a commit, into a new folder."""
    way = (str(path), branch) if branch else ("--detach", str(path), commit)
    write_git(main, "worktree", "add", "--quiet", *way, variables=QUIETLY, patience=ADDING_PATIENCE, next_step="")


def forget_worktree(folder: Path, path: Path) -> None:
    """Remove the entry of a worktree whose folder is gone; those of other worktrees are not touched."""
    for entry in _entries(folder, path):
        shutil.rmtree(entry, ignore_errors=True)
    with suppress(OSError):
        (folder / "worktrees").rmdir()  # git removes it with the last entry, too


def _entries(folder: Path, path: Path) -> Iterator[Path]:
    """The entries of a folder among the worktrees; a killed git may leave one that does not name its folder yet."""
    ours = re.compile(rf"{re.escape(path.name)}\d*")
    with suppress(OSError):
        for entry in sorted((folder / "worktrees").iterdir()):
            try:
                named = os.fsdecode((entry / "gitdir").read_bytes()).strip()
            except OSError:
                named = ""
            is_ours = Path(os.path.normpath(entry / named)) == path / ".git" if named else ours.fullmatch(entry.name)
            if is_ours:
                yield entry


def lock_of(folder: Path, path: Path) -> str | None:
    """The reason for which a person locked a worktree, which may be empty; None if it is not locked."""
    for entry in _entries(folder, path):
        with suppress(OSError):
            return os.fsdecode((entry / "locked").read_bytes()).strip()
    return None


def checked_out_in(main: Path, folder: Path, branch: str, apart_from: Path) -> Path | None:
    """Another work tree of the repository that has a branch checked out, also in the middle of a rebase."""
    ref, places = f"refs/heads/{branch}", {main: folder}
    with suppress(OSError):
        for entry in sorted((folder / "worktrees").iterdir()):
            with suppress(OSError):
                named = os.fsdecode((entry / "gitdir").read_bytes()).strip()
                places[Path(os.path.normpath(entry / named)).parent] = entry
    for place, own in places.items():
        if place != apart_from and place.is_dir() and ref in _branches_at(place, own):
            return place
    return None


def _branches_at(place: Path, own: Path) -> Iterator[str]:
    yield ask_git(place, "symbolic-ref", "--quiet", "HEAD").decode().strip()
    for name in ("rebase-merge", "rebase-apply"):
        with suppress(OSError):
            yield (own / name / "head-name").read_text().strip()


def branch_commit(main: Path, branch: str) -> str:
    """The commit of a branch; empty if there is none."""
    told = ask_git(main, "rev-parse", "--verify", "--quiet", "--end-of-options", f"refs/heads/{branch}^{{commit}}")
    return told.decode().strip()


def commits_between(main: Path, before: str, after: str) -> int:
    """The number of commits since another one."""
    told = ask_git(main, "rev-list", "--count", f"{before}..{after}").strip()
    return int(told) if told.isdigit() else 0


def create_branch(main: Path, branch: str, commit: str) -> None:
    write_git(main, "branch", "--no-track", branch, commit, variables=QUIETLY)


def delete_branch(main: Path, branch: str, commit: str) -> bool:
    """Delete a branch if it is at this commit still. Returns whether it is gone."""
    try:
        write_git(main, "update-ref", "-d", f"refs/heads/{branch}", commit, variables=QUIETLY)
    except GitFailed:
        return False
    return True


def is_ignored(checkout: Checkout, path: Path) -> bool:
    return bool(ask_git(checkout.root, "check-ignore", "--", str(path)).strip())


def tree_bytes(checkout: Checkout, commit: str) -> int:
    """The bytes of all files of a commit."""
    told = ask_git(checkout.root, "ls-tree", "-r", "-z", "--long", commit)
    sizes = (row.split(None, 4)[3] for row in told.split(b"\0") if row)
    return sum(int(size) for size in sizes if size.isdigit())


def changed_files(root: Path) -> tuple[str, ...]:
    """Tracked files of a work tree with changes that are not committed, those inside its submodules too."""
    own = (os.fsdecode(name) for name in changes_from_head(root).split(b"\0") if name)
    return (*own, *_inside_submodules(root, changed_files))


def untracked_files(root: Path) -> tuple[str, ...]:
    """Untracked files that no rule ignores, those inside its submodules too."""
    told = ask_git(root, "ls-files", "-z", "--others", "--exclude-standard")
    own = (os.fsdecode(name) for name in told.split(b"\0") if name)
    return (*own, *_inside_submodules(root, untracked_files))


def _inside_submodules(root: Path, files: Callable[[Path], tuple[str, ...]]) -> Iterator[str]:
    """Each submodule is asked by itself: it has filters of its own, which git would run for the project."""
    if (root / ".gitmodules").exists():
        for path in submodules_of(root, "HEAD"):
            yield from (f"{path}/{each}" for each in files(root / path))


def untracked_paths(root: Path, *, ignored: bool) -> tuple[str, ...]:
    """Untracked files and folders, ignored or not; a folder of which everything is so ends with a slash."""
    words = ("ls-files", "-z", "--others", "--exclude-standard", "--directory", "--no-empty-directory")
    told = ask_git(root, *words, *(["--ignored"] if ignored else []))
    return tuple(os.fsdecode(name) for name in told.split(b"\0") if name)


def content_at(checkout: Checkout, commit: str, path: str) -> bytes | None:
    """The content of a file in a commit, as it is written to a work tree without filters; None if there is none."""
    try:
        variables = as_variables(unfiltered(checkout.root))
        return run_git(checkout.root, ["cat-file", "--filters", f"{commit}:{path}"], variables=variables)
    except RevisionMissing:
        return None


def submodules_of(root: Path, commit: str) -> Iterator[str]:
    """The submodules of a commit that are checked out in a work tree."""
    told = ask_git(root, "ls-tree", "-r", "-z", commit)
    for row in filter(None, told.split(b"\0")):
        path = os.fsdecode(row.partition(b"\t")[2])
        if row.startswith(GITLINK) and (root / path / ".git").exists():
            yield path


def clone_submodules(origin: Path, root: Path, commit: str) -> Iterator[str]:
    """Clone the submodules of a checkout into a worktree, from the checkout itself; yields what could not be cloned."""
    for path in submodules_of(origin, commit):
        inner = origin / path
        name, folder = _submodule_name(root, path), os.fsdecode(ask_git(inner, "rev-parse", "--absolute-git-dir"))
        settings = {f"submodule.{name}.url": folder.strip(), "protocol.file.allow": "always"}
        variables = QUIETLY | as_variables({"core.hooksPath": os.devnull, **settings})
        try:
            write_git(root, "submodule", "--quiet", "update", "--init", "--", path, variables=variables)
        except GitFailed as error:
            yield f"the submodule {path} is empty: {error.message} Fetch it with: git submodule update --init {path}"
            continue
        if address := ask_git(inner, "config", "--get", "remote.origin.url").decode().strip():
            write_git(root / path, "config", "remote.origin.url", address)
        inside = ask_git(root / path, "rev-parse", "HEAD").decode().strip()
        yield from (f"{path}/{each}" for each in clone_submodules(inner, root / path, inside))


def submodules_with_own_commits(origin: Path, root: Path) -> Iterator[str]:
    """Submodules of a worktree with commits that those of the checkout do not have: they go with the worktree."""
    for path in submodules_of(root, "HEAD"):
        inner, source = root / path, origin / path
        told = ask_git(inner, "for-each-ref", "--format=%(objectname)", "refs/heads", "refs/stash").decode().split()
        commits = {*told, ask_git(inner, "rev-parse", "HEAD").decode().strip()}
        if any(not _has_commit(source, commit) for commit in commits if commit):
            yield path
        yield from (f"{path}/{each}" for each in submodules_with_own_commits(source, inner))


def _has_commit(root: Path, commit: str) -> bool:
    is_own = (root / ".git").exists()  # else git would look into the repository around it
    return is_own and ask_git(root, "cat-file", "-t", commit).strip() == b"commit"


def _submodule_name(root: Path, path: str) -> str:
    words = ("config", "--file", ".gitmodules", "-z", "--get-regexp", r"^submodule\..*\.path$")
    for row in os.fsdecode(ask_git(root, *words)).split("\0"):
        key, _, value = row.partition("\n")
        if value == path:
            return key.removeprefix("submodule.").removesuffix(".path")
    return path


def pointer_files(root: Path) -> tuple[str, ...]:
    """Files of LFS that hold only a pointer, since their content is not here."""
    told = ask_git(root, "ls-files", "-z", "--", ":(attr:filter=lfs)")
    names = (os.fsdecode(name) for name in told.split(b"\0") if name)
    return tuple(name for name in names if _begins_with(root / name, LFS_POINTER))


def _begins_with(file: Path, words: bytes) -> bool:
    with suppress(OSError), file.open("rb") as opened:
        return opened.read(len(words)) == words
    return False
