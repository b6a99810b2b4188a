"""Write to a git repository, with the user's own configuration. Only for what the user asked for by name.

Nothing is forced, nothing that exists is rewritten, no hook is bypassed, and git asks no questions.
"""

import os
import shutil
import signal
import subprocess
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from dualgate.core.values.notation import harmless
from dualgate.errors import GitFailed
from dualgate.processes.outside import path_outside
from dualgate.processes.scratch import scratch_folder
from dualgate.workspace.git import nearest_repository, outside_of_hooks

WRITING_PATIENCE = 120.0
"""The most seconds that one command may take, with the hooks that it runs."""
END_PATIENCE = 5.0
"""Seconds for git to remove its lock files after SIGTERM."""
SAID_LINES = 8
"""The most lines of git's own output that an error quotes."""
SAID_BYTES = 4096
# no question on the terminal, in a dialog or in an editor
SILENT = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS_REQUIRE": "never",
    "GIT_EDITOR": ":",
    "GIT_SEQUENCE_EDITOR": ":",
    "GIT_MERGE_AUTOEDIT": "no",
    "GIT_PAGER": "cat",
}
FORCING = frozenset(
    (
        *("-f", "--force", "--force-with-lease", "--force-if-includes", "--mirror", "--prune", "--amend"),
        *("--no-verify", "--no-gpg-sign", "--hard", "-D", "-B", "-C", "-M"),
    )
)
"""Options with which git overwrites, rewrites or bypasses something."""
ONWARDS = "Run the command yourself to see all of its output, fix the reason, and try again."


def write_git(
    root: Path,
    *words: str,
    given: bytes = b"",
    variables: Mapping[str, str] | None = None,
    patience: float = WRITING_PATIENCE,
    next_step: str = ONWARDS,
    cwd: Path | None = None,
    accepts: Collection[int] = (0,),
) -> bytes:
    """The output of a git command that may write. Raises GitFailed with git's last lines if it fails.

    It runs in `cwd`, else in `root`. `accepts` are the exit codes that are no failure.
    """
    _refuse_forcing(words)
    repository = nearest_repository(root)
    git = shutil.which("git", path=path_outside(repository or root, os.environ))
    if git is None:
        raise GitFailed("git is not installed.", "Install git, and try again.")
    if repository is None:
        raise GitFailed(f"{root} is in no git repository.", "Run the command in a clone, or git init.")
    environment = {**writing_environment(os.environ), **(variables or {})}
    with scratch_folder("git") as scratch:
        (scratch / "stdin").write_bytes(given)
        code = _run([git, *words], cwd or root, environment, scratch, patience)
        if code not in accepts:
            said = said_by((scratch / "stderr").read_bytes() or (scratch / "stdout").read_bytes())
            raise GitFailed(f"'git {words[0]}' {_ended(code, patience)}{said}", next_step)
        return (scratch / "stdout").read_bytes()


def writing_environment(given: Mapping[str, str]) -> dict[str, str]:
    """Variables for a git that writes: the user's own, without those of a git whose hook calls us, and no questions."""
    return {**outside_of_hooks(given), **SILENT}


def said_by(output: bytes) -> str:
    """The last lines of an output, each after a line break; control characters are escaped."""
    lines = output[-SAID_BYTES:].decode("utf-8", "replace").strip().splitlines()
    return "".join(f"\n  {harmless(line.rstrip())}" for line in lines[-SAID_LINES:] if line.strip())


def _refuse_forcing(words: Sequence[str]) -> None:
    forced = [word for word in words if word.partition("=")[0] in FORCING]
    if words[:1] == ("push",):
        forced += [word for word in words[1:] if word.startswith(("+", ":")) or word in ("-d", "--delete")]
    if forced:
        raise ValueError(f"git {words[0]} must not be called with {forced[0]}")


def _run(argv: Sequence[str], root: Path, environment: Mapping[str, str], scratch: Path, patience: float) -> int | None:
    """The exit code; None if it took too long. Output goes to files: a process of a hook may keep a pipe open."""
    with (
        (scratch / "stdin").open("rb") as stdin,
        (scratch / "stdout").open("wb") as stdout,
        (scratch / "stderr").open("wb") as stderr,
    ):
        process = _started(argv, root, environment, stdin, stdout, stderr)
        try:
            return process.wait(patience)
        except subprocess.TimeoutExpired:
            return None
        finally:
            if process.poll() is None:
                _end(process)


def _started(
    argv: Sequence[str],
    root: Path,
    environment: Mapping[str, str],
    stdin: IO[bytes],
    stdout: IO[bytes],
    stderr: IO[bytes],
) -> "subprocess.Popen[bytes]":
    try:
        # in a session of its own it has no terminal on which ssh or gpg could ask
        return subprocess.Popen(
            argv, cwd=root, env=environment, stdin=stdin, stdout=stdout, stderr=stderr, start_new_session=True
        )
    except OSError as error:
        raise GitFailed(f"git cannot be started: {error.strerror}.", "Check the installation of git.") from error


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End git and its hooks: SIGTERM first, after which git removes its lock files."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(END_PATIENCE)


def _ended(code: int | None, patience: float) -> str:
    if code is None:
        return f"did not end within {patience:g} s and was stopped."
    return f"exits with {code}." if code > 0 else f"was ended by signal {-code}."
