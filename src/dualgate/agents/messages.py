"""Events in the form that Claude Code and Qwen Code share -> Answer."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from dualgate.agents.formats import Doing, Event
from dualgate.agents.refusals import trouble_of_status
from dualgate.agents.values import is_count, mapping
from dualgate.core.values.answer import Answer, Failure, Trouble, Usage

ASKING_TOOLS = frozenset({"AskUserQuestion", "ask_user_question"})
SYNTHETIC = "<synthetic>"
QUESTIONS_KEPT = 100
TOKENS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
MESSAGE_KEPT = 4000


@dataclass(slots=True)
class Conversation:
    """Collects the events of a call; of messages and results only the last ones are kept."""

    session_id: str | None = None
    model: str | None = None
    text: str = ""
    """The last text of the model itself, not of a message that the CLI wrote in its name."""
    usage: Event = field(default_factory=dict)
    """The usage of the last message."""
    error: str = ""
    """The `error` field of the last message."""
    result: Event | None = None
    questions: dict[str, None] = field(default_factory=dict)
    paid: tuple[str, ...] = TOKENS
    """The fields of a message's usage that make up its tokens."""
    doing: Doing = field(default_factory=Doing)
    """Includes the sub-agents that the model calls."""

    def feed(self, event: Event) -> None:
        self.session_id = as_text(event.get("session_id")) or self.session_id
        if event.get("type") == "assistant":
            self._watch(mapping(event.get("message")))
        match event.get("type"):
            case "system" if event.get("subtype") == "init":
                self.model = as_text(event.get("model")) or self.model
            case "assistant" if not event.get("parent_tool_use_id"):
                self._hear(event)
            case "result":
                self.result = event
                self._note_questions(inputs for name, inputs in denials(event) if name in ASKING_TOOLS)

    def answer(
        self,
        *,
        text: str,
        usage: Usage | None,
        failure: Failure | None,
        cost_usd: float | None = None,
        retries: int = 0,
    ) -> Answer:
        result = self.result or {}
        denied = dict.fromkeys(name for name, _ in denials(result) if name and name not in ASKING_TOOLS)
        return Answer(
            text=text,
            session_id=self.session_id,
            model=self.model,
            usage=usage,
            cost_usd=cost_usd,
            turns=as_count(result.get("num_turns")),
            stop_reason=as_text(result.get("stop_reason")) or as_text(result.get("terminal_reason")) or None,
            denied=tuple(denied),
            questions=tuple(self.questions),
            retries=retries,
            failure=failure,
        )

    def _watch(self, message: Event) -> None:
        for block in map(mapping, as_list(message.get("content"))):
            if block.get("type") == "tool_use":
                self.doing.use(block.get("name"), block.get("input"))
        usage = mapping(message.get("usage"))
        self.doing.count_message(message.get("id"), sum(as_count(usage.get(key)) or 0 for key in self.paid))

    def _hear(self, event: Event) -> None:
        message = mapping(event.get("message"))
        blocks = [mapping(block) for block in as_list(message.get("content"))]
        # A message after a result starts a new turn, so the result is no longer the last one.
        self.result = None
        self.error = as_text(event.get("error"))
        self.usage = mapping(message.get("usage"))
        if message.get("model") != SYNTHETIC:
            texts = [as_text(block.get("text")) for block in blocks if block.get("type") == "text"]
            self.text = next((text for text in reversed(texts) if text), self.text)
            self.model = as_text(message.get("model")) or self.model
        self._note_questions(
            mapping(block.get("input"))
            for block in blocks
            if block.get("type") == "tool_use" and as_text(block.get("name")) in ASKING_TOOLS
        )

    def _note_questions(self, inputs: Iterator[Event]) -> None:
        for asked in inputs:
            for item in (asked, *as_list(asked.get("questions"))):
                question = as_text(mapping(item).get("question"))
                if question and len(self.questions) < QUESTIONS_KEPT:
                    self.questions[question] = None


def denials(result: Event) -> Iterator[tuple[str, Event]]:
    """The denied tools, each with its input."""
    for item in as_list(result.get("permission_denials")):
        denial = mapping(item)
        yield as_text(denial.get("tool_name")), mapping(denial.get("tool_input"))


def by_status(status: int) -> Trouble:
    return trouble_of_status(status) or Trouble.SERVER_ERROR


def as_text(value: object) -> str:
    return value if isinstance(value, str) else ""


def as_list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def as_count(value: object) -> int | None:
    return value if is_count(value) else None
