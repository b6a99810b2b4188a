"""The completions of real shells."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dualgate.agents.registry import AGENTS
from dualgate.cli.words import AGENT_NAMES
from tests.support import Dualgate

BASH = """
eval "$(dualgate completions bash)"
complete_words() {
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
    _dualgate_completion dualgate "${@: -1}" "${@: -2:1}"
    printf '%s\\n' "${COMPREPLY[@]}"
}
"""


@pytest.fixture
def on_the_path(environment: dict[str, str], tmp_path: Path) -> dict[str, str]:
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "dualgate"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m dualgate "$@"\n')
    program.chmod(0o755)
    return {**environment, "PATH": f"{program.parent}:{os.defpath}"}


def test_the_names_of_agents_are_those_of_the_registry() -> None:
    assert sorted(AGENT_NAMES) == sorted(AGENTS.keys() - {"command"})


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes_commands_options_and_values(
    on_the_path: dict[str, str], dualgate: Dualgate, project: Path
) -> None:
    dualgate("run", "SPEC.md", "--agent", "rehearsal:lying", "--max-iterations", "1")
    (session,) = dualgate("sessions", "--json").lines
    wanted = {
        "dualgate sta": ["status"],
        "dualgate run --max-c": ["--max-calls-per-hour", "--max-cost"],
        "dualgate run --agent c": ["claude", "codex"],
        "dualgate skip R": ["RED", "REFACTOR"],
        "dualgate config --show max_c": ["max_calls_per_hour", "max_cost"],
        "dualgate completions f": ["fish"],
        "dualgate log ''": [session["sessions"][0]["id"]],
    }
    script = BASH + "\n".join(f"echo; echo '?'; complete_words {words}" for words in wanted)

    ended = subprocess.run(["bash", "-c", script], cwd=project, env=on_the_path, capture_output=True, text=True)

    told = [part.split() for part in ended.stdout.split("\n?\n")[1:]]
    assert (dict(zip(wanted, told, strict=True)), ended.stderr) == (wanted, "")


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes_files(on_the_path: dict[str, str], project: Path) -> None:
    script = f"{BASH}compopt() {{ echo options $*; }}\ncomplete_words dualgate run SP"

    ended = subprocess.run(["bash", "-c", script], cwd=project, env=on_the_path, capture_output=True, text=True)

    assert "options -o default" in ended.stdout


def test_an_unknown_shell_is_refused_with_the_known_ones(dualgate: Dualgate) -> None:
    ended = dualgate("completions", "bsh")

    assert (ended.code, "Did you mean bash? Use one of: bash, zsh, fish." in ended.err) == (2, True)
