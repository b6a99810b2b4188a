"""Events that carry messages of a model, in the form that Claude Code and Qwen Code share -> what matters of them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from dualgate.agents.formats import Event
from dualgate.core.answer import Answer, Failure, Trouble, Usage

ASKING_TOOLS = frozenset({"AskUserQuestion", "ask_user_question"})
SYNTHETIC = "<synthetic>"
QUESTIONS_KEPT = 100
MESSAGE_KEPT = 500
STATUSES = {
    401: Trouble.AUTHENTICATION,
    402: Trouble.QUOTA,
    403: Trouble.AUTHENTICATION,
    404: Trouble.MODEL_UNKNOWN,
    413: Trouble.CONTEXT_FULL,
    429: Trouble.RATE_LIMIT,
    503: Trouble.OVERLOADED,
    529: Trouble.OVERLOADED,
}


@dataclass(slots=True)
class Conversation:
    """What the events said so far: one message and one result are kept, however many there were."""

    session_id: str | None = None
    model: str | None = None
    text: str = ""
    """What the model itself last wrote; a sentence that the CLI put in its mouth is not it."""
    usage: Event = field(default_factory=dict)
    """Of the last message."""
    error: str = ""
    """The mark of an error on the last message."""
    result: Event | None = None
    questions: dict[str, None] = field(default_factory=dict)

    def feed(self, event: Event) -> None:
        self.session_id = as_text(event.get("session_id")) or self.session_id
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

    def _hear(self, event: Event) -> None:
        message = as_event(event.get("message"))
        blocks = [as_event(block) for block in as_list(message.get("content"))]
        # A message behind a result opens a new turn, and that result no longer ends the answer.
        self.result = None
        self.error = as_text(event.get("error"))
        self.usage = as_event(message.get("usage"))
        if message.get("model") != SYNTHETIC:
            texts = [as_text(block.get("text")) for block in blocks if block.get("type") == "text"]
            self.text = next((text for text in reversed(texts) if text), self.text)
            self.model = as_text(message.get("model")) or self.model
        self._note_questions(
            as_event(block.get("input"))
            for block in blocks
            if block.get("type") == "tool_use" and as_text(block.get("name")) in ASKING_TOOLS
        )

    def _note_questions(self, inputs: Iterator[Event]) -> None:
        for asked in inputs:
            for item in (asked, *as_list(asked.get("questions"))):
                question = as_text(as_event(item).get("question"))
                if question and len(self.questions) < QUESTIONS_KEPT:
                    self.questions[question] = None


def denials(result: Event) -> Iterator[tuple[str, Event]]:
    """The tools that were refused, each with what it was called with."""
    for item in as_list(result.get("permission_denials")):
        denial = as_event(item)
        yield as_text(denial.get("tool_name")), as_event(denial.get("tool_input"))


def by_status(status: int) -> Trouble:
    return STATUSES.get(status, Trouble.SERVER_ERROR)


def as_text(value: object) -> str:
    return value if isinstance(value, str) else ""


def as_event(value: object) -> Event:
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def as_count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def as_amount(value: object) -> float | None:
    """A sum of money; an integer of any length is no reason to fail."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        amount = float(value)
    except OverflowError:
        return None
    return amount if isfinite(amount) and amount >= 0 else None
