"""A run of the queue: what it starts, when it stops, and how it goes on after a kill."""

import subprocess
from datetime import timedelta
from pathlib import Path

import pytest

from dualgate.core.queue.budget import Budget
from dualgate.core.queue.hours import read_hours
from dualgate.core.values.answer import LimitUse
from dualgate.core.values.commits import CommitLog, CommitMade, CommitPlan, ProvenTree
from dualgate.core.values.limit_report import LimitReport
from dualgate.core.values.queue import JobState
from dualgate.core.values.replacing import replace
from dualgate.core.values.vocabulary import CommitUse, Phase, Status
from dualgate.errors import JournalDamaged, QueueRefused, SpecError
from dualgate.fleet.queue.adding import Added, add_jobs, remove_jobs
from dualgate.fleet.queue.bases import commit_of
from dualgate.testing import a_state
from tests.fleet.scripted import (
    EVENING,
    Scripted,
    Step,
    at_work,
    blocked,
    fails,
    halted,
    limited,
    not_proven,
    paused,
    proven,
    used,
)


@pytest.fixture
def world(tmp_path: Path) -> Scripted:
    return Scripted(root=tmp_path, scripts={})


def queued(world: Scripted, **scripts: list[Step]) -> Scripted:
    """Jobs without dependencies, in this order."""
    world.scripts |= scripts
    for name in scripts:
        world.add(name)
    return world


def with_branches(world: Scripted, *names: str) -> None:
    """A repository in which the branches of jobs are at its one commit."""
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b")
    for words in (("init", "-q"), ("commit", "-q", "--allow-empty", "-m", "first")):
        subprocess.run([*git, *words], cwd=world.root, check=True)
    for name in names:
        subprocess.run(["git", "branch", f"dualgate/{name}"], cwd=world.root, check=True)


def states(world: Scripted) -> dict[str, str]:
    return {job.id: job.state.value for job in world.file.read().jobs}


def test_jobs_run_one_after_the_other_or_side_by_side(world: Scripted) -> None:
    queued(world, a=[at_work(), at_work(), proven()], b=[at_work(), proven()], c=[proven()])

    ended = world.run(jobs=2)

    assert world.started == ["run a", "run b", "run c"]
    assert world.told.index("c: started") > world.told.index("b: proven")
    assert states(world) == {"a": "proven", "b": "proven", "c": "proven"}
    assert ended.reason == "all jobs ended"
    assert world.words["a"][:6] == ("run", "a.md", "--worktree", "a", "--commit", "run")


def test_a_job_that_halts_or_fails_does_not_keep_the_next_from_going_on(world: Scripted) -> None:
    queued(world, a=[halted], b=[fails(1)], c=[fails(4)], d=[proven()])

    world.run()

    assert world.started == ["run a", "run b", "run c", "run d"]
    assert states(world) == {"a": "halted", "b": "failed", "c": "blocked", "d": "proven"}
    reasons = {job.id: job.reason for job in world.file.read().jobs}
    assert reasons == {"a": "RED: no progress", "b": "There is no login.", "c": "There is no login.", "d": ""}


@pytest.mark.parametrize("end", [halted, blocked, proven(), not_proven, paused])
def test_a_job_that_ends_right_after_it_was_seen_alive_is_not_started_again(world: Scripted, end: Step) -> None:
    world.quick.add("a")
    queued(world, a=[at_work(), end], b=[proven()])

    world.run()

    assert world.started == ["run a", "run b"]


def test_dependencies_decide_the_order_and_a_halt_blocks_only_what_needs_it(world: Scripted) -> None:
    with_branches(world, "a", "b", "c", "d")
    queued(world, b=[halted], a=[proven()])
    world.scripts |= {"c": [proven()], "d": [proven()]}
    world.add("c", after=("a",))
    world.add("d", after=("b",))

    ended = world.run()

    assert world.started == ["run b", "run a", "run c"]
    assert ended.plan.blocked == {"d": "it needs b, which is halted"}
    assert "--from" not in " ".join(world.words["a"])


def test_a_dependency_without_a_branch_blocks_what_needs_it(world: Scripted) -> None:
    with_branches(world)
    queued(world, a=[proven()])
    world.scripts["b"] = [proven()]
    world.add("b", after=("a",))

    world.run()

    assert states(world) == {"a": "proven", "b": "blocked"}
    found = world.file.read().jobs[1]
    assert found.reason.startswith("it needs dualgate/a, deleted and not merged here.")
    assert found.way_on == "dualgate queue add b.md --done a"
    add_jobs(world.file, world.root, ["b.md"], Added(done=("a",)), "me", lambda: world.now)
    world.run()
    assert states(world) == {"a": "proven", "b": "proven"}


def test_a_branch_that_a_person_merged_and_deleted_is_in_the_checkout(world: Scripted) -> None:
    with_branches(world)
    head = commit_of(world.root, "HEAD")
    made = CommitMade(at=EVENING, phase=Phase.GREEN, tree="t", branch="dualgate/a", commit=head)
    queued(world, a=[lambda _: a_state(status=Status.COMPLETED, commits=CommitLog(made=(made,)))])
    world.scripts["b"] = [proven()]
    world.add("b", after=("a",))

    world.run()

    assert states(world) == {"a": "proven", "b": "proven"}
    assert world.words["b"][world.words["b"].index("--from") + 1] == head


def test_what_is_not_proven_is_no_base_unless_a_person_says_so(world: Scripted) -> None:
    with_branches(world, "a")
    queued(world, a=[not_proven])
    world.scripts["b"] = [proven()]
    world.add("b", after=("a",))

    assert world.run().plan.blocked == {"b": "it needs a, which is completed, not proven"}
    world.run(accept_unproven=True)

    assert world.started == ["run a", "run b"]


def test_work_that_is_accepted_and_not_committed_is_a_base_when_a_person_commits_it(world: Scripted) -> None:
    with_branches(world, "a")
    world.began_from = commit_of(world.root, "HEAD")
    queued(world, a=[not_proven])
    world.scripts["b"] = [proven()]
    world.add("b", after=("a",))

    world.run(accept_unproven=True)

    found = world.file.read().jobs[1]
    assert found.reason == "the work of a is not committed; commit it in its worktree"
    assert found.way_on == "git -C /trees/a add -A && git -C /trees/a commit -m a"


def test_a_job_that_waits_for_a_limit_gives_its_place_to_one_of_another_agent(world: Scripted) -> None:
    world.scripts |= {"a": [at_work(), limited(5), proven()], "b": [at_work(), proven()], "c": [proven()]}
    world.add("a", agent="claude")
    world.add("b", agent="codex")
    world.add("c", agent="claude")
    world.scripts["a"] = [at_work(), limited(5), limited(5)]
    world.at_look[20] = lambda: world.scripts.update(a=[proven()])

    world.run()

    assert world.started == ["run a", "run b", "resume a", "run c"]
    assert world.now >= EVENING + timedelta(hours=5)
    assert set(states(world).values()) == {"proven"}


def test_a_job_that_gave_its_place_away_is_resumed_after_its_limit_however_late_its_process_ends(
    world: Scripted,
) -> None:
    world.ends_late = True
    world.scripts = {"a": [limited(5), limited(5)], "b": [at_work(), proven()]}
    world.at_look[20] = lambda: world.scripts.update(a=[proven()])
    world.add("a", agent="claude")
    world.add("b", agent="codex")

    ended = world.run()

    assert (ended.plan.blocked, states(world)) == ({}, {"a": "proven", "b": "proven"})
    assert world.started == ["run a", "run b", "resume a"]
    assert world.now >= EVENING + timedelta(hours=5)


def test_a_job_that_waits_keeps_its_place_if_nothing_else_can_start(world: Scripted) -> None:
    queued(world, a=[limited(1), limited(1), proven()], b=[proven()])

    world.run()

    assert world.started == ["run a", "run b"]


def test_a_wait_of_all_jobs_is_told_once_and_one_of_some_is_not(world: Scripted) -> None:
    queued(world, a=[at_work(), *[limited(2)] * 9, at_work(), *[limited(5)] * 2, proven()], b=[proven()])

    world.run()

    assert world.waits == [EVENING + timedelta(hours=2), EVENING + timedelta(hours=5)]
    world.scripts |= {"c": [limited(99)] * 3 + [proven()], "d": [at_work()] * 9 + [proven()]}
    world.add("c", agent="claude")
    world.add("d", agent="codex")
    world.run(jobs=2)
    assert len(world.waits) == 2


def test_a_job_whose_agent_reaches_the_reserve_is_paused_and_goes_on_when_the_limit_resets(world: Scripted) -> None:
    def reports(share: float) -> Step:
        use = LimitUse(window="five_hour", used=share, resets_at=EVENING + timedelta(hours=3))
        report = LimitReport(at=EVENING, use=(use,))
        return lambda _: replace(used(a_state(), 2, 1.0), limit_reports={"claude": report})

    world.scripts |= {"a": [at_work(), reports(0.7), reports(0.85), reports(0.9)], "b": [proven()], "c": [proven()]}
    world.add("a", agent="claude")
    world.add("b", agent="claude")
    world.add("c", agent="codex")
    world.at_look[9] = lambda: world.scripts.update(a=[proven(3, 1.5)])

    ended = world.run(reserve=20)

    assert world.started == ["run a", "run c", "resume a", "run b"]
    assert world.now >= EVENING + timedelta(hours=3)
    assert world.told.count("a: paused, because its agent reached your reserve") == 1
    assert ended.reason == "all jobs ended"
    assert set(states(world).values()) == {"proven"}
    assert world.waits == [EVENING + timedelta(hours=3)]


def test_a_spent_budget_pauses_all_jobs_and_the_next_run_resumes_them(world: Scripted) -> None:
    queued(world, a=[at_work(1, 2.0), at_work(2, 6.0), at_work(3, 9.0)], b=[at_work(1, 1.0)] * 9, c=[proven()])

    ended = world.run(Budget(max_cost=6.5), jobs=2)

    assert ended.spent == "the budget of the queue, $6.50 (--max-cost), is spent: $7.00"
    assert states(world) == {"a": "paused", "b": "paused", "c": "queued"}
    world.scripts |= {"a": [proven(4, 9.0)], "b": [proven(2, 2.0)]}
    again = world.run(Budget(max_cost=6.5))

    assert world.started == ["run a", "run b", "resume a", "resume b", "run c"]
    assert (again.spent, again.reason) == ("", "all jobs ended")


def test_calls_and_time_are_budgets_too(world: Scripted) -> None:
    queued(world, a=[at_work(calls) for calls in range(1, 99)])

    assert world.run(Budget(max_calls=5)).spent.startswith("the budget of the queue, 5 calls")
    assert world.run(Budget(duration=timedelta(hours=1))).spent.startswith(
        "the time of the queue (--max-duration) is over; it began at "
    )


def test_jobs_run_only_in_the_hours_of_the_queue(world: Scripted) -> None:
    queued(world, a=[at_work()] * 200)

    ended = world.run(Budget(hours=read_hours("22:00-07:00")))

    assert world.told[0] == "waiting until 22:00, when the hours of the queue (22:00-07:00) begin"
    assert world.file.read().started_at == EVENING
    assert ended.spent == "the hours of the queue (22:00-07:00) are over"
    assert (world.now.day, world.now.hour) == (2, 7)
    assert states(world) == {"a": "paused"}


def test_ctrl_c_pauses_the_jobs_and_what_is_done_does_not_start_over(world: Scripted) -> None:
    queued(world, a=[proven()], b=[at_work()] * 99, c=[proven()])
    world.stops_after = 4

    ended = world.run()

    assert ended.interrupted
    assert states(world) == {"a": "proven", "b": "paused", "c": "queued"}
    world.stops_after = None
    world.scripts["b"] = [proven()]
    world.run()

    assert world.started == ["run a", "run b", "resume b", "run c"]


@pytest.mark.parametrize("look", range(1, 5))
def test_a_killed_queue_goes_on_with_jobs_that_outlived_it_and_with_those_that_did_not(
    world: Scripted, look: int
) -> None:
    queued(world, a=[at_work(), at_work(), proven()], b=[at_work(), at_work(), proven()])
    world.dies_after = look
    with pytest.raises(SystemExit):
        world.run()
    if look % 2:
        world.alive.clear()

    world.run()

    assert set(states(world).values()) == {"proven"}
    assert len([each for each in world.started if each.startswith("run")]) == 2


def test_a_job_whose_process_is_killed_is_resumed_but_not_for_ever(world: Scripted) -> None:
    queued(world, a=[at_work(), fails(-9)], b=[proven()])

    ended = world.run()

    assert world.started == ["run a", "resume a", "resume a", "run b"]
    assert ended.plan.blocked == {"a": "its process was killed 3 times"}


def test_a_proven_job_whose_process_is_killed_before_its_commit_is_resumed_by_the_same_run(world: Scripted) -> None:
    plan = CommitPlan(use=CommitUse.RUN, branch="b")
    uncommitted = CommitLog(plan=plan, proven=ProvenTree(phase=Phase.BUILD, tree="t", start="s"))
    killed = a_state(status=Status.COMPLETED, commits=uncommitted)
    queued(world, a=[at_work(), lambda _: killed])
    world.at_look[1] = lambda: world.scripts.update(a=[proven()])

    world.run()

    assert world.started == ["run a", "resume a"]
    assert states(world) == {"a": "proven"}


def test_a_process_that_is_killed_before_its_session_begins_is_started_again(world: Scripted) -> None:
    queued(world, a=[fails(-9)])
    world.at_look[2] = lambda: world.scripts.update(a=[proven()])

    world.run()

    assert states(world) == {"a": "proven"}


def test_a_job_that_a_person_paused_is_left_alone_until_the_next_run(world: Scripted) -> None:
    queued(world, a=[at_work(), paused], b=[proven()])

    ended = world.run()

    assert world.started == ["run a", "run b"]
    assert ended.plan.blocked == {"a": "a person paused it"}
    world.scripts["a"] = [proven()]
    world.run()

    assert states(world) == {"a": "proven", "b": "proven"}


def test_a_session_that_cannot_be_resumed_is_tried_once(world: Scripted) -> None:
    queued(world, a=[at_work()] * 9)
    world.stops_after = 2
    world.run()
    world.stops_after, world.scripts["a"] = None, [fails(1)]

    ended = world.run()

    assert world.started == ["run a", "resume a"]
    assert ended.plan.blocked == {"a": "it could not be resumed: There is no login."}


def test_a_blocked_job_is_resumed_only_on_request(world: Scripted) -> None:
    queued(world, a=[blocked])
    world.run()
    world.scripts["a"] = [proven()]
    world.run()
    assert world.started == ["run a"]

    world.run(retry=True)

    assert world.started == ["run a", "resume a"]


def test_a_job_does_not_take_the_session_of_other_work_for_its_own(world: Scripted) -> None:
    queued(world, a=[proven()], b=[proven()])
    world.states = {"a": a_state(status=Status.COMPLETED), "b": a_state(status=Status.COMPLETED)}
    world.foreign = {"a"}

    world.run()
    world.run()

    assert states(world) == {"a": "blocked", "b": "proven"}
    assert world.started == ["resume b"]  # of a job that was removed and added again


def test_a_removed_job_that_runs_is_stopped(world: Scripted) -> None:
    queued(world, a=[at_work()] * 99, b=[proven()])
    world.at_look[2] = lambda: remove_jobs(world.file, world.root, ["a.md"], "me", lambda: world.now)

    world.run()

    assert world.alive == {}
    assert states(world) == {"b": "proven"}
    assert "a: removed from the queue, and is paused" in world.told


def test_a_job_that_is_added_meanwhile_runs_too(world: Scripted) -> None:
    queued(world, a=[at_work()] * 5 + [proven()])
    world.scripts["b"] = [proven()]
    world.at_look[2] = lambda: world.add("b")

    world.run()

    assert world.started == ["run a", "run b"]


def test_jobs_are_paused_if_the_file_of_the_queue_cannot_be_read_any_more(world: Scripted) -> None:
    queued(world, a=[at_work()] * 99)

    def damage() -> None:
        with world.file.path.open("ab") as opened:
            opened.write(b"\xff\xfe\n")

    world.at_look[3] = damage

    with pytest.raises(JournalDamaged, match="the line is no event of a queue"):
        world.run(Budget(max_cost=5))

    assert world.alive == {}
    assert world.told[-1] == "pausing a: the queue cannot go on"
    world.file.path.write_bytes(world.file.path.read_bytes().removesuffix(b"\xff\xfe\n"))
    world.scripts["a"] = [proven()]
    world.run()
    assert states(world) == {"a": "proven"}


def test_a_specification_that_vanished_is_reported_and_others_go_on(world: Scripted) -> None:
    queued(world, a=[proven()], b=[proven()])
    (world.root / "a.md").unlink()

    ended = world.run()

    assert ended.plan.blocked["a"] == "its specification a.md is missing or cannot be read"
    assert states(world) == {"a": "queued", "b": "proven"}


def test_a_specification_may_name_its_needs_after_it_was_added(world: Scripted) -> None:
    with_branches(world, "b")
    queued(world, a=[proven()], b=[proven()])
    text = (world.root / "a.md").read_text()
    (world.root / "a.md").write_text(text.replace("# a\n", "# a\n\n**Depends on:** b\n"))

    world.run()

    assert world.started == ["run b", "run a"]


def test_adding_names_what_is_unknown_or_needs_itself_and_adds_nothing(world: Scripted) -> None:
    world.add("a")

    with pytest.raises(QueueRefused, match="b cannot be added: it needs 'c', which is not in the queue"):
        world.add("b", after=("c",))
    (world.root / "c.md").write_text("# c\n\n**Blocks:** a\n**Depends on:** a\n")
    with pytest.raises(QueueRefused, match="these jobs need each other: "):
        add_jobs(world.file, world.root, ["c.md"], Added(), "me", lambda: world.now)
    with pytest.raises(SpecError, match=r"gone\.md cannot be read"):
        add_jobs(world.file, world.root, ["gone.md"], Added(), "me", lambda: world.now)
    with pytest.raises(QueueRefused, match="There is no job 'aa' in the queue"):
        remove_jobs(world.file, world.root, ["aa"], "me", lambda: world.now)

    assert [job.id for job in world.file.read().jobs] == ["a"]


def test_ids_stay_with_their_specifications(world: Scripted) -> None:
    text = "# x\n\n**Spec ID:** S-1\n\n## Acceptance Criteria\n\n- AC-1: it is\n"
    world.add("a", text)
    world.add("b")
    (world.root / "a.md").rename(world.root / "moved.md")
    world.add("a2", "# a2\n\n## Acceptance Criteria\n\n- AC-1: it is\n", priority=3)

    add_jobs(world.file, world.root, ["b.md"], Added(priority=1), "me", lambda: world.now)

    jobs = {job.id: (job.spec, job.priority, job.state) for job in world.file.read().jobs}
    assert jobs["b"] == ("b.md", 1, JobState.QUEUED)
    assert list(jobs) == ["a", "b", "a2"]
