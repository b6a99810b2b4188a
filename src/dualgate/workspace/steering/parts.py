"""A path and its bytes -> the part that must not change, and a file with the proven part restored in it."""

import re
from collections.abc import Callable
from difflib import SequenceMatcher
from functools import partial

from dualgate.workspace.steering.code import code_of, form_of
from dualgate.workspace.steering.formats import plain
from dualgate.workspace.steering.paths import is_data
from dualgate.workspace.steering.table import row_of
from dualgate.workspace.steering.targets import Words

Edits = list[tuple[bytes, bytes]]
_WORD = re.compile(rb"\w+|\s+|[^\w\s]")
_LENGTH_DIVIDED = 1 << 14
_EDITS_TRIED = 400


def loads_plugins(content: bytes) -> bool:
    """Whether a module makes pytest load plug-ins."""
    return b"pytest_plugins" in content


def steering_part(path: str, content: bytes | None, words: Words = frozenset()) -> str | None:
    """The part that must not change, in a form without formatting and comments; None if the file is missing."""
    row = row_of(path)
    if row is not None and row.is_shared:
        return row.part(content or b"", words)
    if content is None:
        return None
    if row is not None:
        return row.part(content, words)
    return plain(content) if is_data(path) else form_of(path, content)


def code_part(path: str, content: bytes | None) -> str | None:
    """The code of a source file, without comments and docstrings. Any other file counts byte for byte."""
    return None if content is None else code_of(path, content)


def with_proven_part(path: str, proven: bytes, present: bytes, words: Words = frozenset()) -> bytes | None:
    """The present file with its proven steering part; None if the whole file steers."""
    row = row_of(path)
    if row is None or not row.is_shared:
        return None
    wanted = row.part(proven, words)
    if row.part(present, words) == wanted:
        return present
    return merge(proven, present, lambda content: row.part(content, words) == wanted)


def merge(proven: bytes, present: bytes, is_right: Callable[[bytes], bool], depth: int = 0) -> bytes:
    """The proven text with all edits that keep it right; an edit that breaks it is split and tried in pieces."""
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
