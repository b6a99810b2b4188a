"""The error tree. Each error has a message, the next step for the user, and an exit code.

DualgateError                1   a user can fix it
├── SpecError                    the specification cannot be used
├── SpecChanged                  a person edited the specification and must say which one counts
├── SettingError                 a setting or flag has no usable value
├── ProgramNotFound              the program of an agent or a test command is missing
├── SandboxUnusable              the requested sandbox does not work here
├── ScriptError                  a rehearsal script is invalid
├── SuiteUnusable                the tests cannot be run at all
├── EnvironmentUnhealthy         a service that the tests need is not running; the work is not to blame
├── SessionMissing               there is no session here
├── SessionUnfinished            an earlier run is not finished
├── ControlRefused               a person's request does not fit the session
├── JournalDamaged               the journal cannot be read or continued
├── SnapshotMissing              no snapshot has that name
├── RevisionMissing          2   git has no such commit, or there is no git repository
├── GitFailed                    git could not write what was asked for
├── WorktreeRefused              a worktree cannot be made, used or removed
├── RequestFailed                a pull request could not be opened
├── CannotVerify             3   a change cannot be verified; that says nothing about the change
├── StoreFailed                  the session directory refuses a write
├── QueueRefused                 a request does not fit the queue of this repository
├── MachineFull                  the machine has no more processes, memory or open files
├── OutputLost                   our output can no longer be written
├── SessionLocked            6   another run owns this work tree
├── Interrupted            130   a person asked the run to stop
└── IllegalTransition       70   our own bug: the machine was asked for a move that is not in its tables
"""

import errno
from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType
from typing import Any

NOTHING: Mapping[str, Any] = MappingProxyType({})
MACHINE_FULL = frozenset({errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE})
"""Errors of a machine on which nothing more can be started or opened; they say nothing about the work."""


class ExitCode(IntEnum):
    """Exit codes of the program. `docs/exit-codes.md` is made from the texts below: the meaning, then what to do."""

    PROVEN = 0
    """Completed and proven. Other commands than `run`, `resume` and `demo`: done."""
    ERROR = 1
    """An error that you can fix.

    Read the message. Its second line names the fix."""
    USAGE = 2
    """The command line is invalid.

    Run `dualgate COMMAND --help`."""
    NOT_READY = 2
    """From `doctor`: nothing was started, as after a usage error."""
    HALTED = 3
    """Halted: no progress, the same error again, no iterations left, or a [budget](budgets.md) is spent.
    Also after `dualgate abort`.

    Run `dualgate status`. See [when a run halts](troubleshooting.md)."""
    BLOCKED = 4
    """Blocked: the agent needs something from you. Or an agent of the run has no login, and nothing was started.

    Do what the message names, then `dualgate resume`. If nothing was started, run the command again."""
    RATE_LIMITED = 5
    """A usage or rate limit was met, and `--no-wait` was given or the limit was met too often in a row.

    Run `dualgate resume` when the limit has ended."""
    LOCKED = 6
    """Another run owns this work tree.

    The message names its owner. `dualgate status` shows the run, `dualgate pause` pauses it."""
    UNPROVEN = 7
    """Completed, not proven.

    `dualgate status` lists the reasons.
    For a task list see [proven, or only completed](ralph.md#proven-or-only-completed)."""
    UNCOMMITTED = 8
    """Proven, but the commit or pull request that was asked for was not made.

    `dualgate status` names the reason. Fix it, then run `dualgate resume`.
    See [commits](commits.md#a-proven-run-that-is-not-committed)."""
    BUG = 70
    """A bug in dualgate.

    Send the report file that the message names."""
    PAUSED = 130
    """Paused: Ctrl+C, SIGTERM, `dualgate pause`, [finished work to approve](control.md#approve-finished-work),
    or [an edit of the specification](control.md#edit-the-specification-of-a-run).

    Run `dualgate resume`, after an edit with `--respec` or `--keep-spec`.
    The session and the agent's edits are kept."""


class DualgateError(Exception):
    """An error for the user: `message` is the problem, `next_step` the fix, `details` the same for programs."""

    exit_code = ExitCode.ERROR

    def __init__(self, message: str, next_step: str = "", details: Mapping[str, Any] = NOTHING) -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step
        self.details = details

    def __str__(self) -> str:
        return f"{self.message}\n{self.next_step}" if self.next_step else self.message


class SpecError(DualgateError):
    pass


class SpecChanged(DualgateError):
    pass


class SettingError(DualgateError):
    pass


class ProgramNotFound(DualgateError):
    pass


class LoginMissing(DualgateError):
    exit_code = ExitCode.BLOCKED


class SandboxUnusable(DualgateError):
    pass


class ScriptError(DualgateError):
    pass


class SuiteUnusable(DualgateError):
    pass


class EnvironmentUnhealthy(DualgateError):
    pass


class SessionMissing(DualgateError):
    pass


class SessionUnfinished(DualgateError):
    pass


class ControlRefused(DualgateError):
    pass


class JournalDamaged(DualgateError):
    pass


class SnapshotMissing(DualgateError):
    pass


class RevisionMissing(DualgateError):
    exit_code = ExitCode.USAGE


class GitFailed(DualgateError):
    pass


class WorktreeRefused(DualgateError):
    pass


class RequestFailed(DualgateError):
    pass


class CannotVerify(DualgateError):
    exit_code = ExitCode.HALTED


class StoreFailed(DualgateError):
    pass


class QueueRefused(DualgateError):
    pass


class MachineFull(DualgateError):
    """The machine has no more processes, memory or open files."""


class OutputLost(DualgateError):
    pass


class SessionLocked(DualgateError):
    exit_code = ExitCode.LOCKED


class Interrupted(DualgateError):
    exit_code = ExitCode.PAUSED


class IllegalTransition(DualgateError):
    exit_code = ExitCode.BUG
