"""What the loop itself costs per iteration: its own CPU and wall time, without that of the agent and the tests.

A real run: a project with a git repository, a real agent process, real pytest. The children's CPU time is not ours;
their wall time is what the journal says the calls and the test runs took.
"""

import os
import resource
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from dualgate.core.values.events import CallEnded, Event, SuiteEnded
from dualgate.core.values.state import LoopState
from dualgate.session.loop import take_baseline, turn
from dualgate.session.open import new_session
from dualgate.settings import Settings
from dualgate.testing import a_control, a_host

TURNS = 20
FILES = 200
AGENT = "date +%s%N > stamp.txt; echo working on it"
SPEC = "# X\n\n## Acceptance Criteria\n\n- AC-1: it works\n"


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="dualgate-bench-") as name:
        project = Path(name) / "project"
        lay_out(project)
        own_cpu, own_wall, theirs = measured(project, Path(name) / "home")
    print(f"own CPU time per iteration   {own_cpu * 1000:7.1f} ms   ({TURNS} iterations, {FILES} files, real pytest)")
    print(f"own wall time per iteration  {own_wall * 1000:7.1f} ms")
    print(f"agent and tests              {theirs * 1000:7.1f} ms   ours is {own_wall / theirs:.1%} of theirs")


def lay_out(project: Path) -> None:
    (project / "tests").mkdir(parents=True)
    (project / "SPEC.md").write_text(SPEC)
    (project / "tests" / "test_a.py").write_text("def test_a(): pass\n")
    for number in range(FILES):
        (project / f"module_{number}.py").write_text(f"x = {number}\n" * 50)


def measured(project: Path, home: Path) -> tuple[float, float, float]:
    """Own CPU, own wall and the children's wall seconds of one iteration."""
    os.environ["HOME"] = str(home)
    children: list[float] = []

    def watch(event: Event, state: LoopState) -> None:
        del state
        if isinstance(event, CallEnded):
            children.append(event.seconds)
        elif isinstance(event, SuiteEnded):
            children.append(event.report.seconds)

    settings = Settings(agent_command=AGENT, test_command=f"{sys.executable} -m pytest -q", max_iterations=TURNS + 1)
    with new_session(project / "SPEC.md", a_host(project), settings, watch) as session:
        state = take_baseline(session.rooms, a_control())
        children.clear()
        cpu, wall = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
        for _ in range(TURNS):
            # an iteration without progress would open the breaker, and this is not what is measured here
            turn(replace(state, breaker=replace(state.breaker, no_progress=0)), session.rooms, a_control())
        after, elapsed = resource.getrusage(resource.RUSAGE_SELF), time.monotonic() - wall
    own_cpu = after.ru_utime + after.ru_stime - cpu.ru_utime - cpu.ru_stime
    theirs = sum(children)
    return own_cpu / TURNS, (elapsed - theirs) / TURNS, theirs / TURNS


if __name__ == "__main__":
    main()
