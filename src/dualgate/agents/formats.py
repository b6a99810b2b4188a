"""The output format of an agent: which events are its own, who reads them, and what the agent is doing meanwhile."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from dualgate.core.values.answer import Answer, CallEnd, Failure

Event = Mapping[str, Any]

# Input fields that say what a tool works on, the most specific first; CLIs differ in the names.
ABOUT = (
    *("file_path", "filePath", "absolute_path", "notebook_path", "path", "dir_path"),
    *("command", "pattern", "query", "url", "description"),
)
# Longer than any line that is shown.
LONGEST = 2000
MESSAGES_KEPT = 100


@dataclass(slots=True)
class Doing:
    """The tool that the agent uses now, and its tokens so far. The reader of an answer feeds it."""

    tool: str = ""
    about: str = ""
    tokens: int = 0
    dead_end: Failure | None = None
    """Why the call can no longer succeed, although it still runs."""
    _counted: dict[str, int] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return f"{self.tool} {self.about}".strip()

    def use(self, tool: object, about: object) -> None:
        """Note the tool in use; `about` is its input, or a text that describes it."""
        if not isinstance(tool, str) or not tool:
            return
        if isinstance(about, Mapping):
            about = next((about[key] for key in ABOUT if isinstance(about.get(key), str)), "")
        self.tool = tool[:LONGEST]
        self.about = about.strip().partition("\n")[0][:LONGEST] if isinstance(about, str) else ""

    def count_message(self, name: object, tokens: int) -> None:
        """Count a message that may be reported several times, each time with its tokens so far."""
        if not isinstance(name, str):
            return
        self.tokens += tokens - self._counted.get(name, 0)
        self._counted[name] = tokens
        if len(self._counted) > MESSAGES_KEPT:
            del self._counted[next(iter(self._counted))]


class EventReader(Protocol):
    """Reads the events of one answer; each answer has its own reader.

    A JSON document is one event, a list or a stream of lines is many. `doing` can be read at any time.
    """

    @property
    def doing(self) -> Doing: ...

    def feed(self, event: Event) -> None: ...

    def finish(self, end: CallEnd) -> Answer: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputFormat:
    name: str
    claims: Callable[[Event], bool]
    """Whether an event is in this agent's own form. No two agents may claim the same event."""
    reader: Callable[[], EventReader]
    read_text: Callable[[str, CallEnd], Answer | None]
    """Plain text: an answer if the text or standard error shows, in this CLI's own form, that the call failed."""
