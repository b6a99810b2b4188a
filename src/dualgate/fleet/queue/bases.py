"""The branches that a job depends on -> the commit that it starts from: merged, and verified as merged.

git merges in its object store: no work tree, index or branch of the person is touched, and nothing is pushed.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dualgate.core.values.notation import listed
from dualgate.core.values.queue import Base
from dualgate.core.values.replacing import replace
from dualgate.core.values.verification import Standing
from dualgate.errors import GitFailed
from dualgate.workspace.git import ask_git
from dualgate.workspace.git_writing import write_git

CLEAN, CONFLICT = 0, 1
"""Exit codes of `git merge-tree`."""
SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """How the verification of a merge ended."""

    standing: Standing
    reason: str = ""


Verify = Callable[[str, str], Verdict]
"""Verifies the change from one commit to another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A branch that a job depends on."""

    job: str
    branch: str
    commit: str
    start: str = ""
    """The commit that its work began from."""


def head_of(root: Path) -> str:
    """The commit that is checked out; empty in a repository without commits."""
    return commit_of(root, "HEAD")


def commit_of(root: Path, ref: str) -> str:
    return ask_git(root, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}").decode().strip()


def make_base(root: Path, head: str, parts: Sequence[Part], verify: Verify, accept_unproven: bool) -> Base:
    """Merge the parts into `head`, one after the other, and verify the result if it is a tree that no run proved."""
    commits = (head, *(part.commit for part in parts))
    at, merged, unmerged = head, {head: f"your commit {head[:12]}"}, list[str]()
    for part in parts:
        if not contains(root, head, part.commit):
            unmerged.append(part.branch)
        try:
            at, conflicts = _merged(root, at, part)
        except GitFailed as error:
            return Base(parts=commits, reason=f"{part.branch} cannot be merged: {error.message}")
        if conflicts:
            reason = _conflict(root, part, merged, conflicts)
            return _to_merge(root, Base(parts=commits, reason=reason, conflicts=conflicts), unmerged)
        merged[part.commit] = part.branch
    if at in commits:
        return Base(commit=at, parts=commits)
    found = verify(head, at)
    if found.standing is Standing.VERIFIED or (accept_unproven and found.standing is Standing.NOT_PROVEN):
        return Base(commit=at, parts=commits)
    refused = Base(parts=commits, reason=_refusal(found, head, at))
    return _to_merge(root, refused, unmerged) if found.standing is Standing.REFUSED else refused


def conflicts_between(root: Path, one: str, other: str) -> tuple[str, ...]:
    """The paths that two commits change in conflicting ways; empty if git cannot tell."""
    try:
        return _merge_tree(root, one, other)[1]
    except GitFailed:
        return ()


def _merged(root: Path, at: str, part: Part) -> tuple[str, tuple[str, ...]]:
    """The commit with a part merged, or the paths in conflict."""
    if contains(root, at, part.commit):
        return at, ()
    if contains(root, part.commit, at):
        return part.commit, ()
    tree, conflicts = _merge_tree(root, at, part.commit)
    if conflicts:
        return at, conflicts
    message = f"Merge {part.branch}\n\nMade by dualgate queue, as the start of work that needs it.\n"
    made = write_git(root, "commit-tree", tree, "-p", at, "-p", part.commit, given=message.encode())
    return made.decode().strip(), ()


def _merge_tree(root: Path, one: str, other: str) -> tuple[str, tuple[str, ...]]:
    told = write_git(
        root,
        *("merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", one, other),
        accepts=(CLEAN, CONFLICT),
        next_step="Merging needs git 2.38 or newer.",
    )
    tree, *paths = told.split(b"\0")
    return tree.decode(), tuple(dict.fromkeys(os.fsdecode(path) for path in paths if path))


def contains(root: Path, commit: str, other: str) -> bool:
    """Whether a commit is another one or comes after it."""
    return ask_git(root, "merge-base", commit, other).decode().strip() == other


def _untracked(root: Path, head: str, branches: Sequence[str]) -> tuple[str, ...]:
    """Untracked files of the checkout that a branch adds: specifications that were never committed, for example."""
    here = ask_git(root, "ls-files", "--others", "--exclude-standard", "--full-name", "-z", ":/")
    added = {
        path
        for branch in branches
        for path in ask_git(root, "diff", "--name-only", "--diff-filter=A", "-z", f"{head}...{branch}").split(b"\0")
    }
    return tuple(os.fsdecode(path) for path in here.split(b"\0") if path and path in added)


def _to_merge(root: Path, base: Base, unmerged: Sequence[str]) -> Base:
    """A base that a person has to make, with all that their merge needs."""
    in_the_way = _untracked(root, base.parts[0], unmerged)
    return replace(base, unmerged=tuple(unmerged), in_the_way=in_the_way)


def _conflict(root: Path, part: Part, merged: Mapping[str, str], conflicts: Sequence[str]) -> str:
    """The branches in conflict, in words. Where no two of them conflict alone, all are named."""
    alone = [name for commit, name in merged.items() if conflicts_between(root, commit, part.commit)]
    return (
        f"{part.branch} conflicts with {' and '.join(alone or merged.values())} in {listed(conflicts, SHOWN)}. "
        "Both must hold: merge them into the branch that is checked out here, resolve the conflict, commit, "
        "and run the queue again"
    )


def _refusal(found: Verdict, head: str, merged: str) -> str:
    return (
        f"the merge of its dependencies is {found.standing.value}: {found.reason or 'no reason is known'}. "
        f"See: dualgate verify --base {head[:12]} --head {merged[:12]}{_WAYS_ON.get(found.standing, '')}"
    )


_WAYS_ON: Mapping[Standing, str] = {
    Standing.REFUSED: ". Merge them into the branch that is checked out here, fix it, commit, and run the queue again",
    Standing.NOT_PROVEN: ". If that is enough: dualgate queue run --accept-unproven",
}
