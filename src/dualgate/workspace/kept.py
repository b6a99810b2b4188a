"""Keep what only the entry of a worktree holds, before it is removed: commits of no branch, and staged content."""

import os
from contextlib import suppress
from pathlib import Path

from dualgate.errors import GitFailed
from dualgate.workspace.git import ask_git, status_of
from dualgate.workspace.git_writing import write_git
from dualgate.workspace.linked import QUIETLY

KEPT = "refs/dualgate/kept"
NOBODY = {"NAME": "dualgate", "EMAIL": "dualgate@localhost"}
"""The author of a commit that holds staged content; the person may have no identity."""
STAGED = frozenset(b"AMT")
EDITED = frozenset(b"MTD")


def keep_entry(root: Path, name: str) -> str:
    """Keep commits of no branch, and staged content that the files do not have. Returns their ref, empty for none."""
    commit = _commit_of_index(root) if staged_apart(root) else ""
    commit = commit or _commit_of_no_branch(root)
    if not commit:
        return ""
    ref = f"{KEPT}/{name}/{commit[:12]}"
    write_git(root, "update-ref", ref, commit, variables=QUIETLY)
    return ref


def put_back_entry(root: Path, ref: str) -> None:
    """Stage again what a ref keeps, and forget the ref: HEAD and index of the worktree hold it now."""
    commit, head = (_commit(root, name) for name in (ref, "HEAD"))
    if commit and commit != head:
        write_git(root, "read-tree", commit, variables=QUIETLY)
    if commit:
        write_git(root, "update-ref", "-d", ref, commit, variables=QUIETLY)


def staged_apart(root: Path) -> tuple[str, ...]:
    """Files whose staged content is neither in the last commit nor in the work tree."""
    rows = filter(None, status_of(root).split(b"\0"))
    return tuple(os.fsdecode(row[3:]) for row in rows if row[0] in STAGED and row[1] in EDITED)


def _commit_of_index(root: Path) -> str:
    """A commit of the staged files upon HEAD; empty in a merge with conflicts, whose sides are commits."""
    author = {f"GIT_{who}_{what}": text for who in ("AUTHOR", "COMMITTER") for what, text in NOBODY.items()}
    with suppress(GitFailed):
        tree = write_git(root, "write-tree", variables=QUIETLY).decode().strip()
        words = ("commit-tree", tree, "-p", "HEAD", "-m", "Staged files of a removed worktree")
        return write_git(root, *words, variables=QUIETLY | author).decode().strip()
    return ""


def _commit_of_no_branch(root: Path) -> str:
    """The commit of HEAD, if HEAD is detached and no branch or tag holds it; else empty."""
    if ask_git(root, "symbolic-ref", "--quiet", "HEAD"):
        return ""
    words = ("rev-list", "--max-count=1", "HEAD", "--not", "--branches", "--tags", "--remotes")
    return ask_git(root, *words).decode().strip()


def _commit(root: Path, name: str) -> str:
    return ask_git(root, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}").decode().strip()
