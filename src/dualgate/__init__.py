"""dualgate: a coding agent in a loop, until the work is proven done.

The names below read and write what agents and the loop say to each other; others build their own loops on them. They
are imported when they are first used, so that `dualgate --version` is instant.
"""

TYPE_CHECKING = False  # as type checkers know it; importing typing takes longer than the rest of a start
if TYPE_CHECKING:
    from typing import Any

    from dualgate.core.record.loop_document import read_loop_state
    from dualgate.core.record.parse import Kind, parse
    from dualgate.core.report.schemas import schema
    from dualgate.core.said.blocks import emit_ralph_status, not_honoured, read_ralph_status, required_answer
    from dualgate.core.said.blocks.phase_text import emit_phase_status, read_phase_status
    from dualgate.core.said.packets import emit_packet, read_packets
    from dualgate.core.values.phase_status import PhaseStatus
    from dualgate.core.values.problems import Problem, Reading
    from dualgate.core.values.ralph_status import RalphStatus

try:
    from dualgate._version import version
except ModuleNotFoundError:  # a tree that was not built, as in the demo and the GitHub Action
    version = "0.1.0.dev0"
__version__: str = version

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
    "said.blocks": {"emit_ralph_status", "not_honoured", "read_ralph_status", "required_answer"},
    "values.ralph_status": {"RalphStatus"},
    "values.problems": {"Problem", "Reading"},
    "values.phase_status": {"PhaseStatus"},
    "said.blocks.phase_text": {"emit_phase_status", "read_phase_status"},
    "record.loop_document": {"read_loop_state"},
    "said.packets": {"emit_packet", "read_packets"},
    "record.parse": {"Kind", "parse"},
    "report.schemas": {"schema"},
}


def __getattr__(name: str) -> "Any":
    from importlib import import_module

    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"dualgate.core.{module}"), name)
    raise AttributeError(f"module 'dualgate' has no attribute '{name}'")
