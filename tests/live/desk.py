"""A repository with a test, a CLI with hooks at work in it, and a model that takes one step after the other."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

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
HOSTS = ["claude", "codex", "gemini", "copilot"]
PROMPT = "Double the value."


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
    return ["codex", "exec", "--json", *free]


def gemini(project: Path, home: Path) -> list[str]:
    return ["gemini", "-o", "json", "-m", "gemini-2.5-pro", "--skip-trust", "--approval-mode", "yolo"]


def copilot(project: Path, home: Path) -> list[str]:
    return ["copilot", "--prompt", PROMPT, "--allow-all-tools", "--trust-folder"]


COMMANDS: dict[str, Callable[[Path, Path], list[str]]] = {
    "claude": claude,
    "codex": codex,
    "gemini": gemini,
    "copilot": copilot,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """A repository with hooks, in which a CLI works."""

    project: Path
    home: Path
    environment: dict[str, str]

    def set_up(self, host: str) -> None:
        """The hooks of a host, as `dualgate init --hooks` writes them."""
        self.call(sys.executable, "-m", "dualgate", "init", "--hooks", host, "--yes")

    def call(self, *words: str) -> str:
        ended = subprocess.run(words, cwd=self.project, env=self.environment, capture_output=True, text=True)
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return ended.stdout + ended.stderr

    def work(
        self, host: str, steps: Sequence[Step], *words: str, before: Callable[["Desk"], object] | None = None
    ) -> tuple[Script, str]:
        """The CLI at work with a model that takes these steps; what the model was told, and what the CLI printed.

        `before` is done when the settings of the CLI are written.
        """
        script = Script(steps)
        with FakeModel(script) as model:
            seen = self.environment | {k: v for k, v in SETUPS[host](self.home, model.url()).items() if k != MODEL}
            if before is not None:
                before(self)
            ended = subprocess.run(
                [*COMMANDS[host](self.project, self.home), *words],
                cwd=self.project,
                env=seen,
                input=f"{PROMPT}\n",
                capture_output=True,
                text=True,
                timeout=PATIENCE,
            )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return script, ended.stdout + ended.stderr


def a_desk(project: Path, home: Path, environment: dict[str, str], tmp_path: Path) -> Desk:
    """A repository with a test that passes and one that has always failed, and dualgate on the PATH."""
    # Gemini reads settings of a folder before it reads --skip-trust
    environment = with_dualgate(environment, tmp_path) | {"GEMINI_CLI_TRUST_WORKSPACE": "true"}
    for name, text in {"doubling.py": CODE, "tests/test_double.py": TEST, "tests/test_older.py": OLD}.items():
        (project / name).write_text(text)
    names = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), (*names, "commit", "-qm", "first")):
        subprocess.run(["git", *words], cwd=project, check=True, capture_output=True)
    return Desk(project=project, home=home, environment=environment)


def with_dualgate(environment: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """The environment with dualgate on the PATH, where the commands of hooks look for it."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "dualgate").write_text(f'#!/bin/sh\nexec {sys.executable} -m dualgate "$@"\n')
    (programs / "dualgate").chmod(0o755)
    return environment | {"PATH": f"{programs}:{environment['PATH']}"}
