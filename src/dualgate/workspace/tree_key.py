"""Repository -> a short text that changes with its commit and its work tree. Git reads; nothing of the project runs.

A hook asks this at every stop: no module that is imported here may take long.
"""

import os
import stat
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from dualgate.workspace.git import ask_git, status_with_ids

# kind of a line of the status -> number of fields before the path
_FIELDS_BEFORE = {b"1": 8, b"u": 10, b"?": 1}
_COMMIT = b"# branch.oid "
_NO_COMMIT = b"(initial)"


def tree_key(root: Path) -> str:
    """The same text as long as no commit is made and no file changes that git does not ignore; empty if git fails."""
    told = status_with_ids(root)
    if not told:
        return ""
    seen = sha256(told)
    for path in (*_changed(told), *_hidden(root)):
        seen.update(_marks(root / os.fsdecode(path)))
    return seen.hexdigest()


def head_of(root: Path) -> str:
    """The commit that is checked out, by git; empty if there is none."""
    lines = (line.removeprefix(_COMMIT) for line in status_with_ids(root).split(b"\0") if line.startswith(_COMMIT))
    found = next(lines, _NO_COMMIT)
    return "" if found == _NO_COMMIT else found.decode("ascii", "replace")


def _changed(told: bytes) -> Iterator[bytes]:
    for line in told.split(b"\0"):
        before = _FIELDS_BEFORE.get(line[:1])
        fields = line.split(b" ", before) if before else []
        if before and len(fields) > before:
            yield fields[before]


def _hidden(root: Path) -> Iterator[bytes]:
    """Files that git was asked not to look at (assume-unchanged, skip-worktree): their changes are in no status."""
    for line in ask_git(root, "ls-files", "-v", "-z").split(b"\0"):
        tag, _, path = line.partition(b" ")
        if path and (tag == b"S" or tag.islower()):
            yield path


def _marks(path: Path) -> bytes:
    """Times and size of a file, which need no reading. A folder is a repository inside this one."""
    try:
        found = path.lstat()
    except OSError:
        return b"missing"
    if stat.S_ISDIR(found.st_mode):
        return tree_key(path).encode()
    marks = (found.st_mode, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    return repr(marks).encode()
