"""Resume a session after the last step that its journal holds."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dualgate.agents.base import Continuing
from dualgate.core.machine.history import apply
from dualgate.core.machine.requests import LEADING_ON, is_open
from dualgate.core.machine.respec import weigh_respec
from dualgate.core.machine.resuming import CutOff, can_go_on
from dualgate.core.secrets.redaction import Redactor, marks_in
from dualgate.core.spec.identity import keep_ids
from dualgate.core.spec.readiness import require_ready
from dualgate.core.values.commits import CommitPlan
from dualgate.core.values.events import CallInterrupted, SessionResumed
from dualgate.core.values.naming import work_name
from dualgate.core.values.specification import Respec, starting_states
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Workflow
from dualgate.errors import ControlRefused, SessionLocked, SettingError, SnapshotMissing, SpecError, StoreFailed
from dualgate.runners.prepare import served
from dualgate.runners.suites import Suites
from dualgate.session.added_outputs import added_outputs
from dualgate.session.commit_planning import plan_commits
from dualgate.session.commit_rooms import with_commits
from dualgate.session.document import Document
from dualgate.session.furnish import Session, SessionTests, freeze_of, furnish, open_snapshots, other_trees
from dualgate.session.host import Host, Lease
from dualgate.session.killed_steps import restored_tree, tell_restored
from dualgate.session.logins import require_logins
from dualgate.session.memory import open_memory, remembering
from dualgate.session.own import cut_incomplete_line, open_journal, require_writable, settle_killed_run, taken_over
from dualgate.session.record import Recorder, Watcher
from dualgate.session.sandbox import confined, with_sandbox
from dualgate.session.spec_file import (
    SpecFile,
    is_same_spec,
    known_criteria,
    read_spec_file,
    require_unchanged,
    spec_of,
)
from dualgate.session.suites import later_suites
from dualgate.session.team import Agents, build_agents
from dualgate.session.unfinished import UnfinishedTurn
from dualgate.session.work import Work, work_of
from dualgate.settings import Settings
from dualgate.settings.keeping import kept_settings, restored_settings
from dualgate.settings.limits import limits_of
from dualgate.store.account import Account, read_account
from dualgate.store.owners import person
from dualgate.store.projections import Projections, bring_up
from dualgate.store.reading import journal_mark
from dualgate.store.requests import Inbox
from dualgate.store.sessions import SETUP
from dualgate.workspace.saved import SavedSnapshots
from dualgate.workspace.snapshots import Snapshots
from dualgate.workspace.worktree import GoesOn, WorkTree


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A session as read from its journal, and the journal's mark at that time."""

    account: Account
    mark: tuple[int, int, int]


def read_session(folder: Path, before: Reading | None = None) -> Reading:
    """Read a session, or return the earlier reading if the journal is unchanged."""
    mark = journal_mark(folder)
    return before if before and before.mark == mark else Reading(account=read_account(folder), mark=mark)


def looked_after(host: Host, folder: Path, read: Reading) -> Reading:
    """Take up requests that let an ended session continue, and update the files beside its journal.

    It may have halted before it took up a reset, or died right after its last event.
    """
    if can_go_on(read.account.state):
        return read
    settle_killed_run(host, folder)
    with suppress(SessionLocked, StoreFailed), taken_over(host, folder) as (lease, _):
        cut_incomplete_line(host, folder)
        account = read_session(folder, read).account
        record = _recorder(account, folder, lease, host, lambda *_: None)
        if is_open(account.state):
            Inbox(folder=folder).take_up(account.state, record, host.now, LEADING_ON)
    return read_session(folder, read)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The choices of a person who resumes: settings, and which specification counts if they edited it."""

    flags: Mapping[str, Any]
    respec: bool = False
    """Continue with the edited specification."""
    keep_spec: bool = False
    """Continue without it."""


def document_to_resume(host: Host, read: Reading, choices: Choices) -> tuple[Document, Settings]:
    """The text to go on with, its answers and approved commands, and the settings of the session.

    Raises SpecChanged if a person edited the specification and did not say which one counts.
    """
    found = _with_secrets(read.account.cut_off, host.redactor)
    if not (choices.respec or choices.keep_spec):
        require_unchanged(spec_of(found, host.redactor))
    return _document(found, host, choices.respec), _settings(found, choices.flags)


def work_in_force(host: Host, read: Reading) -> tuple[Work, Settings]:
    """The work of a session by the specification that is in force, and its settings. Nothing is changed or run."""
    found = _with_secrets(read.account.cut_off, host.redactor)
    settings = _settings(found, {})
    return _work(found, _document(found, host, respec=False), host, settings, respec=False), settings


@contextmanager
def resumed(
    host: Host, folder: Path, read: Reading, choices: Choices, document: Document, watch: Watcher
) -> Iterator[Session]:
    """The session, locked and ready to continue where it stopped, with a document of `document_to_resume`."""
    project, supervisor = host.project, host.supervisor
    require_writable(project)
    with taken_over(host, folder) as (lease, leftovers):
        cut_incomplete_line(host, folder)
        account = read_session(folder, read).account
        found = _with_secrets(account.cut_off, host.redactor)
        _require_same(account, read, found)
        settings, respec = _settings(found, choices.flags), choices.respec
        _require_whole(settings, found.started.suites)
        work = _work(found, document, host, settings, respec)
        agents = build_agents(settings, host)
        require_logins(settings, host.environment)
        commits = _commits(found, settings, work, choices, host)
        settings = with_sandbox(settings, host)
        take_up(agents, found)
        find, own = later_suites(settings, project, host.environment, found.state.proof.suites), work.suites.suites
        suites = Suites(suites=own, project=project, supervisor=supervisor, state=folder / SETUP, find=find)
        with (
            confined(settings, host),
            served(suites, work.suites.services, project, supervisor) as runner,
            open_snapshots(host, folder, settings) as saved,
        ):
            worktree = _worktree(found, work, saved, settings, host)
            added = added_outputs(found, settings.guard.outputs, host, worktree.read)
            memory = open_memory(host, settings)
            if memory:
                memory.catch_up(folder, account)
            watch = remembering(memory, watch, account.state, worktree.read, account.seq)
            recorder = _recorder(account, folder, lease, host, watch)
            event = SessionResumed(
                at=host.now(),
                by=person(host.environment),
                limits=limits_of(settings),
                prp_text=work.prp.text if respec else None,
                respec=_respec(found, work, host.redactor) if respec else None,
                lineup=agents.lineup,
                criteria=() if found.state.criteria_states and not respec else starting_states(work.to_prove),
                declined=_declined(spec_of(found, host.redactor)) if choices.keep_spec else "",
                answers=document.answers,
                approved=work.approved,
                checks=work.checks,
                outputs=added,
            )
            worktree.add_outputs(added)
            _go_on(found, worktree, recorder, event, host)
            Inbox(folder=folder).reopen(recorder, host.now)
            if leftovers:
                recorder(leftovers)
            unfinished, before = _turn_cut_off(found, event, folder, worktree)
            tests = SessionTests(runner=runner, suites=suites)
            made_of = (work, agents, tests, worktree, recorder, settings, folder, host)
            templates, is_whole = found.started.templates, found.reached is not None
            rooms = furnish(*made_of, unfinished, before, memory, templates, is_whole)
            rooms = with_commits(rooms, recorder, commits, saved, settings, folder, host)
            yield Session(state=recorder.state, rooms=rooms, folder=folder)


def _require_same(account: Account, read: Reading, found: CutOff) -> None:
    """Raise ControlRefused if another run worked on the session since it was read."""
    if not can_go_on(found.state):
        raise ControlRefused("Another run ended the session meanwhile.", "See: dualgate status")
    if account.seq != read.account.seq:
        raise ControlRefused("Another run continued the session meanwhile.", "See: dualgate status")


def _commits(found: CutOff, settings: Settings, work: Work, choices: Choices, host: Host) -> CommitPlan:
    """The commit plan to go on with; who asks for commits again accepts the hooks as they are now."""
    is_asked = any(choices.flags.get(name) is not None for name in ("commit", "pr"))
    name = work_name(str(work.file), work.prp.title)
    before, environment = found.state.commits.plan, host.environment
    return plan_commits(settings, host.project, name, before, environment=environment, trusts_hooks=is_asked)


def _turn_cut_off(
    found: CutOff, event: SessionResumed, folder: Path, worktree: WorkTree
) -> tuple[UnfinishedTurn, LoopState | None]:
    """The finished steps of a turn that was cut off, and the state before it; None if its call must be made again."""
    if event.reopens:
        return UnfinishedTurn(), None
    unfinished = UnfinishedTurn(found, folder)
    if found.testing and found.reached is None:
        worktree.expect_leftovers(found.settled or found.tree)  # of every killed test run of the turn
        if worktree.changed_since(found.tree):
            unfinished.forget_tree()  # they are checked like the call's changes
    if found.follow_up and found.followed is None and worktree.changed_since(found.follow_up.tree):
        unfinished.forget_tree()  # files that a killed follow-up changed are judged with the first answer
    return unfinished, apply(found.before, event) if found.answered is not None else None


def take_up(agents: Agents, found: CutOff) -> None:
    """Let the next call continue the agent's own session, if the last call ended well and was the same agent's."""
    agent = agents.team.get(found.state.agent or agents.lineup.of(found.state.phase)[0])
    if found.thread and isinstance(agent, Continuing) and found.thread.agent == agent.name:
        agent.thread = found.thread


def _with_secrets(found: CutOff, redactor: Redactor) -> CutOff:
    """Replace the marks in the journal by the secrets of our environment, as the session was started."""
    return replace(found, started=redactor.restored(found.started), spec=redactor.restored(found.spec))


def _require_whole(settings: Settings, suites: object) -> None:
    if marks := marks_in((kept_settings(settings), suites)):
        raise SettingError(
            f"A command of this session contained a secret, which the journal does not store: {', '.join(marks)}.",
            "Give the command of the agent again with --agent-command, or set the variable that the mark names.",
        )


def _settings(found: CutOff, flags: Mapping[str, Any]) -> Settings:
    settings = restored_settings(found.started.settings, found.state.limits, flags)
    return settings.but(workflow=found.state.workflow)


def _document(found: CutOff, host: Host, respec: bool) -> Document:
    """The specification in force, or the file as it is now with `respec`."""
    name = found.started.prp_file
    now = read_spec_file(host.project / name)
    if now is None and respec:
        raise SpecError(f"{name} cannot be read.", "Leave --respec out to continue without it.")
    is_current = now is not None and (respec or is_same_spec(now, found.spec, host.redactor))
    text = now if now is not None and is_current else found.spec
    return Document(name=name, text=text, answers=found.state.answers, approved=found.state.approved)


def _work(found: CutOff, document: Document, host: Host, settings: Settings, respec: bool) -> Work:
    """The work on a document, with the ids of the session."""
    work = work_of(document, host.project, settings, found.started.suites)
    if respec and settings.workflow is Workflow.TDD:
        require_ready(work.prp, document.name)
    known = known_criteria(found, host.redactor) if respec else found.state.criteria_states
    if not known:
        return work
    return replace(work, prp=keep_ids(host.redactor.restored(known), work.prp, found.state.retired_ids))


def _respec(found: CutOff, adopted: Work, redactor: Redactor) -> Respec | None:
    if found.state.workflow is not Workflow.TDD:
        return None
    return weigh_respec(found.state, known_criteria(found, redactor), redactor.value(adopted.prp.criteria))


def _declined(file: SpecFile) -> str:
    """The digest of the edited specification that the session goes on without."""
    now = file.edited()
    return "" if now is None else file.digest_of(now)


def _worktree(found: CutOff, work: Work, saved: SavedSnapshots, settings: Settings, host: Host) -> WorkTree:
    """The work tree, seen by the rules that held when the session started."""
    started = found.started
    first = saved.catalog.first_of(started.session_id)
    snapshots: Snapshots = saved.seen_as(first) if first else saved.look_anew()
    # without a baseline no work was done yet: the baseline is taken from the present tree
    is_under_way = found.tree and found.state.proof.start_tree
    if is_under_way:
        _require_snapshots(found, saved)
    goes_on = GoesOn(measured_from=found.measured_from, reached=found.reached) if is_under_way else None
    frozen = freeze_of(started, settings, work.prp, (*found.state.checks, *work.checks))
    return WorkTree(saved, snapshots, host.now, started.session_id, frozen, goes_on, work.prp.title, other_trees(host))


def _require_snapshots(found: CutOff, saved: SavedSnapshots) -> None:
    """Raise SnapshotMissing before anything is recorded: work cannot be judged without the trees to compare with."""
    if all(saved.objects.has(tree) for tree in found.trees):
        return
    raise SnapshotMissing(
        f"Snapshots that this session is judged by are not in {saved.objects.file}.",
        "Restore that file with those beside it (-wal, -shm). Without it, 'dualgate run … --fresh' starts over, and "
        "the work tree stays as it is.",
    )


def _recorder(account: Account, folder: Path, lease: Lease, host: Host, watch: Watcher) -> Recorder:
    bring_up(folder, account)
    journal = open_journal(folder, lease, host.redactor, account.seq)
    return Recorder(account.state, journal, Projections(folder, account), watch)


def _go_on(found: CutOff, worktree: WorkTree, record: Recorder, event: SessionResumed, host: Host) -> LoopState:
    """Restore the tree of a cut-off trial or roll-back; record the resume and the changes of a cut-off call."""
    if (back := restored_tree(found, worktree)) is not None:
        tell_restored(host, back)
        worktree.adopt(found.measured_from)
    state = record(event)
    if found.reviewer is not None and found.reviewed is None:
        return record(CallInterrupted(at=host.now(), number=found.reviewer.number))
    if found.follow_up is not None and found.followed is None:
        paths = worktree.changed_since(found.follow_up.tree, found.paused_tree)
        return record(CallInterrupted(at=host.now(), number=found.follow_up.number, paths=paths))
    if found.call is None or found.answered is not None:
        return state
    # changes after the pause are a person's
    paths = worktree.changed_since(found.measured_from, found.paused_tree)
    return record(CallInterrupted(at=host.now(), number=found.call.number, paths=paths))
