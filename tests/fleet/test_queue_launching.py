"""The processes of jobs."""

import sys
from pathlib import Path

from dualgate.core.values.queue import Job
from dualgate.fleet.queue.launching import Processes

JOB = Job(id="a", spec="a.md", number=1)


def said(tmp_path: Path, *lines: str) -> str:
    """The message of a process that wrote these lines."""
    text = "".join(f"{line}\n" for line in lines)
    processes = Processes(tmp_path, {"HOME": str(tmp_path)}, tmp_path, [sys.executable, "-c", f"print({text!r})"])
    processes.start(JOB, (), tmp_path)
    while processes.is_alive(JOB):
        pass
    return processes.said(JOB)


def test_the_error_of_a_job_is_its_last_message_not_the_first(tmp_path: Path) -> None:
    lines = ("dualgate: worktree: /w/a", "dualgate: copied: a.md", "dualgate: No agent is given.", "Give --agent.")

    assert said(tmp_path, *lines) == "No agent is given. Give --agent."


def test_a_program_that_writes_no_message_of_ours_is_quoted_with_its_last_lines(tmp_path: Path) -> None:
    assert said(tmp_path, "1", "2", "3", "4") == "2 3 4"
