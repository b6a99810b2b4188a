"""Push the branch of a session and open a pull request for it, each only if it is not there already."""

import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from dualgate.core.machine.committing import is_outstanding
from dualgate.core.values.commits import CommitLog, CommitRefusal, RequestOpened, RequestRefused
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import SubjectStyle
from dualgate.display.report.commit import commit_subject
from dualgate.display.report.pull_request import pull_request_body
from dualgate.errors import RequestFailed, SessionLocked
from dualgate.session.committing import LOOK_AT_HOOKS
from dualgate.session.host import Host
from dualgate.session.own import append_events
from dualgate.session.reporting import ReportSource, read_report
from dualgate.session.subject_style import style_of
from dualgate.store.account import read_account
from dualgate.store.atomic import write_whole
from dualgate.store.lease import owner_of
from dualgate.store.owners import person
from dualgate.workspace.code_hosts import Calls, CodeHost, NoHost, PullRequest, find_host, known_by_ssh, likely_host
from dualgate.workspace.commit_hooks import hooks_digest
from dualgate.workspace.commits import CommitRepository, is_ancestor, open_repository, tip_of
from dualgate.workspace.pushing import Remote, base_branch, find_remote, find_target, push_branch, push_words

BODY = "pull-request.md"
"""The text of the request, in the session folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestOptions:
    remote: str | None = None
    base: str | None = None
    draft: bool = False
    style: SubjectStyle = SubjectStyle.AUTO


@dataclass(frozen=True, slots=True, kw_only=True)
class Requested:
    """A branch that was pushed with its request, or the commands with which a person does that."""

    branch: str
    commit: str
    remote: str
    url: str = ""
    is_new: bool = False
    commands: tuple[str, ...] = ()
    reason: str = ""
    """Why a person has to do that."""


def request_pull(
    source: ReportSource, options: RequestOptions, now: datetime, tell: Callable[[str], None]
) -> Requested:
    """Push the branch of a session, and open a request if the branch has none. Raises RequestFailed or GitFailed."""
    if owner_of(source.project, source.environment):
        raise SessionLocked("A run is at work on this session.", "Wait for its end: dualgate status")
    state = read_account(source.folder).state
    log = state.commits
    if is_outstanding(state):
        why = f": {log.refusal.reason}" if log.refusal else ""
        raise RequestFailed(f"The proven work of this session is not committed{why}.", "Commit it: dualgate resume")
    repository = open_repository(source.project)
    commit = _require_commit(repository, log)

    def known(remote: Remote) -> Remote:
        return known_by_ssh(remote, repository.root, source.environment)

    remote = known(find_remote(repository, options.remote, log.plan.branch))
    found = find_host(remote, repository.root, source.environment)
    program = likely_host(remote).program if isinstance(found, NoHost) else found[0].program
    target = find_target(repository, remote, program, known)
    report = read_report(source, now, with_diffs=False)
    body = source.folder / BODY
    write_whole(body, pull_request_body(report).encode("utf-8", "backslashreplace"))
    request = PullRequest(
        branch=log.plan.branch,
        base=options.base or base_branch(repository, target),
        title=commit_subject(report, style_of(options.style, source.project)),
        body=body,
        draft=options.draft,
        pushed=remote,
        target=target,
    )
    done = Requested(branch=request.branch, commit=commit, remote=remote.name)
    if isinstance(found, NoHost):
        return replace(done, commands=_by_hand(remote, request), reason=found.reason)
    host, calls = found
    tell(f"pushing {request.branch} ({commit[:10]}) to {remote.name}, {remote.url}")
    push_branch(repository, remote, request.branch)
    if url := host.find(calls, request):
        return replace(done, url=url)
    place = f" of {target.path}" if request.fork else ""
    tell(f"opening a request to {request.base or 'the main branch'}{place} with {host.program}")
    return _opened(done, host, calls, request)


def _opened(done: Requested, host: CodeHost, calls: Calls, request: PullRequest) -> Requested:
    """Open a request. A killed call may have opened it meanwhile: then the host refuses a second one."""
    try:
        url = host.create(calls, request)
    except RequestFailed:
        if found := host.find(calls, request):
            return replace(done, url=found)
        raise
    if not url and not (url := host.find(calls, request)):
        raise RequestFailed(
            f"{host.program} accepts the request, but there is none for {request.branch}.",
            "Look at the code host, then again: dualgate pr",
        )
    return replace(done, url=url, is_new=True)


def record_request(host: Host, folder: Path, done: Requested) -> None:
    """Journal a request, so that status and report name it."""
    event = RequestOpened(
        at=host.now(),
        by=person(host.environment),
        branch=done.branch,
        commit=done.commit,
        remote=done.remote,
        url=done.url,
        is_new=done.is_new,
    )
    append_events(host, folder, lambda _: (event,))


def record_refusal(host: Host, folder: Path, branch: str, refusal: CommitRefusal) -> LoopState:
    """Journal that no request was opened, so that status and report say why."""
    event = RequestRefused(at=host.now(), branch=branch, refusal=refusal)
    return append_events(host, folder, lambda _: (event,))


def _require_commit(repository: CommitRepository, log: CommitLog) -> str:
    """The commit that the branch names. Raises RequestFailed if it does not hold the work of the session."""
    made = [each.commit for each in log.made if each.commit]
    if not made:
        why = f": {log.refusal.reason}" if log.refusal else ""
        raise RequestFailed(f"This session committed nothing{why}.", "Commit it: dualgate resume --commit run")
    branch = log.plan.branch
    tip = tip_of(repository, branch)
    if not tip or not is_ancestor(repository, made[-1], tip):
        raise RequestFailed(
            f"The branch {branch} does not hold the session's last commit, {made[-1][:12]}.",
            f"Look at it: git log {branch}. 'git branch NAME {made[-1][:12]}' keeps the commit under another name.",
        )
    if hooks_digest(repository) != log.plan.hooks:
        raise RequestFailed(
            "The hooks, the remotes or the configuration of the repository changed since the run began.",
            f"{LOOK_AT_HOOKS}dualgate resume --commit {log.plan.use}, then: dualgate pr",
        )
    return tip


def _by_hand(remote: Remote, request: PullRequest) -> tuple[str, ...]:
    host = likely_host(remote)
    return shlex.join(("git", *push_words(remote, request.branch))), host.command(request)
