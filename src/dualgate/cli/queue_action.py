"""The actions of queue add, list and remove."""

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from dualgate.agents.command import local_now
from dualgate.agents.rehearsal import load_script
from dualgate.cli.options import settings_from
from dualgate.cli.output import here, our_redactor, say, say_json, show
from dualgate.cli.outside import require_person
from dualgate.cli.questions import with_approval
from dualgate.cli.scripts import script_in, whole_script
from dualgate.core.queue.account import idle_text
from dualgate.core.queue.document import queue_document
from dualgate.core.spec.readiness import require_ready
from dualgate.core.values.notation import listed
from dualgate.core.values.queue import JobState, Queue
from dualgate.core.values.vocabulary import Phase
from dualgate.display.queue import queue_lines
from dualgate.errors import ExitCode, SpecError
from dualgate.fleet.commands import files_left_behind
from dualgate.fleet.plan import Wanted, plan_worktree
from dualgate.fleet.queue.adding import Added, add_jobs
from dualgate.fleet.queue.adding import remove_jobs as remove_from
from dualgate.fleet.queue.looking import View, look_at
from dualgate.fleet.queue.observing import running_pid
from dualgate.fleet.queue.ownership import taken_names
from dualgate.fleet.queue.readings import current_needs
from dualgate.fleet.queue.repository import Repository, repository_of
from dualgate.processes.detached import ask_to_end
from dualgate.session.document import read_document
from dualgate.session.team import choice_for, every_choice, require_named
from dualgate.settings import Settings
from dualgate.store.owners import person
from dualgate.store.queue_file import QueueFile, queue_owner, queue_place

YES = "--yes"
AGENT_FLAGS = ("agent", "agent_command", "qa_agent", "qa_agent_command", "fallback", "escalation.agents")
ONLY_STARTING = "--with takes options of 'dualgate run' that start a run."


def add_specs(specs: Sequence[str], options: Mapping[str, Any]) -> int:
    repository = repository_of(here())
    file = QueueFile(queue_place(repository.project, os.environ))
    require_person("queue add", file.path)
    words, agent, settings = _words(options)
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
    queue, ids = add_jobs(
        *(file, repository.project, paths, given, person(os.environ), local_now),
        taken=lambda spec, text: taken_names(repository.main, spec, text, os.environ, our_redactor()),
    )
    if options["as_json"]:
        return _say_document(repository, file, queue)
    needs, states = current_needs(repository.project, queue).by_job, {job.id: job.state for job in queue.jobs}
    for each in ids:
        after = f", after {', '.join(needs[each])}" if needs[each] else ""
        is_new = states[each] is JobState.QUEUED
        say(f"{each} is in the queue{after}" if is_new else f"{each} was in the queue and is {states[each]}{after}")
    unnamed = [job.id for job in queue.jobs if job.id in ids and not job.agent]
    if unnamed and not any(_default_agent()):
        say(f"No agent is named for {listed(unnamed)}: give --agent, or 'agent' in dualgate.toml")
    for command, word in _left_behind(repository, paths, settings):
        say(f"The worktree of a job will not have {word} of '{command}': commit it, or give its whole path")
    say("Start it with: dualgate queue run")
    return ExitCode.PROVEN


def _left_behind(repository: Repository, paths: Sequence[str], settings: Settings) -> list[tuple[str, str]]:
    """The commands of agents with files that are in the checkout only, as far as that can be seen."""
    commands = [each.command for each in every_choice(settings) if each.command]
    if not commands:
        return []
    plan = plan_worktree(repository.project, Wanted(name="job", files=tuple(paths)), settings, os.environ)
    return list(files_left_behind(plan, repository.project, commands))


def _default_agent() -> tuple[str | None, str | None]:
    """The agent of the settings, by name or as a command."""
    choice = choice_for(settings_from({}).settings)
    return choice.agent, choice.command


def list_queue(as_json: bool) -> int:
    repository = repository_of(here())
    file = QueueFile(queue_place(repository.project, os.environ))
    queue = file.read()
    if as_json:
        return _say_document(repository, file, queue)
    owner = queue_owner(file.path)
    rows = _view(repository, queue).rows
    show(queue_lines(rows, f"process {owner['pid']} runs it" if owner else idle_text(rows, queue.ended)))
    return ExitCode.PROVEN


def remove_jobs(names: Sequence[str], as_json: bool) -> int:
    repository = repository_of(here())
    file = QueueFile(queue_place(repository.project, os.environ))
    require_person("queue remove", file.path)
    before = current_needs(repository.project, file.read()).problems
    queue, removed = remove_from(file, repository.project, names, person(os.environ), local_now)
    for job in removed:
        if pid := running_pid(repository.main, job, os.environ):
            ask_to_end(pid)
    if as_json:
        return _say_document(repository, file, queue)
    for job in removed:
        kept = f"; its worktree {job.worktree} and branch {job.branch} are kept" if job.worktree else ""
        say(f"{job.id} is removed from the queue{kept}")
    problems = current_needs(repository.project, queue).problems
    for job in (each for each in queue.jobs if each.id in problems.keys() - before.keys() and not each.starts):
        say(f"{job.id} cannot start now: {problems[job.id]}")
        say(f"If that is merged: dualgate queue add {shlex.quote(job.spec)} --done NAME")
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


def _words(options: Mapping[str, Any]) -> tuple[tuple[str, ...], str, Settings]:
    """The words of `dualgate run` for these jobs, checked as that command does, the agent among them, and the settings
    that name the agents."""
    from dualgate.cli.run import run

    try:
        words = [word for text in options["options"] for word in shlex.split(text)]
    except ValueError as error:
        raise click.UsageError(f"--with cannot be read: {error}.") from error
    words += ["--agent", options["agent"]] if options["agent"] else []
    words = [whole_script(word, str(here())) for word in words]
    for script in filter(None, map(script_in, words)):
        load_script(script)
    words += [YES] if options["yes"] else []
    try:
        found = run.make_context("run", ["SPEC", *words]).params
    except click.exceptions.Exit as error:
        raise click.UsageError(ONLY_STARTING) from error
    if found["spec"] != "SPEC" or any(found[name] for name in ("dry_run", "goes_on", "worktree", "ref", "prompt")):
        raise click.UsageError(ONLY_STARTING)
    settings = settings_from({name: found.get(name) for name in AGENT_FLAGS}).settings
    _require_known_agents(settings)
    command = f"command:{found['agent_command']}" if found.get("agent_command") else ""
    return tuple(words), str(found.get("agent") or command), settings


def _require_known_agents(settings: Settings) -> None:
    """Raise SettingError if an agent is misspelt. One that is not named yet may come from the settings later."""
    for choice in (choice_for(settings, phase) for phase in Phase):
        if choice.agent or choice.command:
            require_named(choice)
