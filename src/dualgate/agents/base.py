"""The interface of an agent: it answers a call when every process that it started has ended."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from dualgate.core.values.answer import AgentCall, AgentReply, Thread
from dualgate.core.values.control import Control
from dualgate.core.values.vocabulary import SessionUse
from dualgate.processes.supervisor import Supervisor


class Agent(Protocol):
    @property
    def name(self) -> str: ...

    def ask(self, call: AgentCall, control: Control) -> AgentReply: ...


@runtime_checkable
class Continuing(Agent, Protocol):
    """An agent with a session of its own, which another process can continue."""

    thread: Thread | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentOrder:
    """The options of a new agent; `argument` follows its name (`rehearsal:lying`, `claude:opus`)."""

    project: Path
    supervisor: Supervisor
    argument: str = ""
    timeout: float | None = None
    """The time limit of one call."""
    model: str | None = None
    args: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    session: SessionUse = SessionUse.PHASE
