"""The action of queue run, from its flags to the account of the night."""

import os
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import click

from dualgate.agents.command import local_now
from dualgate.agents.registry import CLIENTS
from dualgate.cli.options import settings_from
from dualgate.cli.output import here, our_redactor, say, say_json, show
from dualgate.cli.outside import require_person
from dualgate.cli.queue_notices import QueueNotifier
from dualgate.cli.signals import stoppable
from dualgate.core.queue.account import account_lines
from dualgate.core.queue.budget import Budget, Hourly, Reserve, hourly_share, read_reserve
from dualgate.core.queue.document import Row, queue_document, queue_rows
from dualgate.core.queue.hours import read_hours
from dualgate.core.queue.needs import Needs
from dualgate.core.queue.notices import is_news, moment_of_end
from dualgate.core.queue.outcome import queue_code
from dualgate.core.queue.planning import Plan, Policy
from dualgate.core.values.queue import Queue
from dualgate.core.values.vocabulary import Moment
from dualgate.display.queue import queue_lines, queue_markdown
from dualgate.errors import QueueRefused
from dualgate.fleet.queue.launching import Processes
from dualgate.fleet.queue.observing import Observer
from dualgate.fleet.queue.overlaps import find_overlaps
from dualgate.fleet.queue.preparing import Submit
from dualgate.fleet.queue.repository import Repository, repository_of
from dualgate.fleet.queue.running import Ended, Options, QueueHost, run_queue
from dualgate.fleet.queue.starting import Starter
from dualgate.fleet.queue.verifying import verifier
from dualgate.processes.jobs import Jobs
from dualgate.settings import Settings
from dualgate.store.atomic import write_whole
from dualgate.store.owners import person
from dualgate.store.queue_file import QueueFile, logs_place, owned_queue, queue_place

FLAGS_AND_SETTINGS = ("jobs", "max_cost", "max_calls", "max_tokens", "max_duration", "between", "reserve")


def run_jobs(flags: Mapping[str, Any]) -> int:
    repository = repository_of(here())
    root = repository.project
    file = QueueFile(queue_place(root, os.environ))
    require_person("queue run", file.path)
    if os.environ.get("PRP_SESSION_DIR"):
        raise QueueRefused(
            "PRP_SESSION_DIR is set: all jobs would share one session folder.", "Unset it for 'dualgate queue run'."
        )
    settings = settings_from({}).settings
    before = file.read()
    options, share = _options(flags, settings, before)
    notifier = QueueNotifier(project=root, logs=logs_place(file.path), settings=settings, environment=os.environ)
    with (
        owned_queue(file.path, root, os.environ, local_now()),
        stoppable(Jobs()) as control,
        ThreadPoolExecutor(options.policy.jobs) as threads,
    ):
        starting = _Starting(options=options, share=share, submit=threads.submit, notifier=notifier)
        host = _host(repository, file, starting, quiet=flags["quiet"] or flags["as_json"])
        file.watch(host.tell)
        ended = run_queue(host, options, control)
    return _tell_end(before, file, ended, notifier, flags["as_json"])


def _options(flags: Mapping[str, Any], settings: Settings, queue: Queue) -> tuple[Options, Hourly]:
    """The options of the run, and the share of each job in an hour: flags first, then settings."""
    found = {name: flags[name] or getattr(settings.queue, name) for name in FLAGS_AND_SETTINGS}
    between, reserve, duration = found["between"], found["reserve"], found["max_duration"]
    limits = Hourly(calls=settings.max_calls_per_hour, tokens=settings.max_tokens_per_hour)
    try:
        hours = read_hours(between) if between else None
        kept = read_reserve(reserve) if reserve else Reserve()
        share = hourly_share(limits, kept, found["jobs"], _is_reported(queue, settings))
    except ValueError as error:
        raise click.UsageError(_wrong(str(error), between, reserve)) from error
    budget = Budget(
        max_cost=found["max_cost"],
        max_calls=found["max_calls"],
        max_tokens=found["max_tokens"],
        duration=timedelta(seconds=float(duration)) if duration else None,
        hours=hours,
    )
    policy = Policy(
        jobs=found["jobs"],
        accept_unproven=flags["accept_unproven"],
        agent=settings.agent or "",
        reserve=kept.percent,
    )
    return Options(policy=policy, budget=budget, retry=flags["retry"], new_budget=flags["new_budget"]), share


def _is_reported(queue: Queue, settings: Settings) -> bool:
    """Whether the agent of each job reports how much of its usage limits is used."""
    agents = {job.agent or settings.agent or "" for job in queue.jobs}
    clients = [CLIENTS.get(agent) for agent in agents]
    return bool(clients) and all(client is not None and client.tells_limit_use for client in clients)


def _wrong(text: str, between: str | None, reserve: str | None) -> str:
    if text.startswith("hours"):
        return f"--between '{between}' is invalid: give {text}."
    if text.startswith("a share"):
        return f"--reserve '{reserve}' is invalid: give {text}."
    return f"{text} Set max_calls_per_hour or max_tokens_per_hour, or give a smaller --reserve."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Starting:
    """How jobs are started."""

    options: Options
    share: Hourly
    submit: Submit
    notifier: QueueNotifier


def _host(repository: Repository, file: QueueFile, starting: _Starting, quiet: bool) -> QueueHost:
    root = repository.project
    observer = Observer(repository.main, os.environ, our_redactor())
    logs = logs_place(file.path)
    launcher = Processes(repository.main, os.environ, logs)

    starter = Starter(
        root=root,
        file=file,
        launcher=launcher,
        observer=observer,
        verify=verifier(root, os.environ, logs),
        now=local_now,
        share=starting.share,
        accept_unproven=starting.options.policy.accept_unproven,
    )
    return QueueHost(
        root=root,
        file=file,
        launcher=launcher,
        observer=observer,
        starter=starter,
        now=local_now,
        wait=time.sleep,
        tell=_silent if quiet else _tell,
        submit=starting.submit,
        by=person(os.environ),
        pid=os.getpid(),
        all_wait=lambda queue, needs, plan: _notify_waiting(starting.notifier, queue, needs, plan),
    )


def _notify_waiting(notifier: QueueNotifier, queue: Queue, needs: Needs, planned: Plan) -> None:
    rows = queue_rows(queue, needs, planned)
    until = f" until {planned.next_at:%H:%M}" if planned.next_at else ""
    lines = tuple(account_lines(rows, f"everything waits for a limit{until}"))
    notifier.send(Moment.QUEUE_WAITING, lines, queue_document(queue, rows, None, planned.next_at))


def _tell(text: str) -> None:
    say(f"{local_now():%H:%M:%S}  {text}")


def _silent(text: str) -> None:
    del text


def _tell_end(before: Queue, file: QueueFile, ended: Ended, notifier: QueueNotifier, as_json: bool) -> int:
    rows = queue_rows(ended.queue, ended.needs, ended.plan)
    overlaps = find_overlaps(notifier.project, ended.queue, ended.needs.by_job)
    account = file.path.with_suffix(".md")
    write_whole(account, our_redactor().text(queue_markdown(rows, ended.reason, overlaps)).encode())
    document = queue_document(ended.queue, rows, None, ended.plan.next_at, overlaps)
    moment = moment_of_end(ended.interrupted, ended.spent)
    if moment and is_news(before, ended.queue):
        notifier.send(moment, tuple(account_lines(rows, ended.reason, overlaps)), document)
    if as_json:
        say_json(document)
    else:
        show(queue_lines(rows, ended.reason, overlaps))
        say(f"This account as Markdown: {account}")
    if failures := notifier.failures():
        click.echo(failures, err=True)
    return _code(rows, ended)


def _code(rows: tuple[Row, ...], ended: Ended) -> int:
    blocked = [row.job.id for row in rows if row.job.id in ended.plan.blocked]
    return queue_code(ended.queue.jobs, blocked, ended.interrupted, ended.spent)
