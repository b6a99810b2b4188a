"""A program to run, how it ended, and what it printed."""

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from dualgate.core.values.answer import Ending
from dualgate.errors import ProgramNotFound

CHUNK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A program to run, and the files for its output: a pipe that a grandchild keeps open would never end."""

    argv: Sequence[str]
    cwd: Path
    environment: Mapping[str, str]
    stdout: Path
    stderr: Path
    stdin: Path | None = None
    output_limit: int = 1 << 30
    meanwhile: "Callable[[], None] | None" = None
    """Called a few times a second while the program runs."""
    enough: "Callable[[], bool] | None" = None
    """Called as often: whether to end the program, because it can no longer succeed."""
    confined: bool = False
    """Whether it runs an agent or an agent's code, and so belongs in the sandbox if there is one."""
    writable: Sequence[Path] = ()
    """Paths that it must be able to write in the sandbox, besides the project."""
    reads_only: bool = False
    """Whether the project is read-only for it in the sandbox."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exit:
    code: int | None
    ending: Ending
    seconds: float


def require_program(name: str, cwd: Path, environment: Mapping[str, str]) -> None:
    try:
        is_there = shutil.which(name, path=environment.get("PATH")) is not None or (cwd / name).exists()
    except OSError as error:
        raise ProgramNotFound(f"'{name}' cannot be looked for: {error.strerror}.") from error
    if not is_there:
        raise ProgramNotFound(f"There is no program '{name}'.", "Check its name, or give its full path.")


def read_tail(path: Path, limit: int) -> str:
    """The last `limit` bytes of a file as text, invalid bytes replaced; empty if the file is missing."""
    if not path.exists():
        return ""
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - limit))
        return file.read().decode("utf-8", "replace")


def output_tail(job: Job, limit: int) -> str:
    return read_tail(job.stdout, limit) + read_tail(job.stderr, limit)


def output_hash(job: Job) -> str:
    """SHA-256 of everything that a job printed: its standard output, then its standard error."""
    digest = sha256()
    for path in (job.stdout, job.stderr):
        with suppress(FileNotFoundError), path.open("rb") as file:
            while chunk := file.read(CHUNK):
                digest.update(chunk)
    return digest.hexdigest()


def output_size(job: Job) -> int:
    return _size(job.stdout) + _size(job.stderr)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
