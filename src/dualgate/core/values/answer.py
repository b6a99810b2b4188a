"""Answer: the output of one agent call, read by structure. Adapters fill it; nothing in it is judged."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from hashlib import sha256

from dualgate.core.values.vocabulary import ROLES, EntryKind, Phase, Role


class Ending(StrEnum):
    """How a process that the loop started ended."""

    EXITED = "exited"
    TIMED_OUT = "timed_out"
    IDLE = "idle"
    FLOODED = "flooded"
    CUT_SHORT = "cut_short"
    """Ended early, because it could no longer succeed."""


class AnswerFormat(StrEnum):
    TEXT = "text"
    JSON = "json"
    LIST = "json_list"
    LINES = "json_lines"


class Trouble(StrEnum):
    """Why a call failed. It is read from the output's structure, never from words in the model's text."""

    RATE_LIMIT = "rate_limit"
    USAGE_LIMIT = "usage_limit"
    WEEKLY_LIMIT = "weekly_limit"
    LIMIT = "limit"
    """A limit in words that are not known, without a time at which it ends."""
    QUOTA = "quota"
    OVERLOADED = "overloaded"
    AUTHENTICATION = "authentication"
    MODEL_UNKNOWN = "model_unknown"
    CONTEXT_FULL = "context_full"
    REFUSAL = "refusal"
    OUTPUT_CAP = "output_cap"
    TURN_LIMIT = "turn_limit"
    BUDGET = "budget"
    DENIED = "denied"
    SERVER_ERROR = "server_error"
    CUT_STREAM = "cut_stream"
    TIMED_OUT = "timed_out"
    IDLE = "idle"
    FLOODED = "flooded"
    INTERRUPTED = "interrupted"
    CRASH = "crash"
    EMPTY = "empty"


LIMITS = frozenset({Trouble.RATE_LIMIT, Trouble.USAGE_LIMIT, Trouble.WEEKLY_LIMIT, Trouble.LIMIT})
_TIMED_OUT_CODE = 124
"""Exit code of timeout(1), with which many people start their agents."""
_ENDINGS = {Ending.TIMED_OUT: Trouble.TIMED_OUT, Ending.IDLE: Trouble.IDLE, Ending.FLOODED: Trouble.FLOODED}
_LINE_LENGTH = 500
NAME_LENGTH = 200
"""Maximum length of model and session names: they go into our files and onto the next command line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A failed call: `message` is the CLI's own sentence; `resets_at` is the reported end of a limit."""

    kind: Trouble
    message: str = ""
    resets_at: datetime | None = None
    hint: str = ""
    """How to fix it, if the adapter knows."""

    @property
    def sentence(self) -> str:
        said = f"{self.kind}, {self.message}" if self.message else self.kind
        return f"{said} ({self.hint})" if self.hint else said


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of the whole call; `input` includes those from a cache."""

    input: int = 0
    output: int = 0
    cached: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitUse:
    """How much of a usage limit the account has used, as the CLI reports it."""

    window: str
    """The CLI's own name of the limit, such as five_hour."""
    used: float
    """The used share, 1.0 for all of it."""
    resets_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer. Unknown values are None or empty; a cost that the CLI does not report is not guessed."""

    agent: str | None = None
    format: AnswerFormat = AnswerFormat.TEXT
    text: str = ""
    """The final message alone, not the whole conversation."""
    session_id: str | None = None
    model: str | None = None
    usage: Usage | None = None
    cost_usd: float | None = None
    turns: int | None = None
    stop_reason: str | None = None
    denied: tuple[str, ...] = ()
    """Tools that the agent was not allowed to use, by name."""
    allowed_by: str = ""
    """The setting that would have allowed them, if the adapter knows."""
    questions: tuple[str, ...] = ()
    """Questions that the agent asked through a question tool."""
    retries: int = 0
    """Model calls that the CLI itself retried."""
    failure: Failure | None = None
    limit_use: tuple[LimitUse, ...] = ()
    """The used shares of usage limits; empty if the CLI reports none."""
    problems: tuple[str, ...] = field(default=())
    """Harmless oddities of the output: noise between events, a truncated event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """An agent's own session after its last call, and the dualgate session it belongs to."""

    owner: str
    """The dualgate session."""
    phase: str
    number: int
    """Number of the last call."""
    agent: str | None = None
    session: str = ""
    usage: Usage = field(default_factory=Usage)
    """Tokens used by all its calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEnd:
    """How the process ended, and its standard error; `now` gives clock times their day and zone."""

    now: datetime
    exit_code: int | None = 0
    ending: Ending = Ending.EXITED
    stderr: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentReply:
    """The result of a call: the answer, and how the process ended."""

    answer: Answer
    exit_code: int | None = 0
    ending: Ending = Ending.EXITED
    stderr: str = ""
    seconds: float = 0.0
    agent: str = ""
    """The agent's name in the lineup."""
    follows: int = 0
    """The number of the call whose status block it was asked for; 0 if it answers a call of its own."""
    reads_only: bool = False
    """Whether the agent was started so that it cannot write: changes of the work tree meanwhile are a person's."""


def conclude(answer: Answer, end: CallEnd) -> Answer:
    """Add a failure unless the process exited by itself with 0 and a non-empty answer."""
    answer = _with_short_names(answer)
    if end.ending in _ENDINGS:
        return replace(answer, failure=Failure(kind=_ENDINGS[end.ending], message=last_line(end.stderr)))
    if answer.failure is not None:
        return replace(answer, failure=replace(answer.failure, message=answer.failure.message[:_LINE_LENGTH]))
    if end.exit_code == _TIMED_OUT_CODE:
        return replace(answer, failure=Failure(kind=Trouble.TIMED_OUT, message=last_line(end.stderr)))
    if end.exit_code != 0:
        # the last line of a known agent is the model's text, not the reason
        said = last_line(answer.text) if answer.format is AnswerFormat.TEXT else ""
        reason = last_line(end.stderr) or ("" if said.startswith("---") else said)
        message = f"exit code {end.exit_code}: {reason}".rstrip(": ")
        return replace(answer, failure=Failure(kind=Trouble.CRASH, message=message))
    if not answer.text.strip():
        return replace(answer, failure=Failure(kind=Trouble.EMPTY, message="the answer is empty"))
    return answer


def _with_short_names(answer: Answer) -> Answer:
    """Drop names that are too long; a cut name could be that of another model."""
    model, session, reason = (
        name if name and len(name) <= NAME_LENGTH else None
        for name in (answer.model, answer.session_id, answer.stop_reason)
    )
    return replace(answer, model=model, session_id=session, stop_reason=reason)


def last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1].strip()[:_LINE_LENGTH] if lines else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """An entry of the memory as the prompt of a call shows it."""

    id: int
    kind: EntryKind
    text: str
    source: str
    cure: str = ""
    change: str = ""
    """The changed lines of the cure."""


def call_token(session_id: str, number: int) -> str:
    return sha256(f"{session_id} {number}".encode()).hexdigest()[:8]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCall:
    """One request to an agent. `ordinal` counts the finished calls of this phase, including this one."""

    number: int
    ordinal: int
    phase: Phase
    iteration: int
    session_id: str
    prompt: str
    recalled: tuple[Recalled, ...] = ()
    """The entries of earlier sessions that the prompt shows."""
    follows: int = 0
    """The number of the call whose status block this one asks for; 0 if it is a call of its own."""

    @property
    def token(self) -> str:
        """The optional word in the status block that tells this call from every other."""
        return call_token(self.session_id, self.number)

    @property
    def role(self) -> Role:
        return ROLES[self.phase]
