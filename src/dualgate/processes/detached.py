"""Programs that outlive us: started in a session of their own, with their output in a file, and ended by a signal."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from dualgate.errors import ProgramNotFound
from dualgate.processes.private import make_private, open_private


def own_argv(*words: str) -> list[str]:
    """The command line of a dualgate like this one. Modules of the folder that it is started in are not imported."""
    return [sys.executable, "-P", "-m", "dualgate", *words]


def start_detached(
    argv: Sequence[str], cwd: Path, environment: Mapping[str, str], output: Path
) -> "subprocess.Popen[bytes]":
    """Start a program that goes on if we are killed; Ctrl+C on our terminal does not reach it."""
    try:
        make_private(output.parent)
        with open(output, "ab", opener=open_private) as file:
            return subprocess.Popen(
                list(argv),
                cwd=cwd,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
    except OSError as error:
        raise ProgramNotFound(f"'{argv[0]}' cannot be started: {error.strerror}.") from error


def ask_to_end(pid: int) -> None:
    """Send SIGTERM, after which a run pauses its session."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGTERM)


def end_at_once(pid: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)
