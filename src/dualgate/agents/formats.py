"""What an agent's output is to the reader of it: who claims an event, and who reads what is claimed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from dualgate.agents.doing import Doing
from dualgate.core.values.answer import Answer, CallEnd

Event = Mapping[str, Any]


class EventReader(Protocol):
    """Reads the events of one answer, one by one, and keeps what matters; made anew for each answer.

    A JSON document is one event, a list or a stream of lines is many. What the agent is at can be asked at any time.
    """

    @property
    def doing(self) -> Doing: ...

    def feed(self, event: Event) -> None: ...

    def finish(self, end: CallEnd) -> Answer: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputFormat:
    """One agent's peculiarities."""

    name: str
    claims: Callable[[Event], bool]
    """Whether an event is in this agent's own form. It must be sure: no two agents may claim one event."""
    reader: Callable[[], EventReader]
    read_text: Callable[[str, CallEnd], Answer | None]
    """Plain text: an answer where the text or standard error shows in this CLI's own form that the call failed."""
