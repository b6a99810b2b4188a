"""The folder of all sessions, in the home folder, and names in it that no two projects share. Little is imported."""

import json
import os
import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

HOME_FOLDER = ".bp-sessions"
LOOP_STATE = "loop-state.json"
METRICS = "metrics.json"
QUEUES = ".queues"
WORKTREES = ".worktrees"
_PROJECT = re.compile(rb'"project": ?("(?:[^"\\]|\\.)*")')


def sessions_home(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("HOME") or Path.home()) / HOME_FOLDER


def attempt_box(home: Path, mark: str) -> Path:
    """The folder for requests of programs that a sandbox confines; `mark` is that of their work tree.

    Inside a sandbox it is all that there is of the sessions.
    """
    return home / HOME_FOLDER / ".attempts" / mark


def verify_store(project: Path, environment: Mapping[str, str]) -> Path:
    """The folder of what was verified in a work tree: results of test runs, and whole answers."""
    return sessions_home(environment) / ".verified" / own_name(project)


def own_name(project: Path) -> str:
    """The name of a project's folder with a hash of its path."""
    return f"{project.name or 'root'}-{short_hash(project)}"


def short_hash(project: Path) -> str:
    return sha256(os.fsencode(project)).hexdigest()[:12]


def written_path(project: Path) -> str:
    """A path as the journal and the memory write it."""
    return str(project).encode("utf-8", "backslashreplace").decode()


def names_project(first_line: bytes, project: Path) -> bool:
    """Whether the first line of a journal names this project."""
    found = _PROJECT.search(first_line)
    return found is not None and found[1] == json.dumps(written_path(project), ensure_ascii=False).encode()
