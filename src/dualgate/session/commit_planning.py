"""Settings -> the commit plan of a run, settled before any work: branch, base, hooks. Nothing is written yet."""

from collections.abc import Mapping
from pathlib import Path

from dualgate.core.values.commits import CommitPlan
from dualgate.core.values.notation import shown
from dualgate.core.values.vocabulary import CommitUse
from dualgate.errors import GitFailed
from dualgate.settings import Settings
from dualgate.store.worktree_records import record_at
from dualgate.workspace.commit_hooks import hooks_digest
from dualgate.workspace.commits import (
    CommitRepository,
    checked_out_elsewhere,
    commit_of,
    is_linked,
    open_repository,
    present_branch,
    require_identity,
    tip_of,
)
from dualgate.workspace.git import ask_git
from dualgate.workspace.repository import read_repository_state

CURRENT = "current"
MOST_SUFFIXES = 100
MOST_EDITED = 1000
OTHER_NAME = "Name another branch with --branch NAME."


def use_of(settings: Settings) -> CommitUse:
    """When the run commits. A pull request needs a commit."""
    asked = settings.commit.when
    return CommitUse.RUN if settings.pr.open and asked is CommitUse.NEVER else asked


def plan_commits(
    settings: Settings,
    project: Path,
    name: str,
    before: CommitPlan | None = None,
    *,
    environment: Mapping[str, str],
    trusts_hooks: bool = True,
    tries_signature: bool = True,
) -> CommitPlan:
    """The plan of a run. Raises GitFailed with what to fix before any work is done.

    A resumed session keeps the branch and the base of the plan `before`, unless another is asked for. It also keeps to
    the hooks that it began with, and to what it was asked for, unless a person asks for commits again: `trusts_hooks`.
    """
    use, request = use_of(settings), settings.pr.open
    if before is not None and before.branch and not trusts_hooks:
        use, request = before.use, before.request
    before = before or CommitPlan()
    if use is CommitUse.NEVER:
        return CommitPlan()
    repository = open_repository(project)
    base = commit_of(repository, "HEAD")
    if not base:
        raise GitFailed(
            "The repository has no commit yet, so there is nothing that a commit could come after.",
            "Make a first commit: git commit --allow-empty -m 'Begin'",
        )
    require_identity(repository, tries_signature=tries_signature)
    asked = settings.commit.branch
    keeps = bool(before.branch) and asked in (None, before.branch, CURRENT)
    branch = before.branch if keeps else _branch(repository, settings, name, base)
    if place := checked_out_elsewhere(repository, branch):
        raise GitFailed(f"The branch {branch} is checked out in {place}.", OTHER_NAME)
    return CommitPlan(
        use=use,
        branch=branch,
        base=before.base if keeps else base,
        agent=settings.commit.agent,
        coauthor=settings.commit.coauthor or "",
        hooks=before.hooks if keeps and not trusts_hooks else hooks_digest(repository),
        edited=before.edited if keeps else _edited(repository, project, environment),
        request=request,
    )


def _branch(repository: CommitRepository, settings: Settings, name: str, base: str) -> str:
    asked, prefix = settings.commit.branch, settings.commit.prefix
    present = present_branch(repository)
    if asked == CURRENT:
        return _current(repository)
    if asked is None and present.startswith(prefix) and is_linked(repository):
        return present  # the worktree was made for this run, with its branch
    if asked is not None:
        tip = tip_of(repository, _valid(repository, asked))
        if tip not in ("", base):
            raise GitFailed(
                f"The branch {asked} is at {tip[:12]}, and the work begins at {base[:12]}.",
                f"Check it out first (git switch {asked}), or name a new branch.",
            )
        return asked
    return _free(repository, _valid(repository, f"{prefix}{name}"))


def _current(repository: CommitRepository) -> str:
    branch = present_branch(repository)
    if not branch:
        raise GitFailed("HEAD is detached: no branch is checked out.", "Check one out: git switch -c NAME")
    state = read_repository_state(repository.root)
    if state and state.under_way:
        raise GitFailed(f"A {state.under_way} is under way on {branch}.", "Finish or abort it first.")
    return branch


def _valid(repository: CommitRepository, name: str) -> str:
    """A name that git accepts, and that no other branch stands in the way of."""
    if not ask_git(repository.root, "check-ref-format", "--branch", name):
        raise GitFailed(f"'{shown(name)}' is no name for a branch.", OTHER_NAME)
    parts = name.split("/")
    above = ("/".join(parts[:count]) for count in range(1, len(parts)))
    if taken := next((each for each in above if tip_of(repository, each)), ""):
        raise GitFailed(f"There is a branch {taken}, so git can have none called {name}.", OTHER_NAME)
    return name


def _free(repository: CommitRepository, name: str) -> str:
    """The name, or the first one with a number behind it: a branch of another run is left alone."""
    names = (name, *(f"{name}-{number}" for number in range(2, MOST_SUFFIXES)))
    found = next((each for each in names if not tip_of(repository, each)), None)
    if found is None:
        raise GitFailed(f"The branches {name} to {name}-{MOST_SUFFIXES - 1} exist already.", OTHER_NAME)
    return found


def _edited(repository: CommitRepository, project: Path, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Paths with uncommitted edits; without the files that a worktree was made with."""
    state = read_repository_state(project)
    record = record_at(repository.root, environment) if is_linked(repository) else None
    given = {*record.copied} if record else set()
    return tuple(shown(path) for path in state.changed[:MOST_EDITED] if path not in given) if state else ()
