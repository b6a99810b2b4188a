"""A dashboard that serves the sessions of a machine."""

import os
import re
import signal
from contextlib import suppress
from dataclasses import dataclass
from typing import TextIO

from tests.browser.recordings import Machine
from tests.spawner import Child, Order

LIMIT = 60
TOKEN = "a-token-of-the-tests-only"
ADDRESS = re.compile(r"Dashboard: (http://\S+?/)(#token=\S+)?\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dashboard:
    address: str
    printed: TextIO
    child: Child

    @property
    def port(self) -> int:
        return int(self.address.rstrip("/").rpartition(":")[2])

    def __call__(self, path: str = "") -> str:
        return self.address + path

    def stop(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.child.pid, signal.SIGTERM)
        if self.child.wait(LIMIT) is None:
            os.kill(self.child.pid, signal.SIGKILL)
        self.printed.close()


def start_dashboard(machine: Machine, *options: str, port: int = 0) -> Dashboard:
    """Start one, and wait for the address that it prints once it listens."""
    out, err = machine.folder / "dashboard.out", machine.folder / "dashboard.err"
    out.unlink(missing_ok=True)
    os.mkfifo(out)
    child = machine.spawner.start(
        Order(
            words=("dashboard", "--port", str(port), *options),
            cwd=str(machine.folder),
            environment={**machine.environment, "DUALGATE_DASHBOARD_TOKEN": TOKEN},
            out=str(out),
            err=str(err),
        )
    )
    printed = out.open(encoding="utf-8")
    found = ADDRESS.fullmatch(printed.readline())
    assert found, err.read_text(encoding="utf-8")
    return Dashboard(address=found[1], printed=printed, child=child)
