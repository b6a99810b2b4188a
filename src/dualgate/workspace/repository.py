"""The state of the user's git repository, and commits that were lost from it. It is only read."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from dualgate.processes.worktrees import main_work_tree, nearest_repository
from dualgate.workspace.git import ask_git, status_of

_COMMITS_KEPT = 1000
_ID = re.compile(r"[0-9a-f]{40,64}")
KEPT_REFS = ("refs/heads", "refs/tags")
# file or folder in .git -> the git operation that is not finished
UNDER_WAY = {
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "BISECT_LOG": "bisect",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """Branches, tags, stashes and a detached HEAD, each with its commit.

    `there` is false if there is no repository. It then has the refs of one that is gone.
    """

    there: bool = False
    refs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryState:
    """The state of a repository. `branch` is None if git does not report one."""

    branch: str | None
    changed: tuple[str, ...]
    """Paths with uncommitted changes, and untracked paths."""
    under_way: str


def repository_root(project: Path) -> Path | None:
    """The root of the repository that contains a project, which may be a folder above it.

    A repository above that tracks no file of the project does not count: a home folder may ignore everything in it.
    """
    root = nearest_repository(project)
    is_kept = root in (None, project) or bool(ask_git(project, "ls-files", "-z", "--cached"))
    return root if is_kept else None


def worktree_of(project: Path) -> str:
    """The repository whose linked worktree a project is in; empty if it is in none."""
    root = nearest_repository(project)
    return str(main_work_tree(root) or "") if root else ""


def read_repository_state(project: Path) -> RepositoryState | None:
    """The state of the repository around a folder; None if there is no repository."""
    root = nearest_repository(project)
    folder = _git_folder(root) if root else None
    if root is None or folder is None:
        return None
    told = status_of(root).decode("utf-8", "replace")
    heading, *changed = told.split("\0")
    return RepositoryState(
        branch=heading.removeprefix("## ").partition("...")[0] or None,
        changed=tuple(line[3:] for line in changed if line),
        under_way=next((word for name, word in UNDER_WAY.items() if (folder / name).exists()), ""),
    )


def read_again(before: Repository, root: Path | None, *, is_persons: bool = False) -> Repository:
    """The repository after a call. One that a call took away may come back, and must then have the same commits.

    `is_persons` says that no agent was at work since `before`: a person may take it away for good.
    """
    after = read_repository(root)
    is_missed = not after.there and not (is_persons and before.there)
    return Repository(refs=before.refs) if is_missed else after


def read_repository(root: Path | None) -> Repository:
    folder = _git_folder(root) if root else None
    if folder is None:
        return Repository()
    common = _common(folder)
    if common != folder:  # the other branches and the stashes belong to whoever works in the other work trees
        return Repository(there=True, refs=_checked_out(folder, common))
    refs = dict((*_packed(common), *_stashed(common))) | _detached(folder)
    for name in KEPT_REFS:
        refs.update(_loose(common, name))
    return Repository(there=True, refs=refs)


def head_commit(root: Path | None) -> str:
    """The commit that is checked out, read from files alone; empty if there is none, or it cannot be read."""
    folder = _git_folder(root) if root else None
    if folder is None:
        return ""
    return next(iter(_checked_out(folder, _common(folder)).values()), "")


def commits_made(root: Path, before: Repository, after: Repository) -> tuple[str, ...]:
    """The commits and stashes since `before`; of very many only some."""
    new = _commits({*after.refs.values()} - {*before.refs.values()})
    if not (before.there or before.refs) or not new:
        return ()
    words = (
        "rev-list",
        "--ignore-missing",
        f"--max-count={_COMMITS_KEPT}",
        *new,
        "--not",
        *_commits(before.refs.values()),
    )
    return tuple(ask_git(root, *words, "--remotes").decode().split())


def losses(root: Path, before: Repository, after: Repository, own: Collection[str] = frozenset()) -> Iterator[str]:
    """Losses since `before`: unreachable commits, each with the command that keeps it, or .git itself.

    Commits that an agent made are its own: it may rewrite them, if nothing below them is lost.
    """
    if not after.there:
        if before.there:
            yield "the repository itself (.git) is gone; restore it from a backup"
        return
    if before.refs == after.refs:
        return
    for name, commit in before.refs.items():
        is_lost = commit not in after.refs.values() and not _is_reachable(root, commit)
        if is_lost and not (commit in own and _is_lost_alone(root, name, commit, after, own)):
            short = name.removeprefix("refs/").removeprefix("heads/")
            way_back = f"'git branch rescue {commit[:12]}' keeps it"
            yield f"{short} was at {commit[:12]}, which no branch contains any more; {way_back}"


def _is_lost_alone(root: Path, name: str, commit: str, after: Repository, own: Collection[str]) -> bool:
    """Whether all commits that are lost with one of a ref are in `own`."""
    # what only a stash still leads to goes when the stash is dropped; stashes may share the commit of their index
    is_stash = name.startswith("stash@")
    kept = _commits(value for ref, value in after.refs.items() if is_stash or not ref.startswith("stash@"))
    lost = ask_git(root, "rev-list", "--ignore-missing", commit, "--not", *kept, "--remotes")
    return bool(lost) and {*lost.decode().split()} <= {*own}


def _commits(values: Iterable[str]) -> list[str]:
    """Ids alone: a ref may name another ref."""
    return sorted({value for value in values if _ID.fullmatch(value)})


def _is_reachable(root: Path, commit: str) -> bool:
    """Whether a branch or tag still contains a commit; if git fails, it counts as lost."""
    held = ask_git(root, "for-each-ref", "--contains", commit, "--count=1", *KEPT_REFS, "refs/remotes")
    return bool(held.strip())


def _git_folder(root: Path) -> Path | None:
    place = root / ".git"
    try:
        if place.is_dir():
            return place if (place / "HEAD").exists() else None
        named = place.read_text().removeprefix("gitdir:").strip()
        return root / named
    except (OSError, UnicodeDecodeError):
        return None


def _common(folder: Path) -> Path:
    """The folder with the refs: that of the repository which a linked work tree belongs to."""
    with suppress(OSError):
        return folder / (folder / "commondir").read_text().strip()
    return folder


def _checked_out(folder: Path, common: Path) -> dict[str, str]:
    """The branch that is checked out, or a detached HEAD."""
    if detached := _detached(folder):
        return detached
    with suppress(OSError, UnicodeDecodeError):
        name = (folder / "HEAD").read_text().removeprefix("ref:").strip()
        commit = dict(_loose(common, name)).get(name) or dict(_packed(common)).get(name)
        return {name: commit} if commit else {}
    return {}


def _detached(folder: Path) -> dict[str, str]:
    with suppress(OSError, UnicodeDecodeError):
        head = (folder / "HEAD").read_text().strip()
        return {} if head.startswith("ref:") else {"HEAD": head}
    return {}


def _stashed(folder: Path) -> Iterator[tuple[str, str]]:
    """Read from the reflog: the ref itself names only the newest stash."""
    try:
        lines = (folder / "logs" / "refs" / "stash").read_text(errors="replace").splitlines()
    except OSError:
        return
    for number, line in enumerate(reversed(lines)):
        _, _, rest = line.partition(" ")
        yield f"stash@{{{number}}}", rest.partition(" ")[0]


def _packed(folder: Path) -> Iterator[tuple[str, str]]:
    try:
        lines = (folder / "packed-refs").read_text(errors="surrogateescape").splitlines()
    except OSError:
        return
    for line in lines:
        commit, _, name = line.partition(" ")
        if name.startswith(KEPT_REFS) and not line.startswith(("#", "^")):
            yield name, commit


def _loose(folder: Path, name: str) -> Iterator[tuple[str, str]]:
    place = folder / name
    if place.is_file():
        with suppress(OSError):
            yield name, place.read_text().strip()
    elif place.is_dir():
        for item in sorted(place.iterdir()):
            yield from _loose(folder, f"{name}/{item.name}")
