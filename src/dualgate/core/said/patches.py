"""Unified diff of one file -> Patch, read strictly; Patch, text -> patched text, only where the context matches."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@.*")
# git writes these lines before the file names; they say nothing about the content
PREFACE = ("diff ", "index ")
NO_NEWLINE = "\\"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunk:
    """Replaces the lines `before` by `after`; `line` is the line number in its header, counted from 1."""

    line: int
    before: tuple[str, ...]
    after: tuple[str, ...]
    before_unended: bool = False
    """Whether the last line of `before` (or of `after`, below) has no line end."""
    after_unended: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    path: str
    hunks: tuple[Hunk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfit:
    """Why a patch cannot be read or applied."""

    reason: str


def read_patch(text: str) -> Patch | Unfit:
    """Read a patch that changes one existing file; it may not create, delete or rename a file."""
    lines = text.replace("\r\n", "\n").strip("\n").split("\n")
    while lines and lines[0].startswith(PREFACE):
        lines = lines[1:]
    if len(lines) < 3 or not lines[0].startswith("--- ") or not lines[1].startswith("+++ "):
        return Unfit(reason="the patch must begin with '--- a/FILE' and '+++ b/FILE', and a hunk below them")
    old, new = _path(lines[0]), _path(lines[1])
    if old != new or not old:
        return Unfit(reason=f"the patch must change one file and keep its name: {old!r} and {new!r} differ")
    hunks = _hunks(lines[2:])
    return hunks if isinstance(hunks, Unfit) else Patch(path=old, hunks=hunks)


def apply_patch(patch: Patch, text: str) -> str | Unfit:
    """Apply every hunk at the line it names, else at the only place where its lines match."""
    has_crlf = 0 < text.count("\n") == text.count("\r\n")
    plain = text.replace("\r\n", "\n") if has_crlf else text
    is_ended = plain.endswith("\n") or not plain
    lines = plain.removesuffix("\n").split("\n") if plain else []
    moved = reached = 0
    for number, hunk in enumerate(patch.hunks, 1):
        place = _place(hunk, lines, hunk.line - 1 + moved, reached)
        if isinstance(place, str):
            return Unfit(reason=f"hunk {number} of the patch {place} in {patch.path}")
        end = place + len(hunk.before)
        if (hunk.before_unended or hunk.after_unended) and end == len(lines):
            is_ended = not hunk.after_unended
        lines[place:end] = hunk.after
        moved += len(hunk.after) - len(hunk.before)
        reached = place + len(hunk.after)
    changed = "\n".join(lines) + ("\n" if is_ended and lines else "")
    return changed.replace("\n", "\r\n") if has_crlf else changed


def _path(line: str) -> str:
    name = line[4:].partition("\t")[0].strip()
    return name[2:] if name.startswith(("a/", "b/")) else name


def _hunks(lines: Sequence[str]) -> tuple[Hunk, ...] | Unfit:
    hunks: list[Hunk] = []
    at = 0
    while at < len(lines):
        head = HUNK.fullmatch(lines[at])
        if head is None:
            return Unfit(reason=f"hunk {len(hunks) + 1} of the patch has no header '@@ -LINE,COUNT +LINE,COUNT @@'")
        counts = [1 if count is None else int(count) for count in head.groups()[1:]]
        end = next((n for n in range(at + 1, len(lines)) if lines[n].startswith("@@ ")), len(lines))
        hunk = _hunk(int(head[1]), _fitted(lines[at + 1 : end], counts[0]))
        if hunk is None:
            return Unfit(reason=f"a line of hunk {len(hunks) + 1} begins with none of ' ', '+', '-'")
        if [len(hunk.before), len(hunk.after)] != counts:
            given = f"{counts[0]} lines before and {counts[1]} after"
            return Unfit(reason=f"hunk {len(hunks) + 1} says {given}, and has {len(hunk.before)} and {len(hunk.after)}")
        hunks.append(hunk)
        at = end
    return tuple(hunks)


def _fitted(body: Sequence[str], before: int) -> list[str]:
    """Add or drop empty lines at the end until the header's count fits: editors and agents change those."""
    fitted = list(body)
    while fitted and not fitted[-1] and _before(fitted) > before:
        fitted.pop()
    return [*fitted, *[""] * (before - _before(fitted))]


def _before(body: Sequence[str]) -> int:
    return sum(not line.startswith(("+", NO_NEWLINE)) for line in body)


def _hunk(line: int, body: Sequence[str]) -> Hunk | None:
    before: list[str] = []
    after: list[str] = []
    unended = {" ": False, "-": False, "+": False}
    last = " "
    for text in body:
        kind, rest = text[:1] or " ", text[1:]
        if kind == NO_NEWLINE:
            unended[last] = True
            continue
        if kind not in unended:
            return None
        if kind != "+":
            before.append(rest)
        if kind != "-":
            after.append(rest)
        last = kind
    return Hunk(
        line=line,
        before=tuple(before),
        after=tuple(after),
        before_unended=unended[" "] or unended["-"],
        after_unended=unended[" "] or unended["+"],
    )


def _place(hunk: Hunk, lines: Sequence[str], said: int, earliest: int) -> int | str:
    """The index where a hunk applies, or the reason why it does not. Without context, only its line number counts."""
    if not hunk.before:
        place = said + 1
        return place if earliest <= place <= len(lines) else "begins at a line that does not exist"
    wanted = list(hunk.before)
    fitting = [n for n in range(earliest, len(lines) - len(wanted) + 1) if list(lines[n : n + len(wanted)]) == wanted]
    if said in fitting:
        return said
    if len(fitting) > 1:
        return f"applies at {len(fitting)} places"
    return fitting[0] if fitting else "does not apply: its context and removed lines are not"
