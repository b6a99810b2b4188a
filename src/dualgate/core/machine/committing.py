"""LoopState -> the commit that is due, and the state after an event about commits. Git is not known here."""

from dataclasses import dataclass

from dualgate.core.machine.approving import waits_for_approval
from dualgate.core.values.commits import (
    CommitEvent,
    CommitFailed,
    CommitLog,
    CommitMade,
    CommitPlanned,
    CommitRefusal,
    CommitStarted,
    HooksTried,
    ProvenTree,
    RequestOpened,
    RequestRefused,
)
from dualgate.core.values.replacing import replace
from dualgate.core.values.state import LoopState, Warned
from dualgate.core.values.vocabulary import CommitUse, Phase, Status

TRIED_AFTER = frozenset({Phase.GREEN, Phase.REFACTOR, Phase.DOCUMENT})
"""Phases after which hooks are tried if the only commit comes at the end: an agent can still fix what they find."""
NOT_COMMITTED = "not committed: "
ENDED_BEFORE = "the run ended before it was made"
COMMIT, PULL_REQUEST = "commit", "pull request"
WARNING_LENGTH = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class DueCommit:
    """A proven tree to commit, or only to show to the hooks."""

    proven: ProvenTree
    is_trial: bool = False
    is_last: bool = False
    is_approved_next: bool = False
    """The trial before a person approves the work: after that no tests are run any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotMade:
    """The commit or pull request that a proven run was asked for and did not make."""

    what: str
    reason: str
    next_step: str
    command: str
    """The command that tries again."""
    is_refused: bool
    """False if the run was killed before it could make it."""
    output: str = ""
    """The last lines that a hook wrote."""


def due_commit(state: LoopState) -> DueCommit | None:
    """The commit to make now; None if there is none, or it was refused already.

    A skipped phase proves nothing: its tree is not committed.
    """
    log, proven = state.commits, state.commits.proven
    if log.plan.use is CommitUse.NEVER or proven is None or proven.tree == log.refused_tree:
        return None
    is_last = state.status is Status.COMPLETED
    if any(made.tree == proven.tree for made in log.made[-1:]) or (is_last and not state.proven):
        return None
    if is_last or log.plan.use is CommitUse.PHASE:
        return DueCommit(proven=proven, is_last=is_last)
    return _due_trial(state, proven)


def _due_trial(state: LoopState, proven: ProvenTree) -> DueCommit | None:
    """The trial of the hooks that is due before the commit of the run."""
    log = state.commits
    was_tried = log.tried_tree == proven.tree
    if waits_for_approval(state):
        is_known = was_tried and (bool(log.rewritten) or log.refusal is not None)
        return None if is_known else DueCommit(proven=proven, is_trial=True, is_approved_next=True)
    is_due = proven.phase in TRIED_AFTER and state.status is Status.RUNNING and not was_tried
    return DueCommit(proven=proven, is_trial=True) if is_due else None


def is_outstanding(state: LoopState) -> bool:
    """Whether a proven run has ended without its last commit, which a later command can make."""
    return state.status is Status.COMPLETED and due_commit(replace(state, commits=retried(state.commits))) is not None


def not_made(state: LoopState) -> NotMade | None:
    """The commit or the pull request that a proven run was asked for and did not make; None if it made both."""
    log = state.commits
    if is_outstanding(state):
        return _missing(COMMIT, log.refusal, "dualgate resume")
    if state.status is not Status.COMPLETED or not state.proven or not log.plan.request:
        return None
    is_open = log.request is not None and log.requested == log.last_commit
    return None if is_open else _missing(PULL_REQUEST, log.request_refusal, "dualgate pr")


def _missing(what: str, refused: CommitRefusal | None, command: str) -> NotMade:
    refusal = refused or CommitRefusal(reason=ENDED_BEFORE)
    return NotMade(
        what=what,
        is_refused=refused is not None,
        reason=refusal.reason,
        next_step=refusal.next_step,
        command=refusal.command or command,
        output=refusal.output,
    )


def retried(log: CommitLog) -> CommitLog:
    """The log of a session that a person resumes: a refused commit is tried again."""
    return replace(log, refusal=None, refused_tree="", tried_tree="")


def log_after(state: LoopState, event: CommitEvent) -> LoopState:
    log = state.commits
    match event:
        case CommitPlanned():
            return replace(state, commits=replace(retried(log), plan=event.plan))
        case CommitStarted():
            return replace(state, commits=replace(log, started=event))
        case CommitMade():
            log = replace(log, made=(*log.made, event), started=None, refusal=None, request_refusal=None)
            return replace(state, commits=log, warnings=_warnings(state, event.phase, None))
        case CommitFailed():
            log = replace(log, refusal=event.refusal, refused_tree=event.tree)
            return replace(state, commits=log, warnings=_warnings(state, event.phase, event.refusal))
        case RequestOpened():
            log = replace(log, request=event, requested=log.last_commit, request_refusal=None)
            return replace(state, commits=log)
        case RequestRefused():
            return replace(state, commits=replace(log, request_refusal=event.refusal))
        case HooksTried():
            log = replace(log, refusal=event.refusal, tried_tree=event.tree, rewritten=event.rewritten)
            return replace(state, commits=log, warnings=_warnings(state, event.phase, event.refusal))


def _warnings(state: LoopState, phase: Phase, refusal: CommitRefusal | None) -> tuple[Warned, ...]:
    """The warnings of the session; of those about commits only the last one is kept."""
    others = tuple(each for each in state.warnings if not each.text.startswith(NOT_COMMITTED))
    text = " ".join(f"{NOT_COMMITTED}{refusal.reason}".split())[:WARNING_LENGTH] if refusal else ""
    return (*others, Warned(phase=phase, iteration=0, text=text)) if text else others
