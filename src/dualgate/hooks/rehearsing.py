"""A false "done" in a scratch repository -> whether the hooks that a repository configures stop it."""

import json
import shlex
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from dualgate.core.doctor.checkup import Check, Health
from dualgate.core.values.control import Control
from dualgate.core.values.notation import in_line
from dualgate.errors import DualgateError
from dualgate.hooks.answers import HOSTS
from dualgate.hooks.opting import PLACES
from dualgate.hooks.registering import stop_commands
from dualgate.processes.job import Job, read_tail
from dualgate.processes.scratch import scratch_folder
from dualgate.processes.supervisor import Supervisor
from dualgate.store.hook_records import record_of

BLOCKING = ("block", "deny")
_OUTPUT = 4000
_SECONDS = 120.0
_HONEST = {
    "double.py": "def double(value):\n    return value + value\n",
    "test_double.py": (
        "import unittest\n\nfrom double import double\n\n\n"
        "class Doubling(unittest.TestCase):\n    def test_double(self):\n        self.assertEqual(double(2), 4)\n"
    ),
}
_FALSE = {
    "double.py": "def double(value):\n    return value\n",
    "test_double.py": _HONEST["test_double.py"].replace("self.assertEqual(double(2), 4)", "self.assertTrue(double(2))"),
}
_COMMIT = (
    "git init -q -b main && git add -A && git -c user.name=d -c user.email=d@d -c commit.gpgsign=false commit -qm 1"
)
_SETTINGS_OF_OURS = ("DUALGATE_", "PRP_", "CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "GIT_")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scratch:
    """A small repository whose session says that it is done, while its test was weakened and its code broken."""

    folder: Path
    repository: Path
    supervisor: Supervisor
    control: Control
    session: str = field(default_factory=lambda: f"dualgate-doctor-{uuid4()}")

    def call(self, command: str, given: str = "") -> tuple[int | None, str, str]:
        files = {name: self.folder / name for name in ("in", "out", "err")}
        files["in"].write_text(given, encoding="utf-8")
        job = Job(
            argv=("sh", "-c", command),
            cwd=self.repository,
            environment=_environment(self.supervisor.environment),
            stdin=files["in"],
            stdout=files["out"],
            stderr=files["err"],
        )
        ended = self.supervisor.supervise(job, self.control.within(_SECONDS))
        return ended.code, read_tail(files["out"], _OUTPUT), read_tail(files["err"], _OUTPUT)

    @property
    def payload(self) -> str:
        done = "All done, the tests pass."
        common = {"cwd": str(self.repository), "last_assistant_message": done, "prompt_response": done}
        return json.dumps({"session_id": self.session, "sessionId": self.session, **common})

    def write(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            path = self.repository / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def look_at_hooks(root: Path, supervisor: Supervisor, control: Control) -> Iterator[Check]:
    """A check for each host that has settings of ours in a repository. It runs the configured commands."""
    found = False
    for host in HOSTS:
        text = _settings(root / PLACES[host])
        try:
            commands = stop_commands(host, text)
        except DualgateError as error:
            yield Check(name=host, health=Health.WARN, seen=error.message, fix=error.next_step)
            continue
        for command in commands:
            found = True
            yield _tried(host, command, text, supervisor, control)
    if not found:
        fix = "dualgate init --hooks claude (or codex, gemini, copilot)"
        yield Check(name="hooks", health=Health.FAIL, seen=f"no host calls dualgate in {root}", fix=fix)


def _tried(host: str, command: str, settings: str, supervisor: Supervisor, control: Control) -> Check:
    with scratch_folder("hooks") as folder:
        repository = folder / "work"
        scratch = _Scratch(folder=folder, repository=repository, supervisor=supervisor, control=control)
        scratch.write({**_HONEST, PLACES[host]: settings})
        code, _, err = scratch.call(_COMMIT)
        if code:
            return Check(
                name=host, health=Health.FAIL, seen=f"git cannot commit: {in_line(err[-300:])}", fix="git --version"
            )
        scratch.call(command.replace(" stop ", " start ", 1), scratch.payload)
        scratch.write(_FALSE)
        code, out, err = scratch.call(command, scratch.payload)
    _forget(scratch.session, supervisor.environment)
    return check_answer(host, command, code, out, err)


def check_answer(host: str, command: str, code: int | None, out: str, err: str) -> Check:
    """Whether an answer sends the agent back."""
    try:
        said = json.loads(out) if out.strip() else {}
    except ValueError:
        said = {}
    if code == 0 and isinstance(said, dict) and said.get("decision") in BLOCKING:
        return Check(name=host, seen=f'a false "done" is sent back: {in_line(str(said.get("reason")))}')
    if code == 127:
        fix = f"put dualgate on the PATH of {host}: {shlex.quote(str(Path(sys.argv[0]).parent))}"
        return Check(name=host, health=Health.FAIL, seen=f"'{command}' is not found", fix=fix)
    note = said.get("systemMessage") or said.get("reason") if isinstance(said, dict) else ""
    seen = in_line(str(note or err or out or "no answer")[-300:])
    fix = f"dualgate init --hooks {host} --remove, then again without --remove"
    return Check(name=host, health=Health.FAIL, seen=f'a false "done" passes (exit code {code}): {seen}', fix=fix)


def _environment(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if not name.startswith(_SETTINGS_OF_OURS)}


def _settings(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _forget(session: str, environment: Mapping[str, str]) -> None:
    path = record_of(session, environment)
    for each in (path, path.with_suffix(".lock")):
        each.unlink(missing_ok=True)
