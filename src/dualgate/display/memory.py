"""Entries of the memory as lines for people, as Markdown, and as objects for programs."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from dualgate.core.prompt.recall import source_of
from dualgate.core.values.memory import StoredEntry
from dualgate.core.values.notation import counted, in_line
from dualgate.core.values.vocabulary import EntryKind

CURES = {EntryKind.ERROR: "fixed by", EntryKind.FINDING: "proposed fix"}


def entry_record(stored: StoredEntry) -> dict[str, Any]:
    entry = stored.entry
    return {
        "id": stored.id,
        "kind": entry.kind.value,
        "project": entry.project,
        "text": entry.text,
        "cure": entry.cure or None,
        "change": entry.change or None,
        "files": list(entry.files),
        "criteria": list(entry.criteria),
        "signature": entry.signature or None,
        "session": entry.session or None,
        "phase": entry.phase and entry.phase.value,
        "iteration": entry.iteration or None,
        "at": entry.at.isoformat(),
    }


def memory_lines(entries: Sequence[StoredEntry], project: str) -> Iterator[str]:
    if not entries:
        yield "There is no entry. Add one with: dualgate memory add TEXT"
        return
    width = max(len(str(stored.id)) for stored in entries)
    for stored in entries:
        first, *rest = _parts(stored, project)
        yield f"{stored.id:>{width}}  {stored.entry.kind:8}  {first}"
        yield from (f"{'':{width + 12}}{line}" for line in rest)
    yield counted(len(entries), "entry", "entries")


def export_text(entries: Iterable[StoredEntry], project: str) -> str:
    """Markdown, with a heading for each project."""
    lines: list[str] = []
    ordered = sorted(entries, key=attrgetter("entry.project"))
    for name, own in groupby(ordered, key=attrgetter("entry.project")):
        lines += [f"# {in_line(name)}", ""]
        for stored in own:
            first, *rest = _parts(stored, project)
            lines += [f"- {stored.entry.kind} {stored.id}: {first}", *(f"  - {line}" for line in rest)]
        lines.append("")
    return "\n".join(lines).rstrip()


def _parts(stored: StoredEntry, project: str) -> Iterator[str]:
    entry = stored.entry
    yield entry.text
    if entry.cure:
        yield f"{CURES.get(entry.kind, 'then')}: {entry.cure}"
    yield from (f"  {line}" for line in entry.change.splitlines())
    if entry.files:
        yield f"files: {', '.join(map(in_line, entry.files))}"
    yield source_of(entry, project)
