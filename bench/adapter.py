"""What the adapter adds to a call: `ClientAgent.ask` beside the bare program, with the same script behind both.

The script plays what Claude Code was recorded to say, so that neither npm nor a key is needed. Rounds are interleaved,
and the aim is under 50 ms for a call.
"""

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from dualgate.agents.client_agent import ClientAgent
from dualgate.agents.registry import CLIENTS
from dualgate.core.values.answer import AgentCall
from dualgate.core.values.vocabulary import Phase
from dualgate.processes.supervisor import Supervisor
from dualgate.testing import a_control

ROUNDS = 15
AIM_MS = 50
RECORDING = Path(__file__).parent.parent / "tests" / "data" / "claude" / "long.stream-json"
# as a program that takes its time to answer: what is overhead must not hide in it
PLAYER = '#!/bin/sh\ncat > /dev/null\nsleep {seconds}\ncat "{recording}"\n'
SLEEPS = (0, 0.3)


def main() -> None:
    for seconds in SLEEPS:
        with tempfile.TemporaryDirectory(prefix="dualgate-bench-") as name:
            bare, asked, cpu = measured(Path(name), seconds)
        added = (asked - bare) * 1000
        verdict = "within the aim" if added < AIM_MS else "ABOVE THE AIM"
        print(
            f"a program of {seconds:3} s   bare {bare * 1000:6.1f} ms   asked {asked * 1000:6.1f} ms   "
            f"{asked / bare:5.2f} ×   +{added:5.1f} ms ({verdict}: {AIM_MS} ms)   own CPU {cpu * 1000:5.1f} ms"
        )


def measured(folder: Path, seconds: float) -> tuple[float, float, float]:
    """Median wall seconds of the bare program and of a call through the adapter, and our own CPU seconds in that."""
    program = folder / CLIENTS["claude"].program
    program.write_text(PLAYER.format(seconds=seconds, recording=RECORDING))
    program.chmod(0o755)
    environment = {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "HOME": str(folder)}
    agent = ClientAgent(client=CLIENTS["claude"], project=folder, supervisor=Supervisor(environment))
    call = AgentCall(number=1, ordinal=1, phase=Phase.GREEN, iteration=1, session_id="bench", prompt="Do it. " * 1000)
    agent.ask(call, a_control())
    bare, asked, cpu = [], [], []
    for _ in range(ROUNDS):
        bare.append(_taken(lambda: _bare(program, call.prompt)))
        before = time.process_time()
        asked.append(_taken(lambda: agent.ask(call, a_control())))
        cpu.append(time.process_time() - before)
    return statistics.median(bare), statistics.median(asked), statistics.median(cpu)


def _bare(program: Path, prompt: str) -> None:
    subprocess.run([str(program)], input=prompt.encode(), capture_output=True, check=True)


def _taken(work: Callable[[], object]) -> float:
    started = time.monotonic()
    work()
    return time.monotonic() - started


if __name__ == "__main__":
    main()
