"""The parts of a session -> the rooms of a turn, each wrapped so that its steps are journaled."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from dualgate.core.spec.readiness import commands_of
from dualgate.core.values.answer import Recalled
from dualgate.core.values.brief import Brief
from dualgate.core.values.checks import Check
from dualgate.core.values.control import Control
from dualgate.core.values.events import SessionStarted
from dualgate.core.values.probes import ProbePlan, ProbeReport
from dualgate.core.values.specification import Specification
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import SandboxKind, TickedBy
from dualgate.errors import SettingError
from dualgate.languages.tools import tools_in
from dualgate.processes.origin import origin_of
from dualgate.processes.own_program import own_program
from dualgate.runners.base import Runner
from dualgate.runners.cache import ResultCache
from dualgate.runners.check import ShellChecker
from dualgate.runners.probes.prober import SuitesProber
from dualgate.runners.suites import Suites
from dualgate.session.brief import briefing
from dualgate.session.check_runs import CheckRuns
from dualgate.session.host import Host
from dualgate.session.memory import SessionMemory, recalling
from dualgate.session.probe_runs import ProbeRuns
from dualgate.session.record import (
    RecordedAgent,
    RecordedChecker,
    RecordedRunner,
    RecordedWorkspace,
    Recorder,
    Recording,
    counting,
    recording,
)
from dualgate.session.rooms import Rooms, no_tasks
from dualgate.session.sandbox import refusals_of
from dualgate.session.spec_file import SpecCheck, spec_file, spec_paths
from dualgate.session.suite_runs import SuiteRuns
from dualgate.session.team import Agents
from dualgate.session.templates import FOLDER, RULE, templates_with
from dualgate.session.unfinished import UnfinishedTurn
from dualgate.session.work import Work
from dualgate.settings import Settings
from dualgate.store.call_files import CallFiles
from dualgate.store.folder_check import FolderCheck
from dualgate.store.neighbours import foreign_trees
from dualgate.store.requests import Inbox, opened_inbox
from dualgate.store.sessions import RESULTS, snapshot_store
from dualgate.workspace.forbidden import Forbidden, forbidden_by
from dualgate.workspace.others import OtherTrees
from dualgate.workspace.phase_rules import Freeze
from dualgate.workspace.repository import head_commit, repository_root
from dualgate.workspace.saved import SavedSnapshots
from dualgate.workspace.steering.commands import checked_text, read_checked, read_suites
from dualgate.workspace.steering.paths import Patterns, read_patterns
from dualgate.workspace.task_list import NAMES
from dualgate.workspace.worktree import WorkTree


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session that holds its lease and is ready to run."""

    state: LoopState
    rooms: Rooms
    folder: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionTests:
    """The tests of a session: `runner` runs them with their services, `suites` are those that were found so far."""

    runner: Runner
    suites: Suites

    def probe(self, plan: ProbePlan, control: Control) -> ProbeReport:
        return SuitesProber(self.suites.present, self.suites.project, self.suites.supervisor).probe(plan, control)


def open_snapshots(host: Host, folder: Path, settings: Settings) -> SavedSnapshots:
    store = snapshot_store(host.project, host.environment)
    return SavedSnapshots(host.project, store, folder, largest=settings.snapshots.largest_kept)


def other_trees(host: Host) -> OtherTrees:
    """The folders below the work tree that other runs own, unless this run started those."""

    def find() -> Iterator[Path]:
        for place, pid in foreign_trees(host.project, host.environment):
            if os.getpid() not in origin_of(pid).ancestors:
                yield place

    return OtherTrees(host.project, find)


def freeze_of(started: SessionStarted, settings: Settings, spec: Specification, checks: Iterable[Check]) -> Freeze:
    commands = (*commands_of(spec), *(check.command for check in checks))
    return Freeze(
        called=read_suites(Path(started.project), started.suites),
        outputs=settings.guard.outputs,
        patterns=guard_patterns(settings),
        checked=read_checked(Path(started.project), commands),
        tools=tools_in(checked_text(Path(started.project), commands)),
        boxes=_boxes(started, settings),
        spec=spec_paths(Path(started.project), started.prp_file, started.plan),
        forbidden=(
            Forbidden(paths=(FOLDER.parent.as_posix(),), rule=RULE),
            *(forbidden_by(criterion) for criterion in (*spec.criteria, *started.guarded) if criterion.forbids),
        ),
    )


def _boxes(started: SessionStarted, settings: Settings) -> frozenset[str]:
    """The task lists that only dualgate ticks: the present one, or those that an agent may make."""
    if settings.plan.tick is not TickedBy.DUALGATE:
        return frozenset()
    return frozenset({started.plan.file} if started.plan else NAMES)


def furnish(
    work: Work,
    agents: Agents,
    tests: SessionTests,
    worktree: WorkTree,
    recorder: Recorder,
    settings: Settings,
    folder: Path,
    host: Host,
    unfinished: UnfinishedTurn | None = None,
    cut_off: LoopState | None = None,
    memory: SessionMemory | None = None,
    templates: Mapping[str, str] | None = None,
    trusts_requests: bool = True,
) -> Rooms:
    """The rooms of a turn, each journaled; `unfinished` holds the finished steps of a turn that was cut off.

    `trusts_requests`: whether requests that are there already were sent while no program of a run could send any.
    """
    unfinished = unfinished or UnfinishedTurn()
    inbox = opened_inbox(folder, host.project, trusts_requests, Path(host.environment.get("HOME") or Path.home()))
    calls = CallFiles(folder, settings.sessions.keep_calls)
    to = _recording(recorder, unfinished, recorder.check_of(folder, calls), inbox, host)
    shell = ShellChecker(project=host.project, supervisor=host.supervisor, timeout=settings.test_timeout)
    checker = RecordedChecker(checker=shell, to=to)
    criteria, checks = work.prp.criteria, recorder.state.checks
    recorded = RecordedRunner(runner=tests.runner, to=to)
    workspace = RecordedWorkspace(worktree=worktree, to=to)
    return Rooms(
        prp=work.prp,
        templates=templates_with(templates or {}),
        team={
            label: RecordedAgent(agent=agent, to=to, calls=calls, worktree=worktree, label=label)
            for label, agent in agents.team.items()
        },
        runner=recorded,
        worktree=workspace,
        suites=SuiteRuns(
            runner=recorded, worktree=workspace, to=to, cache=ResultCache(folder / RESULTS), criteria=criteria
        ),
        checks=CheckRuns(checker=checker, worktree=workspace, to=to, criteria=criteria, checks=checks),
        probes=ProbeRuns(prober=tests, worktree=workspace, to=to),
        record=recording(recorder, unfinished),
        now=host.now,
        idle_timeout=settings.idle_timeout,
        tasks=work.tasks.read if work.tasks else no_tasks,
        ticked=work.tasks.ticked if work.tasks and settings.plan.tick is TickedBy.DUALGATE else None,
        cut_off=cut_off,
        inbox=inbox,
        redactor=host.redactor,
        counted=counting(recorder, unfinished),
        decided=unfinished.decision,
        is_answered=unfinished.is_answered,
        spec_edits=SpecCheck(
            spec_file(host.project, work.prp.text, recorder.state, host.redactor, settings.spec.criteria_headings)
        ),
        refused=refusals_of(settings, host),
        brief=_brief(tests, host, recalling(memory, work.prp, unfinished), worktree, settings),
    )


def _recording(
    recorder: Recorder, unfinished: UnfinishedTurn, check: FolderCheck, inbox: Inbox, host: Host
) -> Recording:
    repository = repository_root(host.project)
    return Recording(
        record=recorder,
        now=host.now,
        unfinished=unfinished,
        redactor=host.redactor,
        folder_check=check,
        commit=lambda: head_commit(repository or host.project),
        refusals=lambda: inbox.refusals(host.now()),
        learned=[*recorder.state.proof.cleared],
    )


def _brief(
    tests: SessionTests,
    host: Host,
    recall: Callable[[LoopState], tuple[Recalled, ...]],
    worktree: WorkTree,
    settings: Settings,
) -> Callable[[LoopState], Brief]:
    program = "" if settings.sandbox.kind is SandboxKind.BWRAP else own_program(host.environment)
    ticks = settings.plan.tick is TickedBy.DUALGATE
    return briefing(host.project, tests.suites.look, recall, worktree, host.redactor, program, ticks)


def guard_patterns(settings: Settings) -> Patterns:
    """The project's own patterns of frozen and allowed files. Raises SettingError if one is invalid."""
    try:
        return read_patterns(settings.guard.frozen, settings.guard.allowed)
    except ValueError as error:
        raise SettingError(
            f"Invalid pattern in guard.frozen or guard.allowed: {error}.", "Write it as in an ignore file."
        ) from error
