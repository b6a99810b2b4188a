"""Settings -> rooms. The only place that knows which adapter is behind which name."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dualgate.agents.base import Agent
from dualgate.core.machine.history import begin
from dualgate.core.prompt.writing import prepare
from dualgate.core.values.events import SessionStarted
from dualgate.core.values.state import LoopState
from dualgate.errors import SettingError
from dualgate.prompts import load_templates
from dualgate.runners.base import Runner
from dualgate.runners.cache import ResultCache
from dualgate.runners.prepare import served
from dualgate.runners.suites import Suites
from dualgate.session.host import Host
from dualgate.session.loop import Rooms, no_tasks
from dualgate.session.own import open_journal, require_writable, taken_over
from dualgate.session.record import (
    RecordedAgent,
    RecordedRunner,
    RecordedWorkspace,
    Recorder,
    Watcher,
    counting,
    recording,
)
from dualgate.session.sandbox import confined
from dualgate.session.suite_runs import SuiteRuns
from dualgate.session.team import Agents, build_agents
from dualgate.session.unfinished import UnfinishedTurn
from dualgate.session.work import Work, read_work
from dualgate.settings import Settings
from dualgate.settings.keeping import kept_settings
from dualgate.settings.limits import limits_of
from dualgate.store.call_files import CallFiles
from dualgate.store.journal import Journal
from dualgate.store.projections import open_projections
from dualgate.store.requests import Inbox
from dualgate.store.sessions import RESULTS, SETUP, make_room, snapshot_store
from dualgate.workspace.catalog import Policy
from dualgate.workspace.phase_rules import Freeze
from dualgate.workspace.saved import SavedSnapshots
from dualgate.workspace.steering import Patterns, read_called, read_patterns
from dualgate.workspace.worktree import WorkTree


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session that is owned and ready to run."""

    state: LoopState
    rooms: Rooms
    folder: Path


@contextmanager
def new_session(
    spec: Path | None, host: Host, settings: Settings, watch: Watcher, fresh: bool = False
) -> Iterator[Session]:
    """Everything a run needs, made from settings; the work tree is owned until the block ends."""
    project, supervisor = host.project, host.supervisor
    work = read_work(spec, project, settings, host.environment)
    agents = build_agents(settings, host)
    plan = work.suites
    folder = host.folder()
    require_writable(project)
    with confined(settings, host), taken_over(host, folder) as (lease, leftovers):
        make_room(folder, fresh)
        suites = Suites(suites=plan.suites, project=project, supervisor=supervisor, state=folder / SETUP)
        started = start_of(work, agents, host, settings, suites.command)
        with served(suites, plan.services, project, supervisor) as runner:
            journal = open_journal(folder, lease, host.redactor)
            session = _wire(started, work, agents, runner, settings, folder, journal, host, watch)
            if leftovers:
                session.rooms.record(leftovers)
            yield session


def start_of(work: Work, agents: Agents, host: Host, settings: Settings, command: tuple[str, ...]) -> SessionStarted:
    """The first event of a session: all that it is made from."""
    return SessionStarted(
        at=host.now(),
        session_id=str(uuid.uuid4()),
        project=str(host.project),
        prp_file=str(work.file),
        prp_text=work.prp.text,
        agent=agents.every.name,
        lineup=agents.lineup,
        test_command=command,
        workflow=settings.workflow,
        limits=limits_of(settings),
        suites=work.suites.suites,
        notes=work.suites.notes,
        plan=work.tasks.read() if work.tasks else None,
        unused=work.unused,
        settings=kept_settings(settings),
    )


def _wire(
    started: SessionStarted,
    work: Work,
    agents: Agents,
    runner: Runner,
    settings: Settings,
    folder: Path,
    journal: Journal,
    host: Host,
    watch: Watcher,
) -> Session:
    """A session that begins."""
    saved = open_snapshots(host, folder, settings)
    saved.tidy(host.now(), Policy(keep_last=settings.snapshots.keep_last, keep_days=settings.snapshots.keep_days))
    worktree = WorkTree(saved, saved.look_anew(), host.now, started.session_id, freeze_of(started, settings))
    record = journal.append(started)
    assert isinstance(record.event, SessionStarted)
    state = begin(record.event)
    projections = open_projections(folder, record.event)
    watch(record.event, state)
    recorder = Recorder(state, journal, projections, watch)
    rooms = furnish(work, agents, runner, worktree, recorder, settings, folder, host)
    return Session(state=state, rooms=rooms, folder=folder)


def open_snapshots(host: Host, folder: Path, settings: Settings) -> SavedSnapshots:
    store = snapshot_store(host.project, host.environment)
    return SavedSnapshots(host.project, store, folder, largest=settings.snapshots.largest_kept)


def freeze_of(started: SessionStarted, settings: Settings) -> Freeze:
    called = [word for suite in started.suites for word in (suite.folder, *suite.command, *suite.setup)]
    return Freeze(
        called=read_called(Path(started.project), called),
        outputs=settings.guard.outputs,
        patterns=guard_patterns(settings),
    )


def furnish(
    work: Work,
    agents: Agents,
    runner: Runner,
    worktree: WorkTree,
    recorder: Recorder,
    settings: Settings,
    folder: Path,
    host: Host,
    unfinished: UnfinishedTurn | None = None,
    cut_off: LoopState | None = None,
) -> Rooms:
    """The rooms of a turn, each journaled; `unfinished` has the steps of one that was cut off."""
    unfinished = unfinished or UnfinishedTurn()
    redactor, now = host.redactor, host.now
    calls = CallFiles(folder, settings.sessions.keep_calls)
    folder_check = recorder.check_of(folder, calls)

    def recorded(label: str, agent: Agent) -> RecordedAgent:
        return RecordedAgent(
            agent=agent,
            record=recorder,
            now=now,
            calls=calls,
            worktree=worktree,
            unfinished=unfinished,
            redactor=redactor,
            folder_check=folder_check,
            label=label,
        )

    recorded_runner = RecordedRunner(
        runner=runner, record=recorder, now=now, redactor=redactor, folder_check=folder_check
    )
    workspace = RecordedWorkspace(
        worktree=worktree, record=recorder, now=now, unfinished=unfinished, folder_check=folder_check
    )
    return Rooms(
        prp=work.prp,
        templates=prepare(load_templates()),
        team={label: recorded(label, agent) for label, agent in agents.team.items()},
        runner=recorded_runner,
        worktree=workspace,
        suites=SuiteRuns(
            runner=recorded_runner,
            worktree=workspace,
            record=recorder,
            now=now,
            cache=ResultCache(folder / RESULTS),
            unfinished=unfinished,
        ),
        record=recording(recorder, unfinished),
        now=now,
        idle_timeout=settings.idle_timeout,
        tasks=work.tasks.read if work.tasks else no_tasks,
        cut_off=cut_off,
        inbox=Inbox(folder=folder),
        redactor=redactor,
        counted=counting(recorder, unfinished),
        decided=unfinished.decision,
    )


def guard_patterns(settings: Settings) -> Patterns:
    """What the project adds to what is frozen, and takes from it."""
    try:
        return read_patterns(settings.guard.frozen, settings.guard.allowed)
    except ValueError as error:
        raise SettingError(
            f"A pattern of guard.frozen or guard.allowed is none: {error}.", "Write it as in an ignore file."
        ) from error
