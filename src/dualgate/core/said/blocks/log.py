"""The text of a log of records <-> the records. Append-only; what a crash tore off is passed over on reading."""

from dualgate.core.said.blocks.found import Found, Malformed
from dualgate.core.said.blocks.phase_text import emit_phase_status, read_phase_block
from dualgate.core.said.blocks.scan import BlockKind, all_blocks, decode
from dualgate.core.values.phase_status import PhaseStatus


def log_addition(tail: str, status: PhaseStatus) -> str:
    """What to append to a log that ends with `tail` (two characters are enough): one blank line, then the block.

    A torn line is ended first, so that it cannot swallow the delimiter that follows.
    """
    gap = "" if not tail or tail.endswith("\n\n") else "\n" if tail.endswith("\n") else "\n\n"
    return f"{gap}{emit_phase_status(status)}\n"


def read_log(text: str | bytes) -> tuple[Found[PhaseStatus] | Malformed[PhaseStatus], ...]:
    """Every complete block of a log in its order."""
    return tuple(map(read_phase_block, all_blocks(decode(text), BlockKind.PRP_PHASE_STATUS)))
