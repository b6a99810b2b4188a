"""Give the rooms of a session what its commits are made with, and make the last commit of a session that has ended."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from dualgate.core.evidence.configuring import turned_by_rewriting
from dualgate.core.machine.committing import DueCommit
from dualgate.core.spec.reading import read_specification
from dualgate.core.values.commits import CommitPlan, CommitPlanned
from dualgate.core.values.control import Control
from dualgate.core.values.naming import work_name
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import CommitUse, SubjectStyle
from dualgate.errors import SnapshotMissing
from dualgate.session.commit_planning import plan_commits
from dualgate.session.committing import CommitRooms, Prove
from dualgate.session.host import Host
from dualgate.session.own import cut_incomplete_line, open_journal, taken_over
from dualgate.session.record import Recorder, Watcher
from dualgate.session.rooms import Rooms
from dualgate.session.suite_runs import SuiteRuns
from dualgate.session.trial import try_tree
from dualgate.settings import Settings
from dualgate.settings.committing import Commits
from dualgate.store.account import read_account
from dualgate.store.projections import Projections, bring_up
from dualgate.store.sessions import snapshot_store
from dualgate.workspace.commits import open_repository
from dualgate.workspace.saved import SavedSnapshots

PROVEN = "the proven tree"
REWRITTEN = "the proven tree as the commit hooks rewrite it"


def with_commits(
    rooms: Rooms,
    recorder: Recorder,
    plan: CommitPlan,
    saved: SavedSnapshots,
    settings: Settings,
    folder: Path,
    host: Host,
) -> Rooms:
    """The rooms of a run that commits, if its plan says so. A new plan is recorded."""
    if plan != recorder.state.commits.plan:
        recorder(CommitPlanned(at=host.now(), plan=plan))
    if recorder.state.commits.plan.use is CommitUse.NEVER:
        return rooms
    made = _commit_rooms(recorder, saved, settings.commit, folder, host, _proving(rooms.suites))
    return replace(rooms, commit=made.commit)


def _commit_rooms(
    recorder: Recorder, saved: SavedSnapshots, commit: Commits, folder: Path, host: Host, prove: Prove | None
) -> CommitRooms:
    first = saved.catalog.first_of(recorder.state.session_id)
    if first is None:
        raise SnapshotMissing("The snapshots of this session are gone.", "Commit yourself: git commit")
    return CommitRooms(
        repository=open_repository(host.project),
        snapshots=saved.seen_as(first),
        supervisor=host.supervisor,
        record=recorder,
        now=host.now,
        messages=_writing(folder, host, commit.style),
        mark=lambda: recorder.mark,
        prove=prove,
        timeout=commit.timeout,
    )


def _writing(
    folder: Path, host: Host, asked: SubjectStyle
) -> Callable[[DueCommit, tuple[tuple[str, str], ...]], list[str]]:
    def messages(due: DueCommit, trailers: tuple[tuple[str, str], ...]) -> list[str]:
        # a report is needed only for a commit: most runs make none
        from dualgate.display.report.commit import commit_message, phase_message
        from dualgate.session.reporting import ReportSource, read_report
        from dualgate.session.subject_style import styles_of

        source = ReportSource(folder=folder, project=host.project, environment=host.environment, redactor=host.redactor)
        report = read_report(source, host.now(), with_diffs=False)
        styles, phase = styles_of(asked, host.project), due.proven.phase
        if due.is_last:
            return [commit_message(report, trailers, style) for style in styles]
        return [phase_message(report, phase, trailers, style) for style in styles]

    return messages


def _proving(suites: SuiteRuns) -> Prove:
    def prove(state: LoopState, tree: str, control: Control) -> tuple[str, ...]:
        proven = state.commits.proven
        assert proven is not None
        before = try_tree(proven.tree, PROVEN, (), suites, state, control)
        after = try_tree(tree, REWRITTEN, (), suites, state, control)
        problems = (*before.problems, *after.problems)
        return problems or turned_by_rewriting(state.proof, before, after)

    return prove


def finish_commits(
    host: Host, folder: Path, settings: Settings, control: Control, watch: Watcher, *, trusts_hooks: bool = False
) -> LoopState:
    """Make the last commit of a proven session, if it was killed or refused before it, or asked for only now.

    No tests are run any more: what a hook rewrites is refused.
    """
    store = snapshot_store(host.project, host.environment)
    with taken_over(host, folder) as (lease, _), SavedSnapshots(host.project, store, folder) as saved:
        cut_incomplete_line(host, folder)
        account = read_account(folder)
        bring_up(folder, account)
        journal = open_journal(folder, lease, host.redactor, account.seq)
        recorder = Recorder(account.state, journal, Projections(folder, account), watch)
        started, before = account.cut_off.started, account.state.commits.plan
        name = work_name(started.prp_file, read_specification(started.prp_text, started.prp_file).title)
        plan = plan_commits(
            settings, host.project, name, before, environment=host.environment, trusts_hooks=trusts_hooks
        )
        state = recorder(CommitPlanned(at=host.now(), plan=plan))
        rooms = _commit_rooms(recorder, saved, settings.commit, folder, host, None)
        return rooms.commit(state, control)
