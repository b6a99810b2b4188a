"""Run the commit hooks of a repository in a checkout of their own, in which the tree to commit is staged.

A hook may stash, stage and rewrite as it likes: the user's work tree, index and stash are out of its reach.
"""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from dualgate.core.values.answer import Ending
from dualgate.core.values.control import Control
from dualgate.core.values.notation import harmless
from dualgate.processes.job import Job, output_tail
from dualgate.processes.scratch import scratch_folder
from dualgate.processes.supervisor import Supervisor
from dualgate.workspace.checkouts import check_out, find_carried
from dualgate.workspace.commits import BRANCHES, CommitRepository
from dualgate.workspace.git import ask_git
from dualgate.workspace.git_writing import write_git, writing_environment
from dualgate.workspace.revisions import open_revisions, run_git

HOOKS = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit")
SHOWN = 4000
"""Characters of a hook's output that are kept."""
LARGEST_HOOK = 1 << 20
EXECUTED = re.compile(
    r"(core\.(hookspath|fsmonitor|sshcommand|attributesfile|askpass|gitproxy|worktree|alternaterefscommand)"
    r"|gpg\..*|filter\..*|credential\..*|include.*|url\..*|remote\..*|user\.signingkey|commit\.gpgsign|extensions\..*"
    r"|http\..*|push\..*|protocol\..*|hook\..*|ssh\..*|lfs\.(url|pushurl|.*transfer.*|extension\..*)|trailer\..*"
    r"|merge\..*\.driver|diff\..*\.(command|textconv))\n",
    re.DOTALL,
)
"""Settings by which git runs programs, or by which a push goes elsewhere."""
CHOSEN = re.compile(r"remote\..*\.(gh|glab)-resolved\nbase", re.DOTALL)
"""The choice of a remote for requests: gh and glab write it themselves, and all remotes are watched."""
NOT_TAKEN = re.compile(r"(core|extensions|include|includeif|filter|lfs|gc|maintenance|worktree|submodule)\.")


@dataclass(frozen=True, slots=True, kw_only=True)
class HookEnd:
    """How a hook ended; `problem` is empty if it accepts."""

    name: str
    problem: str = ""
    output: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundHooks:
    names: tuple[str, ...] = ()
    folder: Path = Path()
    not_executable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HookPlace:
    """A checkout with the tree to commit, in which hooks run."""

    folder: Path
    scratch: Path
    hooks: FoundHooks
    supervisor: Supervisor
    timeout: float

    def run(self, name: str, control: Control, *words: str) -> HookEnd:
        """Run a hook if there is one, in the sandbox of the run if it has one."""
        if name not in self.hooks.names:
            return HookEnd(name=name)
        environment = writing_environment(self.supervisor.environment)
        job = Job(
            # a shell also runs a script without a first line that names its interpreter, as git does
            argv=("/bin/sh", "-c", '"$0" "$@"', str(self.hooks.folder / name), *words),
            cwd=self.folder,
            environment={**environment, "GIT_INDEX_FILE": str(self.folder / ".git" / "index"), "GIT_PREFIX": ""},
            stdout=self.scratch / "stdout",
            stderr=self.scratch / "stderr",
            output_limit=64 << 20,
            confined=True,
            writable=(self.scratch,),
        )
        ended = self.supervisor.supervise(job, control.within(self.timeout))
        output = harmless(output_tail(job, SHOWN)).strip()[-SHOWN:]
        if ended.ending is not Ending.EXITED:
            problem = f"did not end within {self.timeout:g} s and was stopped"
            return HookEnd(name=name, problem=problem if ended.ending is Ending.TIMED_OUT else "was stopped")
        return HookEnd(name=name, problem=f"exits with {ended.code}" if ended.code else "", output=output)

    def staged_tree(self, *, everything: bool = False) -> str:
        """The tree that is staged; with `everything` after changed files were staged."""
        if everything:
            write_git(self.folder, "add", "--update", "--", ".")
        return write_git(self.folder, "write-tree").decode().strip()

    def rewritten(self, tree: str, other: str) -> dict[str, bytes | None]:
        """Files that differ between two trees, with their present contents; None for one that is gone."""
        told = write_git(self.folder, "diff-tree", "-r", "-z", "--no-renames", "--name-only", tree, other)
        paths = [os.fsdecode(path) for path in told.split(b"\0") if path]
        return {path: _content(self.folder / path) for path in paths}

    def move_on(self, commit: str) -> None:
        """Let HEAD of the checkout name the new commit, as a hook after it expects."""
        write_git(self.folder, "update-ref", "HEAD", commit)


def find_hooks(repository: CommitRepository) -> FoundHooks:
    """The commit hooks that git would run, and those that it would not since they are not executable."""
    folder = _hooks_folder(repository)
    there = [name for name in HOOKS if (folder / name).is_file()]
    names = tuple(name for name in there if os.access(folder / name, os.X_OK))
    return FoundHooks(names=names, folder=folder, not_executable=tuple(name for name in there if name not in names))


def hooks_digest(repository: CommitRepository) -> str:
    """A digest of all hooks, and of the settings by which git runs programs or pushes."""
    told = ask_git(repository.root, "config", "--includes", "--list", "-z")
    rows = (row if "\n" in row else f"{row}\n" for row in os.fsdecode(told).split("\0"))
    settings = sorted(row for row in rows if EXECUTED.match(row) and not CHOSEN.fullmatch(row))
    digest = sha256("\0".join(settings).encode("utf-8", "surrogateescape"))
    folder = _hooks_folder(repository)
    with suppress(OSError):
        # a folder of the project may hold more than hooks, and what lies deeper is the project's own
        is_gits_own = (folder.parent / "HEAD").is_file()
        for path in sorted(folder.rglob("*") if is_gits_own else folder.iterdir()):
            if path.is_file():
                found = path.stat()
                name = f"\0{path.relative_to(folder)}\0{found.st_mode & 0o111:o}\0{found.st_size}\0"
                digest.update(name.encode("utf-8", "surrogateescape"))
                with path.open("rb") as file:
                    digest.update(file.read(LARGEST_HOOK))
    return digest.hexdigest()


@contextmanager
def hook_place(
    repository: CommitRepository, tree: str, parent: str, branch: str, supervisor: Supervisor, timeout: float
) -> Iterator[HookPlace]:
    """A checkout of the tree on its branch, removed when the block ends."""
    with scratch_folder("hooks") as scratch:
        revisions = open_revisions(repository.root, scratch / "own")
        folder = scratch / "checkout" / repository.root.name
        check_out(revisions, tree, parent, folder, find_carried(revisions))
        for name, value in revisions.local_settings("."):
            if not NOT_TAKEN.match(name):
                run_git(folder, ["config", "--add", name, value])
        run_git(folder, ["update-ref", f"{BRANCHES}{branch}", parent])
        run_git(folder, ["symbolic-ref", "HEAD", f"{BRANCHES}{branch}"])
        yield HookPlace(
            folder=folder, scratch=scratch, hooks=find_hooks(repository), supervisor=supervisor, timeout=timeout
        )


def taken_content(rewritten: Mapping[str, bytes | None], prefix: str) -> dict[str, bytes] | None:
    """The rewritten files by their paths in the project; None if one is gone or outside of it."""
    kept = {path: content for path, content in rewritten.items() if content is not None and path.startswith(prefix)}
    return {path[len(prefix) :]: content for path, content in kept.items()} if len(kept) == len(rewritten) else None


def _hooks_folder(repository: CommitRepository) -> Path:
    named = os.fsdecode(ask_git(repository.root, "rev-parse", "--git-path", "hooks")).rstrip("\n")
    return repository.root / named


def _content(path: Path) -> bytes | None:
    with suppress(OSError):
        return path.read_bytes() if path.is_file() and not path.is_symlink() else None
    return None
