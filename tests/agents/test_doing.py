"""What an agent is at, told while it works, out of what is read anyway."""

import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from dualgate.agents.client_agent import ClientAgent
from dualgate.agents.formats import MESSAGES_KEPT, Doing
from dualgate.agents.launch import run_program
from dualgate.agents.output import OutputReader
from dualgate.agents.registry import CLIENTS, FORMATS
from dualgate.core.values.answer import CallEnd
from dualgate.core.values.control import Activity
from dualgate.errors import Interrupted
from dualgate.processes.supervisor import Supervisor
from dualgate.testing import a_call, a_control
from tests.agents.played import in_form, play
from tests.agents.recordings import NOW

SHELL = "printf 'via shell\\n' > shell.txt && cat shell.txt"
SEEN = {
    "claude": ("Bash " + SHELL, "Write /project/hello.txt"),
    "codex": ('shell "' + SHELL.replace("\\", "\\\\") + '"', "edit /project/hello.txt"),
    "gemini": ("run_shell_command " + SHELL, "write_file /project/hello.txt"),
    "qwen": ("run_shell_command " + SHELL, "write_file /project/hello.txt"),
    "opencode": ("bash " + SHELL, "write /project/hello.txt"),
}


def recorded(name: str, case: str) -> bytes:
    (found,) = (each for each in in_form(name) if each.name.startswith(f"{case}."))
    return found.path.read_bytes()


@pytest.mark.parametrize("name", CLIENTS)
def test_every_client_tells_its_tools_what_they_are_used_on_and_its_tokens(name: str) -> None:
    told = []
    for case in ("shell", "ok"):
        reader = OutputReader(FORMATS)
        reader.feed(recorded(name, case))
        answer = reader.finish(CallEnd(now=NOW, exit_code=0))
        told.append(reader.activity.text)
        assert answer.usage is not None
        assert 0 < reader.activity.tokens <= answer.usage.input + answer.usage.output
        assert reader.activity.source == name

    assert tuple(told) == SEEN[name]


def test_of_a_program_without_events_the_last_line_is_shown() -> None:
    reader = OutputReader(FORMATS)
    assert reader.activity == Activity(source="agent", text="")

    reader.feed(b"reading\n  writing the co")
    assert reader.activity == Activity(source="agent", text="writing the co")
    reader.feed(b"de\n\n")
    assert reader.activity == Activity(source="agent", text="writing the code")


def test_an_agent_that_has_used_no_tool_yet_is_at_work() -> None:
    reader = OutputReader(FORMATS)
    reader.feed(recorded("claude", "shell").partition(b"\n")[0] + b"\n")

    assert reader.activity == Activity(source="claude", text="at work")


def test_a_message_that_comes_in_pieces_is_counted_once() -> None:
    doing = Doing()
    for name, tokens in (("a", 100), ("a", 120), ("b", 50), ("a", 130), (None, 7)):
        doing.count_message(name, tokens)

    assert doing.tokens == 180


def test_what_is_kept_of_a_long_stream_is_bounded() -> None:
    doing = Doing()
    for number in range(10 * MESSAGES_KEPT):
        doing.count_message(str(number), 1)
    doing.use("Bash", {"command": "x" * 100_000 + "\ny"})

    assert (doing.tokens, len(doing._counted), len(doing.text)) == (10 * MESSAGES_KEPT, MESSAGES_KEPT, 2005)


@pytest.mark.parametrize(("tool", "about"), [(None, {}), ("", "x"), (7, None)])
def test_what_is_no_tool_changes_nothing(tool: object, about: object) -> None:
    doing = Doing(tool="Edit", about="a.py")
    doing.use(tool, about)

    assert doing.text == "Edit a.py"


WAITING = """
half = open(os.path.join(here, "stdout"), "rb").read()
cut = half.index(b"\\n", half.index(b'"name":"Bash"')) + 20
sys.stdout.buffer.write(half[:cut])
sys.stdout.flush()
while not os.path.exists(os.path.join(here, "seen")):
    time.sleep(0.01)
sys.stdout.buffer.write(half[cut:])
sys.exit(0)
"""


def test_it_is_told_while_the_program_runs_and_the_answer_is_the_same(tmp_path: Path) -> None:
    stdout = recorded("claude", "shell")
    environment = play(tmp_path / "bin", "claude", stdout, code=WAITING)
    agent = ClientAgent(client=CLIENTS["claude"], project=tmp_path, supervisor=Supervisor(environment), timeout=60)
    told: list[Activity] = []

    def hear(activity: Activity) -> None:
        told.append(activity)
        if activity.text.startswith("Bash"):
            (tmp_path / "bin" / "seen").touch()

    reply = agent.ask(a_call(), replace(a_control(), on_activity=hear))

    whole = OutputReader(FORMATS)
    whole.feed(stdout)
    assert any(each.source == "claude" and each.text == f"Bash {SHELL}" for each in told)
    assert reply.answer.text == whole.finish(CallEnd(now=NOW, exit_code=0)).text


def test_paths_are_told_as_seen_from_the_project(tmp_path: Path) -> None:
    script = tmp_path / "agent.py"
    event = (
        '{"type": "assistant", "session_id": "s", "message": {"id": "m", "content": '
        '[{"type": "tool_use", "name": "Edit", "input": {"file_path": "HERE/src/x.py"}}]}}'
    ).replace("HERE", str(tmp_path))
    script.write_text(f"import time\nprint({event!r}, flush=True)\nwhile True: time.sleep(1)\n")
    told: list[str] = []

    def hear(activity: Activity) -> None:
        told.append(activity.text)
        if activity.text.startswith("Edit"):
            stop.set()

    stop = threading.Event()
    control = a_control(cancel=stop).within(60)
    with pytest.raises(Interrupted):
        run_program((sys.executable, str(script)), "", tmp_path, {}, replace(control, on_activity=hear), Supervisor({}))

    assert "Edit src/x.py" in told
