"""The actions of queue add, list and remove."""

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from dualgate.agents.command import local_now
from dualgate.cli.options import settings_from
from dualgate.cli.output import here, our_redactor, say, say_json, show
from dualgate.cli.outside import require_person
from dualgate.cli.questions import with_approval
from dualgate.core.queue.document import queue_document
from dualgate.core.spec.readiness import require_ready
from dualgate.core.values.queue import Queue
from dualgate.display.queue import queue_lines
from dualgate.errors import ExitCode, SpecError
from dualgate.fleet.queue.adding import Added, add_jobs
from dualgate.fleet.queue.adding import remove_jobs as remove_from
from dualgate.fleet.queue.looking import View, look_at
from dualgate.fleet.queue.observing import running_pid
from dualgate.fleet.queue.readings import current_needs
from dualgate.fleet.queue.repository import Repository, repository_of
from dualgate.processes.detached import ask_to_end
from dualgate.session.document import read_document
from dualgate.store.owners import person
from dualgate.store.queue_file import QueueFile, queue_owner, queue_place

YES = "--yes"
ONLY_STARTING = "--with takes options of 'dualgate run' that start a run."


def add_specs(specs: Sequence[str], options: Mapping[str, Any]) -> int:
    repository = repository_of(here())
    file = QueueFile(queue_place(repository.project, os.environ))
    require_person("queue add", file.path)
    words, agent = _words(options)
    paths = [_seen_from_project(repository, spec) for spec in specs]
    for path in paths:
        _require_runnable(repository.project, path, bool(options["yes"]))
    given = Added(
        priority=options["priority"],
        after=tuple(options["after"]),
        done=tuple(options["done"]),
        words=words,
        agent=agent,
    )
    queue, ids = add_jobs(file, repository.project, paths, given, person(os.environ), local_now)
    if options["as_json"]:
        return _say_document(repository, file, queue)
    needs = current_needs(repository.project, queue).by_job
    for each in ids:
        after = f", after {', '.join(needs[each])}" if needs[each] else ""
        say(f"{each} is in the queue{after}")
    say("Start it with: dualgate queue run")
    return ExitCode.PROVEN


def list_queue(as_json: bool) -> int:
    repository = repository_of(here())
    file = QueueFile(queue_place(repository.project, os.environ))
    queue = file.read()
    if as_json:
        return _say_document(repository, file, queue)
    owner = queue_owner(file.path)
    show(queue_lines(_view(repository, queue).rows, f"process {owner['pid']} runs it" if owner else queue.ended))
    return ExitCode.PROVEN


def remove_jobs(names: Sequence[str], as_json: bool) -> int:
    repository = repository_of(here())
    file = QueueFile(queue_place(repository.project, os.environ))
    require_person("queue remove", file.path)
    queue, removed = remove_from(file, repository.project, names, person(os.environ), local_now)
    for job in removed:
        if pid := running_pid(repository.main, job, os.environ):
            ask_to_end(pid)
    if as_json:
        return _say_document(repository, file, queue)
    for job in removed:
        kept = f"; its worktree {job.worktree} and branch {job.branch} are kept" if job.worktree else ""
        say(f"{job.id} is removed from the queue{kept}")
    return ExitCode.PROVEN


def _view(repository: Repository, queue: Queue) -> View:
    return look_at(queue, repository, os.environ, our_redactor(), local_now())


def _say_document(repository: Repository, file: QueueFile, queue: Queue) -> int:
    view = _view(repository, queue)
    say_json(queue_document(view.queue, view.rows, queue_owner(file.path), view.plan.next_at))
    return ExitCode.PROVEN


def _seen_from_project(repository: Repository, spec: str) -> str:
    """The path of a specification from its project; the same in the main work tree and in any other one."""
    path = os.path.relpath((here() / spec).resolve(), here())
    if not (repository.project / path).resolve().is_relative_to(repository.main):
        raise SpecError(f"{spec} is not in the repository.", "A job works in a worktree of this repository.")
    if not (repository.project / path).is_file():
        raise SpecError(f"There is no file {path} in {repository.project}.", "Give the path of a specification.")
    return Path(path).as_posix()


def _require_runnable(project: Path, spec: str, yes: bool) -> None:
    """Raise SpecError with open questions and commands now, since nobody can be asked in the night."""
    settings = settings_from({}).settings
    document = read_document(project, Path(spec))
    if yes:
        document = with_approval(document, settings)
    read = document.read(settings)
    require_ready(read, document.name, document.unapproved_commands(read, settings))


def _words(options: Mapping[str, Any]) -> tuple[tuple[str, ...], str]:
    """The words of `dualgate run` for these jobs, checked as that command does, and the agent among them."""
    from dualgate.cli.run import run

    try:
        words = [word for text in options["options"] for word in shlex.split(text)]
    except ValueError as error:
        raise click.UsageError(f"--with cannot be read: {error}.") from error
    words += ["--agent", options["agent"]] if options["agent"] else []
    words += [YES] if options["yes"] else []
    try:
        found = run.make_context("run", ["SPEC", *words]).params
    except click.exceptions.Exit as error:
        raise click.UsageError(ONLY_STARTING) from error
    if found["spec"] != "SPEC" or any(found[name] for name in ("dry_run", "goes_on", "worktree", "ref", "prompt")):
        raise click.UsageError(ONLY_STARTING)
    return tuple(words), str(found.get("agent") or "")
