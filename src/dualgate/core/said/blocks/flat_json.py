"""Text that is one flat JSON object -> the entries of a RALPH_STATUS block.

The text must be the object and nothing else, optionally in one code fence. JSON in the middle of prose is an
example, a log or an envelope, and must never change a signal.
"""

import re
from collections.abc import Iterable
from typing import Any

from dualgate.core.said.blocks.lines import BlockLine
from dualgate.core.said.blocks.scan import LONGEST_BLOCK

FENCED = re.compile(r"```[ \t]*(?:json)?[ \t\r]*\n(.*)\n[ \t]*```", re.DOTALL)
BEGINNING = re.compile(r"[ \t\r\n]*+[{`]")
DECIDING = ("status", "exit_signal")
WHITE = " \t\r\n"


def flat_entries(text: str, names: Iterable[str]) -> tuple[BlockLine, ...]:
    """The object's members as entries; empty if the text is not such an object."""
    if not _may_be_object(text):
        return ()
    line = text.count("\n", 0, len(text) - len(text.lstrip(WHITE))) + 1
    spelled = {spelling: name for name in names for spelling in (name, name.lower())}
    members = [(spelled.get(key, key), value) for key, value in _members(text.strip(WHITE))]
    given = {key for key, _ in members}
    if not all(key.upper() in given for key in DECIDING):
        return ()
    return tuple(BlockLine(line=line, text=key, key=key, value=_as_text(value)) for key, value in members)


def _may_be_object(text: str) -> bool:
    """A cheap check of length, both ends and both deciding words, because most texts are not an object."""
    if len(text) > LONGEST_BLOCK or not BEGINNING.match(text) or not text.rstrip(WHITE).endswith(("}", "`")):
        return False
    return all(word in text or word.upper() in text for word in DECIDING)


def _members(text: str) -> list[tuple[str, Any]]:
    import json  # rarely needed, and slow to load

    fenced = FENCED.fullmatch(text)
    body = fenced[1].strip(WHITE) if fenced else text
    if not body.startswith("{"):
        return []
    try:
        # Numbers stay text, so that one rule reads all numbers; pairs stay pairs, so that no duplicate key is lost.
        members = json.loads(body, object_pairs_hook=list, parse_int=str, parse_float=str, parse_constant=str)
    except (ValueError, RecursionError):
        return []
    return list(members)


def _as_text(value: Any) -> str | None:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return value.strip(" \t")
        case _:
            return None
