"""The command line by which programs that we start call us."""

import subprocess
import sys
from pathlib import Path

from dualgate.processes.own_program import own_program


def test_the_program_is_named_as_it_can_be_called(tmp_path: Path) -> None:
    program = tmp_path / "dualgate"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)

    assert own_program({"PATH": str(tmp_path)}) == "dualgate"
    assert own_program({"PATH": "/nowhere"}) == own_program({}) == f"{sys.executable} -m dualgate"


def test_the_interpreter_knows_the_module() -> None:
    asked = subprocess.run([*own_program({}).split(), "--version"], capture_output=True, text=True, check=True)

    assert "dualgate" in asked.stdout
