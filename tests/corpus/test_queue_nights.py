"""Nights with kills: the queue or one of its jobs dies at several steps, and another `queue run` completes them."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.fleet.places import committed, everything, git

BUILD = """
[[turn]]
phase = "BUILD"
cost = 0.5
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
NAMES = ("first", "second", "third")
# the kind of event of the queue's file after which a process dies, how many of them, and which process
KILLS = [
    ("queue.started", 1, "queue"),
    ("job.started", 1, "queue"),
    ("job.started", 2, "job"),
    ("job.stood", 2, "job"),
    ("job.stood", 3, "queue"),
    ("verification", 1, "queue"),
    ("verification", 1, "verify"),
    ("base.made", 1, "queue"),
]


@pytest.fixture
def quick(environment: dict[str, str]) -> dict[str, str]:
    return environment | {"DUALGATE_SENSITIVITY": "off"}


@pytest.fixture
def repository(project: Path, quick: dict[str, str], tmp_path: Path) -> Path:
    """Two specifications, and a third one that needs both."""
    committed(project)
    git(project, "config", "user.name", "A")
    git(project, "config", "user.email", "a@example.org")
    for name in NAMES:
        (project / f"{name}.md").write_text(f"# {name}\n\n## Tasks\n\n- [ ] write {name}\n")
        (tmp_path / f"{name}.toml").write_text(BUILD.format(name=name))
        needs = ("--after", "first", "--after", "second") if name == "third" else ()
        agent = f"rehearsal:{tmp_path / f'{name}.toml'}"
        ended = subprocess.run(_words("add", f"{name}.md", "--agent", agent, *needs), cwd=project, env=quick)
        assert ended.returncode == 0
    return project


def _words(*words: str) -> list[str]:
    return [sys.executable, "-P", "-m", "dualgate", "queue", *words]


@pytest.mark.parametrize(("kind", "count", "victim"), KILLS)
def test_a_night_with_a_kill_is_completed_by_the_next_run(
    repository: Path, quick: dict[str, str], kind: str, count: int, victim: str
) -> None:
    before = everything(repository)
    with subprocess.Popen(_words("run", "--jobs", "2"), cwd=repository, env=quick, start_new_session=True) as queue:
        _wait_for_events(quick, kind, count)
        pid = queue.pid if victim == "queue" else _process_of_a_job(queue.pid)
        os.kill(pid, signal.SIGKILL)
        if victim != "queue":
            assert queue.wait(300) == 0  # a job or a verification that dies is started again by the same run
        queue.kill()

    ended = subprocess.run(_words("run", "--jobs", "2", "--json"), cwd=repository, env=quick, capture_output=True)

    document = json.loads(ended.stdout)
    assert (ended.returncode, [job["state"] for job in document["jobs"]]) == (0, ["proven"] * 3), document
    assert everything(repository) == before
    assert "def first" in git(repository, "show", "dualgate/third:first.py")
    assert "def second" in git(repository, "show", "dualgate/third:second.py")
    own = git(repository, "rev-list", "--no-merges", "main..dualgate/third").splitlines()
    assert len(own) == 3  # each work is committed once


def _wait_for_events(environment: dict[str, str], kind: str, count: int) -> None:
    (file,) = Path(environment["HOME"]).glob(".bp-sessions/.queues/*.jsonl")
    end = time.monotonic() + 300
    logs = file.with_suffix(".logs")
    while file.read_text().count(f'"{kind}"') < count and not (kind == "verification" and [*logs.glob("verify-*")]):
        assert time.monotonic() < end, f"{kind} does not come"
        time.sleep(0.05)


def _process_of_a_job(queue: int) -> int:
    """The process of a job that the queue started, as soon as there is one."""
    end = time.monotonic() + 60
    while True:
        assert time.monotonic() < end, "no job runs"
        for place in Path(f"/proc/{queue}/task").glob("*/children"):  # threads start jobs
            if children := place.read_text().split():
                return int(children[0])
        time.sleep(0.05)
