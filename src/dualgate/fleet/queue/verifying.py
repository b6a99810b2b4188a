"""Verify a merge in a process of its own.

The engine of `verify` ends every process below its own that it does not know: in the process of the queue these would
be the jobs.
"""

import json
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dualgate.core.record.verification.codes import EXIT_CODES
from dualgate.core.values.control import Control
from dualgate.core.values.verification import Standing
from dualgate.errors import Interrupted
from dualgate.fleet.queue.bases import Verdict
from dualgate.processes.detached import ask_to_end, own_argv, start_detached
from dualgate.processes.job import read_tail

LOOK_SECONDS = 0.2
MOST_DEATHS = 2
"""How often a verification is started again after its process was killed."""
SAID_BYTES = 1 << 20
_STANDINGS = {int(code): standing for standing, code in EXIT_CODES.items()}


def verifier(
    root: Path, environment: Mapping[str, str], logs: Path, argv: Sequence[str] = tuple(own_argv())
) -> Callable[[str, str, Control], Verdict]:
    """A function that verifies the change from one commit to another, until the control stops it."""

    def verify(base: str, head: str, control: Control) -> Verdict:
        output = logs / f"verify-{head[:12]}.log"
        words = [*argv, "verify", "--base", base, "--head", head, "--json"]
        for _ in range(1 + MOST_DEATHS):
            output.unlink(missing_ok=True)
            code = _ended(start_detached(words, root, environment, output), control)
            if code >= 0:
                reason = _reason(read_tail(output, SAID_BYTES))
                return Verdict(standing=_STANDINGS.get(code, Standing.UNUSABLE), reason=reason)
        return Verdict(standing=Standing.UNUSABLE, reason=f"its process was killed {1 + MOST_DEATHS} times")

    return verify


def _ended(process: "subprocess.Popen[bytes]", control: Control) -> int:
    try:
        while process.poll() is None:
            control.wait(LOOK_SECONDS)
    except Interrupted:
        ask_to_end(process.pid)
        process.wait()
        raise
    return process.returncode


def _reason(said: str) -> str:
    """The first findings of a verification, or the message of its error."""
    document = next((found for line in said.splitlines() if (found := _object(line))), {})
    findings = document.get("findings") or []
    error = document.get("error") or {}
    return "; ".join(str(each.get("text")) for each in findings[:2]) or str(error.get("message") or "")


def _object(line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
