"""`dualgate hook edit` inside a run: frozen tests are guarded before they are written, everything else passes."""

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from dualgate.hooks.editing import answer_edit
from tests.loop.scripts import GREEN, RED
from tests.support import Dualgate

pytestmark = pytest.mark.whole
TESTS = "tests/test_double.py"
WEAKER = "def test_ac1_numbers():\n    pass\n\n\ndef test_ac2_texts():\n    pass\n"
ADDED = "\n\ndef test_more():\n    assert double(3) == 6\n"


def asked(host: str, name: str, payload: dict[str, Any]) -> str:
    """A command of the script that asks the hook and keeps its answer."""
    hook = f"{shlex.quote(sys.executable)} -m dualgate hook edit --host {host}"
    return f"printf %s {shlex.quote(json.dumps(payload))} | {hook} > ../{name}.json"


def written(path: str, content: str) -> dict[str, Any]:
    return {"tool_name": "Write", "tool_input": {"file_path": path, "content": content}}


def run_of(phase: str, *commands: str) -> str:
    return f'[[turn]]\nphase = "{phase}"\nrun = {json.dumps(list(commands))}\n'


def test_frozen_tests_are_refused_before_they_are_written(dualgate: Dualgate, project: Path, tmp_path: Path) -> None:
    appended = {"file_path": TESTS, "old_string": '== "aa"\n', "new_string": '== "aa"\n' + ADDED}
    patch = f"*** Begin Patch\n*** Delete File: {TESTS}\n*** End Patch"
    commands = (
        asked("claude", "weaker", written(TESTS, WEAKER)),
        asked("codex", "deleted", {"tool_name": "apply_patch", "tool_input": {"command": patch}}),
        asked("gemini", "config", written("conftest.py", "collect_ignore = ['tests']\n")),
        asked("copilot", "spec", {"toolName": "create", "toolArgs": json.dumps({"path": "SPEC.md", "file_text": "x"})}),
        asked("claude", "appended", {"tool_name": "Edit", "tool_input": appended}),
        asked("claude", "code", written("doubling.py", "def double(x): return x + x\n")),
        asked("claude", "outside", written("/elsewhere/test_x.py", "")),
    )
    script = run_of("RED", asked("claude", "red", written("tests/test_old.py", ""))) + RED + run_of("GREEN", *commands)
    (project / "script.toml").write_text(script + GREEN)
    dualgate("run", "SPEC.md", "--agent", "rehearsal:script.toml", "--max-iterations", "2", "--sandbox", "none")
    said = {path.stem: path.read_text() for path in tmp_path.glob("*.json")}

    assert {name for name, text in said.items() if text} == {"weaker", "deleted", "config", "spec"}
    assert said.keys() >= {"red", "appended", "code", "outside"}
    weaker = json.loads(said["weaker"])["hookSpecificOutput"]
    assert (weaker["hookEventName"], weaker["permissionDecision"]) == ("PreToolUse", "deny")
    assert weaker["permissionDecisionReason"].startswith(f"dualgate: {TESTS} cannot be changed in GREEN: ")
    assert json.loads(said["deleted"])["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert json.loads(said["config"])["decision"] == "deny"
    assert json.loads(said["spec"])["permissionDecision"] == "deny"


def test_without_a_run_every_edit_is_allowed(tmp_path: Path) -> None:
    assert answer_edit("claude", {"cwd": str(tmp_path), **written(TESTS, "")}, {}) == ""
    assert answer_edit("claude", {"cwd": str(tmp_path / "gone"), **written(TESTS, "")}, {}) == ""
