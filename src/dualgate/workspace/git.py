"""Ask git about a repository. Git only reads, and runs nothing that the repository configures."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from dualgate.errors import MACHINE_FULL, GitFailed
from dualgate.processes.outside import path_outside
from dualgate.processes.worktrees import nearest_repository

GIT_PATIENCE = 30.0
# no monitor, no transport to fetch missing objects, no lock
HARMLESS = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
SETTINGS = {"core.fsmonitor": "false"}
# a diff that looks at files also writes the index, after which a hook runs
UNTOUCHED = {"diff.autoRefreshIndex": "false", "core.hooksPath": os.devnull}
OWN_SCOPES = frozenset({"system", "global", "command"})
"""Scopes of settings that are the user's; the others come with the repository."""
WITHOUT_SUBMODULES = "--ignore-submodules=dirty"
"""A submodule has filters of its own, which would run on its changed files."""
FILTERED = ("clean", "smudge", "process")
OF_A_REPOSITORY = frozenset(
    f"GIT_{name}"
    for name in (
        *("DIR", "WORK_TREE", "IMPLICIT_WORK_TREE", "COMMON_DIR", "PREFIX", "NAMESPACE", "INDEX_FILE", "GRAFT_FILE"),
        *("OBJECT_DIRECTORY", "ALTERNATE_OBJECT_DIRECTORIES", "QUARANTINE_PATH", "SHALLOW_FILE"),
    )
)
"""Variables by which a git that calls us, as in a hook, names its own repository."""


def git_outside(root: Path) -> str | None:
    """The program git, but none that lies in the project."""
    return shutil.which("git", path=path_outside(root, os.environ))


def ask_git(root: Path, *words: str) -> bytes:
    """The output of a git command that only reads; empty if git fails, or git or the repository is missing.

    Raises GitFailed if the machine has no room for another process.
    """
    return _asked(root, words, SETTINGS)


def harmless_environment(given: Mapping[str, str]) -> dict[str, str]:
    """Variables for git, with which it fetches nothing; those of a git that calls us, as in a hook, are left out."""
    plain = {name: value for name, value in given.items() if not name.startswith("GIT_")}
    return {**plain, **HARMLESS, **as_variables(SETTINGS)}


def outside_of_hooks(given: Mapping[str, str]) -> dict[str, str]:
    """Variables for programs that may ask git about another repository than the one whose hook calls us."""
    return {name: value for name, value in given.items() if name not in OF_A_REPOSITORY}


def status_of(root: Path) -> bytes:
    """The branch and the changed paths. The repository's filters are switched off: they would run on changed files."""
    return _status(root, "--porcelain")


def status_with_ids(root: Path) -> bytes:
    """The same with the commit that is checked out, the ids of staged files, and each untracked file by its name."""
    return _status(root, "--porcelain=v2", "--untracked-files=all")


def changes_from_head(root: Path) -> bytes:
    """The names of the tracked files that differ from the commit that is checked out, without filters too."""
    words = ("diff", "--no-ext-diff", "--no-textconv", WITHOUT_SUBMODULES, "--name-only", "-z", "HEAD", "--")
    return _asked(root, words, unfiltered(root))


def unfiltered(root: Path) -> dict[str, str]:
    """Settings with which git runs no filter that the repository itself configures, and no hook."""
    return {**SETTINGS, **UNTOUCHED, **dict(_without_filters(root))}


def _status(root: Path, *words: str) -> bytes:
    return _asked(root, ("status", "--branch", "--no-renames", WITHOUT_SUBMODULES, "-z", *words), unfiltered(root))


def _without_filters(root: Path) -> Iterator[tuple[str, str]]:
    """Settings that switch off each filter of the repository, by the scope and name of each setting of a filter."""
    told = ask_git(root, "config", "--includes", "--show-scope", "--name-only", "-z", "--get-regexp", r"^filter\.")
    fields = os.fsdecode(told).split("\0")
    for scope, name in zip(fields[::2], fields[1::2], strict=False):
        if scope not in OWN_SCOPES:
            filter_name = name.rpartition(".")[0]
            yield from ((f"{filter_name}.{what}", "") for what in FILTERED)
            yield f"{filter_name}.required", "false"


def _asked(root: Path, words: tuple[str, ...], settings: Mapping[str, str]) -> bytes:
    git = git_outside(root) if nearest_repository(root) else None
    if git is None:
        return b""
    try:
        said = subprocess.run(
            [git, *words],
            cwd=root,
            env={**harmless_environment(os.environ), **as_variables(settings)},
            capture_output=True,
            timeout=GIT_PATIENCE,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        if isinstance(error, OSError) and error.errno in MACHINE_FULL:
            raise GitFailed(
                f"git cannot be started: {error.strerror}.", "Try again when fewer programs run on this machine."
            ) from error
        return b""
    return said.stdout


def as_variables(settings: Mapping[str, str]) -> dict[str, str]:
    """Settings as variables: an option `-c` would split a name at its first equals sign."""
    pairs = [(f"GIT_CONFIG_KEY_{i}", name) for i, name in enumerate(settings)]
    pairs += [(f"GIT_CONFIG_VALUE_{i}", value) for i, value in enumerate(settings.values())]
    return {"GIT_CONFIG_COUNT": str(len(settings)), **dict(pairs)}
