"""Push a branch to a remote: a plain push, which the remote refuses if it would lose a commit. Never forced."""

import os
import re
from dataclasses import dataclass

from dualgate.core.values.notation import shown
from dualgate.errors import GitFailed
from dualgate.workspace.commits import BRANCHES, CommitRepository, commit_of
from dualgate.workspace.git import ask_git
from dualgate.workspace.git_writing import write_git
from dualgate.workspace.revisions import MAIN_BRANCHES

PUSH_PATIENCE = 600.0
ORIGIN = "origin"
# https://user:secret@host:port/path, ssh://git@host/path, git@host:path
_URL = re.compile(r"(?:[a-z+]+://)?(?:[^@/]*@)?(?P<host>[^/:@]+)")
_LOGIN = re.compile(r"(?<=//)[^@/]*@")


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    name: str
    url: str
    """The address that is pushed to, without a login."""
    host: str
    """Empty for a folder."""


def find_remote(repository: CommitRepository, asked: str | None) -> Remote:
    """The remote of this name, else origin, else the only one. Raises GitFailed if there is none."""
    names = os.fsdecode(ask_git(repository.root, "remote")).split("\n")[:-1]
    if asked is not None and asked not in names:
        raise GitFailed(f"There is no remote '{shown(asked)}'.", f"Remotes: {', '.join(names) or 'none'}")
    name = asked or (ORIGIN if ORIGIN in names else names[0] if len(names) == 1 else "")
    if not name:
        step = "Name one with --remote." if names else "Add one: git remote add origin ADDRESS"
        raise GitFailed("No remote is named, and there is no remote called origin.", step)
    url = os.fsdecode(ask_git(repository.root, "remote", "get-url", "--push", "--", name)).strip()
    return Remote(name=name, url=_LOGIN.sub("", url), host=_host(url))


def _host(url: str) -> str:
    is_folder = url.startswith(("/", ".", "file:")) or not re.search(r"://|^[^/]+:", url)
    found = None if is_folder else _URL.match(url)
    return found["host"].lower() if found else ""


def base_branch(repository: CommitRepository, remote: Remote) -> str:
    """The main branch of a remote, as far as this clone knows it; empty if it does not."""
    start = f"refs/remotes/{remote.name}/"
    head = os.fsdecode(ask_git(repository.root, "symbolic-ref", "--quiet", f"{start}HEAD")).strip()
    if head:
        return head.removeprefix(start)
    return next((name for name in MAIN_BRANCHES if commit_of(repository, f"{start}{name}")), "")


def push_words(remote: Remote, branch: str) -> tuple[str, ...]:
    return ("push", remote.name, f"{BRANCHES}{branch}:{BRANCHES}{branch}")


def push_branch(repository: CommitRepository, remote: Remote, branch: str) -> None:
    """Push one branch, and nothing else. Raises GitFailed with the words of the remote if it refuses."""
    step = (
        f"Nothing was overwritten. If the branch has other commits there, look at them: git fetch {remote.name}. "
        f"Or push it yourself: git {' '.join(push_words(remote, branch))}"
    )
    settings = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "push.followTags", "GIT_CONFIG_VALUE_0": "false"}
    write_git(repository.root, *push_words(remote, branch), variables=settings, patience=PUSH_PATIENCE, next_step=step)
