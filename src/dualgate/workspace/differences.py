"""A file before and after -> a short diff. Agents read it, so its length is bounded."""

from difflib import SequenceMatcher, unified_diff
from itertools import islice, takewhile

from dualgate.core.values.changes import FileChange, FileDiff
from dualgate.core.values.notation import in_line
from dualgate.workspace.trees import Entry

LINES_SHOWN = 40
LENGTH_SHOWN = 4096
REVIEW_LINES = 4000
REVIEW_LENGTH = 1 << 18
"""A reviewer sees this much of one file."""
LINES_COMPARED = 2000
CONTEXT = 3
LINES_MATCHED = 5000
UNENDED = "\\ No newline at end of file"


def diff_of(
    path: str, before: bytes | None, after: bytes | None, lines: int = LINES_SHOWN, length: int = LENGTH_SHOWN
) -> str:
    """A unified diff; None is a missing file. For a binary file, only a line with the sizes."""
    if before == after:
        return ""
    name, old, new = in_line(path), _lines(before), _lines(after)
    if old is None or new is None:
        return f"binary file {name} differs: {_size(before)} before, {_size(after)} after\n"
    sides = ("/dev/null" if before is None else f"a/{name}", "/dev/null" if after is None else f"b/{name}")
    if old == new:
        return f"--- {sides[0]}\n+++ {sides[1]}\n"  # an empty file was created or deleted
    shared = _shared(old, new)
    skipped = max(shared - CONTEXT, 0)
    found = unified_diff(
        old[skipped : skipped + LINES_COMPARED], new[skipped : skipped + LINES_COMPARED], *sides, n=CONTEXT, lineterm=""
    )
    return _bounded([_moved(line, skipped) for line in islice(found, lines + 1)], lines, length)


def file_diff(path: str, before: bytes | None, after: bytes | None, is_text: bool = True) -> FileDiff:
    """A file that differs, for a reviewer: all its changed lines, up to a size. Of a binary file only the name."""
    is_binary = not is_text or _lines(before) is None or _lines(after) is None
    text = "" if is_binary else diff_of(path, before, after, REVIEW_LINES, REVIEW_LENGTH)
    changed = [line[:1] for line in text.splitlines()[2:]]
    new, gone = before is None, after is None
    return FileDiff(
        path=path,
        change=FileChange.NEW if new else FileChange.DELETED if gone else FileChange.CHANGED,
        diff=text,
        added=changed.count("+"),
        removed=changed.count("-"),
    )


def mode_diff(before: Entry | None, after: Entry | None) -> str:
    """The change of mode, as git writes it; empty if the bytes changed."""
    if before is None or after is None or before.digest != after.digest:
        return ""
    return f"old mode {before.mode:o}\nnew mode {after.mode:o}\n"


def changed_lines(before: bytes | None, after: bytes | None) -> tuple[tuple[int, int], ...]:
    """Changed lines of `after` as pairs of first and last line; for deleted lines, the line after them.

    Empty if lines cannot be compared: the file is new, deleted, binary or too long.
    """
    old, new = _lines(before), _lines(after)
    if not old or not new or max(len(old), len(new)) > LINES_MATCHED:
        return ()
    spans = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return tuple((start + 1, max(end, start + 1)) for tag, _, _, start, end in spans if tag != "equal")


def _lines(content: bytes | None) -> list[str] | None:
    if content is None:
        return []
    if b"\0" in content[:8192]:
        return None
    try:
        *lines, last = content.decode().split("\n")
    except UnicodeDecodeError:
        return None
    return [*lines, f"{last}\n{UNENDED}"] if last else lines


def _size(content: bytes | None) -> str:
    return "nothing" if content is None else f"{len(content)} bytes"


def _shared(old: list[str], new: list[str]) -> int:
    """How many lines at the beginning are equal. They are skipped: comparing a whole long file takes too long."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))


def _moved(line: str, skipped: int) -> str:
    """Add the skipped lines to the line numbers in the header of a hunk; other lines stay unchanged."""
    if not skipped or not line.startswith("@@ "):
        return line
    ranges = [f"{word[0]}{_later(word[1:], skipped)}" for word in line.split()[1:3]]
    return f"@@ {' '.join(ranges)} @@"


def _later(lines: str, skipped: int) -> str:
    start, comma, count = lines.partition(",")
    return f"{int(start) + skipped}{comma}{count}"


def _bounded(lines: list[str], most: int, length: int) -> str:
    is_cut = len(lines) > most
    text = "\n".join(lines[:most])
    if len(text) > length:
        text, is_cut = text[:length], True
    return f"{text}\n[cut]\n" if is_cut else f"{text}\n"
