"""What an agent is to the loop: something that can be asked, and answers when all that it started is gone."""

from typing import Protocol

from dualgate.core.answer import AgentReply
from dualgate.core.control import Control
from dualgate.core.vocabulary import AgentCall


class Agent(Protocol):
    @property
    def name(self) -> str: ...

    def ask(self, call: AgentCall, control: Control) -> AgentReply: ...
