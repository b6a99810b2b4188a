"""A repository with a run's changes in its work tree, and the commits that are made of them. No agent, no test run."""

import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event as Flag

from dualgate.core.machine.history import apply
from dualgate.core.values.commits import CommitPlanned, ProvenTree
from dualgate.core.values.control import Control
from dualgate.core.values.events import Event
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import LoopState
from dualgate.core.values.vocabulary import CommitUse, Phase, Status
from dualgate.processes.supervisor import Supervisor
from dualgate.session.commit_planning import plan_commits
from dualgate.session.committing import CommitRooms, Prove
from dualgate.settings import Settings
from dualgate.settings.committing import Commits
from dualgate.testing import NOW, a_state
from dualgate.workspace.commits import open_repository
from dualgate.workspace.saved import SavedSnapshots
from dualgate.workspace.snapshots import Snapshots


class Killed(BaseException):
    """The process ends here, as after kill -9."""


def git(root: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-c", "protocol.file.allow=always", *words], cwd=root, capture_output=True, check=True
    )
    return done.stdout.decode("utf-8", "surrogateescape")


def begun(root: Path) -> Path:
    """A folder as a repository, with one commit of all that is in it."""
    git(root, "init", "-q", "-b", "main")
    for name, value in (("user.name", "Ann"), ("user.email", "ann@example.org"), ("commit.gpgSign", "false")):
        git(root, "config", name, value)
    (root / ".gitignore").write_text("*.log\n__pycache__/\n.pytest_cache/\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    return root


def a_repository(root: Path) -> Path:
    root.mkdir(parents=True)
    (root / "code.py").write_text("old = 1\n")
    (root / "gone.py").write_text("gone = 1\n")
    (root / "pkg").mkdir()
    (root / "pkg" / "x.py").write_text("x = 1\n")
    return begun(root)


def a_hook(root: Path, name: str, script: str, mode: int = 0o755, folder: str = ".git/hooks") -> None:
    place = root / folder / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"#!/bin/sh\n{script}\n")
    place.chmod(mode)


def fingerprint(root: Path) -> dict[str, bytes | str]:
    """All that commits must leave alone: HEAD, index, stash, other refs, and the bytes of the work tree."""
    found: dict[str, bytes | str] = {
        str(path.relative_to(root)): path.read_bytes() if not path.is_symlink() else str(path.readlink())
        for path in sorted(root.rglob("*"))
        if (path.is_file() or path.is_symlink()) and ".git" not in path.relative_to(root).parts
    }
    folder = Path(git(root, "rev-parse", "--absolute-git-dir").strip())
    found |= {name: (folder / name).read_bytes() for name in ("HEAD", "index") if (folder / name).exists()}
    refs = git(root, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    found["refs"] = "\n".join(ref for ref in refs if not ref.startswith("refs/heads/dualgate/"))
    return found


@dataclass
class Bench:
    """A run over a project, between its gates."""

    project: Path
    store: Path
    settings: Commits = field(default_factory=lambda: Commits(when=CommitUse.PHASE))
    prove: Prove | None = None
    events: list[Event] = field(default_factory=list)
    dies_at: str = ""
    """The kind of event before which the run is killed."""
    state: LoopState = field(default_factory=a_state)
    start: str = ""

    def __post_init__(self) -> None:
        self.snapshots = self._snapshots()
        self.start = self.snapshots.take()
        self.state = replace(self.state, proof=replace(self.state.proof, start_tree=self.start))

    def _snapshots(self) -> Snapshots:
        return SavedSnapshots(self.project, self.store / "snapshots.db", self.store).look_anew()

    def planned(self, name: str = "doubling") -> "Bench":
        plan = plan_commits(
            Settings(commit=self.settings), self.project, name, self.state.commits.plan, environment=_environment()
        )
        self.record(CommitPlanned(at=NOW, plan=plan))
        return self

    def record(self, event: Event) -> LoopState:
        if event.kind == self.dies_at:
            raise Killed
        self.events.append(event)
        self.state = apply(self.state, event)
        return self.state

    def passed(self, phase: Phase, status: Status = Status.RUNNING) -> "Bench":
        proven = ProvenTree(phase=phase, tree=self.snapshots.take(), start=self.start)
        self.state = replace(self.state, status=status, commits=replace(self.state.commits, proven=proven))
        return self

    def commit(self, after: Callable[[], None] = lambda: None) -> LoopState:
        rooms = CommitRooms(
            repository=open_repository(self.project),
            snapshots=self.snapshots,
            supervisor=Supervisor(dict(_environment())),
            record=self.record,
            now=lambda: NOW,
            messages=lambda due, trailers: _messages(due.proven.phase, trailers),
            mark=lambda: f"{len(self.events)} 0123",
            prove=self.prove,
            timeout=30,
        )
        after()
        return rooms.commit(self.state, Control(cancel=Flag(), clock=lambda: 0.0))

    @property
    def branch(self) -> str:
        return self.state.commits.plan.branch

    @property
    def reason(self) -> str:
        refusal = self.state.commits.refusal
        return refusal.reason if refusal else ""

    def log(self, form: str = "%s") -> list[str]:
        return git(self.project, "log", f"--format={form}", self.branch).split("\n")[:-1]

    def files(self) -> list[str]:
        """The files of the last commit, each with its change."""
        return git(self.project, "show", "--format=", "--name-status", "--no-renames", self.branch).split("\n")[:-1]


def _environment() -> dict[str, str]:
    import os

    return dict(os.environ)


def _messages(phase: Phase, trailers: tuple[tuple[str, str], ...]) -> list[str]:
    rest = "\n\nBody.\n\n" + "".join(f"{name}: {value}\n" for name, value in trailers)
    return [f"Work of {phase}{rest}", f"feat: work of {phase}{rest}"]
