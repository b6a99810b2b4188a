"""A project with a home of its own, and dualgate at work in it with real CLIs."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any

import psutil
import pytest

from dualgate.processes.tags import OWNER, tree_of
from tests.live.setups import MODEL, SETUPS
from tests.support import Ended

PATIENCE = 900.0
MOMENT = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    project: Path
    home: Path
    environment: dict[str, str]

    def call(self, setups: str, url: str, *words: str, **variables: str) -> Ended:
        """dualgate with agents that ask the model at an address; no process of it is left behind."""
        ended = _ended(self._start(setups, url, words, variables))
        assert self.at_work() == []
        return ended

    def cut_off(self, number: signal.Signals, when: Callable[[], bool], setups: str, url: str, *words: str) -> Ended:
        """The same, ended by a signal as soon as something is so. What a killed one left is not looked for."""
        process = self._start(setups, url, words, {})
        deadline = time.monotonic() + PATIENCE
        while not when() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(MOMENT)
        process.send_signal(number)
        return _ended(process)

    def at_work(self) -> list[str]:
        """What still runs with this home, which nobody else has, or in the name of a run in this project."""
        tree = f"{tree_of(self.project.resolve())}:"
        found = []
        for process in psutil.process_iter():
            try:
                seen = process.environ()
                if seen.get("HOME") == str(self.home) or seen.get(OWNER, "").startswith(tree):
                    found.append(" ".join(process.cmdline()))
            except (psutil.NoSuchProcess, psutil.AccessDenied):
                continue
        return found

    def events(self, *kinds: str) -> list[dict[str, Any]]:
        """What the journal of the session holds of some kinds, so far."""
        journals = list(self.home.glob(".bp-sessions/*/journal.jsonl"))
        lines = journals[0].read_text().splitlines() if journals else []
        return [event for event in map(_whole, lines) if event.get("kind") in kinds]

    def calls(self) -> int:
        return len(self.events("call.started"))

    def _start(
        self, setups: str, url: str, words: tuple[str, ...], variables: dict[str, str]
    ) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-m", "dualgate", *words],
            cwd=self.project,
            env=self.environment | self._seen(setups, url) | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def _seen(self, setups: str, url: str) -> dict[str, str]:
        """Of several agents, as in `claude, codex`, the first is the one that DUALGATE_MODEL is for."""
        first, *others = (SETUPS[name](self.home, url) for name in setups.split(", "))
        return reduce(or_, ({k: v for k, v in each.items() if k != MODEL} for each in others), first)


def _ended(process: "subprocess.Popen[str]") -> Ended:
    try:
        out, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.terminate()
        out, err = process.communicate()
        pytest.fail(f"it did not end by itself\n{out}{err}")
    return Ended(code=process.returncode, out=out, err=err)


def _whole(line: str) -> dict[str, Any]:
    """An event; of a line that is being written, nothing."""
    try:
        return dict(json.loads(line))
    except ValueError:
        return {}
