"""What a call of dualgate gave back, and the environment it is called in."""

import json
import os
import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from dualgate.core.values.phase_status import PhaseStatus
from dualgate.core.values.vocabulary import Phase


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


PATIENCE = 60.0
Dualgate = Callable[..., Ended]
LeftRunning = Callable[[], list[psutil.Process]]


def environment_in(home: Path) -> dict[str, str]:
    """The environment of a new home."""
    home.mkdir()
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return kept | {
        "HOME": str(home),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "DUALGATE_TEST_COMMAND": f"{sys.executable} -m pytest -q",
        "DUALGATE_RETRY_DELAY": "0",
        "DUALGATE_REPORT": "off",
    }


def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds, and leave the processor to those who make it hold."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def decisions(ended: Ended) -> list[tuple[str, str]]:
    """Phase and decision of each call of a run."""
    return [(line["phase"], line["decision"]) for line in ended.lines[:-1]]


def contradictions(record: PhaseStatus) -> list[str]:
    """What a record says of itself that cannot be true together."""
    named = any(re.match(r"\d+ failing: ", blocker) for blocker in record.blockers)
    failing, shut = record.tests.failing, not record.gate_1
    found = {
        "no test fails, and failing tests are blockers": not failing and named,
        "tests fail, and nothing blocks": failing and not record.blockers and record.phase is not Phase.RED,
        "100 percent, and gate 1 is shut": record.progress_percent == 100 and shut,
    }
    return [text for text, holds in found.items() if holds]
