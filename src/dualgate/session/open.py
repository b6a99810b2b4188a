"""Start a session: read its work, lock its work tree, record its first event."""

import os
import uuid
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from dualgate.core.machine.history import begin
from dualgate.core.values.commits import CommitPlan
from dualgate.core.values.events import SessionStarted
from dualgate.core.values.naming import work_name
from dualgate.core.values.specification import starting_states
from dualgate.errors import SessionUnfinished
from dualgate.processes.origin import origin_of
from dualgate.runners.prepare import served
from dualgate.runners.suites import Suites
from dualgate.session.commit_planning import plan_commits
from dualgate.session.commit_rooms import with_commits
from dualgate.session.first_prompt import required_templates
from dualgate.session.furnish import Session, SessionTests, freeze_of, furnish, open_snapshots, other_trees
from dualgate.session.host import Host
from dualgate.session.logins import require_logins
from dualgate.session.memory import open_memory, remembering
from dualgate.session.own import end_leftovers_of, open_journal, require_writable, settle_killed_run, taken_over
from dualgate.session.record import (
    Recorder,
    Watcher,
)
from dualgate.session.sandbox import confined, with_sandbox
from dualgate.session.suites import later_suites
from dualgate.session.team import Agents, build_agents
from dualgate.session.work import Given, Work, read_work
from dualgate.settings import Settings
from dualgate.settings.keeping import kept_settings
from dualgate.settings.limits import limits_of
from dualgate.store.journal import Journal
from dualgate.store.making_room import make_room, require_room
from dualgate.store.projections import open_projections
from dualgate.store.sessions import SETUP
from dualgate.workspace.catalog import Policy
from dualgate.workspace.repository import worktree_of
from dualgate.workspace.worktree import WorkTree


@contextmanager
def new_session(given: Given, host: Host, settings: Settings, watch: Watcher, fresh: bool = False) -> Iterator[Session]:
    """A new session made from settings; it holds the lease of the work tree until the block ends."""
    _require_room(host, fresh)
    settle_killed_run(host, host.folder())  # before the work is read from the tree
    work = read_work(given, host.project, settings, host.environment)
    with session_of(work, host, settings, watch, fresh) as session:
        yield session


def _require_room(host: Host, fresh: bool) -> None:
    """Raise if a session is unfinished: SessionLocked if its run is alive, else after its leftovers are ended."""
    try:
        require_room(host.folder(), fresh)
    except SessionUnfinished:
        end_leftovers_of(host, host.folder())
        raise


@contextmanager
def session_of(work: Work, host: Host, settings: Settings, watch: Watcher, fresh: bool = False) -> Iterator[Session]:
    """A new session over work that was read already."""
    project, supervisor = host.project, host.supervisor
    settings = settings.but(workflow=work.workflow)
    agents = build_agents(settings, host)
    require_logins(settings, host.environment)
    settings = with_sandbox(settings, host)
    commits = plan_commits(settings, project, work_name(str(work.file), work.prp.title), environment=host.environment)
    plan = work.suites
    folder = host.folder()
    require_writable(project)
    inside = origin_of(os.getpid()).marks  # before this run marks its own process
    templates = required_templates(work, host, settings)  # an invalid one ends here, before a session is made
    with confined(settings, host), taken_over(host, folder) as (lease, leftovers):
        make_room(folder, fresh)
        later = later_suites(settings, project, host.environment)
        suites = Suites(suites=plan.suites, project=project, supervisor=supervisor, state=folder / SETUP, find=later)
        started = start_of(work, agents, host, settings, suites.command, templates, inside)
        with served(suites, plan.services, project, supervisor) as runner:
            journal = open_journal(folder, lease, host.redactor)
            tests = SessionTests(runner=runner, suites=suites)
            session = _wire(started, work, agents, tests, settings, folder, journal, host, watch, commits)
            if leftovers:
                session.rooms.record(leftovers)
            yield session


def start_of(
    work: Work,
    agents: Agents,
    host: Host,
    settings: Settings,
    command: tuple[str, ...],
    templates: Mapping[str, str],
    inside: Collection[str] = (),
) -> SessionStarted:
    """The first event of a session, which holds everything that the session is made from.

    `inside` are the marks of the runs that this process was started by.
    """
    return SessionStarted(
        at=host.now(),
        session_id=str(uuid.uuid4()),
        project=str(host.project),
        prp_file=str(work.file),
        prp_text=work.prp.text,
        agent=agents.every.name,
        lineup=agents.lineup,
        test_command=command,
        workflow=work.workflow,
        limits=limits_of(settings),
        suites=work.suites.suites,
        notes=work.suites.notes,
        plan=work.tasks.read() if work.tasks else None,
        unused=work.unused,
        settings=kept_settings(settings),
        criteria=starting_states(work.to_prove),
        answers=work.answers,
        approved=work.approved,
        guarded=work.guarded,
        templates=templates,
        checks=work.checks,
        inside=tuple(sorted(inside)),
        worktree_of=worktree_of(host.project),
    )


def _wire(
    started: SessionStarted,
    work: Work,
    agents: Agents,
    tests: SessionTests,
    settings: Settings,
    folder: Path,
    journal: Journal,
    host: Host,
    watch: Watcher,
    commits: CommitPlan,
) -> Session:
    saved = open_snapshots(host, folder, settings)
    saved.tidy(host.now(), Policy(keep_last=settings.snapshots.keep_last, keep_days=settings.snapshots.keep_days))
    frozen = freeze_of(started, settings, work.prp, work.checks)
    worktree = WorkTree(
        saved,
        saved.look_anew(*frozen.spec),
        host.now,
        started.session_id,
        frozen,
        title=work.prp.title,
        others=other_trees(host),
    )
    record = journal.append(started)
    assert isinstance(record.event, SessionStarted)
    state = begin(record.event)
    projections = open_projections(folder, record.event)
    watch(record.event, state)
    memory = open_memory(host, settings)
    recorder = Recorder(state, journal, projections, remembering(memory, watch, state, worktree.read))
    rooms = furnish(
        work, agents, tests, worktree, recorder, settings, folder, host, memory=memory, templates=started.templates
    )
    rooms = with_commits(rooms, recorder, commits, saved, settings, folder, host)
    return Session(state=recorder.state, rooms=rooms, folder=folder)
