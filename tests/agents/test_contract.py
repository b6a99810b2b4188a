"""Every agent through the same life: asked, heard, stopped, timed out."""

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from dualgate.agents.base import Agent, AgentOrder
from dualgate.agents.client_agent import ClientAgent
from dualgate.agents.registry import AGENTS, CLIENTS
from dualgate.core.said.response import read_response
from dualgate.core.values.answer import Ending, Trouble
from dualgate.core.values.vocabulary import Phase
from dualgate.errors import Interrupted
from dualgate.processes.supervisor import Supervisor
from dualgate.testing import a_call, a_control
from tests.agents.played import SUFFIXES, in_form, play, play_recording, whole_answer
from tests.agents.recordings import NOW, TAIL, Recording

DONE = """---RALPH_STATUS---
STATUS: COMPLETE
TASKS_COMPLETED_THIS_LOOP: 1
FILES_MODIFIED: 1
TESTS_STATUS: PASSING
WORK_TYPE: IMPLEMENTATION
EXIT_SIGNAL: true
RECOMMENDATION: done
---END_RALPH_STATUS---"""
WRITES = "import pathlib; pathlib.Path('made.txt').write_text('made')"
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


def limit(scene: int) -> float | None:
    return 0.5 if scene == HANGING else None


def a_command_agent(folder: Path, scene: int) -> Agent:
    code = {
        HONEST: f"{WRITES}\nprint({DONE!r})",
        CRASHING: "raise SystemExit(3)",
        HANGING: "import time; print('up', flush=True); time.sleep(600)",
    }[scene]
    (folder / "agent.py").write_text(code)
    return AGENTS["command"](
        AgentOrder(
            project=folder,
            supervisor=Supervisor(os.environ),
            argument=f"{sys.executable} agent.py",
            timeout=limit(scene),
        )
    )


def a_rehearsal_agent(folder: Path, scene: int) -> Agent:
    (folder / "script.toml").write_text(SCRIPT)
    return AGENTS["rehearsal"](
        AgentOrder(project=folder, supervisor=Supervisor(os.environ), argument=str(folder / "script.toml"), timeout=0.5)
    )


def a_client_agent(name: str) -> Callable[[Path, int], Agent]:
    def make(folder: Path, scene: int) -> Agent:
        stdout = whole_answer(name, DONE) if scene == HONEST else b""
        environment = play(
            folder / "bin",
            name,
            stdout,
            code=WRITES if scene == HONEST else "",
            exit_code=3 if scene == CRASHING else 0,
            hangs=scene == HANGING,
        )
        return ClientAgent(
            client=CLIENTS[name], project=folder, timeout=limit(scene), supervisor=Supervisor(environment)
        )

    return make


MAKERS = {
    "command": a_command_agent,
    "rehearsal": a_rehearsal_agent,
    **{name: a_client_agent(name) for name in CLIENTS},
}
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


RECORDED = [(name, each) for name in SUFFIXES for each in in_form(name)]


def test_every_client_was_recorded_in_the_form_it_is_asked_for() -> None:
    assert {name for name, _ in RECORDED} == CLIENTS.keys()


@pytest.mark.parametrize(("name", "recorded"), RECORDED, ids=lambda each: str(each))
def test_what_the_real_program_did_is_told_as_it_was(name: str, recorded: Recording, tmp_path: Path) -> None:
    environment = play_recording(tmp_path / "bin", name, recorded)
    timeout = 0.5 if recorded.end.ending is not Ending.EXITED else None
    agent = ClientAgent(
        client=CLIENTS[name], project=tmp_path, timeout=timeout, supervisor=Supervisor(environment), now=lambda: NOW
    )

    answer = agent.ask(a_call(), a_control()).answer

    expected = recorded.expected
    assert (answer.failure and answer.failure.kind.value) == expected["failure"]
    assert answer.session_id == expected["session_id"]
    assert answer.text[-TAIL:] == expected["text"][-TAIL:]
