"""Settings -> what a run would commit and push, before it starts. Git is only read, and no program is started."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from dualgate.core.values.commits import CommitPlan
from dualgate.core.values.notation import listed
from dualgate.core.values.vocabulary import CommitUse
from dualgate.errors import GitFailed
from dualgate.session.commit_planning import plan_commits, use_of
from dualgate.settings import Settings
from dualgate.workspace.code_hosts import installed_program, likely_host
from dualgate.workspace.commit_hooks import find_hooks
from dualgate.workspace.commits import EVIDENCE, CommitRepository, author_of, open_repository, signs_commits, tip_of
from dualgate.workspace.pushing import base_branch, find_remote, find_target


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestPreview:
    """The remote to which a run with --pr would push, and the program that would open the request."""

    remote: str = ""
    url: str = ""
    base: str = ""
    """Empty for the main branch of the host."""
    repository: str = ""
    """The repository that gets the request, if a fork is pushed to."""
    program: str = ""
    """The program that would open the request; empty if the commands would be printed. Its login is not checked."""
    refused: str = ""
    """Why nothing could be pushed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitPreview:
    """How a run would commit."""

    use: CommitUse
    branch: str = ""
    is_new: bool = True
    """Whether the branch does not exist yet."""
    base: str = ""
    """The commit that the first one comes after."""
    hooks: tuple[str, ...] = ()
    ignored_hooks: tuple[str, ...] = ()
    """Hooks that are not executable."""
    author: str = ""
    signed: bool = False
    trailers: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    """Files with uncommitted edits of the person."""
    request: RequestPreview | None = None
    refused: str = ""
    """Why a run would be refused."""


def preview_commits(
    settings: Settings, project: Path, name: str, environment: Mapping[str, str], beside: tuple[str, str] | None = None
) -> CommitPreview | None:
    """The commits of a run before it starts; None without any. `beside` is branch and base of a new worktree."""
    use = use_of(settings)
    if use is CommitUse.NEVER:
        return None
    try:
        repository = open_repository(project)
        plan = plan_commits(settings, project, name, environment=environment, tries_signature=False)
    except GitFailed as error:
        return CommitPreview(use=use, refused=f"{error.message} {error.next_step}")
    branch, base = beside if beside and settings.commit.branch is None else (plan.branch, plan.base)
    hooks = find_hooks(repository)
    return CommitPreview(
        use=use,
        branch=branch,
        is_new=not tip_of(repository, branch),
        base=base,
        hooks=hooks.names,
        ignored_hooks=hooks.not_executable,
        author=author_of(repository),
        signed=signs_commits(repository),
        trailers=_trailers(plan),
        edited=() if beside else plan.edited,
        request=_request(settings, repository, branch, environment) if plan.request else None,
    )


def commit_preview_rows(found: CommitPreview) -> Iterator[tuple[str, str]]:
    """The plan as rows for people."""
    if found.refused:
        yield "Commit", f"a run would be refused: {found.refused}"
        return
    what = "one commit for each phase that passes" if found.use is CommitUse.PHASE else "one commit for a proven run"
    yield (
        "Commit",
        f"{what}, on the {'new' if found.is_new else 'existing'} branch {found.branch}, from {found.base[:12]}",
    )
    ignored = f"; ignored, since not executable: {', '.join(found.ignored_hooks)}" if found.ignored_hooks else ""
    yield "Hooks", f"{', '.join(found.hooks) or 'none'}{ignored}"
    yield "Author", f"{found.author}{', signed; the signature is tried when the run starts' if found.signed else ''}"
    yield "Trailers", ", ".join(found.trailers)
    if found.edited:
        yield "left", f"uncommitted edits of yours: {listed(found.edited)}; committed only if the run changes the file"
    if found.request:
        yield "Request", _request_row(found.request)


def _request_row(found: RequestPreview) -> str:
    if found.refused:
        return f"would not be opened: {found.refused}"
    base = f"{found.base or 'the main branch'}{f' of {found.repository}' if found.repository else ''}"
    if not found.program:
        return f"neither gh nor glab is installed: nothing would be pushed to {found.remote}, and the commands printed"
    return f"push to {found.remote}, {found.url}; then to {base} with {found.program}, if it is logged in"


def _trailers(plan: CommitPlan) -> tuple[str, ...]:
    first = "Dualgate-Phase" if plan.use is CommitUse.PHASE else "Dualgate-Verdict"
    coauthor = (f"Co-authored-by: {plan.coauthor}",) if plan.coauthor else ()
    return (first, "Dualgate-Session", EVIDENCE, *coauthor)


def _request(
    settings: Settings, repository: CommitRepository, branch: str, environment: Mapping[str, str]
) -> RequestPreview:
    try:
        remote = find_remote(repository, settings.pr.remote, branch)
    except GitFailed as error:
        return RequestPreview(refused=f"{error.message} {error.next_step}")
    target = find_target(repository, remote, likely_host(remote).program)
    return RequestPreview(
        remote=remote.name,
        url=remote.url,
        base=settings.pr.base or base_branch(repository, target),
        repository=target.path if target != remote else "",
        program=installed_program(remote, repository.root, environment),
    )
