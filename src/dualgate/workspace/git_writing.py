"""Write to a git repository, with the user's own configuration. Only for what the user asked for by name.

Nothing is forced, nothing that exists is rewritten, no hook is bypassed, and git asks no questions.
"""

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from dualgate.core.values.notation import harmless
from dualgate.errors import GitFailed
from dualgate.processes.bounded import run_bounded
from dualgate.processes.worktrees import nearest_repository
from dualgate.workspace.git import git_outside, outside_of_hooks

WRITING_PATIENCE = 120.0
"""The most seconds that one command may take, with the hooks that it runs."""
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
    git = git_outside(root)
    if git is None:
        raise GitFailed("git is not installed.", "Install git, and try again.")
    if repository is None:
        raise GitFailed(f"{root} is in no git repository.", "Run the command in a clone, or git init.")
    environment = {**writing_environment(os.environ), **(variables or {})}
    ended = run_bounded([git, *words], cwd or root, environment, patience, given)
    if ended.code not in accepts:
        said = said_by(ended.err or ended.out)
        raise GitFailed(f"'git {words[0]}' {_ended(ended.code, patience)}{said}", next_step)
    return ended.out


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


def _ended(code: int | None, patience: float) -> str:
    if code is None:
        return f"did not end within {patience:g} s and was stopped."
    return f"exits with {code}." if code > 0 else f"was ended by signal {-code}."
