"""Things that a person has to decide -> lines and JSON."""

from collections.abc import Sequence
from typing import Any

from dualgate.core.machine.approving import Decidable
from dualgate.display.lines import Line, Tone


def decidable_lines(found: Sequence[Decidable]) -> list[Line]:
    """Each thing with its id, its reasons and its diff."""
    if not found:
        return [Line(text="Nothing waits for you.")]
    return [line for each in found for line in _lines(each)]


def _lines(each: Decidable) -> list[Line]:
    notes = [Line(text=f"    {note}") for note in each.notes]
    diff = [Line(text=f"    {line}", tone=Tone.QUIET) for line in each.diff.splitlines()]
    return [Line(text=f"{each.id}  {each.title}"), *notes, *diff]


def decidable_record(each: Decidable) -> dict[str, Any]:
    return {
        "id": each.id,
        "kind": each.kind.value,
        "title": each.title,
        "test": each.target or None,
        "notes": list(each.notes),
        "diff": each.diff,
        "tree": each.tree or None,
    }
