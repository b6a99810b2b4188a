"""A shared file in chunks, some of them frozen; and how those are put back while the others stay as they are."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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


def mendings(proven: Sequence[Chunk], present: Sequence[Chunk]) -> Iterator[str]:
    """The present file with the frozen chunks of the proven one, in two ways: what is new and frozen stays, or goes.

    It may go unharmed only if nothing else made it frozen, so staying is tried first; whoever asks looks at the result.
    """
    keys = {chunk.key for chunk in proven if chunk.is_frozen}
    for drops in (False, True):
        kept = [chunk for chunk in present if chunk.key in keys or not (drops and chunk.is_frozen)]
        yield "".join(_joined(_put_back(proven, kept, keys)))


def _put_back(proven: Sequence[Chunk], present: Sequence[Chunk], keys: set[str]) -> list[Chunk]:
    waiting: Mapping[str, deque[Chunk]] = defaultdict(deque)
    for chunk in proven:
        if chunk.key in keys:
            waiting[chunk.key].append(chunk)
    mended: list[Chunk] = []
    for chunk in present:
        if chunk.key not in keys:
            mended.append(chunk)
        elif waiting[chunk.key]:
            mended.append(waiting[chunk.key].popleft())
    for place, chunk in enumerate(proven):
        if chunk.key in keys and chunk in waiting[chunk.key]:
            waiting[chunk.key].remove(chunk)
            mended.insert(_place_after(proven[:place], mended), chunk)
    return mended


def _place_after(before: Sequence[Chunk], mended: Sequence[Chunk]) -> int:
    """Behind the nearest chunk that stood before it and still does."""
    for wanted in reversed(before):
        for place in range(len(mended) - 1, -1, -1):
            if mended[place].key == wanted.key:
                return place + 1
    return 0


def _joined(chunks: Sequence[Chunk]) -> Iterator[str]:
    """Each chunk on lines of its own, also where the last of a file did not end one."""
    for place, chunk in enumerate(chunks):
        is_last = place == len(chunks) - 1
        yield chunk.text if is_last or not chunk.text or chunk.text.endswith("\n") else f"{chunk.text}\n"


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
