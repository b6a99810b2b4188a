"""Push a branch to a remote: a plain push, which the remote refuses if it would lose a commit. Never forced."""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass

from dualgate.core.values.notation import shown
from dualgate.errors import GitFailed
from dualgate.workspace.commits import BRANCHES, CommitRepository, commit_of
from dualgate.workspace.git import as_variables, ask_git
from dualgate.workspace.git_writing import write_git
from dualgate.workspace.revisions import MAIN_BRANCHES

PUSH_PATIENCE = 600.0
PUSHING_MORE = ("on-demand", "only")
"""Values of push.recurseSubmodules with which a push also pushes submodules."""
ORIGIN = "origin"
UPSTREAM = "upstream"
RESOLVED = {"gh": "gh-resolved", "glab": "glab-resolved"}
"""The setting of a remote by which a person chose the repository of requests: `gh repo set-default` writes it."""
# https://user:secret@host:port/path, ssh://git@host/path, git@host:path
_URL = re.compile(
    r"(?:(?P<scheme>[a-z+]+)://)?(?:[^/]*@)?(?P<host>\[[^]/]+\]|[^/:@]+)(?(scheme)(?::\d+(?=/))?)[:/]*(?P<path>.*)"
)
_LOGIN = re.compile(r"(?<=//)[^/]*@")


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    name: str
    url: str
    """The address that is pushed to, without a login; several with commas, if the remote has them."""
    host: str
    """Empty for a folder."""
    path: str = ""
    """The repository on its host, such as `owner/name`; empty for a folder."""
    is_ssh: bool = False

    @property
    def owner(self) -> str:
        return self.path.rpartition("/")[0]


def find_remote(repository: CommitRepository, asked: str | None, branch: str = "") -> Remote:
    """The remote of this name, else the one that git is set to push to, else origin, else the only one.

    Raises GitFailed if there is none.
    """
    names = _remotes(repository)
    if asked is not None and asked not in names:
        raise GitFailed(f"There is no remote '{shown(asked)}'.", f"Remotes: {', '.join(names) or 'none'}")
    usual = (_setting(repository, f"branch.{branch}.pushRemote"), _setting(repository, "remote.pushDefault"), ORIGIN)
    name = asked or next((each for each in usual if each in names), names[0] if len(names) == 1 else "")
    if not name:
        step = "Name one with --remote." if names else "Add one: git remote add origin ADDRESS"
        raise GitFailed("No remote is named, and there is no remote called origin.", step)
    return _remote(repository, name, "--push")


def find_target(
    repository: CommitRepository,
    pushed: Remote,
    program: str,
    known: Callable[[Remote], Remote] = lambda remote: remote,
) -> Remote:
    """The remote whose repository gets the request: that of the program's own setting, upstream, origin, or `pushed`.

    A fork is pushed to, and its request goes to the repository that it is a fork of. `known` names the real host.
    """
    names = _remotes(repository)
    chosen = [name for name in names if _setting(repository, f"remote.{name}.{RESOLVED.get(program, program)}")]
    for name in (*chosen, UPSTREAM, ORIGIN):
        if name in names and (found := known(_remote(repository, name))).path and found.host == pushed.host:
            return pushed if found.path == pushed.path else found
    return pushed


def _remotes(repository: CommitRepository) -> list[str]:
    return os.fsdecode(ask_git(repository.root, "remote")).split("\n")[:-1]


def _setting(repository: CommitRepository, name: str) -> str:
    return os.fsdecode(ask_git(repository.root, "config", "--get", name)).strip()


def _remote(repository: CommitRepository, name: str, *words: str) -> Remote:
    told = os.fsdecode(ask_git(repository.root, "remote", "get-url", "--all", *words, "--", name)).split("\n")[:-1]
    url, every = told[0] if told else "", ", ".join(_LOGIN.sub("", each) for each in told)
    is_folder = url.startswith(("/", ".", "file:")) or not re.search(r"://|^[^/]+:", url)
    found = None if is_folder else _URL.match(url)
    if found is None:
        return Remote(name=name, url=every, host="")
    return Remote(
        name=name,
        url=every,
        host=found["host"].lower(),
        path=found["path"].strip("/").removesuffix(".git"),
        is_ssh=(found["scheme"] or "ssh").endswith("ssh"),
    )


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
    settings = {"push.followTags": "false"}
    if _setting(repository, "push.recurseSubmodules") in PUSHING_MORE:
        settings["push.recurseSubmodules"] = "check"
    variables = as_variables(settings)
    write_git(repository.root, *push_words(remote, branch), variables=variables, patience=PUSH_PATIENCE, next_step=step)
