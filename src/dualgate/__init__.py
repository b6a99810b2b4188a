"""dualgate: a coding agent in a loop, until the work is proven done.

The names below read and write what agents and the loop say to each other; others build their own loops on them. They
are imported when they are first used, so that `dualgate --version` is instant.
"""

TYPE_CHECKING = False  # as type checkers know it; importing typing takes longer than the rest of a start
if TYPE_CHECKING:
    from typing import Any

    from dualgate.core.blocks import RalphStatus, emit_ralph_status, not_honoured, read_ralph_status, required_answer
    from dualgate.core.blocks.phase_status import PhaseStatus
    from dualgate.core.blocks.phase_text import emit_phase_status, read_phase_status
    from dualgate.core.loop_document import read_loop_state
    from dualgate.core.packets import emit_packet, read_packets
    from dualgate.core.parse import Kind, parse
    from dualgate.core.problems import Problem
    from dualgate.core.reading import Reading
    from dualgate.core.schemas import schema

__version__ = "0.1.0.dev0"

__all__ = [
    "Kind",
    "PhaseStatus",
    "Problem",
    "RalphStatus",
    "Reading",
    "emit_packet",
    "emit_phase_status",
    "emit_ralph_status",
    "not_honoured",
    "parse",
    "read_loop_state",
    "read_packets",
    "read_phase_status",
    "read_ralph_status",
    "required_answer",
    "schema",
]

_HOMES = {
    "blocks": {"RalphStatus", "emit_ralph_status", "not_honoured", "read_ralph_status", "required_answer"},
    "blocks.phase_status": {"PhaseStatus"},
    "blocks.phase_text": {"emit_phase_status", "read_phase_status"},
    "loop_document": {"read_loop_state"},
    "packets": {"emit_packet", "read_packets"},
    "parse": {"Kind", "parse"},
    "problems": {"Problem"},
    "reading": {"Reading"},
    "schemas": {"schema"},
}


def __getattr__(name: str) -> "Any":
    from importlib import import_module

    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"dualgate.core.{module}"), name)
    raise AttributeError(f"module 'dualgate' has no attribute '{name}'")
