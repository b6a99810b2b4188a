"""The error tree. Each error says what to do next, and knows the exit code it ends the program with.

DualgateError                1   a user can mend it
├── SpecError                    the specification cannot be worked from
├── SettingError                 a setting or flag has no usable value
├── ProgramNotFound              the program of an agent or a test command is not there
├── SandboxUnusable              the sandbox that is asked for cannot be had here
├── ScriptError                  a rehearsal script is wrong
├── SuiteUnusable                the tests cannot be run at all
├── EnvironmentUnhealthy         what the tests need beside them does not run: nobody's work is to blame
├── SessionMissing               there is no session here
├── SessionUnfinished            an earlier run was not brought to an end
├── ControlRefused               what a person asks of a session does not fit it
├── JournalDamaged               the journal cannot be read or continued
├── SnapshotMissing              no snapshot has that name
├── StoreFailed                  the session directory refuses a write
├── OutputLost                   what we print can no longer be written
├── SessionLocked            6   another run owns this work tree
├── Interrupted            130   a person asked the run to stop
└── IllegalTransition       70   our own bug: the machine was asked for a move that is not in its tables
"""

from enum import IntEnum


class ExitCode(IntEnum):
    """How the program ends. `docs/exit-codes.md` says it for users."""

    PROVEN = 0
    ERROR = 1
    USAGE = 2
    NOT_READY = 2
    """Of `doctor`: nothing was begun, as after a wrong command line."""
    HALTED = 3
    BLOCKED = 4
    RATE_LIMITED = 5
    LOCKED = 6
    UNPROVEN = 7
    BUG = 70
    PAUSED = 130


class DualgateError(Exception):
    """What went wrong, and as `next_step` what mends it."""

    exit_code = ExitCode.ERROR

    def __init__(self, message: str, next_step: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step

    def __str__(self) -> str:
        return f"{self.message}\n{self.next_step}" if self.next_step else self.message


class SpecError(DualgateError):
    pass


class SettingError(DualgateError):
    pass


class ProgramNotFound(DualgateError):
    pass


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


class StoreFailed(DualgateError):
    pass


class OutputLost(DualgateError):
    pass


class SessionLocked(DualgateError):
    exit_code = ExitCode.LOCKED


class Interrupted(DualgateError):
    exit_code = ExitCode.PAUSED


class IllegalTransition(DualgateError):
    exit_code = ExitCode.BUG
