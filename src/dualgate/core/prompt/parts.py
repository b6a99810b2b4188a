"""The parts of a prompt in their order, each a template of its own, and a prompt as it was put together."""

from collections.abc import Mapping
from dataclasses import dataclass

from dualgate.core.prompt.size import tokens_of
from dualgate.core.values.vocabulary import Workflow

_COMMON = (
    "tests",
    "review",
    "diff",
    "failing",
    "probes",
    "gate",
    "violations",
    "tried",
    "fixes",
    "notes",
    "recalled",
    "guidance",
    "rules",
)
PARTS: Mapping[Workflow, tuple[str, ...]] = {
    Workflow.TDD: ("task", "specification", "criteria", *_COMMON, "AMENDMENT", "answer", "cut"),
    Workflow.RALPH: ("ralph_prompt", "ralph_task", *_COMMON, "answer", "cut"),
}
"""The names of the templates, in the order of work."""
BULK = frozenset({"specification", "criteria", "ralph_prompt", "diff"})
"""The parts that hold the work itself."""
FORM = frozenset({"AMENDMENT", "answer"})
"""The parts that only say how to answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    name: str
    text: str

    @property
    def tokens(self) -> int:
        return tokens_of(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    parts: tuple[Part, ...]
    cut: tuple[str, ...] = ()
    """The parts that were left out for their size."""

    @property
    def text(self) -> str:
        return "\n\n".join(part.text for part in self.parts) + "\n"

    @property
    def tokens(self) -> int:
        return sum(part.tokens for part in self.parts)

    @property
    def rest(self) -> int:
        """Tokens of the parts that describe the situation."""
        return sum(part.tokens for part in self.parts if part.name not in BULK)

    @property
    def form_share(self) -> float:
        """The share of the prompt that only says how to answer."""
        return sum(part.tokens for part in self.parts if part.name in FORM) / max(1, self.tokens)
