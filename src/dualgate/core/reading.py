"""What a text says, as programs and people ask for it: kind, validity, fields by the document's own names, problems."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from dualgate.core.problems import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """`fields` holds the legal values; `kind` is None where nothing was found."""

    kind: str | None = None
    valid: bool = False
    fields: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    blocks_found: int = 0
    honoured: bool = False
    """Whether it says EXIT_SIGNAL true and that counts. Only a valid RALPH_STATUS block can."""
    line: int = 0
    """Where it begins in the text, counted from 1."""
    complete: bool = True

    def as_document(self) -> dict[str, Any]:
        """The reading as plain data, ready to be written as JSON."""
        return {
            "kind": self.kind,
            "valid": self.valid,
            "fields": dict(self.fields),
            "problems": [asdict(problem) for problem in self.problems],
            "blocks_found": self.blocks_found,
        }
