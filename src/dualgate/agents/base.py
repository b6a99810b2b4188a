"""What an agent is to the loop: something that can be asked, and answers when all that it started is gone."""

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
    """An agent with a session of its own, which a call may go on with that another process made."""

    thread: Thread | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentOrder:
    """What an agent is made from; `argument` is what follows its name (`rehearsal:lying`, `claude:opus`)."""

    project: Path
    supervisor: Supervisor
    argument: str = ""
    timeout: float | None = None
    """Of one call."""
    model: str | None = None
    args: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    session: SessionUse = SessionUse.PHASE
