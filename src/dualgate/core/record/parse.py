"""text -> Reading: which of the four documents a text holds, and its fields. The last complete one counts."""

import re
from dataclasses import replace
from enum import StrEnum

from dualgate.core.said.blocks.last_block import read_block
from dualgate.core.said.blocks.scan import BlockKind, decode
from dualgate.core.values.problems import Reading, is_valid

LOOP_STATE = "LOOP_STATE"
TELLING = ("session_id", "current_phase", "phases_completed")
OBJECT = re.compile(r"\s*+\{")


class Kind(StrEnum):
    """The kinds of documents, by their names on the command line."""

    RALPH = "ralph"
    PHASE = "phase"
    PACKET = "packet"
    STATE = "state"


BLOCKS = {Kind.RALPH: BlockKind.RALPH_STATUS, Kind.PHASE: BlockKind.PRP_PHASE_STATUS}


def parse(text: str | bytes, kind: Kind | None = None, *, strict: bool = False) -> Reading:
    """Read the last complete document of a text, only of `kind` if given; with `strict`, a warning makes it invalid."""
    words = decode(text)
    match kind:
        case Kind.STATE:
            return _state(words, strict)
        case Kind.PACKET:
            return _packet(words, strict)
        case Kind.RALPH | Kind.PHASE:
            return read_block(words, (BLOCKS[kind],), strict=strict)
        case None:
            return _any(words, strict)


def _any(text: str, strict: bool) -> Reading:
    if _may_be_state(text):
        return _state(text, strict)
    block, packet = read_block(text, strict=strict), _packet(text, strict)
    count = block.blocks_found + packet.blocks_found
    last = max(block, packet, key=lambda reading: (reading.kind is not None, reading.complete, reading.line))
    return replace(last, blocks_found=count)


def _packet(text: str, strict: bool) -> Reading:
    if "Phase" not in text:
        return Reading()
    from dualgate.core.said.packets import parse_packet

    return parse_packet(text, strict=strict)


def _state(text: str, strict: bool) -> Reading:
    if not _is_object(text):
        return Reading()
    from dualgate.core.record.loop_document import read_loop_state

    document = read_loop_state(text)
    return Reading(
        kind=LOOP_STATE,
        valid=is_valid(document.problems, strict=strict),
        fields=document.fields,
        problems=document.problems,
        blocks_found=1,
        line=1,
    )


def _may_be_state(text: str) -> bool:
    """Whether a text is meant as a state document: an object with at least two keys that only such a document has."""
    return _is_object(text) and sum(f'"{name}"' in text for name in TELLING) > 1


def _is_object(text: str) -> bool:
    return OBJECT.match(text) is not None
