"""The action of pr, and of the end of a run with --pr."""

from collections.abc import Callable, Mapping
from dataclasses import asdict

import click

from dualgate.cli.host import our_host
from dualgate.cli.options import settings_from
from dualgate.cli.output import here, say, say_json
from dualgate.cli.outside import require_person
from dualgate.cli.report_action import session_source
from dualgate.core.machine.committing import COMMIT, not_made
from dualgate.core.values.commits import CommitRefusal
from dualgate.core.values.state import LoopState
from dualgate.errors import DualgateError, ExitCode
from dualgate.session.host import Host
from dualgate.session.reporting import ReportSource
from dualgate.session.requesting import Requested, RequestOptions, record_refusal, record_request, request_pull
from dualgate.settings import Settings
from dualgate.store.account import read_account

NOT_PUSHED = "Nothing was pushed: "


def open_request(name: str | None, given: Mapping[str, object], as_json: bool) -> int:
    """Push and open; `given` are the options of the command line, which come before the settings."""
    source = session_source(name)
    require_person("pr", source.folder)
    options = _options(settings_from({f"pr.{key}": value for key, value in given.items()}).settings)
    host = our_host()
    tell = _telling(as_json)
    done = request_pull(source, options, host.now(), tell)
    if done.url and source.project == here() and not source.archived:
        record_request(host, source.folder, done)
    if as_json:
        say_json(asdict(done))
    else:
        for line in request_lines(done):
            say(line)
    return ExitCode.UNCOMMITTED if done.commands else ExitCode.PROVEN


def request_at_end(host: Host, state: LoopState, settings: Settings) -> LoopState:
    """At the end of a proven run, open the request that was asked for. Record why if that fails."""
    missing = not_made(state)
    if missing is None or not state.commits.plan.request:
        return state
    if missing.what == COMMIT:
        host.tell("No pull request is opened: the proven work is not committed.")
        return state
    folder = host.folder()
    source = ReportSource(folder=folder, project=host.project, environment=host.environment, redactor=host.redactor)
    try:
        done = request_pull(source, _options(settings), host.now(), host.tell)
        if done.url:
            record_request(host, folder, done)
    except DualgateError as error:
        return _refused(host, state, CommitRefusal(reason=error.message, next_step=error.next_step), f"{error}")
    told = request_lines(done)
    if done.commands:
        step = f"Push and open it: {' && '.join(done.commands)}"
        return _refused(
            host, state, CommitRefusal(reason=f"{NOT_PUSHED}{done.reason}", next_step=step), "\n".join(told)
        )
    for line in told:
        host.tell(line)
    return read_account(folder).state


def _refused(host: Host, state: LoopState, refusal: CommitRefusal, told: str) -> LoopState:
    host.tell(f"No pull request is opened: {told}")
    return record_refusal(host, host.folder(), state.commits.plan.branch, refusal)


def request_lines(done: Requested) -> list[str]:
    if done.commands:
        return [f"{NOT_PUSHED}{done.reason}. Push and open it:", *(f"  {command}" for command in done.commands)]
    return [f"Pull request: {done.url}" if done.is_new else f"The branch is up to date in {done.url}"]


def _options(settings: Settings) -> RequestOptions:
    pr = settings.pr
    return RequestOptions(remote=pr.remote, base=pr.base, draft=pr.draft, style=settings.commit.style)


def _telling(as_json: bool) -> Callable[[str], None]:
    return (lambda text: click.echo(f"dualgate: {text}", err=True)) if as_json else say
