"""When a commit is due, and what the state remembers of commits."""

import pytest

from dualgate.core.machine.committing import (
    COMMIT,
    ENDED_BEFORE,
    PULL_REQUEST,
    DueCommit,
    due_commit,
    is_outstanding,
    log_after,
    not_made,
    retried,
)
from dualgate.core.machine.history import apply
from dualgate.core.machine.resuming import cut_off
from dualgate.core.values.commits import (
    CommitEvent,
    CommitFailed,
    CommitLog,
    CommitMade,
    CommitPlan,
    CommitPlanned,
    CommitRefusal,
    CommitStarted,
    HooksTried,
    ProvenTree,
    RequestOpened,
    RequestRefused,
)
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import CommitUse, Phase, Status
from dualgate.testing import NOW, a_start, a_state

PLAN = CommitPlan(use=CommitUse.PHASE, branch="dualgate/x", base="abc")
NO = CommitRefusal(reason="the hook pre-commit exits with 1", hook="pre-commit")


def proven(tree: str = "t", phase: Phase = Phase.GREEN) -> ProvenTree:
    return ProvenTree(phase=phase, tree=tree, start="s")


def a_log(use: CommitUse = CommitUse.PHASE, tree: str = "t", phase: Phase = Phase.GREEN) -> CommitLog:
    return CommitLog(plan=replace(PLAN, use=use), proven=proven(tree, phase))


def made(tree: str = "t") -> CommitMade:
    return CommitMade(at=NOW, phase=Phase.GREEN, tree=tree, branch="dualgate/x", commit="c")


def failed(tree: str = "t") -> CommitFailed:
    return CommitFailed(at=NOW, phase=Phase.GREEN, tree=tree, refusal=NO)


def after(state: LoopState, *events: CommitEvent) -> LoopState:
    for event in events:
        state = log_after(state, event)
    return state


NOT_DUE = [
    (CommitLog(), Status.RUNNING),
    (a_log(CommitUse.NEVER), Status.COMPLETED),
    (CommitLog(plan=PLAN), Status.RUNNING),
    (replace(a_log(), made=(made(),)), Status.RUNNING),
    (replace(a_log(), refused_tree="t"), Status.RUNNING),
    (a_log(CommitUse.RUN, phase=Phase.RED), Status.RUNNING),
    (a_log(CommitUse.RUN), Status.HALTED),
    (replace(a_log(CommitUse.RUN), tried_tree="t"), Status.RUNNING),
]


@pytest.mark.parametrize(("log", "status"), NOT_DUE)
def test_nothing_is_due_without_a_plan_a_proof_or_a_change(log: CommitLog, status: Status) -> None:
    assert due_commit(a_state(commits=log, status=status)) is None


def test_a_phase_is_committed_when_it_passed_and_again_when_it_passed_with_another_tree() -> None:
    state = a_state(commits=a_log())
    again = replace(state, commits=replace(a_log(tree="u"), made=(made("t"),)))

    assert due_commit(state) == DueCommit(proven=proven())
    assert due_commit(again) == DueCommit(proven=proven("u"))


def test_hooks_are_tried_while_an_agent_can_still_fix_what_they_find() -> None:
    state = a_state(commits=a_log(CommitUse.RUN))

    assert due_commit(state) == DueCommit(proven=proven(), is_trial=True)


def test_hooks_are_tried_before_a_person_approves_and_what_they_rewrite_is_remembered() -> None:
    log = a_log(CommitUse.RUN, phase=Phase.QA)
    waits = a_state(commits=log, status=Status.PAUSED, finished_tree="t")
    tried = after(waits, HooksTried(at=NOW, phase=Phase.QA, tree="t", rewritten="u"))

    assert due_commit(waits) == DueCommit(proven=proven(phase=Phase.QA), is_trial=True, is_approved_next=True)
    assert (due_commit(tried), tried.commits.rewritten) == (None, "u")
    earlier = HooksTried(at=NOW, phase=Phase.DOCUMENT, tree="t")
    assert due_commit(after(waits, earlier)) == due_commit(waits)
    assert due_commit(after(waits, replace(earlier, refusal=NO))) is None
    assert due_commit(replace(waits, finished_tree="")) is None


def test_a_run_is_committed_once_it_is_completed_and_proven() -> None:
    state = a_state(commits=replace(a_log(CommitUse.RUN), tried_tree="t"), status=Status.COMPLETED)

    assert due_commit(state) == DueCommit(proven=proven(), is_last=True)
    assert due_commit(replace(state, unproven=("no test",))) is None
    assert due_commit(replace(state, phases_forced=(Phase.QA,))) is None


def test_a_refusal_is_kept_and_named_once_until_a_commit_follows() -> None:
    refused = after(a_state(commits=a_log()), failed(), failed())

    assert due_commit(refused) is None
    assert (refused.commits.refusal, refused.commits.refused_tree) == (NO, "t")
    assert [each.text for each in refused.warnings] == ["not committed: the hook pre-commit exits with 1"]
    assert after(refused, made("u")).commits.refusal is None


def test_hooks_that_accept_clear_the_warning() -> None:
    tried = HooksTried(at=NOW, phase=Phase.GREEN, tree="t", refusal=NO)
    refused = after(a_state(commits=a_log(CommitUse.RUN)), tried)
    accepted = after(refused, HooksTried(at=NOW, phase=Phase.GREEN, tree="u"))

    assert (refused.commits.refusal, refused.commits.tried_tree, len(refused.warnings)) == (NO, "t", 1)
    assert (accepted.commits.refusal, accepted.commits.tried_tree, accepted.warnings) == (None, "u", ())


def test_a_begun_commit_is_remembered_until_it_is_made() -> None:
    started = CommitStarted(at=NOW, phase=Phase.GREEN, tree="t", evidence="e")
    begun = after(a_state(commits=a_log()), started)

    assert begun.commits.started == started
    assert after(begun, made()).commits.started is None


def test_the_pull_request_is_remembered() -> None:
    opened = RequestOpened(at=NOW, by="ann", branch="b", commit="c", remote="origin", url="https://x.example/1")

    assert after(a_state(), opened).commits.request == opened


def test_a_person_who_resumes_or_plans_again_lets_a_refused_commit_be_tried_again() -> None:
    refused = after(a_state(commits=a_log()), failed())

    assert due_commit(replace(refused, commits=retried(refused.commits))) is not None
    assert due_commit(after(refused, CommitPlanned(at=NOW, plan=PLAN))) is not None


def test_a_proven_run_without_its_commit_is_outstanding() -> None:
    ended = a_state(commits=a_log(CommitUse.RUN), status=Status.COMPLETED)

    assert is_outstanding(ended)
    assert is_outstanding(after(ended, failed()))
    assert not is_outstanding(after(ended, made()))
    assert not is_outstanding(replace(ended, status=Status.RUNNING))


OPENED = RequestOpened(at=NOW, by="ann", branch="b", commit="d", remote="origin", url="https://x.example/1")


def landing(request: bool = False) -> LoopState:
    log = a_log(CommitUse.RUN)
    return a_state(commits=replace(log, plan=replace(log.plan, request=request)), status=Status.COMPLETED)


def named(state: LoopState) -> tuple[str, str, str] | None:
    missing = not_made(state)
    return (missing.what, missing.reason, missing.command) if missing else None


def test_a_proven_run_names_the_commit_that_was_not_made() -> None:
    ended = landing()
    moved = CommitRefusal(reason="moved", command="dualgate resume --branch NAME")

    assert named(ended) == (COMMIT, ENDED_BEFORE, "dualgate resume")
    assert named(after(ended, failed())) == (COMMIT, NO.reason, "dualgate resume")
    assert named(after(ended, replace(failed(), refusal=moved))) == (COMMIT, "moved", "dualgate resume --branch NAME")
    assert named(after(ended, made())) is None
    assert named(replace(ended, unproven=("no test",))) is None


def test_a_proven_run_names_the_pull_request_that_was_not_opened_since_its_last_commit() -> None:
    committed = after(landing(request=True), made())
    refused = after(committed, RequestRefused(at=NOW, branch="b", refusal=NO))
    opened = after(refused, OPENED)

    assert named(committed) == (PULL_REQUEST, ENDED_BEFORE, "dualgate pr")
    assert named(refused) == (PULL_REQUEST, NO.reason, "dualgate pr")
    assert (named(opened), opened.commits.request_refusal) == (None, None)
    assert named(after(opened, replace(made(), commit="e"))) == (PULL_REQUEST, ENDED_BEFORE, "dualgate pr")
    assert named(after(opened, replace(made(), commit=""))) is None
    assert named(replace(committed, unproven=("no test",))) is None
    assert named(replace(committed, status=Status.PAUSED)) is None


def test_a_commit_clears_the_warning_about_the_one_before() -> None:
    refused = after(landing(), failed())

    assert [len(each.warnings) for each in (refused, after(refused, made()))] == [1, 0]


def test_the_events_change_the_log_and_no_turn_that_was_cut_off() -> None:
    started = a_start()
    found = cut_off([started, CommitPlanned(at=NOW, plan=PLAN), failed()])

    assert found.state.commits.plan == PLAN
    assert found.call is None
    assert apply(found.state, made()).commits.made == (made(),)
