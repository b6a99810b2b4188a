"""Run a program of the user to its end, within a time and without a terminal. Its output goes to files.

For programs that the user configured, such as git and its helpers: nothing that they leave running is ended.
"""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dualgate.errors import ProgramNotFound
from dualgate.processes.scratch import scratch_folder

END_PATIENCE = 5.0
"""Seconds to remove lock files after SIGTERM."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The exit code, None if the program took too long; and all that it wrote."""

    code: int | None
    out: bytes
    err: bytes


def run_bounded(
    argv: Sequence[str], cwd: Path, environment: Mapping[str, str], patience: float, given: bytes = b""
) -> Ended:
    """Run a program within a time. Output goes to files: a process that it leaves behind may keep a pipe open."""
    with scratch_folder("program") as scratch:
        (scratch / "stdin").write_bytes(given)
        code = _run(argv, cwd, environment, scratch, patience)
        return Ended(code=code, out=(scratch / "stdout").read_bytes(), err=(scratch / "stderr").read_bytes())


def _run(argv: Sequence[str], cwd: Path, environment: Mapping[str, str], scratch: Path, patience: float) -> int | None:
    with (
        (scratch / "stdin").open("rb") as stdin,
        (scratch / "stdout").open("wb") as stdout,
        (scratch / "stderr").open("wb") as stderr,
    ):
        try:
            # in a session of its own it has no terminal on which ssh or gpg could ask
            process = subprocess.Popen(
                argv, cwd=cwd, env=environment, stdin=stdin, stdout=stdout, stderr=stderr, start_new_session=True
            )
        except OSError as error:
            raise ProgramNotFound(f"'{argv[0]}' cannot be started: {error.strerror}.") from error
        try:
            return process.wait(patience)
        except subprocess.TimeoutExpired:
            return None
        finally:
            if process.poll() is None:
                _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the program and its children: SIGTERM first, so that it can remove its lock files."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(END_PATIENCE)
