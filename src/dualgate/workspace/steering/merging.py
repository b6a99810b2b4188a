"""Two texts of a file -> the later one, without the edits that change what is frozen in it."""

import re
from collections.abc import Callable
from difflib import SequenceMatcher
from functools import partial

Edits = list[tuple[bytes, bytes]]
_WORD = re.compile(rb"\w+|\s+|[^\w\s]")
_LENGTH_DIVIDED = 1 << 14
_EDITS_TRIED = 400


def merge(proven: bytes, present: bytes, is_right: Callable[[bytes], bool], depth: int = 0) -> bytes:
    """The proven text, with those edits after which it is still right; an edit that breaks it is divided."""
    merged, rest = b"", proven
    edits = _DIVISIONS[depth](proven, present)
    if len(edits) > _EDITS_TRIED:
        return proven
    for old, new in edits:
        rest = rest[len(old) :]
        is_right_here = partial(_is_right_between, is_right, merged, rest)
        if old == new or is_right_here(new):
            merged += new
        else:
            merged += merge(old, new, is_right_here, depth + 1) if depth + 1 < len(_DIVISIONS) else old
    return merged


def _is_right_between(is_right: Callable[[bytes], bool], before: bytes, after: bytes, content: bytes) -> bool:
    return is_right(before + content + after)


def _in_hunks(old: bytes, new: bytes) -> Edits:
    return _compared(old.splitlines(keepends=True), new.splitlines(keepends=True))


def _in_lines(old: bytes, new: bytes) -> Edits:
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    count = min(len(before), len(after))
    return [*zip(before, after, strict=False), (b"".join(before[count:]), b"".join(after[count:]))]


def _in_words(old: bytes, new: bytes) -> Edits:
    is_long = len(old) + len(new) > _LENGTH_DIVIDED
    return [(old, new)] if is_long else _compared(_WORD.findall(old), _WORD.findall(new))


def _compared(before: list[bytes], after: list[bytes]) -> Edits:
    codes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return [(b"".join(before[start:end]), b"".join(after[first:last])) for _, start, end, first, last in codes]


_DIVISIONS = (_in_hunks, _in_lines, _in_words)
