"""A shared file in chunks, some of them frozen; and how those are put back while the others stay as they are."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

Words = frozenset[str]
"""What the test command and the scripts that it runs name: targets, tasks and scripts are called by such words."""
Split = Callable[[str, Words], "list[Chunk]"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A piece of a file; the texts of all chunks together are the file. A key names what the piece is about."""

    key: str
    text: str
    is_frozen: bool = False


def frozen_text(chunks: Iterable[Chunk], form: Callable[[str], str]) -> str:
    formed = (form(chunk.text) for chunk in chunks if chunk.is_frozen)
    return "\n".join(text for text in formed if text)


def called_names(goals: Iterable[str], calls: Callable[[str], Iterable[str]]) -> set[str]:
    """Everything that is called from the goals on."""
    found: set[str] = set()
    waiting = list(goals)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += calls(name)
    return found


def freeze(chunks: Iterable[Chunk], is_frozen: Callable[[Chunk], bool]) -> list[Chunk]:
    return [replace(chunk, is_frozen=is_frozen(chunk)) for chunk in chunks]
