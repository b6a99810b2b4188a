"""A repository to make worktrees from, and all that must stay as it is in it."""

import hashlib
import subprocess
from pathlib import Path

IDENTITY = {
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
}
NOT_OURS = ("worktrees", "logs/refs/heads/dualgate", "refs/heads/dualgate", "objects")
"""What a worktree may write in the folder of a repository."""


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def committed(folder: Path, **files: str) -> str:
    """Commit all files of a folder; a repository is made if there is none."""
    if not (folder / ".git").exists():
        git(folder, "init", "-q", "-b", "main")
    for name, text in files.items():
        (folder / name).write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "work")
    return git(folder, "rev-parse", "HEAD")


def everything(root: Path) -> dict[str, tuple[object, ...]]:
    """Each path of a checkout with its bytes, mode and time; of its repository all but what a worktree may write."""
    found: dict[str, tuple[object, ...]] = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        inside = name.removeprefix(".git/")
        if name.startswith(".git/") and any(inside == each or inside.startswith(f"{each}/") for each in NOT_OURS):
            continue
        if path.is_symlink():
            found[name] = ("link", str(path.readlink()))
        elif path.is_file():
            status = path.stat()
            found[name] = (hashlib.sha256(path.read_bytes()).hexdigest(), status.st_mode, status.st_mtime_ns)
        elif name not in (".git", ".git/refs/heads", ".git/logs/refs/heads"):
            found[name] = ("folder", path.stat().st_mode)
    return found
