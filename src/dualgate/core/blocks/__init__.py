"""text -> the blocks that agents and the loop write to each other, and back.

RALPH_STATUS is the claim, PRP_PHASE_STATUS the record. Of several blocks the last complete one counts.
"""

from dualgate.core.blocks.found import Found, Malformed, Missing
from dualgate.core.blocks.log import log_addition, read_log
from dualgate.core.blocks.phase_status import CaseCounts, FileCounts, PhaseStatus
from dualgate.core.blocks.phase_text import emit_phase_status, read_phase_status
from dualgate.core.blocks.ralph import RalphStatus, SuiteStatus, WorkStatus, WorkType
from dualgate.core.blocks.ralph_text import emit_ralph_status, read_ralph_status
from dualgate.core.blocks.reading import read_block
from dualgate.core.blocks.rules import (
    Measured,
    Situation,
    contradictions,
    fitting_tests_status,
    not_honoured,
    possible_answers,
    required_answer,
    untrue,
)
from dualgate.core.blocks.scan import BlockKind
from dualgate.core.blocks.values import one_line

__all__ = [
    "BlockKind",
    "CaseCounts",
    "FileCounts",
    "Found",
    "Malformed",
    "Measured",
    "Missing",
    "PhaseStatus",
    "RalphStatus",
    "Situation",
    "SuiteStatus",
    "WorkStatus",
    "WorkType",
    "contradictions",
    "emit_phase_status",
    "emit_ralph_status",
    "fitting_tests_status",
    "log_addition",
    "not_honoured",
    "one_line",
    "possible_answers",
    "read_block",
    "read_log",
    "read_phase_status",
    "read_ralph_status",
    "required_answer",
    "untrue",
]
