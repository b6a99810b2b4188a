"""What an agent is at, out of the events that are read anyway: a tool, what it is used on, the tokens so far."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# what says of a tool's input what it is about, the surest first; CLIs differ in the words
ABOUT = (
    *("file_path", "filePath", "absolute_path", "notebook_path", "path", "dir_path"),
    *("command", "pattern", "query", "url", "description"),
)
# longer than any line that is shown: what is cut off here is never seen
LONGEST = 2000
MESSAGES_KEPT = 100


@dataclass(slots=True)
class Doing:
    """As the events said so far; one for each answer, fed by the reader of it."""

    tool: str = ""
    about: str = ""
    tokens: int = 0
    _counted: dict[str, int] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return f"{self.tool} {self.about}".strip()

    def use(self, tool: object, about: object) -> None:
        """A tool that is used now; `about` is its input, or the words for it."""
        if isinstance(tool, str) and tool:
            self.tool = tool[:LONGEST]
            self.about = _first_line(_told(about))

    def count_message(self, name: object, tokens: int) -> None:
        """Tokens of a message that may be told of piece by piece, each time with what it has cost until then."""
        if not isinstance(name, str):
            return
        self.tokens += tokens - self._counted.get(name, 0)
        self._counted[name] = tokens
        if len(self._counted) > MESSAGES_KEPT:
            del self._counted[next(iter(self._counted))]


def _told(about: object) -> str:
    if isinstance(about, Mapping):
        given: Mapping[str, Any] = about
        about = next((given[key] for key in ABOUT if isinstance(given.get(key), str)), "")
    return about if isinstance(about, str) else ""


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0][:LONGEST]
