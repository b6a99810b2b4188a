"""The text of a specification -> what it says about other specifications: its id, what it needs, what needs it."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dualgate.core.spec.markdown import read_nodes
from dualgate.core.spec.outline import read_title
from dualgate.core.spec.relations import relations_in
from dualgate.core.spec.sections import read_sections

_KEYS_BEFORE = ("dependsOn", "depends_on", "dependencies", "blockedBy", "blocked_by")
_KEYS_OF_NAME = ("id", "spec", "path", "name", "title")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The relations of a specification to others."""

    spec_id: str = ""
    title: str = ""
    needs: tuple[str, ...] = ()
    """Names of specifications that must be done before."""
    blocks: tuple[str, ...] = ()
    mentioned: tuple[str, ...] = ()
    """Names in a section of dependencies. Those that are not in the queue may be packages, and count for nothing."""
    blocks_mentioned: tuple[str, ...] = ()
    problem: str = ""
    """Why the specification cannot be run; empty if it can."""


def read_relations(text: str) -> Reading:
    """The relations of a Markdown text or of a prd.json."""
    if (found := _prd(text)) is not None:
        needs = next((tuple(_names(found[key])) for key in _KEYS_BEFORE if found.get(key)), ())
        spec_id, blocks = str(found.get("id") or ""), tuple(_names(found.get("blocks")))
        return Reading(spec_id=spec_id, title=str(found.get("title") or ""), needs=needs, blocks=blocks)
    nodes = read_nodes(text)
    read = relations_in(text, nodes)
    return Reading(
        spec_id=read.spec_id,
        title=read_title(text, read_sections(nodes), ""),
        needs=tuple(read.needs),
        blocks=tuple(read.blocks),
        mentioned=tuple(read.mentioned),
        blocks_mentioned=tuple(read.blocks_mentioned),
    )


def _prd(text: str) -> Mapping[str, Any] | None:
    if not text.lstrip().startswith("{"):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _names(value: Any) -> Iterator[str]:
    for each in value if isinstance(value, list) else [value]:
        named = next((each[key] for key in _KEYS_OF_NAME if each.get(key)), "") if isinstance(each, dict) else each
        if words := str(named or "").split():
            yield " ".join(words)
