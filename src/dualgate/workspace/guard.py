"""Which changes a phase does not allow. What the guard refuses is undone by the work tree, and told to the agent."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import PurePosixPath

from dualgate.core.vocabulary import Phase
from dualgate.workspace.snapshots import Entry
from dualgate.workspace.steering import (
    code_part,
    is_document,
    is_in_test_folder,
    is_steering,
    loads_plugins,
    shadows,
    steering_part,
)

FROZEN = "proven tests and what steers them are frozen after RED"
DOCUMENTS_ONLY = "DOCUMENT may change documents, docstrings and comments only"
READ_ONLY = "a review changes nothing"
AFTER_RED = frozenset({Phase.GREEN, Phase.REFACTOR, Phase.DOCUMENT, Phase.QA})


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One path before and after; `content` gives the bytes of an entry."""

    path: str
    before: Entry | None
    after: Entry | None
    content: Callable[[Entry], bytes]

    def keeps(self, part: Callable[[str, bytes | None], str | None]) -> bool:
        """Whether a part of the file is the same. Files alone have parts: a link, or a file made one, is all it is."""
        entries = [entry for entry in (self.before, self.after) if entry is not None]
        if any(entry.is_link or not entry.is_kept for entry in entries):
            return self.before == self.after
        return part(self.path, self._bytes(self.before)) == part(self.path, self._bytes(self.after))

    def begins_to_load_plugins(self) -> bool:
        before, after = self._bytes(self.before), self._bytes(self.after)
        return self.path.endswith(".py") and loads_plugins(after or b"") and not loads_plugins(before or b"")

    def _bytes(self, entry: Entry | None) -> bytes | None:
        return None if entry is None else self.content(entry)


def broken_freeze(
    edit: Edit, frozen: Collection[str], outputs: Collection[str], modules: frozenset[str] = frozenset()
) -> str | None:
    """The rule that holds from RED on: `before` is the proven state, and a new file is free unless it steers.

    What stands with the tests helps them and is frozen with them, but for what test runs write themselves.
    """
    is_guarded = edit.path in frozen or is_steering(edit.path) or edit.begins_to_load_plugins()
    is_helper = is_in_test_folder(edit.path) and edit.path not in outputs
    if edit.before is None:
        is_helper = (is_helper and _stands_in(edit.path, modules)) or shadows(edit.path)
    return FROZEN if (is_guarded or is_helper) and not edit.keeps(steering_part) else None


def _stands_in(path: str, modules: frozenset[str]) -> bool:
    """Whether a new file beside the tests would be imported in place of a module that is there already."""
    pure = PurePosixPath(path)
    if pure.suffix != ".py":
        return False
    return pure.name == "__init__.py" or pure.stem in modules or not modules.isdisjoint(pure.parts[1:-1])


def broken_rule(phase: Phase, edit: Edit) -> str | None:
    """The rule of the phase that an edit breaks, if any; `before` is the state before the call."""
    match phase:
        case Phase.QA:
            return READ_ONLY
        case Phase.DOCUMENT:
            allowed = is_document(edit.path) or (edit.before is not None and edit.keeps(code_part))
            return None if allowed else DOCUMENTS_ONLY
        case Phase.RED | Phase.GREEN | Phase.REFACTOR | Phase.BUILD:
            return None
