"""Commits of a run on a branch: what was planned, made and refused, and the events about them."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar

from dualgate.core.values.vocabulary import AgentCommits, CommitUse, Phase


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitPlan:
    """How a run commits. Nothing is ever committed to another branch than this one."""

    use: CommitUse = CommitUse.NEVER
    branch: str = ""
    base: str = ""
    """The commit that was checked out when the run began, or when committing was first asked for."""
    agent: AgentCommits = AgentCommits.SQUASH
    coauthor: str = ""
    hooks: str = ""
    """The digest of the repository's hooks and configuration: if it changes during a run, nothing is committed."""
    edited: tuple[str, ...] = ()
    """Paths in which a person had uncommitted edits."""
    request: bool = False
    """Whether a pull request is opened when the run is proven and committed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitPlanned:
    """A person asked for commits; the branch and its base are settled."""

    kind: ClassVar[str] = "commit.planned"
    at: datetime
    plan: CommitPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitStarted:
    """A proven tree is about to be committed. If the run is killed, a resume finds the commit by its evidence."""

    kind: ClassVar[str] = "commit.started"
    at: datetime
    phase: Phase
    tree: str
    """The tree of the work tree that a gate proved."""
    evidence: str
    """The trailer by which the commit is found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitMade:
    """The branch has a new commit."""

    kind: ClassVar[str] = "commit.made"
    at: datetime
    phase: Phase
    tree: str
    branch: str
    commit: str
    subject: str = ""
    files: int = 0
    """How many files differ from the commit before."""
    mixed: tuple[str, ...] = ()
    """Files that hold uncommitted edits of a person too."""
    left_out: tuple[str, ...] = ()
    """Changed paths that are not in the commit: ignored by git, or in a submodule."""
    rewritten: tuple[str, ...] = ()
    """Files as a hook rewrote them; the tests had the same results with them."""
    notes: tuple[str, ...] = ()
    """Notes on hooks: one that is not executable, or failed after the commit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitRefusal:
    """Why a tree is not committed."""

    reason: str
    next_step: str = ""
    hook: str = ""
    """The hook that refuses it; empty if git does."""
    output: str = ""
    """The last lines of the hook's output, or what it would rewrite."""
    command: str = ""
    """The command that tries again; empty for the usual one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitFailed:
    """A proven tree could not be committed."""

    kind: ClassVar[str] = "commit.failed"
    at: datetime
    phase: Phase
    tree: str
    refusal: CommitRefusal


@dataclass(frozen=True, slots=True, kw_only=True)
class HooksTried:
    """The hooks were run on a proven tree before the commit at the end, while an agent can still fix what they find."""

    kind: ClassVar[str] = "commit.tried"
    at: datetime
    phase: Phase
    tree: str
    refusal: CommitRefusal | None = None
    rewritten: str = ""
    """Before an approval: the tree as the hooks leave it, if the tests have the same results with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestOpened:
    """A person had the branch pushed, with a pull request for it."""

    kind: ClassVar[str] = "pr.opened"
    at: datetime
    by: str
    branch: str
    commit: str
    remote: str
    url: str
    is_new: bool = True
    """False if the request was open already, and only the branch was pushed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestRefused:
    """The pull request of a proven run could not be opened."""

    kind: ClassVar[str] = "pr.failed"
    at: datetime
    branch: str
    refusal: CommitRefusal


CommitEvent = CommitPlanned | CommitStarted | CommitMade | CommitFailed | HooksTried | RequestOpened | RequestRefused


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvenTree:
    """A tree as a gate proved it: later edits of a person are no part of it."""

    phase: Phase
    tree: str
    start: str
    """The tree at the start of the run, with the edits of a person until then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitLog:
    """The plan, the commits so far, and the last refusal that no commit followed."""

    plan: CommitPlan = field(default_factory=CommitPlan)
    proven: ProvenTree | None = None
    """The tree of the last phase that passed."""
    made: tuple[CommitMade, ...] = ()
    """Those without a commit found nothing to commit."""
    started: CommitStarted | None = None
    """The commit that was begun last; a killed run may have made it."""
    refusal: CommitRefusal | None = None
    refused_tree: str = ""
    """The tree that could not be committed."""
    tried_tree: str = ""
    """The tree that the hooks were last tried on."""
    rewritten: str = ""
    """The tree that hooks made of it, with the same test results: it can be committed without another test run."""
    request: RequestOpened | None = None
    """The pull request, and the commit that was pushed last."""
    requested: str = ""
    """The last commit of the session that the pull request holds."""
    request_refusal: CommitRefusal | None = None
    """Why no pull request was opened since the last commit."""

    @property
    def last_commit(self) -> str:
        return next((made.commit for made in reversed(self.made) if made.commit), "")
