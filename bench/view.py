"""CPU of the live view: a run that waits for its agent, on a terminal with the view and with --plain."""

import os
import pty
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil

from bench.iteration import lay_out

SECONDS = 30.0
AGENT = """
import time
for number in range(600):
    print(f"step {number} of the work", flush=True)
    time.sleep(0.5)
"""


def main() -> None:
    shares = {}
    with tempfile.TemporaryDirectory(prefix="dualgate-bench-") as name:
        runs = {flag: _Run(Path(name) / (flag.strip("-") or "view"), flag) for flag in ("", "--plain")}
        before = {flag: run.settled() for flag, run in runs.items()}
        time.sleep(SECONDS)
        for flag, run in runs.items():
            shares[flag] = (run.used() - before[flag]) / SECONDS * 100
            run.end()
    print(f"own CPU of a run that waits    with the view {shares['']:5.2f} %   with --plain {shares['--plain']:5.2f} %")
    print(f"the view itself                {shares[''] - shares['--plain']:5.2f} % of one core")


class _Run:
    def __init__(self, home: Path, flag: str) -> None:
        project = home / "project"
        lay_out(project)
        (home / "agent.py").write_text(AGENT)
        self._ours, theirs = pty.openpty()
        words = ["run", "SPEC.md", "--agent-command", f"{sys.executable} {home / 'agent.py'}"]
        tests = ["--test-command", "true", "--runner", "exit-code", *filter(None, [flag])]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "dualgate", *words, *tests],
            cwd=project,
            env=os.environ | {"HOME": str(home), "TERM": "xterm-256color"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self._shown = b""
        threading.Thread(target=self._read, daemon=True).start()

    def settled(self) -> float:
        """The CPU used when the agent is at work."""
        while b"(call 1)" not in self._shown:
            time.sleep(0.1)
        time.sleep(2)
        return self.used()

    def used(self) -> float:
        times = psutil.Process(self._process.pid).cpu_times()
        return float(times.user + times.system)

    def end(self) -> None:
        self._process.terminate()
        self._process.wait()

    def _read(self) -> None:
        try:
            while piece := os.read(self._ours, 65536):
                self._shown = self._shown[-65536:] + piece
        except OSError:  # how a terminal ends on Linux
            return
