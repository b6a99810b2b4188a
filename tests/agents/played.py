"""Programs by the names of the real CLIs that play what those were recorded to say."""

import json
import os
import sys
from pathlib import Path

from dualgate.agents.registry import CLIENTS
from tests.agents.recordings import Recording, recordings

# the recordings in the form that an adapter asks for
SUFFIXES = {
    "claude": ".stream-json",
    "codex": ".jsonl",
    "gemini": ".stream-json",
    "qwen": ".stream-json",
    "opencode": ".json",
}
PLAYER = """#!{python} -IS
import json, os, sys, time
here = {here!r}
heard = {{"argv": sys.argv[1:], "stdin": sys.stdin.read(), "environment": dict(os.environ), "cwd": os.getcwd()}}
with open(os.path.join(here, "heard.jsonl"), "a") as file:
    file.write(json.dumps(heard) + "\\n")
{code}
with open(os.path.join(here, "stdout"), "rb") as file:
    sys.stdout.buffer.write(file.read())
sys.stdout.flush()
with open(os.path.join(here, "stderr"), "rb") as file:
    sys.stderr.buffer.write(file.read())
sys.stderr.flush()
{last}
"""


def play(
    folder: Path, name: str, stdout: bytes, *, stderr: str = "", exit_code: int = 0, hangs: bool = False, code: str = ""
) -> dict[str, str]:
    """Put the program of an agent into a folder; answers with the environment in which it is found."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "stdout").write_bytes(stdout)
    (folder / "stderr").write_text(stderr, encoding="utf-8")
    last = "time.sleep(600)" if hangs else f"sys.exit({exit_code})"
    program = folder / CLIENTS[name].program
    program.write_text(PLAYER.format(python=sys.executable, here=str(folder), code=code, last=last))
    program.chmod(0o755)
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "HOME": str(folder)}


def play_recording(folder: Path, name: str, recorded: Recording) -> dict[str, str]:
    killed = recorded.end.ending.value != "exited"
    code = recorded.end.exit_code or 0
    return play(
        folder, name, recorded.path.read_bytes(), stderr=recorded.end.stderr, exit_code=code % 256, hangs=killed
    )


def heard(folder: Path) -> list[dict[str, object]]:
    """What the program was called with, call by call."""
    return [json.loads(line) for line in (folder / "heard.jsonl").read_text().splitlines()]


def in_form(name: str) -> list[Recording]:
    return [each for each in recordings(name) if each.name.endswith(SUFFIXES[name])]


def whole_answer(name: str, more: str) -> bytes:
    """What the agent said when all went well, with more words at the end of its message."""
    (ok,) = (each for each in in_form(name) if each.name.startswith("ok."))
    end = "---END-STATUS---"
    return ok.path.read_text(encoding="utf-8").replace(end, end + json.dumps(f"\n\n{more}")[1:-1]).encode()
