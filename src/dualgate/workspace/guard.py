"""Which changes a phase does not allow. What the guard refuses is undone by the work tree, and told to the agent."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from dualgate.core.vocabulary import Phase
from dualgate.workspace.snapshots import Entry
from dualgate.workspace.steering import code_part, is_document, is_steering, steering_part

FROZEN = "proven tests and what steers them are frozen after RED"
DOCUMENTS_ONLY = "DOCUMENT may change documents, docstrings and comments only"
READ_ONLY = "a review changes nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One path before and after a call; `content` gives the bytes of an entry."""

    path: str
    before: Entry | None
    after: Entry | None
    content: Callable[[Entry], bytes]

    def part(self, read: Callable[[str, bytes], str], entry: Entry | None) -> str | None:
        if entry is None:
            return None
        if entry.is_link:
            return entry.digest
        return read(self.path, self.content(entry))

    def keeps(self, read: Callable[[str, bytes], str]) -> bool:
        return self.part(read, self.before) == self.part(read, self.after)


def broken_rule(phase: Phase, edit: Edit, frozen: Collection[str]) -> str | None:
    """The rule that an edit breaks, if any."""
    match phase:
        case Phase.RED | Phase.BUILD:
            return None
        case Phase.QA:
            return READ_ONLY
        case Phase.DOCUMENT:
            allowed = is_document(edit.path) or (edit.before is not None and edit.keeps(code_part))
            return None if allowed else DOCUMENTS_ONLY
        case Phase.GREEN | Phase.REFACTOR:
            guarded = edit.path in frozen or is_steering(edit.path)
            return FROZEN if guarded and not edit.keeps(steering_part) else None
