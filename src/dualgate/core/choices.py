"""What a person may choose of a run by a word. On its own, so that the help of a command can name them at once."""

from enum import StrEnum


class Workflow(StrEnum):
    TDD = "tdd"
    RALPH = "ralph"


class Amend(StrEnum):
    """Who approves the change of a test that is wrong."""

    REVIEW = "review"
    HUMAN = "human"
    NEVER = "never"


class OnQuestion(StrEnum):
    """What an agent that asks is told."""

    ASSUME = "assume"
    HALT = "halt"


class SandboxKind(StrEnum):
    """Where the agent and the tests run."""

    NONE = "none"
    BWRAP = "bwrap"


class SessionUse(StrEnum):
    """How long an agent's own session goes on: through the calls of a phase, or for one call."""

    PHASE = "phase"
    FRESH = "fresh"
