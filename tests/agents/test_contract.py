"""Every agent through the same life: asked, heard, stopped, timed out."""

import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from dualgate.agents.base import Agent
from dualgate.agents.registry import AGENTS
from dualgate.core.answer import Trouble
from dualgate.core.response import read_response
from dualgate.core.vocabulary import Phase
from dualgate.errors import Interrupted
from dualgate.testing import a_call, a_control

WRITES_AND_SAYS_DONE = """
import pathlib
pathlib.Path("made.txt").write_text("made")
print('''---RALPH_STATUS---
STATUS: COMPLETE
TASKS_COMPLETED_THIS_LOOP: 1
FILES_MODIFIED: 1
TESTS_STATUS: PASSING
WORK_TYPE: IMPLEMENTATION
EXIT_SIGNAL: true
RECOMMENDATION: done
---END_RALPH_STATUS---''')
"""
SCRIPT = """
[[turn]]
phase = "GREEN"
[[turn.write]]
path = "made.txt"
text = "made"
[[turn]]
phase = "GREEN"
exit_code = 3
[[turn]]
phase = "GREEN"
hang = true
"""
HONEST, CRASHING, HANGING = 1, 2, 3


def a_command_agent(folder: Path, scene: int) -> Agent:
    code = {
        HONEST: WRITES_AND_SAYS_DONE,
        CRASHING: "raise SystemExit(3)",
        HANGING: "import time; print('up', flush=True); time.sleep(600)",
    }[scene]
    (folder / "agent.py").write_text(code)
    return AGENTS["command"](f"{sys.executable} agent.py", folder, 0.5)


def a_rehearsal_agent(folder: Path, scene: int) -> Agent:
    (folder / "script.toml").write_text(SCRIPT)
    return AGENTS["rehearsal"](str(folder / "script.toml"), folder, 0.5)


MAKERS = {"command": a_command_agent, "rehearsal": a_rehearsal_agent}
every_agent = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())


def test_every_agent_in_the_registry_goes_through_this_life() -> None:
    assert MAKERS.keys() == AGENTS.keys()


@every_agent
def test_it_works_in_the_project_and_its_word_is_heard(make: Callable[[Path, int], Agent], tmp_path: Path) -> None:
    reply = make(tmp_path, HONEST).ask(a_call(phase=Phase.GREEN, ordinal=HONEST), a_control())

    assert (tmp_path / "made.txt").read_text() == "made"
    assert read_response(reply.answer, Phase.GREEN).exit_signal


@every_agent
def test_a_crash_is_a_failed_call(make: Callable[[Path, int], Agent], tmp_path: Path) -> None:
    reply = make(tmp_path, CRASHING).ask(a_call(phase=Phase.GREEN, ordinal=CRASHING), a_control())

    assert reply.exit_code == 3
    assert reply.answer.failure is not None
    assert reply.answer.failure.kind is Trouble.CRASH


@every_agent
def test_a_hang_ends_at_the_time_limit(make: Callable[[Path, int], Agent], tmp_path: Path) -> None:
    reply = make(tmp_path, HANGING).ask(a_call(phase=Phase.GREEN, ordinal=HANGING), a_control())

    assert reply.answer.failure is not None
    assert reply.answer.failure.kind is Trouble.TIMED_OUT


@every_agent
def test_a_stop_is_passed_on(make: Callable[[Path, int], Agent], tmp_path: Path) -> None:
    cancel = threading.Event()
    cancel.set()

    with pytest.raises(Interrupted):
        make(tmp_path, HANGING).ask(a_call(phase=Phase.GREEN, ordinal=HANGING), a_control(cancel=cancel))
