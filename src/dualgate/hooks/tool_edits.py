"""The input of a host's edit tool -> the files that it would write, with their content before and after."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dualgate.hooks.origin import Payload, text_of

_PATHS = ("file_path", "filePath", "path", "notebook_path")
_WHOLE = ("content", "file_text", "contents")
_OLD, _NEW = ("old_string", "old_str", "oldString"), ("new_string", "new_str", "newString")
_PATCHES = ("command", "input", "patch")
_PATCH_BEGINS = "*** Begin Patch"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """A file that a tool is about to write; None for a file that does not exist before or after."""

    path: Path
    before: bytes | None
    after: bytes | None


def proposed_edits(payload: Payload, folder: Path) -> tuple[Proposed, ...]:
    """The edits of a tool call. One that cannot be read is left out: the guard of the run sees it afterwards."""
    given = _input(payload)
    patch = next((text for name in _PATCHES if (text := _patch_text(given.get(name)))), "")
    found = _patched(patch, folder) if patch else _written(given, folder)
    return tuple(each for each in found if each.before != each.after)


def _input(payload: Payload) -> Mapping[str, Any]:
    """The arguments of the tool; Copilot gives them as a text of JSON."""
    given = payload.get("tool_input", payload.get("toolArgs"))
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            given = {"input": given}
    return given if isinstance(given, dict) else {}


def _written(given: Mapping[str, Any], folder: Path) -> Iterator[Proposed]:
    name = text_of(given, *_PATHS)
    if not name:
        return
    path = folder / name
    before = _content(path)
    whole = next((given[field] for field in _WHOLE if isinstance(given.get(field), str)), None)
    if whole is not None:
        yield Proposed(path=path, before=before, after=_bytes(whole))
        return
    edits = given.get("edits") if isinstance(given.get("edits"), list) else [given]
    after = before
    for edit in edits or ():
        after = _replaced(after, edit) if isinstance(edit, dict) and after is not None else None
    if before is not None and after is not None:
        yield Proposed(path=path, before=before, after=after)


def _replaced(content: bytes, edit: Mapping[str, Any]) -> bytes | None:
    old, new = _bytes(text_of(edit, *_OLD)), _bytes(text_of(edit, *_NEW))
    if not old or old not in content:
        return None
    return content.replace(old, new, -1 if edit.get("replace_all") else 1)


def _patch_text(value: object) -> str:
    """The patch in a field: a text, or the words of a command with the patch among them."""
    words = value if isinstance(value, list) else [value]
    texts = (word for word in words if isinstance(word, str) and _PATCH_BEGINS in word)
    return next(texts, "")


def _patched(patch: str, folder: Path) -> Iterator[Proposed]:
    """The files of a patch in the form of Codex: `*** Update File: NAME`, then hunks of context and changed lines."""
    kind, name, lines = "", "", []
    for line in (*patch.splitlines(), "*** End"):
        if not line.startswith("*** "):
            lines.append(line)
            continue
        if kind:
            yield from _of_file(kind, folder / name, lines)
        heading, _, name = line.removeprefix("*** ").partition(" File: ")
        kind, lines = heading if name else "", []


def _of_file(kind: str, path: Path, lines: Sequence[str]) -> Iterator[Proposed]:
    before = _content(path)
    if kind == "Delete":
        yield Proposed(path=path, before=before, after=None)
    elif kind == "Add":
        added = (line[1:] for line in lines if line.startswith("+"))
        yield Proposed(path=path, before=before, after=_bytes("".join(f"{line}\n" for line in added)))
    elif kind == "Update" and before is not None:
        after = _with_hunks(before, lines)
        if after is not None:
            yield Proposed(path=path, before=before, after=after)


def _with_hunks(content: bytes, lines: Sequence[str]) -> bytes | None:
    """The content with each hunk applied where its old lines stand; None if they do not."""
    hunks: list[list[str]] = [[]]
    for line in lines:
        if line.startswith("@@"):
            hunks.append([])
        else:
            hunks[-1].append(line)
    for hunk in filter(None, hunks):
        old = _bytes("".join(f"{line[1:]}\n" for line in hunk if line[:1] in (" ", "-", "")))
        new = _bytes("".join(f"{line[1:]}\n" for line in hunk if line[:1] in (" ", "+", "")))
        if not old or old not in content:
            return None
        content = content.replace(old, new, 1)
    return content


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes() if path.is_file() else None
    except OSError:
        return None


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
