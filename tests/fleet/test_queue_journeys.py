"""Whole nights: real git, real processes, and agents that play scripts."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.fleet.conftest import Called
from tests.fleet.places import committed, everything, git

Write = Callable[..., str]

BUILD = """
[[turn]]
phase = "BUILD"
cost = 0.5
{run}
[[turn.write]]
path = "{name}.py"
text = "def {name}(x): return x * 2"
[[turn.write]]
path = "tests/test_{name}.py"
text = '''
from {name} import {name}

def test_{name}():
    assert {name}(4) == 8
'''
[[turn.write]]
path = "{name}.md"
text = "# {name}\\n\\n## Tasks\\n\\n- [x] write {name}\\n"
"""
SHARED = """
[[turn.write]]
path = "shared.txt"
text = "{name}"
"""
BLOCKED = '[[turn]]\nphase = "BUILD"\nclaims = "blocked"\nrecommendation = "needs a key"\n'
SLOWLY_BLOCKED = BLOCKED.replace('"BUILD"', '"BUILD"\nrun = ["sleep 1"]')
HANGS = '[[turn]]\nphase = "BUILD"\nhang = true\n'


@pytest.fixture
def write(repository: Path, tmp_path: Path) -> Write:
    """A specification with one task, and the agent that works on it: its option for `queue add`."""
    git(repository, "config", "user.name", "A")
    git(repository, "config", "user.email", "a@example.org")

    def written(name: str, script: str = BUILD, run: str = "") -> str:
        (repository / f"{name}.md").write_text(f"# {name}\n\n## Tasks\n\n- [ ] write {name}\n")
        (tmp_path / f"{name}.toml").write_text(script.format(name=name, run=run))
        return f"rehearsal:{tmp_path / f'{name}.toml'}"

    return written


def add(call: Called, repository: Path, agent: str, *words: str) -> None:
    """Add the specification of an agent, which has its name."""
    ended = call(repository, "queue", "add", f"{Path(agent).stem}.md", "--agent", agent, *words)
    assert ended.code == 0, ended.err


def listed(call: Called, repository: Path) -> dict[str, dict[str, object]]:
    ended = call(repository, "queue", "list", "--json")
    return {job["id"]: job for job in json.loads(ended.out)["jobs"]}


def states(call: Called, repository: Path) -> dict[str, object]:
    return {name: job["state"] for name, job in listed(call, repository).items()}


def test_a_night_leaves_the_checkout_as_it_is_and_a_dependent_job_starts_from_the_work_of_the_first(
    call: Called, repository: Path, write: Write
) -> None:
    add(call, repository, write("first"))
    add(call, repository, write("second"), "--after", "first", "--priority", "1")
    before = everything(repository)

    ended = call(repository, "queue", "run", "--jobs", "2")

    assert ended.code == 0, ended.out + ended.err
    assert states(call, repository) == {"first": "proven", "second": "proven"}
    assert everything(repository) == before
    one, two = (git(repository, "rev-parse", f"dualgate/{name}") for name in ("first", "second"))
    assert git(repository, "merge-base", one, two) == one
    assert "def first" in git(repository, "show", "dualgate/second:first.py")
    assert "2 jobs: 2 proven; 2 calls, $1.00; all jobs ended" in ended.out
    again = call(repository, "queue", "run")
    assert (again.code, "started" in again.out) == (0, False)


def test_a_job_needs_the_commit_of_the_one_before_and_a_retry_makes_it(
    call: Called, repository: Path, write: Write, tmp_path: Path
) -> None:
    hook = repository / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntest -e {tmp_path}/allowed\n")
    hook.chmod(0o755)
    add(call, repository, write("first"))
    alone = call(repository, "queue", "run")
    add(call, repository, write("second"), "--after", "first")
    ended = call(repository, "queue", "run")
    found = listed(call, repository)
    (tmp_path / "allowed").touch()

    again = call(repository, "queue", "run", "--retry")

    assert (alone.code, ended.code) == (8, 4)
    assert (found["first"]["state"], found["second"]["state"]) == ("not committed", "blocked")
    assert "no commit: the hook pre-commit exits with 1" in str(found["first"]["why"])
    assert str(found["first"]["next"]).endswith("dualgate resume --worktree first")
    assert "it needs first, which is proven, but not committed" in str(found["second"]["why"])
    assert (again.code, states(call, repository)) == (0, {"first": "proven", "second": "proven"})
    assert "def first" in git(repository, "show", "dualgate/second:first.py")


def test_a_job_does_not_get_the_worktree_of_other_work_of_its_name(
    call: Called, repository: Path, write: Write
) -> None:
    agent = write("first")
    alone = call(repository, "run", "first.md", "--agent", agent, "--worktree", "--commit", "run")
    (repository / "other").mkdir()
    (repository / "first.md").rename(repository / "other" / "first.md")

    added = call(repository, "queue", "add", "other/first.md", "--agent", agent)
    (repository / "other" / "first.md").rename(repository / "first.md")
    same = call(repository, "queue", "add", "first.md", "--agent", agent)
    call(repository, "queue", "remove", "first")
    (repository / "first.md").write_text("# first\n\n## Tasks\n\n- [ ] write another one\n")
    edited = call(repository, "queue", "add", "first.md", "--agent", agent)

    assert alone.code == 0, alone.out
    assert [each.out.split()[0] for each in (added, same, edited)] == ["first-2", "first", "first-3"]


def test_jobs_that_change_the_same_file_block_what_needs_both_and_say_where(
    call: Called, repository: Path, write: Write
) -> None:
    committed(repository, **{"shared.txt": "before\n"})
    add(call, repository, write("first", BUILD + SHARED))
    add(call, repository, write("second", BUILD + SHARED))
    add(call, repository, write("third"), "--after", "first", "--after", "second")

    ended = call(repository, "queue", "run", "--jobs", "2")

    assert ended.code == 4
    third = listed(call, repository)["third"]
    assert (third["state"], third["conflicts"]) == ("blocked", ["shared.txt"])
    assert "conflicts with dualgate/first in shared.txt. Both must hold" in str(third["why"])
    assert "first and second conflict in shared.txt: merge one of them, then resolve the other" in ended.out
    merging = subprocess.run(str(third["next"]), shell=True, cwd=repository, capture_output=True, text=True)
    assert (merging.returncode, "CONFLICT (content): Merge conflict in shared.txt" in merging.stdout) == (1, True), (
        merging
    )
    (repository / "shared.txt").write_text("both\n")
    git(repository, "commit", "-q", "-a", "-m", "both")
    again = call(repository, "queue", "run")

    assert again.code == 0, again.out
    assert "both" in git(repository, "show", "dualgate/third:shared.txt")


def test_a_blocked_job_does_not_stop_the_next_and_a_spent_budget_pauses_what_is_left(
    call: Called, repository: Path, write: Write
) -> None:
    add(call, repository, write("stuck", BLOCKED))
    add(call, repository, write("first"))
    add(call, repository, write("later", HANGS))

    ended = call(repository, "queue", "run", "--max-calls", "4", "--json")

    document = json.loads(ended.out)
    assert [job["state"] for job in document["jobs"]] == ["blocked", "proven", "paused"]
    assert document["ended"] == "the budget of the queue, 4 calls (--max-calls), is spent: 4 calls"
    assert ended.code == 4
    assert document["jobs"][0]["next"] == "dualgate resume --worktree stuck"


def test_finished_work_waits_for_approval_and_the_next_run_starts_what_needs_it(
    call: Called, repository: Path, write: Write
) -> None:
    add(call, repository, write("first"), "--with", "--approve human")
    add(call, repository, write("second"), "--after", "first")

    ended = call(repository, "queue", "run")
    again = call(repository, "queue", "run")
    found = listed(call, repository)
    approved = call(repository, *str(found["first"]["next"]).split()[1:])
    last = call(repository, "queue", "run")

    assert (ended.code, again.code, "resumed" in again.out) == (4, 4, False)
    assert (found["first"]["state"], found["second"]["state"]) == ("waits for approval", "blocked")
    assert "dualgate report --worktree first --open" in str(found["first"]["why"])
    assert "it needs first, which waits for your approval" in str(found["second"]["why"])
    assert found["first"]["next"] == found["second"]["next"] == "dualgate approve --worktree first"
    assert "1 waits for approval" in ended.out
    assert (approved.code, last.code) == (0, 0), approved.err + last.out
    assert states(call, repository) == {"first": "proven", "second": "proven"}


@contextmanager
def started(repository: Path, environment: dict[str, str]) -> "Iterator[subprocess.Popen[bytes]]":
    """`dualgate queue run`, which is stopped with its jobs when the block ends."""
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "dualgate", "queue", "run"],
        cwd=repository,
        env=environment | {"DUALGATE_SENSITIVITY": "off"},
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    ) as queue:
        try:
            yield queue
        finally:
            queue.send_signal(signal.SIGINT)


def wait_for(is_there: Callable[[], bool], seconds: float = 90.0) -> None:
    end = time.monotonic() + seconds
    while not is_there():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.1)


def test_jobs_outlive_a_killed_queue_and_the_next_one_takes_them_up(
    call: Called, repository: Path, write: Write, environment: dict[str, str], tmp_path: Path
) -> None:
    gate, reached = tmp_path / "gate", tmp_path / "reached"
    waits = f"run = ['touch {reached}; while [ ! -e {gate} ]; do sleep 0.1; done']"
    add(call, repository, write("first", run=waits))
    with started(repository, environment) as queue:
        wait_for(reached.exists)
        second = call(repository, "queue", "run")
        queue.send_signal(signal.SIGKILL)
        queue.wait()
    assert (second.code, f"process {queue.pid}" in second.err) == (6, True)
    gate.touch()

    ended = call(repository, "queue", "run")

    assert (ended.code, ended.out.count("started")) == (0, 0), ended.out + ended.err
    assert listed(call, repository)["first"]["calls"] == 1


def test_an_agent_cannot_change_the_queue_and_ctrl_c_pauses_its_job(
    call: Called, repository: Path, write: Write, environment: dict[str, str], tmp_path: Path
) -> None:
    answer = tmp_path / "answer"
    own = f"{sys.executable} -P -m dualgate"
    tries = ("queue add first.md --priority 1", "queue remove first", "queue run", "notify queue first.md")
    each = "; ".join(f"{own} {words} && echo done >> {answer}" for words in tries)
    asks = f"cd {repository} && {{ {each}; echo refused >> {answer}; sleep 600; }}"
    add(call, repository, write("first", run=f"run = ['{asks}']"))
    with started(repository, environment) as queue:
        wait_for(lambda: answer.exists() and bool(answer.read_text()))
        queue.send_signal(signal.SIGINT)
        code = queue.wait(90)

    assert (answer.read_text(), code) == ("refused\n", 130)
    log = call(Path(str(listed(call, repository)["first"]["worktree"])), "log").out
    assert all(f"refused: {words.partition(' first')[0]} from" in log for words in tries), log
    assert states(call, repository) == {"first": "paused"}
    removed = call(repository, "queue", "remove", "first")
    assert removed.out.startswith("first is removed from the queue; its worktree ")
    assert call(repository, "queue", "list").out.startswith("The queue is empty.")
    assert not [place for place in Path("/proc").glob("[0-9]*") if _works_in(place, repository)]


def _works_in(process: Path, repository: Path) -> bool:
    try:
        return f"{repository}.worktrees" in str((process / "cwd").readlink())
    except OSError:
        return False


def test_the_end_of_a_queue_and_its_pause_are_notified_once_with_the_account(
    call: Called, repository: Path, write: Write, tmp_path: Path
) -> None:
    told = tmp_path / "told.jsonl"
    hears = {"DUALGATE_NOTIFY_COMMAND": f"cat >> {told}", "DUALGATE_NOTIFY_ON": "queue_ended,queue_paused"}
    add(call, repository, write("stuck", SLOWLY_BLOCKED))
    add(call, repository, write("first"))

    paused = call(repository, "queue", "run", "--max-calls", "1", **hears)
    ended = call(repository, "queue", "run", **hears)
    again = call(repository, "queue", "run", **hears)

    assert (paused.code, ended.code, again.code) == (3, 4, 4), paused.out + ended.out
    first, last = (json.loads(line) for line in told.read_text().splitlines())
    assert (first["moment"], last["moment"]) == ("queue_paused", "queue_ended")
    assert first["lines"][-1] == "Go on with 2 jobs: dualgate queue run"
    assert last["lines"][0].startswith("2 jobs: 1 proven, 1 blocked; ")
    assert last["lines"][1].startswith("stuck: blocked: ")
    assert last["lines"][1].endswith("dualgate resume --worktree stuck")
    assert last["queue"]["totals"]["proven"] == 1


def test_a_channel_that_fails_changes_nothing_but_is_named(call: Called, repository: Path, write: Write) -> None:
    add(call, repository, write("first"))

    ended = call(
        repository, "queue", "run", DUALGATE_NOTIFY_COMMAND="echo no; exit 3", DUALGATE_NOTIFY_ON="queue_ended"
    )

    assert ended.code == 0
    assert "notify.command failed at queue_ended: the command exits with 3: no" in ended.err
