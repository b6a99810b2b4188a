"""The text of a specification -> what it says about other specifications: its id, what it needs, what needs it."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dualgate.core.spec.reading import read_specification

_HEADING = re.compile(r"#{1,6}\s+(?P<words>.+?)\s*#*\s*$")
_BEFORE = re.compile(r"(?:dependenc(?:y|ies)|depends on|blocked by)\b", re.IGNORECASE)
_AFTER = re.compile(r"blocks\b", re.IGNORECASE)
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(?P<text>.+)")
_NAMES = re.compile(r"\]\((?P<link>[^)\s]+)\)|`(?P<code>[^`]+)`|(?P<word>[\w./-]*\w)")
_KEYS_BEFORE = ("dependsOn", "depends_on", "dependencies")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The relations of a specification to others."""

    spec_id: str = ""
    needs: tuple[str, ...] = ()
    """Names of specifications that must be done before."""
    blocks: tuple[str, ...] = ()
    mentioned: tuple[str, ...] = ()
    """Names in a section of dependencies. Those that are not in the queue may be packages, and count for nothing."""
    blocks_mentioned: tuple[str, ...] = ()
    problem: str = ""
    """Why the specification cannot be run; empty if it can."""


def read_relations(text: str, name: str) -> Reading:
    """The relations of a Markdown text or of a prd.json."""
    if (found := _prd(text)) is not None:
        needs = next((_names(found[key]) for key in _KEYS_BEFORE if found.get(key)), ())
        return Reading(spec_id=str(found.get("id") or ""), needs=needs, blocks=_names(found.get("blocks")))
    read = read_specification(text, name)
    return Reading(
        spec_id=read.spec_id,
        needs=read.dependencies,
        blocks=read.blocks,
        mentioned=tuple(_in_sections(text.splitlines(), _BEFORE)),
        blocks_mentioned=tuple(_in_sections(text.splitlines(), _AFTER)),
    )


def _prd(text: str) -> Mapping[str, Any] | None:
    if not text.lstrip().startswith("{"):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _names(value: Any) -> tuple[str, ...]:
    return tuple(str(each) for each in (value if isinstance(value, list) else [value]) if each)


def _in_sections(lines: Sequence[str], title: re.Pattern[str]) -> Iterator[str]:
    """The names in the list items below headings that begin with these words."""
    is_inside = False
    for line in lines:
        if heading := _HEADING.match(line):
            is_inside = title.match(heading["words"]) is not None
        elif is_inside and (item := _ITEM.match(line)):
            yield from (found[found.lastgroup or 0] for found in _NAMES.finditer(item["text"]))
