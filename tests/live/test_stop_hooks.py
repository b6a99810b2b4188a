"""Real CLIs with the hooks that `dualgate init --hooks` writes: a false "done" is sent back, honest work is not."""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.live.model_server import FakeModel
from tests.live.place import PATIENCE
from tests.live.player import Step
from tests.live.setups import MODEL, SETUPS

CODE = "def double(value):\n    return value + value\n"
TEST = "from doubling import double\n\n\ndef test_double():\n    assert double(2) == 4\n"
OLD = "def test_old():\n    assert False\n"
BREAK = {"tool": "shell", "command": "printf 'def double(value):\\n    return value\\n' > doubling.py"}
BREAK_AGAIN = {"tool": "shell", "command": "printf 'def double(value):\\n    return value * 3\\n' > doubling.py"}
BREAK_ONCE_MORE = {"tool": "shell", "command": "printf 'def double(value):\\n    return 7\\n' > doubling.py"}
FIX = {"tool": "shell", "command": "printf 'def double(value):\\n    return value * 2\\n' > doubling.py"}
DONE = {"text": "All done, the tests pass."}
HOSTS = ["claude", "codex", "gemini"]


@dataclass
class Script:
    """A model that takes one step after the other, whatever it is told, and keeps what it was told."""

    steps: Sequence[Step]
    told: list[str] = field(default_factory=list)

    def __call__(self, request: Any) -> Step:
        if not request.has_tools:
            return {"text": "ok"}
        self.told.append("\n".join(text for _, text, _ in request.texts))
        return self.steps[min(len(self.told), len(self.steps)) - 1]

    def sent_back(self) -> int:
        """How often the agent was sent back, as far as the model was told."""
        return self.told[-1].count("dualgate: not done.")


def claude(project: Path, home: Path) -> list[str]:
    allowed = ("--permission-mode", "acceptEdits", "--allowedTools", "Bash,Read,Edit,Write")
    return ["claude", "-p", "--output-format", "json", "--model", "claude-sonnet-4-5", *allowed]


def codex(project: Path, home: Path) -> list[str]:
    config = home / ".codex" / "config.toml"
    config.write_text(f'{config.read_text()}\n[projects."{project}"]\ntrust_level = "trusted"\n')
    free = ("--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust")
    return ["codex", "exec", "--json", *free, "-"]


def gemini(project: Path, home: Path) -> list[str]:
    return ["gemini", "-o", "json", "-m", "gemini-2.5-pro", "--skip-trust", "--approval-mode", "yolo"]


COMMANDS: dict[str, Callable[[Path, Path], list[str]]] = {"claude": claude, "codex": codex, "gemini": gemini}


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """A repository with hooks, in which a CLI works."""

    project: Path
    home: Path
    environment: dict[str, str]

    def work(self, host: str, steps: Sequence[Step]) -> tuple[Script, str]:
        """The CLI at work with a model that takes these steps; what the model was told, and what the CLI printed."""
        script = Script(steps)
        with FakeModel(script) as model:
            seen = self.environment | {k: v for k, v in SETUPS[host](self.home, model.url()).items() if k != MODEL}
            ended = subprocess.run(
                COMMANDS[host](self.project, self.home),
                cwd=self.project,
                env=seen,
                input="Double the value.\n",
                capture_output=True,
                text=True,
                timeout=PATIENCE,
            )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return script, ended.stdout + ended.stderr


@pytest.fixture
def desk(project: Path, home: Path, environment: dict[str, str], tmp_path: Path) -> Desk:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "dualgate").write_text(f'#!/bin/sh\nexec {sys.executable} -m dualgate "$@"\n')
    (programs / "dualgate").chmod(0o755)
    path = f"{programs}:{environment['PATH']}"
    # Gemini reads settings of a folder before it reads --skip-trust
    environment = environment | {"PATH": path, "GEMINI_CLI_TRUST_WORKSPACE": "true"}
    for name, text in {"doubling.py": CODE, "tests/test_double.py": TEST, "tests/test_older.py": OLD}.items():
        (project / name).write_text(text)
    names = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), (*names, "commit", "-qm", "first")):
        subprocess.run(["git", *words], cwd=project, check=True, capture_output=True)
    return Desk(project=project, home=home, environment=environment)


def set_up(desk: Desk, host: str) -> None:
    command = [sys.executable, "-m", "dualgate", "init", "--hooks", host, "--yes"]
    subprocess.run(command, cwd=desk.project, env=desk.environment, check=True, capture_output=True)


@pytest.mark.quick
@pytest.mark.parametrize("host", HOSTS)
def test_a_false_done_is_sent_back_once_and_its_fix_is_let_go(host: str, desk: Desk) -> None:
    set_up(desk, host)
    script, printed = desk.work(host, [BREAK, DONE, FIX, {"text": "Fixed."}])

    assert (len(script.told), script.sent_back()) == (4, 1), printed
    assert "tests/test_double.py::test_double" in script.told[-1]
    assert "test_older.py::" not in script.told[-1]  # it failed before


@pytest.mark.parametrize("host", HOSTS)
def test_an_agent_is_sent_back_twice_at_most(host: str, desk: Desk) -> None:
    set_up(desk, host)
    steps = [BREAK, DONE, BREAK_AGAIN, {"text": "Now it is done."}, BREAK_ONCE_MORE, {"text": "It really is done."}]
    script, printed = desk.work(host, steps)

    assert (len(script.told), script.sent_back()) == (6, 2), printed


@pytest.mark.parametrize("host", HOSTS)
def test_a_question_is_let_go(host: str, desk: Desk) -> None:
    set_up(desk, host)
    script, printed = desk.work(host, [BREAK, {"text": "Should double(0) be 0 or an error?"}])

    assert (len(script.told), script.sent_back()) == (2, 0), printed


@pytest.mark.quick
@pytest.mark.parametrize("host", HOSTS)
def test_work_that_changes_nothing_is_let_go(host: str, desk: Desk) -> None:
    set_up(desk, host)
    script, printed = desk.work(host, [{"tool": "shell", "command": "ls"}, DONE])

    assert (len(script.told), script.sent_back()) == (2, 0), printed


@pytest.mark.parametrize("host", ["claude"])
def test_an_agent_that_does_nothing_about_it_is_let_go_and_the_person_reads_why(host: str, desk: Desk) -> None:
    set_up(desk, host)
    script, printed = desk.work(host, [BREAK, DONE, {"text": "I said that it is done."}])
    records = list(desk.home.glob(".bp-sessions/.hooks/*.json"))

    assert (len(script.told), script.sent_back()) == (3, 1), printed
    assert len(records) == 1
    assert json.loads(records[0].read_text())["blocks"] == 1
