"""The verification of a merge, in a process of its own."""

import threading
import time
from pathlib import Path

import pytest

from dualgate.core.values.control import Control
from dualgate.core.values.verification import Standing
from dualgate.errors import Interrupted
from dualgate.fleet.queue.verifying import verifier

CONTROL = Control(cancel=threading.Event(), clock=time.monotonic)


def script(folder: Path, text: str) -> tuple[str, ...]:
    """A program in the place of dualgate; `count` is a file with a line for each of its starts."""
    return "/bin/sh", "-c", f"cd {folder}; echo started >> count; {text}", "verify"


def starts(folder: Path) -> int:
    return len((folder / "count").read_text().splitlines())


def test_a_verification_that_is_killed_is_started_again(tmp_path: Path) -> None:
    argv = script(tmp_path, "[ $(wc -l < count) -lt 3 ] && kill -9 $$; exit 0")

    found = verifier(tmp_path, {}, tmp_path / "logs", argv)("a", "b", CONTROL)

    assert (found.standing, starts(tmp_path)) == (Standing.VERIFIED, 3)


def test_a_verification_that_is_killed_each_time_says_so(tmp_path: Path) -> None:
    found = verifier(tmp_path, {}, tmp_path / "logs", script(tmp_path, "kill -9 $$"))("a", "b", CONTROL)

    assert (found.standing, found.reason) == (Standing.UNUSABLE, "its process was killed 3 times")


def test_the_first_findings_are_the_reason_and_a_failure_is_not_tried_again(tmp_path: Path) -> None:
    told = '{"findings": [{"text": "one"}, {"text": "two"}, {"text": "three"}]}'

    found = verifier(tmp_path, {}, tmp_path / "logs", script(tmp_path, f"echo noise; echo '{told}'; exit 1"))
    verdict = found("a", "b", CONTROL)

    assert (verdict.standing, verdict.reason, starts(tmp_path)) == (Standing.REFUSED, "one; two", 1)


def test_a_stop_ends_the_process_and_is_no_verdict(tmp_path: Path) -> None:
    stopped = threading.Event()
    stopped.set()

    with pytest.raises(Interrupted):
        verifier(tmp_path, {}, tmp_path / "logs", ("/bin/sh", "-c", "exec sleep 600", "verify"))(
            "a", "b", Control(cancel=stopped, clock=time.monotonic)
        )
