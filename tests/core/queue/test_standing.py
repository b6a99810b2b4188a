"""The state of a session -> how its job stands, and how the queue ends."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from dualgate.core.queue.document import queue_document, queue_rows, queue_schema
from dualgate.core.queue.needs import Needs
from dualgate.core.queue.outcome import queue_code
from dualgate.core.queue.planning import Plan
from dualgate.core.queue.standing import can_resume, job_standing
from dualgate.core.values.commits import CommitLog, CommitMade, CommitPlan, CommitRefusal, ProvenTree
from dualgate.core.values.queue import Base, Job, JobState, JobStood, Overlap, Queue, Use
from dualgate.core.values.replacing import replace
from dualgate.core.values.shapes import check
from dualgate.core.values.team import Wait
from dualgate.core.values.vocabulary import CommitUse, Decision, HaltCause, Phase, Status
from dualgate.errors import ExitCode
from dualgate.testing import a_state

AT = datetime(2026, 1, 1, 22, 0, tzinfo=UTC)
LIMIT = Wait(until=AT + timedelta(hours=1), reason="a limit of claude was met", setting="")
HOUR = Wait(until=AT + timedelta(hours=1), reason="9 calls in the last hour", setting="max_calls_per_hour")


def stood(alive: bool = False, changed: bool = False, **values: Any) -> JobStood:
    return job_standing("a", a_state(**values), alive, changed, AT)


@pytest.mark.parametrize(
    ("values", "alive", "state"),
    [
        ({}, True, JobState.RUNNING),
        ({}, False, JobState.PAUSED),
        ({"waiting": LIMIT}, True, JobState.WAITING),
        ({"waiting": HOUR}, True, JobState.RUNNING),
        ({"status": Status.PAUSED}, False, JobState.PAUSED),
        ({"status": Status.PAUSED}, True, JobState.RUNNING),
        ({"status": Status.PAUSED, "waiting": LIMIT}, True, JobState.WAITING),
        ({"status": Status.PAUSED, "finished_tree": "t"}, False, JobState.APPROVAL),
        ({"status": Status.PAUSED, "finished_tree": "t"}, True, JobState.RUNNING),
        ({"status": Status.COMPLETED}, False, JobState.PROVEN),
        ({"status": Status.COMPLETED}, True, JobState.RUNNING),
        ({"status": Status.COMPLETED, "unproven": ("AC-1",)}, False, JobState.NOT_PROVEN),
        ({"status": Status.HALTED, "ended_by": Decision.STUCK}, False, JobState.HALTED),
        ({"status": Status.HALTED}, False, JobState.HALTED),
        ({"status": Status.HALTED, "ended_by": Decision.BLOCKED}, False, JobState.BLOCKED),
        ({"status": Status.HALTED, "ended_by": Decision.RATE_LIMITED}, False, JobState.LIMITED),
    ],
)
def test_a_job_stands_as_its_session(values: dict[str, Any], alive: bool, state: JobState) -> None:
    assert stood(alive, **values).state is state


def test_a_job_says_why_it_stands_so_and_how_it_goes_on() -> None:
    halted = stood(
        status=Status.HALTED, halted_by=HaltCause.NO_PROGRESS, ended_by=Decision.STUCK, halt_reason="RED: no progress"
    )

    assert halted.reason == "RED: no progress"
    assert halted.way_on.startswith("dualgate ")
    assert stood(True, waiting=LIMIT).reason == "a limit of claude was met"
    assert stood(True, waiting=LIMIT).until == LIMIT.until
    assert stood(True, waiting=LIMIT).way_on == ""
    assert stood(status=Status.COMPLETED, unproven=("AC-1: x", "AC-2: y")).reason == "AC-1: x; AC-2: y"
    assert stood(status=Status.PAUSED, changed=True).reason == "its specification changed"
    assert stood(status=Status.PAUSED).reason == ""


@pytest.mark.parametrize(
    ("values", "plainly", "with_retry"),
    [
        ({}, True, True),
        ({"status": Status.PAUSED}, True, True),
        ({"status": Status.COMPLETED}, False, False),
        ({"status": Status.HALTED, "halted_by": HaltCause.RATE_LIMIT}, True, True),
        ({"status": Status.HALTED, "halted_by": HaltCause.BLOCKED}, False, True),
        ({"status": Status.HALTED, "halted_by": HaltCause.NO_PROGRESS}, False, False),
        ({"status": Status.HALTED}, False, False),
    ],
)
def test_only_what_needs_no_reset_is_resumed(values: dict[str, Any], plainly: bool, with_retry: bool) -> None:
    state = a_state(**values)

    assert (can_resume(state, retry=False), can_resume(state, retry=True)) == (plainly, with_retry)


def a_job(name: str, state: JobState, **values: Any) -> Job:
    return Job(id=name, spec=f"{name}.md", number=1, state=state, **values)


@pytest.mark.parametrize(
    ("states", "blocked", "interrupted", "spent", "code"),
    [
        ([], (), False, "", ExitCode.PROVEN),
        ([JobState.PROVEN], (), False, "", ExitCode.PROVEN),
        ([JobState.PROVEN, JobState.PAUSED], (), True, "", ExitCode.PAUSED),
        ([JobState.PROVEN, JobState.PAUSED], (), False, "", ExitCode.PAUSED),
        ([JobState.PROVEN, JobState.PAUSED], (), False, "spent", ExitCode.HALTED),
        ([JobState.PROVEN, JobState.QUEUED], ("b",), False, "", ExitCode.BLOCKED),
        ([JobState.FAILED, JobState.BLOCKED], (), False, "", ExitCode.ERROR),
        ([JobState.HALTED, JobState.NOT_PROVEN], (), False, "", ExitCode.HALTED),
        ([JobState.WAITING], (), False, "", ExitCode.RATE_LIMITED),
        ([JobState.LIMITED, JobState.NOT_PROVEN], (), False, "", ExitCode.RATE_LIMITED),
        ([JobState.PROVEN, JobState.NOT_PROVEN], (), False, "", ExitCode.UNPROVEN),
        ([JobState.PROVEN, JobState.APPROVAL], (), False, "", ExitCode.PAUSED),
        ([JobState.PAUSED, JobState.NOT_PROVEN], (), False, "spent", ExitCode.HALTED),
        ([JobState.QUEUED, JobState.APPROVAL], (), False, "spent", ExitCode.HALTED),
        ([JobState.WAITING, JobState.NOT_COMMITTED], (), False, "spent", ExitCode.HALTED),
        ([JobState.PAUSED, JobState.BLOCKED], (), False, "spent", ExitCode.BLOCKED),
        ([JobState.PROVEN, JobState.NOT_PROVEN], (), False, "spent", ExitCode.UNPROVEN),
        ([JobState.HALTED, JobState.APPROVAL], (), False, "", ExitCode.HALTED),
    ],
)
def test_the_queue_ends_with_0_only_if_all_is_proven(
    states: list[JobState], blocked: tuple[str, ...], interrupted: bool, spent: str, code: ExitCode
) -> None:
    jobs = [a_job(str(number), state) for number, state in enumerate(states)]

    assert queue_code(jobs, blocked, interrupted, spent) is code


def test_finished_work_waits_for_a_person_and_not_for_the_queue() -> None:
    waits = a_state(status=Status.PAUSED, finished_tree="t")

    found = job_standing("a", waits, False, False, AT)

    assert found.reason == (
        "read its report (dualgate report --worktree a --open), then approve it, "
        "or: dualgate reject --worktree a 'REASON'"
    )
    assert found.way_on == "dualgate approve"
    assert [can_resume(waits, retry) for retry in (False, True)] == [False, False]


UNCOMMITTED = CommitLog(
    plan=CommitPlan(use=CommitUse.RUN, branch="b"), proven=ProvenTree(phase=Phase.BUILD, tree="t", start="s")
)
REFUSED = replace(UNCOMMITTED, refusal=CommitRefusal(reason="the hook\npre-commit exits with 1"), refused_tree="t")
MADE = CommitMade(at=AT, phase=Phase.BUILD, tree="t", branch="b", commit="c")
UNREQUESTED = replace(UNCOMMITTED, plan=replace(UNCOMMITTED.plan, request=True), made=(MADE,))
NO_REQUEST = replace(UNREQUESTED, request_refusal=CommitRefusal(reason="gh is not installed", command="dualgate pr"))


def test_a_proven_job_whose_commit_was_refused_is_no_base_and_no_success() -> None:
    found = stood(status=Status.COMPLETED, commits=REFUSED)

    assert (found.state, found.way_on) == (JobState.NOT_COMMITTED, "dualgate resume")
    assert found.reason == "no commit: the hook pre-commit exits with 1"
    jobs = [a_job("a", JobState.NOT_COMMITTED), a_job("b", JobState.PROVEN)]
    assert queue_code(jobs, (), False, "") is ExitCode.UNCOMMITTED


def test_a_proven_job_without_its_pull_request_is_a_base_and_no_success() -> None:
    found = stood(status=Status.COMPLETED, commits=NO_REQUEST)

    assert (found.state, found.way_on) == (JobState.PROVEN, "dualgate pr")
    job = a_job("a", JobState.PROVEN, reason=found.reason)
    assert queue_code([job], (), False, "") is ExitCode.UNCOMMITTED


@pytest.mark.parametrize(("killed", "refused"), [(UNCOMMITTED, REFUSED), (UNREQUESTED, NO_REQUEST)])
def test_a_commit_or_request_that_was_killed_is_made_by_a_queue_run_and_a_refused_one_with_retry(
    killed: CommitLog, refused: CommitLog
) -> None:
    states = [a_state(status=Status.COMPLETED, commits=each) for each in (killed, refused)]

    assert [can_resume(each, retry=False) for each in states] == [True, False]
    assert [can_resume(each, retry=True) for each in states] == [True, True]


@pytest.mark.parametrize("killed", [UNCOMMITTED, UNREQUESTED])
def test_a_proven_job_that_was_killed_before_its_commit_or_request_is_paused(killed: CommitLog) -> None:
    found = stood(status=Status.COMPLETED, commits=killed)

    assert (found.state, found.reason.split(": ")[1]) == (JobState.PAUSED, "the run ended before it was made")


def test_each_row_names_the_next_command() -> None:
    jobs = (
        a_job("queued", JobState.QUEUED),
        a_job("running", JobState.RUNNING, worktree="/w/r"),
        a_job("proven", JobState.PROVEN, worktree="/w/a b"),
        a_job("halted", JobState.HALTED, worktree="/w/h", way_on="dualgate resume --reset", reason="no progress"),
        a_job("unproven", JobState.NOT_PROVEN, worktree="/w/u"),
        a_job("failed", JobState.FAILED, worktree="/w/gone"),
        a_job("conflict", JobState.BLOCKED, base=Base(unmerged=("dualgate/a", "dualgate/b c"))),
        a_job("in the way", JobState.BLOCKED, base=Base(unmerged=("dualgate/a",), in_the_way=("a b.md", "c.md"))),
        a_job("held", JobState.QUEUED),
        a_job("later", JobState.PAUSED, worktree="/w/l"),
        a_job("after", JobState.QUEUED),
        a_job("last", JobState.QUEUED),
    )
    plan = Plan(
        blocked={"held": "it is gone", "later": "it needs x", "after": "it needs halted", "last": "it needs after"},
        causes={"after": "halted", "last": "after"},
        waiting={"queued": "waits for running"},
    )

    rows = queue_rows(Queue(jobs=jobs), Needs(by_job={"queued": ("running",)}), plan, ["running"])

    assert [(row.state.value, row.why, row.next_step) for row in rows] == [
        ("queued", "waits for running", "dualgate queue run"),
        ("running", "", ""),
        ("proven", "", "dualgate pr --worktree proven"),
        ("halted", "no progress", "dualgate resume --worktree halted --reset"),
        ("not proven", "", "dualgate status --worktree unproven"),
        ("failed", "", "dualgate queue run"),
        ("blocked", "", "git merge --no-edit dualgate/a && git merge --no-edit 'dualgate/b c'"),
        (
            "blocked",
            "",
            "git stash push --include-untracked -- ':/a b.md' :/c.md && git merge --no-edit dualgate/a",
        ),
        ("blocked", "it is gone", "dualgate queue add held.md"),
        ("blocked", "it needs x", "dualgate queue run"),
        ("blocked", "it needs halted", "dualgate resume --worktree halted --reset"),
        ("blocked", "it needs after", "dualgate resume --worktree halted --reset"),
    ]


OVERLAPS = (Overlap(jobs=("a", "b"), paths=("f.py",)),)


def test_the_document_fits_its_schema() -> None:
    jobs = (
        a_job(
            "a",
            JobState.WAITING,
            reason="a limit was met",
            until=AT,
            use=Use(calls=2, cost_usd=1.5),
            base=Base(conflicts=("f.py",)),
        ),
        a_job("b", JobState.QUEUED, escalated=Use(calls=1)),
    )
    queue = Queue(jobs=jobs, started_at=AT, ended="all jobs ended")
    rows = queue_rows(queue, Needs(), Plan(waiting={"b": "waits for a"}))

    document = queue_document(queue, rows, {"pid": 7, "since": AT.isoformat(), "by": "me@here"}, AT, OVERLAPS)

    assert [*check(queue_schema(), document)] == []
    assert document["totals"]["waiting"] == 1
    assert document["jobs"][0]["why"] == "a limit was met, until 2026-01-01T22:00+00:00"
    assert [job["escalated"] and job["escalated"]["calls"] for job in document["jobs"]] == [None, 1]
    assert document["totals"]["cost_usd"] == 1.5
    assert [*check(queue_schema(), queue_document(Queue(), (), None, None))] == []
