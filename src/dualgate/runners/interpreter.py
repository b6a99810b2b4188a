"""Which command runs a project's tests, and why that one: the project's own interpreter, never dualgate's."""

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dualgate.errors import SuiteUnusable
from dualgate.process import split_command

ENVIRONMENT_FOLDERS = (".venv", "venv", "env")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    command: tuple[str, ...]
    reason: str


def choose_command(project: Path, given: str | None, environment: Mapping[str, str]) -> Choice:
    if given:
        return Choice(command=split_command(given), reason="given")
    python, reason = _interpreter(project, environment)
    return Choice(command=(python, "-m", "pytest"), reason=reason)


def _interpreter(project: Path, environment: Mapping[str, str]) -> tuple[str, str]:
    for name in ENVIRONMENT_FOLDERS:
        python = project / name / "bin" / "python"
        if python.exists():
            return str(python), f"the project has a virtual environment in {name}"
    active = environment.get("VIRTUAL_ENV")
    if active and not _is_ours(Path(active)) and (Path(active) / "bin" / "python").exists():
        return str(Path(active) / "bin" / "python"), "a virtual environment is active"
    folders = [p for p in environment.get("PATH", os.defpath).split(os.pathsep) if not _is_ours(Path(p).parent)]
    for name in ("python3", "python"):
        if found := shutil.which(name, path=os.pathsep.join(folders)):
            return found, f"{name} is on the PATH"
    raise SuiteUnusable(
        "No Python was found to run the tests with.",
        "Make a virtual environment in .venv, or give --test-command.",
    )


def _is_ours(prefix: Path) -> bool:
    return sys.prefix != sys.base_prefix and prefix.resolve() == Path(sys.prefix).resolve()
