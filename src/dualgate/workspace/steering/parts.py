"""A path and its bytes -> the part that must not change; and the bytes in which that part is the proven one again."""

from dualgate.workspace.steering.code import code_of, form_of
from dualgate.workspace.steering.formats import plain
from dualgate.workspace.steering.merging import merge
from dualgate.workspace.steering.paths import is_data
from dualgate.workspace.steering.table import row_of
from dualgate.workspace.steering.targets import Words


def loads_plugins(content: bytes) -> bool:
    """Whether a module has pytest load others, as any test module may."""
    return b"pytest_plugins" in content


def steering_part(path: str, content: bytes | None, words: Words = frozenset()) -> str | None:
    """The part that must not change, in a form in which formatting and comments do not count; None: not there."""
    row = row_of(path)
    if row is not None and row.is_shared:
        return row.part(content or b"", words)
    if content is None:
        return None
    if row is not None:
        return row.part(content, words)
    return plain(content) if is_data(path) else form_of(path, content)


def code_part(path: str, content: bytes | None) -> str | None:
    """What a source file does, without comments and docstrings. Any other file is all of its bytes."""
    return None if content is None else code_of(path, content)


def mend(path: str, proven: bytes, present: bytes, words: Words = frozenset()) -> bytes | None:
    """The present file with its steering part as it was proven; None where all of the file steers."""
    row = row_of(path)
    if row is None or not row.is_shared:
        return None
    wanted = row.part(proven, words)
    if row.part(present, words) == wanted:
        return present
    return merge(proven, present, lambda content: row.part(content, words) == wanted)
