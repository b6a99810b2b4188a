"""Changes of a run -> a commit on a branch, made beside the work tree: HEAD, index and stash stay as they are.

The index of the user is touched only where the branch itself is checked out, and only for the committed paths.
"""

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dualgate.errors import GitFailed
from dualgate.processes.scratch import scratch_folder
from dualgate.processes.worktrees import nearest_repository
from dualgate.workspace.git import as_variables, ask_git
from dualgate.workspace.git_writing import write_git
from dualgate.workspace.restore import restore
from dualgate.workspace.snapshots import Snapshots
from dualgate.workspace.trees import Entry

EVIDENCE = "Dualgate-Evidence"
SEARCHED = 200
"""How many commits of a branch are looked through for one of ours."""
BRANCHES = "refs/heads/"
QUIET = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": "false"}
IDENTITY = "Set your identity: git config --global user.name NAME, and user.email ADDRESS."
SIGNING = "Check that 'git commit -S --allow-empty' works in this repository, or set commit.gpgSign to false."
UNSIGNED = "git cannot sign the commit."
UNWRITTEN = "git cannot write the commit."
UNKNOWN = "git does not know the author of the commits."
MOVED = "Somebody else moved the branch. Look at it: git log BRANCH. Name another branch with --branch."


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitRepository:
    """The repository around a project, as commits are written to it."""

    root: Path
    """The top folder of the work tree."""
    folder: Path
    """The folder of git, that of this work tree if there are several."""
    prefix: str = ""
    """The project's place in the work tree, with a slash at its end; empty if it is the work tree."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenTree:
    id: str
    left_out: tuple[str, ...] = ()
    """Changed paths that are ignored by git, or belong to a submodule."""


def open_repository(project: Path) -> CommitRepository:
    """The repository around a project. Raises GitFailed if there is none with a work tree."""
    top = _line(project, "rev-parse", "--show-toplevel") if nearest_repository(project) else ""
    folder = _line(project, "rev-parse", "--absolute-git-dir")
    if not top or not folder:
        raise GitFailed(
            f"{project} is in no git repository that can be committed to.",
            "Run git init and make a first commit, or leave --commit and --pr out.",
        )
    place = project.resolve().relative_to(Path(top).resolve()).as_posix()
    return CommitRepository(root=Path(top), folder=Path(folder), prefix="" if place == "." else f"{place}/")


def commit_of(repository: CommitRepository, name: str) -> str:
    """The commit that a name stands for; empty if there is none."""
    return _line(repository.root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")


def tree_of(repository: CommitRepository, commit: str) -> str:
    return _line(repository.root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}^{{tree}}")


def tip_of(repository: CommitRepository, branch: str) -> str:
    return commit_of(repository, f"{BRANCHES}{branch}")


def present_branch(repository: CommitRepository) -> str:
    """The branch that is checked out; empty if HEAD is detached."""
    return _line(repository.root, "symbolic-ref", "--quiet", "HEAD").removeprefix(BRANCHES)


def is_linked(repository: CommitRepository) -> bool:
    """Whether this is a work tree beside the first one of its repository."""
    return _line(repository.root, "rev-parse", "--git-common-dir") != _line(repository.root, "rev-parse", "--git-dir")


def is_ancestor(repository: CommitRepository, one: str, other: str) -> bool:
    return one == other or _line(repository.root, "merge-base", one, other) == one


def checked_out_elsewhere(repository: CommitRepository, branch: str) -> str:
    """The other work tree in which a branch is checked out; empty if there is none."""
    for part in os.fsdecode(ask_git(repository.root, "worktree", "list", "--porcelain", "-z")).split("\0\0"):
        words = dict(line.partition(" ")[::2] for line in part.split("\0"))
        place = words.get("worktree", "")
        if words.get("branch") == f"{BRANCHES}{branch}" and Path(place).resolve() != repository.root.resolve():
            return place
    return ""


def find_evidence(repository: CommitRepository, branch: str, evidence: str) -> str:
    """The commit of a branch that carries this evidence; empty if there is none."""
    # not among the trailers alone: a hook may write a line behind them
    told = os.fsdecode(
        ask_git(repository.root, "log", f"-n{SEARCHED}", "-z", "--format=%H%n%B", f"{BRANCHES}{branch}", "--")
    )
    rows = (row.partition("\n") for row in told.split("\0"))
    return next((commit for commit, _, text in rows if carries(text, evidence)), "")


def carries(message: str, evidence: str) -> bool:
    """Whether a message has the trailer with this evidence, in one line or folded."""
    return f"{EVIDENCE}: {evidence}" in re.sub(r"\n[ \t]+", " ", message).split("\n")


def write_tree(
    repository: CommitRepository, onto: str, changes: Mapping[str, Entry | None], snapshots: Snapshots
) -> WrittenTree:
    """A commit's tree with changed paths as a snapshot holds them, as `git add` would store them."""
    wanted = {f"{repository.prefix}{path}": entry for path, entry in changes.items()}
    foreign = {*_in_submodules(repository, onto, wanted)}
    left_out = foreign.union(_ignored(repository, [path for path in wanted if path not in foreign]))
    todo = {path: entry for path, entry in wanted.items() if path not in left_out}
    with scratch_folder("commit") as scratch:
        files = scratch / "files"
        files.mkdir()
        failed = restore(files, {path: entry for path, entry in todo.items() if entry is not None}, snapshots).failed
        if failed:
            path, reason = next(iter(failed.items()))
            raise GitFailed(f"{path} cannot be committed: {reason}.", "Commit it yourself, or raise largest_kept.")
        place = {"GIT_DIR": str(repository.folder), "GIT_WORK_TREE": str(files), "GIT_INDEX_FILE": f"{scratch}/index"}
        variables = {**QUIET, **place}
        write_git(repository.root, "read-tree", onto, variables=variables, cwd=files)
        # a folder in place of a removed file replaces it by itself
        named = [path for path, entry in todo.items() if entry is not None or not (files / path).is_dir()]
        names = b"".join(os.fsencode(path) + b"\0" for path in named)
        words = ("update-index", "--add", "--remove", "--replace", "-z", "--stdin")
        write_git(repository.root, *words, given=names, variables=variables, cwd=files)
        tree = write_git(repository.root, "write-tree", variables=variables, cwd=files)
    return WrittenTree(id=tree.decode().strip(), left_out=tuple(sorted(left_out)))


def make_commit(repository: CommitRepository, tree: str, parent: str, message: bytes) -> str:
    """Write a commit, signed if the user signs commits. No branch moves."""
    signs = signs_commits(repository)
    words = ("commit-tree", tree, "-p", parent, *(("-S",) if signs else ()))
    # messages are UTF-8, whatever the user sets for those that an editor writes
    variables = as_variables({"core.fsmonitor": "false", "i18n.commitEncoding": "UTF-8"})
    step = SIGNING if signs else IDENTITY
    try:
        written = write_git(repository.root, *words, given=message, variables=variables, next_step=step)
    except GitFailed as error:
        raise GitFailed(f"{UNSIGNED if signs else UNWRITTEN} {error.message}", error.next_step) from error
    return written.decode().strip()


def signs_commits(repository: CommitRepository) -> bool:
    return _line(repository.root, "config", "--type=bool", "--get", "commit.gpgSign") == "true"


def author_of(repository: CommitRepository) -> str:
    """`Name <address>`. Raises GitFailed if git does not know the user."""
    told = write_git(repository.root, "var", "GIT_AUTHOR_IDENT", next_step=IDENTITY)
    return os.fsdecode(told).rpartition(">")[0] + ">"


def require_identity(repository: CommitRepository, *, tries_signature: bool = True) -> None:
    """Raise GitFailed before any work if git does not know the user, or cannot sign as configured.

    To try the signature, an object is written and a program of the user is run.
    """
    for name in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
        try:
            write_git(repository.root, "var", name, next_step=IDENTITY)
        except GitFailed as error:
            raise GitFailed(f"{UNKNOWN} {error.message}", error.next_step) from error
    if tries_signature and signs_commits(repository):
        make_commit(repository, "HEAD^{tree}", "HEAD", b"dualgate: a trial of the signature, on no branch\n")


def move_branch(repository: CommitRepository, branch: str, commit: str, before: str) -> None:
    """Let a branch name a new commit, if it still is where it was; `before` is empty for a new branch."""
    words = ("update-ref", "-m", "dualgate: commit of a proven tree", f"{BRANCHES}{branch}", commit)
    step = MOVED.replace("BRANCH", branch)
    write_git(repository.root, *words, before or "0" * len(commit), next_step=step)


def follow_branch(repository: CommitRepository, branch: str, before: str, commit: str) -> None:
    """Take the committed paths over into the index if the branch is checked out; other staged work stays."""
    if present_branch(repository) != branch or not before:
        return
    rows = b"".join(
        f"{mode} {digest}\t".encode() + os.fsencode(path) + b"\0"
        for path, mode, digest in changed_between(repository, before, commit)
    )
    write_git(repository.root, "update-index", "-z", "--index-info", given=rows, variables=QUIET)
    write_git(repository.root, "update-index", "-q", "--refresh", variables=QUIET, accepts=(0, 1))


def changed_between(repository: CommitRepository, one: str, other: str) -> list[tuple[str, str, str]]:
    """Paths that differ between two commits or trees, each with its mode and id in the second."""
    told = ask_git(repository.root, "diff-tree", "-r", "-z", "--no-renames", "--full-index", one, other)
    fields = [field for field in told.split(b"\0") if field]
    rows = []
    for head, path in zip(fields[::2], fields[1::2], strict=False):
        _, mode, _, digest, _ = head.decode().split(" ")
        rows.append((os.fsdecode(path), mode, digest))
    return rows


def _in_submodules(repository: CommitRepository, onto: str, paths: Collection[str]) -> Iterator[str]:
    listing = ask_git(repository.root, "ls-tree", "-r", "-z", "--full-tree", onto).split(b"\0")
    links = [os.fsdecode(row.partition(b"\t")[2]) for row in listing if row.startswith(b"160000 ")]
    yield from (path for path in paths if any(path == link or path.startswith(f"{link}/") for link in links))


def _ignored(repository: CommitRepository, paths: Collection[str]) -> Sequence[str]:
    """Paths that git ignores and does not track."""
    given = b"".join(os.fsencode(path) + b"\0" for path in paths)
    words = ("check-ignore", "-z", "--stdin")
    told = write_git(repository.root, *words, given=given, variables=QUIET, accepts=(0, 1)) if paths else b""
    return [os.fsdecode(path) for path in told.split(b"\0") if path]


def _line(root: Path, *words: str) -> str:
    return os.fsdecode(ask_git(root, *words)).rstrip("\n")
