"""Whether an iteration costs the same late in a run as early: 1,000 of them, with an agent and tests that cost nothing.

Journal, state, snapshots, prompts and the files of the session are real; what they cost is all that is measured.
"""

import os
import resource
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bench.iteration import lay_out
from dualgate.core.values.answer import AgentCall, AgentReply, Answer
from dualgate.core.values.control import Control
from dualgate.core.values.suite import SuiteReport
from dualgate.session.loop import take_baseline, turn
from dualgate.session.open import new_session
from dualgate.settings import Settings
from dualgate.testing import a_control, a_host, a_report, passed

TURNS = 1000
WINDOW = 50


class FreeAgent:
    """Changes one file, and says nothing of it."""

    name = "free"

    def __init__(self, project: Path) -> None:
        self._project = project

    def ask(self, call: AgentCall, control: Control) -> AgentReply:
        del control
        (self._project / "stamp.txt").write_text(str(call.number))
        return AgentReply(answer=Answer(text=f"call {call.number}: working on it"))


class FreeRunner:
    command = ("true",)

    def run(self, control: Control, only: Sequence[str] = ()) -> SuiteReport:
        del control, only
        return a_report(*(passed(f"test_{number}") for number in range(20)))


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="dualgate-bench-") as name:
        project = Path(name) / "project"
        lay_out(project)
        os.environ["HOME"] = str(Path(name) / "home")
        spent = measured(project)
    early, late = (sum(spent[at : at + WINDOW]) / WINDOW * 1000 for at in (10, TURNS - WINDOW))
    print(f"own CPU time of an iteration   from the 10th {early:6.1f} ms   up to the {TURNS}th {late:6.1f} ms")
    print(f"late beside early              {late / early:5.2f} ×")


def measured(project: Path) -> list[float]:
    settings = Settings(agent_command="true", test_command="true", max_iterations=TURNS + 1)
    spent = []
    with new_session(project / "SPEC.md", a_host(project), settings, lambda *_: None) as session:
        team = {
            name: replace(agent, agent=FreeAgent(project))  # type: ignore[type-var]
            for name, agent in session.rooms.team.items()
        }
        runner = replace(session.rooms.runner, runner=FreeRunner())  # type: ignore[type-var]
        rooms = replace(session.rooms, team=team, runner=runner)
        state = take_baseline(rooms, a_control())
        for _ in range(TURNS):
            before = _cpu()
            state = turn(replace(state, breaker=replace(state.breaker, no_progress=0)), rooms, a_control())
            spent.append(_cpu() - before)
    return spent


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
