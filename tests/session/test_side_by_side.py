"""Two sessions in one process: each ends as it would alone, and neither meets the other's programs or sandbox."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from dualgate.core.values.events import Event, TurnEnded
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import Decision, Phase, SandboxKind, Status
from dualgate.processes.jobs import Jobs
from dualgate.processes.supervisor import Supervisor
from dualgate.session.host import Host
from dualgate.session.loop import run
from dualgate.session.open import new_session
from dualgate.settings.declaration import Sandbox, Settings
from dualgate.testing import a_control, a_host
from tests.conftest import SPEC
from tests.loop.scripts import GREEN, RED, REST
from tests.support import LeftRunning

OLD = "import os\n\ndef test_old():\n    assert os.environ['SERVICE'] == '{name}'\n"
# a stand-in for the sandbox, since not every machine has one: it says what it was asked for, and starts it
BWRAP = '#!/bin/sh\necho "$@" >> "$(dirname "$0")/asked"\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n'
NEXT = Decision.NEXT_PHASE
AS_USUAL = [(Phase.REFACTOR, NEXT), (Phase.DOCUMENT, NEXT), (Phase.QA, Decision.PROJECT_COMPLETE)]
Turns = list[tuple[Phase, Decision]]


def hosted(folder: Path, jobs: Jobs) -> Host:
    """A project with a home, an environment and a sandbox of its own."""
    project, tools = folder / "doubling", folder / "bin"
    for place in (folder / "home", project / "tests", tools):
        place.mkdir(parents=True)
    (project / "SPEC.md").write_text(SPEC)
    (project / "conftest.py").write_text("")
    (project / "tests" / "test_old.py").write_text(OLD.format(name=folder.name))
    (tools / "bwrap").write_text(BWRAP)
    (tools / "bwrap").chmod(0o755)
    environment = {
        "PATH": f"{tools}:{os.environ['PATH']}",
        "HOME": str(folder / "home"),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "SERVICE": folder.name,
    }
    return a_host(project, environment, supervisor=Supervisor(environment, jobs))


def whole_run(host: Host, script: str) -> tuple[LoopState, Turns]:
    turns: Turns = []

    def watch(event: Event, state: LoopState) -> None:
        if isinstance(event, TurnEnded):
            turns.append((event.facts.phase, event.move.decision))

    (host.project.parent / "script.toml").write_text(script)
    settings = Settings(
        agent=f"rehearsal:{host.project.parent / 'script.toml'}",
        test_command=f"{sys.executable} -m pytest -q",
        retry_delay=0.0,
        sandbox=Sandbox(kind=SandboxKind.BWRAP),
    )
    with new_session(Path("SPEC.md"), host, settings, watch) as session:
        return run(session.state, session.rooms, a_control().within(120)), turns


def busy(scene: str, command: str) -> str:
    """The same scene, in which the agent runs a command, too."""
    return scene.replace("[[turn.write]]", f"run = ['{command}']\n[[turn.write]]", 1)


def test_of_two_sessions_each_ends_as_it_would_alone(tmp_path: Path, left_running: LeftRunning) -> None:
    jobs, over = Jobs(), tmp_path / "over"
    one, two = (hosted(tmp_path / name, jobs) for name in ("one", "two"))
    # a call of each is under way while the other begins, or while it ends
    until = "until test -e {0}; do sleep 0.02; done; touch {1}/survived"
    first = busy(GREEN, until.format(tmp_path / "asked", tmp_path / "one"))
    second = busy(GREEN.replace("x + x", "x"), f"touch {tmp_path}/asked; {until.format(over, tmp_path / 'two')}")

    with ThreadPoolExecutor() as threads:
        runs = [threads.submit(whole_run, one, RED + first + busy(REST, "sleep 600 & true"))]
        runs += [threads.submit(whole_run, two, RED + second + GREEN + REST)]
        try:
            (state, turns) = runs[0].result()
        finally:
            over.touch()
        (other, others_turns) = runs[1].result()

    red, green, not_yet = ((Phase.RED, NEXT), (Phase.GREEN, NEXT), (Phase.GREEN, Decision.CONTINUE))
    assert (turns, others_turns) == ([red, green, *AS_USUAL], [red, not_yet, green, *AS_USUAL])
    assert (state.status, state.proven, other.status, other.proven) == (Status.COMPLETED, True) * 2
    assert [(tmp_path / name / "survived").exists() for name in ("one", "two")] == [True, True]
    assert not left_running()
    for host, stranger in ((one, two), (two, one)):
        asked = (host.project.parent / "bin" / "asked").read_text()
        assert (str(host.project) in asked, str(stranger.project) in asked) == (True, False)
