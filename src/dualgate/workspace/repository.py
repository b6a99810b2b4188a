"""What the user's git repository holds, read from its files. It is looked at, and never written to."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

GIT_PATIENCE = 30.0
KEPT_REFS = ("refs/heads", "refs/tags")
# what git leaves in its folder while something is under way
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
    """Branches, tags, what is stashed and a HEAD that is on no branch, each with its commit.

    `there` is false where there is no repository.
    """

    there: bool = False
    refs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryState:
    """How a repository stands. `branch` is None where git cannot say."""

    branch: str | None
    changed: tuple[str, ...]
    """Paths that are not committed, those that git does not know too."""
    under_way: str


def repository_root(project: Path) -> Path | None:
    """The folder of the repository that a project belongs to, be it one around it.

    One around it that keeps nothing of it has no say: a home that is a repository may ignore all that lies in it.
    """
    root = _nearest(project)
    is_kept = root in (None, project) or bool(ask_git(project, "ls-files", "-z", "--cached"))
    return root if is_kept else None


def _nearest(project: Path) -> Path | None:
    return next((place for place in (project, *project.parents) if (place / ".git").exists()), None)


def read_repository_state(project: Path) -> RepositoryState | None:
    """How the repository that a folder lies in stands; None where it lies in none."""
    root = _nearest(project)
    folder = _git_folder(root) if root else None
    if root is None or folder is None:
        return None
    told = ask_git(root, "status", "--porcelain", "--branch", "--no-renames", "-z").decode("utf-8", "replace")
    heading, *changed = told.split("\0")
    return RepositoryState(
        branch=heading.removeprefix("## ").partition("...")[0] or None,
        changed=tuple(line[3:] for line in changed if line),
        under_way=next((word for name, word in UNDER_WAY.items() if (folder / name).exists()), ""),
    )


def read_repository(root: Path | None) -> Repository:
    folder = _git_folder(root) if root else None
    if folder is None:
        return Repository()
    common = folder
    with suppress(OSError):
        common = folder / (folder / "commondir").read_text().strip()
    refs = dict((*_packed(common), *_stashed(common))) | _detached(folder)
    for name in KEPT_REFS:
        refs.update(_loose(common, name))
    return Repository(there=True, refs=refs)


def losses(root: Path, before: Repository, after: Repository) -> Iterator[str]:
    """What was in the repository and cannot be reached any more, each with the way back to it."""
    if not before.there or before == after:
        return
    if not after.there:
        yield "the repository itself (.git) is gone; only a copy of it can bring it back"
        return
    for name, commit in before.refs.items():
        if commit not in after.refs.values() and not _is_reachable(root, commit):
            short = name.removeprefix("refs/").removeprefix("heads/")
            way_back = f"'git branch rescue {commit[:12]}' keeps it"
            yield f"{short} was at {commit[:12]}, which nothing leads to any more; {way_back}"


def ask_git(root: Path, *words: str) -> bytes:
    """What git says; nothing where there is no git, no repository, or one that is broken. It is only ever asked."""
    if _nearest(root) is None:
        return b""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        said = subprocess.run(
            ["git", "-c", "core.fsmonitor=false", *words],
            cwd=root,
            env=plain | {"GIT_OPTIONAL_LOCKS": "0"},
            capture_output=True,
            timeout=GIT_PATIENCE,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return b""
    return said.stdout


def _is_reachable(root: Path, commit: str) -> bool:
    """Whether some branch or tag still holds a commit; where git cannot say, it is taken for lost."""
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


def _detached(folder: Path) -> dict[str, str]:
    with suppress(OSError, UnicodeDecodeError):
        head = (folder / "HEAD").read_text().strip()
        return {} if head.startswith("ref:") else {"HEAD": head}
    return {}


def _stashed(folder: Path) -> Iterator[tuple[str, str]]:
    """Git names the newest alone; the others are in the log of its name."""
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
