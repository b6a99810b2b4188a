"""The completions of zsh and fish, which are installed for it where root can (Debian, Ubuntu)."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FISH = """
dualgate completions fish | source
complete --do-complete "$WORDS"
"""
# zsh completes at its line editor only, so the two ways in which the script answers are replaced
ZSH = """
autoload -U compinit && compinit -u -D
eval "$(dualgate completions zsh)"
_describe() { print -l -- "${(@P)3}"; }
compadd() { print -l -- "${(@P)${@[-1]}}"; }
words=(${(z)WORDS}); CURRENT=$#words
_dualgate_completion
"""
CASES = [("dualgate sta", "status"), ("dualgate run --agent cl", "claude"), ("dualgate skip D", "DOCUMENT")]


def installed(shell: str) -> str:
    """The program of a shell; skips the test if it is missing and cannot be installed."""
    if (found := shutil.which(shell)) is not None:
        return found
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        pytest.skip(f"{shell} is not installed, and only root can install it")
    words = ["apt-get", "install", "-qq", "-y", "--no-install-recommends", shell]
    variables = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    ended = subprocess.run(words, env=variables, capture_output=True, text=True, timeout=300)
    if (found := shutil.which(shell)) is None:
        pytest.skip(f"{shell} cannot be installed: {ended.stderr.strip()[-200:]}")
    return found


@pytest.fixture
def variables(tmp_path: Path) -> dict[str, str]:
    program = tmp_path / "bin" / "dualgate"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m dualgate "$@"\n')
    program.chmod(0o755)
    return {"HOME": str(tmp_path), "PATH": f"{program.parent}:{os.defpath}", "LANG": "C.UTF-8"}


@pytest.mark.parametrize(("words", "completed"), CASES)
def test_fish_completes_commands_agents_and_phases(variables: dict[str, str], words: str, completed: str) -> None:
    told = subprocess.run(
        [installed("fish"), "-c", FISH], env=variables | {"WORDS": words}, capture_output=True, text=True
    )

    assert [line.partition("\t")[0] for line in told.stdout.splitlines()] == [completed], told.stderr


@pytest.mark.parametrize(("words", "completed"), CASES)
def test_zsh_completes_commands_agents_and_phases(variables: dict[str, str], words: str, completed: str) -> None:
    told = subprocess.run(
        [installed("zsh"), "-f", "-c", ZSH], env=variables | {"WORDS": words}, capture_output=True, text=True
    )

    assert [line.partition(":")[0] for line in told.stdout.split()[:1]] == [completed], told.stderr
