"""text -> the blocks that agents and the loop write to each other, and back."""

from dualgate.core.blocks.ralph import (
    Found,
    Malformed,
    Missing,
    RalphStatus,
    SuiteStatus,
    WorkStatus,
    WorkType,
    emit_ralph_status,
    read_ralph_status,
)

__all__ = [
    "Found",
    "Malformed",
    "Missing",
    "RalphStatus",
    "SuiteStatus",
    "WorkStatus",
    "WorkType",
    "emit_ralph_status",
    "read_ralph_status",
]
